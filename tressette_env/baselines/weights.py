"""What the marks of the player `rules` are worth, in whole numbers.

``WEIGHTS[moment][rule][mark]``: one number for each of: four seats; two players while the stock lasts; two
players once it is empty.  The signs follow from the reasons of the rules; the sizes were tuned in self-play
on deals that no reported figure uses (see docs/baselines.md), and are frozen with the player's version.
"""

from __future__ import annotations

Weights = dict[str, dict[str, dict[str, tuple[int, int, int]]]]

WEIGHTS: Weights = {
    "lead": {
        "count_ending": {
            "points": (0, 0, 1000),
        },
        "cash_winners": {
            "winner": (21, 6, 6),
            "value": (1, 15, 1),
            "winners in suit": (35, 2, 14),
            "still out": (-14, -5, -40),
            "strength": (1, -3, 0),
        },
        "hold_aces": {
            "guarded": (-19, -25, -16),
            "guarded and bare": (16, 18, 13),
            "winner": (-1, -21, -1),
        },
        "trust_partner": {
            "ours": (25, 10, 0),
            "value at risk": (0, -3, -2),
        },
        "long_suit": {
            "length": (3, 2, 3),
            "length, no winner": (1, 0, 0),
            "headed by 3 or 2": (8, 1, -25),
            "single card": (6, 3, 1),
            "still out": (0, -2, -6),
        },
        "force_out": {
            "small under the ace": (3, -4, -9),
            "2 before the ace": (2, -5, 18),
            "2 without the ace": (-11, -13, 16),
            "small under the 3": (-11, -17, -6),
            "small under the 2": (-8, -6, -10),
        },
        "return_lead": {
            "partner's": (40, 0, 0),
            "partner's, no winner": (-30, 0, 0),
        },
        "suits_led": {
            "theirs": (-12, -2, -2),
            "theirs, no winner": (14, -5, -2),
            "own": (0, 3, 3),
        },
        "known_voids": {
            "opponents without": (9, 10, -11),
            "partner without, winner": (-5, 0, 0),
            "partner without, no winner": (-2, 0, 0),
        },
        "last_trick": {
            "only winner": (4, -1, -15),
            "other winners": (-3, -1, 5),
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
            "ours": (55, 17, 23),
            "thirds on the table": (9, 15, 26),
            "seats behind": (-21, 0, 0),
            "spend a card": (1, 0, 0),
            "spend a card, last to play": (-49, 0, 0),
        },
        "bank_own": {
            "value": (6, 12, 5),
            "ace": (-4, -16, -12),
        },
        "feed_partner": {
            "value": (7, 0, 0),
        },
        "throw_worthless": {
            "value": (-5, -4, -3),
        },
        "spare_partner": {
            "overtake": (5, 0, 0),
            "overtake with a winner": (-6, 0, 0),
        },
        "thrift": {
            "strength, taking": (-1, -3, -1),
            "strength, not taking": (0, 0, -1),
            "3, taking": (-8, 6, -6),
            "2, taking": (-3, 2, -6),
            "winner, taking": (-12, -8, -15),
            "winner, not taking": (-28, -7, -1),
        },
        "hold_aces": {
            "guarded ace": (-4, -2, 11),
            "3, ace out": (-10, -6, -22),
            "2, ace out": (-2, -4, -22),
            "top before own ace": (-1, 4, 0),
            "one of both tops": (3, 5, 7),
        },
        "long_suit": {
            "length": (0, -3, -5),
        },
        "last_trick": {
            "other winners": (-2, -1, -2),
        },
    },
    "discard": {
        "count_ending": {
            "points": (0, 0, 1000),
        },
        "feed_partner": {
            "value": (7, 0, 0),
            "ace, sure": (4, 0, 0),
        },
        "throw_worthless": {
            "value": (-8, -7, -4),
            "ace": (-13, 3, -13),
        },
        "keep_winners": {
            "winner": (-56, 0, -14),
            "3 or 2": (-4, -9, -15),
            "nobody else has the suit": (37, 4, 7),
            "length": (9, -1, 1),
        },
        "long_suit": {
            "length": (-2, 2, 3),
            "length, small card": (2, -1, 1),
            "single card": (2, 1, 2),
            "small card, winners in suit": (-3, -1, -3),
            "small card, out": (1, 0, -1),
        },
        "keep_guards": {
            "last beside the ace": (-10, -6, -14),
            "last but one beside the ace": (-6, -4, -9),
            "last beside 3 or 2": (-5, -2, -9),
            "guarded ace": (5, 1, 4),
            "bare ace": (6, 0, 26),
        },
        "known_voids": {
            "opponents without": (2, 3, 7),
        },
        "last_trick": {
            "only winner": (12, -1, 7),
        },
    },
}
