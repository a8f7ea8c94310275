"""The rules for leading.

A rule gives each legal card marks, (k, n) floats by name.  What a mark is worth is up to the player: see `weights`
and `tuned_weights`; a mark that a table does not name is worth nothing there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tressette_env.baselines.bits import THREES, TOPS, TWOS, FloatArray, any_of, as_float, count
from tressette_env.baselines.facts import PARTNER, Facts, Marks
from tressette_env.cards import ACE, ACES, FIGURES, TWO


def cash_winners(f: Facts) -> Marks:
    """Play cards that no opponent can beat: the trick is safe, and stays in the hand's control.

    The more winners stand in the suit, the better; the more cards of it are out, the less the later ones
    are in danger, so they can wait.
    """
    sure = as_float(f.sure)
    out = f.out & f.suit
    return {
        "winner": sure,
        "value": sure * f.value,
        "winners in suit": sure * count(f.masters & f.suit),
        "still out": sure * count(out),
        "strength": sure * f.strength,
    }


def hold_aces(f: Facts) -> Marks:
    """Hold an ace back while a 2 or 3 that beats it is out, and cash it when none is: it is worth a whole point."""
    ace = f.rank(ACE)
    return {
        "guarded": as_float(ace & ~f.sure),
        "guarded and bare": as_float(ace & ~f.sure & (f.length == 1)),
        "winner": as_float(ace & f.sure),
    }


def trust_partner(f: Facts) -> Marks:
    """Without a winner, lead where the own side is likely to get the trick, and risk no valuable card.

    The top cards may be the partner's; with two players they may lie in the stock.
    """
    return {"ours": f.unsure * f.ours, "value at risk": f.unsure * (1 - f.ours) * f.value}


def long_suit(f: Facts) -> Marks:
    """Set up a long suit: when the others have run out of it, its small cards win, no suit being trump."""
    return {
        "length": f.length,
        "length, no winner": f.unsure * f.length,
        "headed by 3 or 2": f.unsure * any_of(f.own, TOPS),
        "single card": f.unsure * (f.length == 1),
        "still out": f.unsure * count(f.out & f.suit),
    }


def force_out(f: Facts) -> Marks:
    """Drive out the 3 or 2 above one's own honours, and do not play small under one's own 3 or 2.

    With ace and 2 the 2 forces the 3 and the ace becomes a winner; under the ace a small card asks the
    others to spend their 3 and 2; but a small card away from the 3 gives the trick, and its ace, away.
    """
    ace, small = any_of(f.own, ACES), f.strength < ACE
    two_under_three = f.rank(TWO) & any_of(f.theirs & f.suit, THREES)
    return {
        "small under the ace": f.unsure * (small & ace),
        "2 before the ace": as_float(two_under_three & ace),
        "2 without the ace": as_float(two_under_three & ~ace),
        "small under the 3": f.unsure * (small & any_of(f.own, THREES)),
        "small under the 2": f.unsure * (small & any_of(f.own, TWOS)),
    }


def return_lead(f: Facts) -> Marks:
    """Return the partner's suit: he led it because he wants it played."""
    if not f.partnership:
        return {}
    partners = _led(f, PARTNER)
    return {"partner's": partners, "partner's, no winner": f.unsure * partners}


def suits_led(f: Facts) -> Marks:
    """Judge a suit by who led it before: opponents lead what they are long in, and so did this seat.

    A winner in their suit can wait, for they will lead it again.
    """
    theirs = np.maximum(_led(f, 1), _led(f, -1))
    return {"theirs": theirs, "theirs, no winner": f.unsure * theirs, "own": _led(f, 0)}


def _led(f: Facts, place: int) -> FloatArray:
    """Return (k, n): 1 where the seat at this place led the suit before."""
    return as_float((f.led_by[place] & f.suit) != 0)


def known_voids(f: Facts) -> Marks:
    """Use known voids: an opponent without the suit cannot take the trick, a partner without it throws points on."""
    void = as_float((f.may[:, None] & f.suit) == 0)
    marks = {"opponents without": f.sure * void[0::2].sum(axis=0)}
    if f.partnership:
        marks |= {"partner without, winner": f.sure * void[1], "partner without, no winner": f.unsure * void[1]}
    return marks


def last_trick(f: Facts) -> Marks:
    """Keep a winner for the last trick, which counts a whole point.

    Once all is known the only one is not cashed early; with several there is less hurry.
    """
    sure, winners = as_float(f.sure), count(f.masters)
    return {
        "only winner": sure * (winners == 1) * (f.left > 1),
        "other winners": sure * winners,
    }


def forced_reply(f: Facts) -> Marks:
    """Catch what the other must give up: all his cards of the suit are known, and every one is worth something.

    Two players only: a suit of which he shows every card, or any suit once the stock is empty.
    """
    if len(f.may) > 1:
        return {}
    held = f.may[0] & f.suit
    known = (held != 0) & ((f.stock == 0) | ((held & ~f.shown[0]) == 0))
    sure = as_float(f.sure)
    return {
        "follows": sure * known,
        "must give value": sure * (known & ((held & ~(ACES | FIGURES)) == 0)),
        "must give the ace": sure * (known & ((held & ~ACES) == 0)),
        "may duck": f.unsure * ((held & ~f.higher) != 0),
    }


LEAD_RULES: dict[str, Callable[[Facts], Marks]] = {
    rule.__name__: rule
    for rule in (
        cash_winners,
        hold_aces,
        trust_partner,
        long_suit,
        force_out,
        return_lead,
        suits_led,
        known_voids,
        last_trick,
        forced_reply,
    )
}
