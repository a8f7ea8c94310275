"""The rules for discarding, when the hand has no card of the led suit.

A rule gives each legal card marks, (k, n) floats by name.  What a mark is worth is up to the player: see `weights`
and `tuned_weights`; a mark that a table does not name is worth nothing there.
"""

from __future__ import annotations

from collections.abc import Callable

from tressette_env.baselines.bits import TOPS, any_of, as_float, count
from tressette_env.baselines.facts import Facts, Marks
from tressette_env.cards import ACE, ACES


def feed_partner(f: Facts) -> Marks:
    """Throw valuable cards, an ace first, on a trick that the partner is sure, or likely, to take."""
    return {"value": f.ours * f.value} if f.partnership else {}


def throw_worthless(f: Facts) -> Marks:
    """Throw worthless cards on a trick that the opponents are going to take."""
    return {"value": (1 - f.ours) * f.value, "ace": (1 - f.ours) * f.rank(ACE)}


def keep_winners(f: Facts) -> Marks:
    """Keep the cards that take tricks: winners, 3s and 2s."""
    return {
        "winner": as_float(f.sure),
        "3 or 2": as_float(f.strength > ACE),
        "nobody else has the suit": as_float((f.out & f.suit) == 0),
        "length": f.sure * f.length,
    }


def long_suit(f: Facts) -> Marks:
    """Shorten the suits that will never be good and keep the long ones."""
    small = as_float(f.strength < ACE)
    return {
        "length": f.length,
        "length, small card": small * f.length,
        "single card": as_float(f.length == 1),
        "small card, winners in suit": small * count(f.masters & f.suit),
        "small card, out": small * count(f.out & f.suit),
    }


def keep_guards(f: Facts) -> Marks:
    """Keep the small cards that let a 2, a 3 or an ace wait until its time has come."""
    small = f.strength < ACE
    waiting = small & any_of(f.own & ~f.masters, ACES)
    bare = f.rank(ACE) & ~f.sure & (f.length == 1)
    return {
        "last beside the ace": as_float(waiting & (f.length == 2)),
        "last but one beside the ace": as_float(waiting & (f.length == 3)),
        "last beside 3 or 2": as_float(small & any_of(f.own, TOPS) & (f.length == 2)),
        "guarded ace": as_float(f.rank(ACE) & ~f.sure),
        "bare ace": as_float(bare),
    }


def known_voids(f: Facts) -> Marks:
    """Throw from the suits that an opponent is known to lack: they need no guard against that one."""
    void = as_float((f.may[0::2, None] & f.suit) == 0)
    return {"opponents without": void.sum(axis=0)}


def last_trick(f: Facts) -> Marks:
    """Keep winners for the end together: one alone, which nobody may lead to, is worth less than one of several."""
    return {
        "only winner": as_float(f.sure & (count(f.masters) == 1)),
    }


DISCARD_RULES: dict[str, Callable[[Facts], Marks]] = {
    rule.__name__: rule
    for rule in (feed_partner, throw_worthless, keep_winners, long_suit, keep_guards, known_voids, last_trick)
}
