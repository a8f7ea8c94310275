"""What the marks are worth to the player `tuned`, in whole numbers.

`rules` uses some of the same marks; the sizes here were learned by self-play (see docs/baselines.md), so this is a
trained linear policy and not a hand-written player.  ``TUNED[moment][rule][mark]``: one number for each of: four
seats; two players while the stock lasts; two players once it is empty.
"""

from __future__ import annotations

from tressette_env.baselines.weights import Weights

TUNED: Weights = {
    "lead": {
        "count_ending": {
            "points": (0, 0, 1000),
        },
        "cash_winners": {
            "winner": (26, 6, 6),
            "value": (2, 15, 1),
            "winners in suit": (35, 2, 14),
            "still out": (-15, -5, -40),
            "strength": (0, -3, 0),
        },
        "hold_aces": {
            "guarded": (-18, -25, -16),
            "guarded and bare": (19, 18, 13),
            "winner": (-2, -21, -1),
        },
        "trust_partner": {
            "ours": (26, 10, 0),
            "value at risk": (0, -3, -2),
        },
        "long_suit": {
            "length": (3, 2, 3),
            "length, no winner": (2, 0, 0),
            "headed by 3 or 2": (7, 1, -25),
            "single card": (5, 3, 1),
            "still out": (-1, -2, -6),
        },
        "force_out": {
            "small under the ace": (4, -4, -9),
            "2 before the ace": (3, -5, 18),
            "2 without the ace": (-10, -13, 16),
            "small under the 3": (-11, -17, -6),
            "small under the 2": (-8, -6, -10),
        },
        "return_lead": {
            "partner's": (42, 0, 0),
            "partner's, no winner": (-33, 0, 0),
        },
        "suits_led": {
            "theirs": (-13, -2, -2),
            "theirs, no winner": (14, -5, -2),
            "own": (-2, 3, 3),
        },
        "known_voids": {
            "opponents without": (12, 10, -11),
            "partner without, winner": (-7, 0, 0),
            "partner without, no winner": (-1, 0, 0),
        },
        "last_trick": {
            "only winner": (2, -1, -15),
            "other winners": (-5, -1, 5),
        },
        "forced_reply": {
            "follows": (0, 5, 18),
            "must give value": (0, 8, 2),
            "must give the ace": (0, 11, 10),
            "may duck": (0, 1, 5),
        },
    },
    "follow": {
        "count_ending": {
            "points": (0, 0, 1000),
        },
        "take_points": {
            "ours": (57, 17, 23),
            "thirds on the table": (11, 15, 26),
            "seats behind": (-21, 0, 0),
            "spend a card": (-3, 0, 0),
            "spend a card, last to play": (-50, 0, 0),
        },
        "bank_own": {
            "value": (6, 12, 5),
            "ace": (-3, -16, -12),
        },
        "feed_partner": {
            "value": (8, 0, 0),
        },
        "throw_worthless": {
            "value": (-6, -4, -3),
        },
        "spare_partner": {
            "with a winner": (-3, 0, 0),
            "with a 3 or 2": (-4, 0, 0),
        },
        "thrift": {
            "strength, taking": (0, -3, -1),
            "strength, not taking": (0, 0, -1),
            "3, taking": (-12, 6, -6),
            "2, taking": (-5, 2, -6),
            "winner, taking": (-15, -8, -15),
            "winner, not taking": (-31, -7, -1),
        },
        "hold_aces": {
            "guarded ace": (-6, -2, 11),
            "3, ace out": (-12, -6, -22),
            "2, ace out": (-2, -4, -22),
            "top before own ace": (0, 4, 0),
            "one of both tops": (2, 5, 7),
        },
        "long_suit": {
            "length": (1, -3, -5),
        },
        "last_trick": {
            "other winners": (-1, -1, -2),
        },
    },
    "discard": {
        "count_ending": {
            "points": (0, 0, 1000),
        },
        "feed_partner": {
            "value": (8, 0, 0),
        },
        "throw_worthless": {
            "value": (-10, -7, -4),
            "ace": (-14, 3, -13),
        },
        "keep_winners": {
            "winner": (-57, 0, -14),
            "3 or 2": (-3, -9, -15),
            "nobody else has the suit": (36, 4, 7),
            "length": (9, -1, 1),
        },
        "long_suit": {
            "length": (-3, 2, 3),
            "length, small card": (3, -1, 1),
            "single card": (2, 1, 2),
            "small card, winners in suit": (-3, -1, -3),
            "small card, out": (1, 0, -1),
        },
        "keep_guards": {
            "last beside the ace": (-11, -6, -14),
            "last but one beside the ace": (-8, -4, -9),
            "last beside 3 or 2": (-6, -2, -9),
            "guarded ace": (11, 1, 4),
            "bare ace": (3, 0, 26),
        },
        "known_voids": {
            "opponents without": (3, 3, 7),
        },
        "last_trick": {
            "only winner": (14, -1, 7),
        },
    },
}
