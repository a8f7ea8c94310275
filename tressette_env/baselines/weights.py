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
            "winner": (20, 6, 8),
            "value": (0, 15, 1),
            "winners in suit": (31, 3, 14),
            "still out": (-12, -5, -54),
            "strength": (1, -3, 0),
        },
        "hold_aces": {
            "guarded": (-10, -26, -21),
            "guarded and bare": (10, 22, 14),
            "winner": (1, -19, 12),
        },
        "trust_partner": {
            "ours": (23, 11, 0),
            "value at risk": (0, -3, -2),
        },
        "long_suit": {
            "length": (2, 2, 9),
            "length, no winner": (3, 1, -5),
            "headed by 3 or 2": (5, 1, -41),
            "single card": (5, 2, 1),
            "still out": (-1, -3, -8),
        },
        "force_out": {
            "small under the ace": (3, -4, -13),
            "2 before the ace": (4, -3, 31),
            "2 without the ace": (-8, -11, 33),
            "small under the 3": (-9, -19, -5),
            "small under the 2": (-6, -5, -4),
        },
        "suits_led": {
            "theirs": (-11, -4, -2),
            "theirs, no winner": (13, -4, -3),
            "own": (-2, 3, 2),
            "partner's": (29, 0, 0),
            "partner's, no winner": (-19, 0, 0),
        },
        "known_voids": {
            "opponents without": (9, 10, -1),
            "partner without, winner": (-4, 0, 0),
            "partner without, no winner": (-5, 0, 0),
        },
        "last_trick": {
            "only winner": (8, 0, -26),
            "other winners": (-4, -1, 5),
        },
        "forced_reply": {
            "follows": (0, 6, 8),
            "must give value": (0, 10, 0),
            "must give the ace": (0, 10, 19),
            "may duck": (0, 1, 5),
        },
    },
    "follow": {
        "count_ending": {
            "points": (0, 0, 1000),
        },
        "take_points": {
            "ours": (44, 20, -9),
            "thirds on the table": (8, 20, 30),
            "seats behind": (-15, 0, 0),
            "spend a card": (-1, 0, 0),
            "spend a card, last to play": (-36, 0, 0),
        },
        "bank_own": {
            "value": (4, 14, 5),
            "ace": (-4, -19, -8),
        },
        "feed_partner": {
            "value": (5, 0, 0),
        },
        "throw_worthless": {
            "value": (-4, -4, -1),
        },
        "spare_partner": {
            "overtake": (5, 0, 0),
            "overtake a safe card": (1, 0, 0),
            "overtake with 3 or 2": (-1, 0, 0),
            "overtake with a winner": (-8, 0, 0),
        },
        "thrift": {
            "strength, taking": (-1, -4, -1),
            "strength, not taking": (0, 0, -1),
            "3, taking": (-9, 5, 1),
            "2, taking": (-2, 1, 0),
            "winner, taking": (-11, -9, -42),
            "winner, not taking": (-20, -6, -10),
        },
        "hold_aces": {
            "guarded ace": (-2, -3, 8),
            "3, ace out": (-7, -7, -30),
            "2, ace out": (-4, -4, -29),
            "top before own ace": (2, 5, 2),
            "one of both tops": (5, 9, 22),
        },
        "long_suit": {
            "length": (0, -3, 7),
        },
        "last_trick": {
            "other winners": (-1, -1, 5),
        },
    },
    "discard": {
        "count_ending": {
            "points": (0, 0, 1000),
        },
        "feed_partner": {
            "value": (6, 0, 0),
            "ace, sure": (6, 0, 0),
        },
        "throw_worthless": {
            "value": (-7, -7, -8),
            "ace": (0, 1, -16),
        },
        "keep_winners": {
            "winner": (-44, 0, -29),
            "3 or 2": (-1, -11, -13),
            "nobody else has the suit": (28, 1, 12),
            "length": (7, 0, 4),
        },
        "long_suit": {
            "length": (-3, 3, 2),
            "length, small card": (2, -1, 0),
            "single card": (1, 0, 0),
            "small card, winners in suit": (-2, -1, -2),
            "small card, out": (1, 0, -1),
        },
        "keep_guards": {
            "last beside the ace": (-8, -3, -11),
            "last but one beside the ace": (-4, -3, -9),
            "last beside 3 or 2": (-4, -3, -11),
            "guarded ace": (4, 0, 11),
            "bare ace": (5, 0, 15),
        },
        "known_voids": {
            "opponents without": (2, 4, 12),
        },
        "last_trick": {
            "only winner": (9, -2, 8),
        },
    },
}
