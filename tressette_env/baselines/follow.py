"""The rules for following suit.

A rule gives each legal card marks, (k, n) floats by name.  What a mark is worth is up to the player: see `weights`
and `tuned_weights`; a mark that a table does not name is worth nothing there.
"""

from __future__ import annotations

from collections.abc import Callable

from tressette_env.baselines.bits import TOPS, any_of, as_float, count
from tressette_env.baselines.facts import Facts, Marks
from tressette_env.cards import ACE, ACES, THREE, TWO


def take_points(f: Facts) -> Marks:
    """Take the trick for what lies on the table and for the lead, but not at any price."""
    marks = {"ours": f.ours, "thirds on the table": f.ours * f.table_value}
    if f.partnership:
        spends = as_float(f.takes & ~f.partner_ahead)
        marks |= {
            "seats behind": f.ours * f.behind,
            "spend a card": spends,
            "spend a card, last to play": spends * (f.behind == 0),
        }
    return marks


def bank_own(f: Facts) -> Marks:
    """Take the trick with the card that is worth most, above all an ace that nothing can beat any more."""
    own = f.ours * f.takes
    return {"value": own * f.value, "ace": own * f.rank(ACE)}


def feed_partner(f: Facts) -> Marks:
    """Throw valuable cards on a trick that the partner is sure, or likely, to take."""
    return {"value": f.ours * ~f.takes * f.value} if f.partnership else {}


def throw_worthless(f: Facts) -> Marks:
    """Throw worthless cards on a trick that the opponents are going to take."""
    return {"value": (1 - f.ours) * f.value}


def spare_partner(f: Facts) -> Marks:
    """Do not beat the partner's card with a strong one: two of them on one trick are one too many."""
    if not f.partnership:
        return {}
    over = as_float(f.takes & f.partner_ahead)
    return {
        "with a winner": over * f.sure,
        "with a 3 or 2": over * (f.strength > ACE),
    }


def thrift(f: Facts) -> Marks:
    """Play the weakest card that does the job, and keep the cards that will take tricks later."""
    under = as_float(~f.takes)
    takes = as_float(f.takes & ~f.partner_ahead)
    return {
        "strength, taking": f.takes * f.strength,
        "strength, not taking": under * f.strength,
        "3, taking": takes * f.rank(THREE),
        "2, taking": takes * f.rank(TWO),
        "winner, taking": takes * f.sure,
        "winner, not taking": under * f.sure,
    }


def hold_aces(f: Facts) -> Marks:
    """Mind the ace: keep the 3 and 2 to catch it while it is out, and bring the own one home in time."""
    ace_out = any_of(f.out & f.led_suit, ACES)
    return {
        "guarded ace": f.ours * (f.rank(ACE) & ~f.sure),
        "3, ace out": as_float(f.rank(THREE) & ace_out),
        "2, ace out": as_float(f.rank(TWO) & ace_out & f.takes),
        "top before own ace": as_float((f.strength > ACE) & any_of(f.own, ACES)),
        "one of both tops": as_float((f.strength > ACE) & ((f.own & TOPS & ~f.bit) != 0)),
    }


def long_suit(f: Facts) -> Marks:
    """With many cards of the suit there is time: the high one takes a later trick of it, worth more."""
    return {"length": f.takes * f.ours * f.length}


def last_trick(f: Facts) -> Marks:
    """Count the other winners: they take tricks by themselves, the last one included, so this one is needed less."""
    return {"other winners": f.takes * f.ours * count(f.masters & ~f.suit)}


FOLLOW_RULES: dict[str, Callable[[Facts], Marks]] = {
    rule.__name__: rule
    for rule in (
        take_points,
        bank_own,
        feed_partner,
        throw_worthless,
        spare_partner,
        thrift,
        hold_aces,
        long_suit,
        last_trick,
    )
}
