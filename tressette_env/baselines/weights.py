"""What the marks are worth to the player `rules`, in whole numbers set by hand.

``WEIGHTS[moment][rule][mark]``: one number for each of: four seats; two players while the stock lasts; two
players once it is empty.  A mark that is missing is worth nothing.  The scale: a third on the table is worth
about ten, a winner thrown away forty, one step of strength one.
"""

from __future__ import annotations

Weights = dict[str, dict[str, dict[str, tuple[int, int, int]]]]


def _always(weight: int) -> tuple[int, int, int]:
    return weight, weight, weight


WEIGHTS: Weights = {
    "lead": {
        # With a stock, what is cashed is replaced by a drawn card: bring aces home, keep the other winners.
        "cash_winners": {"winner": (10, 0, 0), "value": _always(5), "winners in suit": (10, 0, 5)},
        "hold_aces": {"guarded": _always(-30)},
        "trust_partner": {"ours": (20, 10, 0), "value at risk": (-5, -5, 0)},
        "long_suit": {"length": (3, 2, 0)},
        "force_out": {
            "small under the 3": _always(-10),
            "small under the 2": _always(-5),
            "2 before the ace": (15, 0, 0),
            "2 without the ace": _always(-10),
        },
        "return_lead": {"partner's": _always(30)},
        "suits_led": {"theirs": (-5, -10, -20), "own": _always(5)},
        "known_voids": {"opponents without": _always(10)},
        "last_trick": {"only winner": _always(-20)},
        "forced_reply": {"follows": (0, 10, 0), "must give value": (0, 10, 10)},
    },
    "follow": {
        # With a stock the lead is worth less than a good draw: take for the points.
        "take_points": {"ours": (20, 10, 0), "thirds on the table": _always(10)},
        "bank_own": {"value": (10, 5, 5)},
        "feed_partner": {"value": _always(10)},
        "throw_worthless": {"value": _always(-5)},
        "spare_partner": {"with a winner": _always(-5)},
        "thrift": {
            "strength, taking": _always(-1),
            "strength, not taking": _always(-1),
            "3, taking": (-15, -10, -10),
            "2, taking": _always(-5),
            "winner, not taking": _always(-20),
        },
        "hold_aces": {"guarded ace": _always(-10), "3, ace out": (-15, -10, -10)},
    },
    "discard": {
        "feed_partner": {"value": _always(10)},
        "throw_worthless": {"value": _always(-10)},
        "keep_winners": {
            "winner": _always(-40),
            "3 or 2": _always(-10),
            "nobody else has the suit": _always(10),
        },
        "long_suit": {"length": _always(-2)},
        "keep_guards": {"last beside the ace": _always(-10), "last beside 3 or 2": _always(-5)},
    },
}
