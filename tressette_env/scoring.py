"""What a finished deal is worth: thirds, the last trick, and the historical bonuses (RULES §2, §7)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tressette_env.cards import ACES, FIGURES, SUIT_MASKS, IntArray, UInt64Array, bitboard_of, popcount, thirds_of
from tressette_env.rules import Rules

BONUSES = {
    "strammasseta": 3,
    "strammassona": 6,
    "callada": 4,
    "calladona": 4,
    "calladondriona": 16,
}
"""Points of each bonus; a deal earns at most one."""

BONUS_NAMES: tuple[str | None, ...] = (None, *BONUSES)
_BONUS_POINTS = np.array([0, *BONUSES.values()])
_CODE = {name: code for code, name in enumerate(BONUS_NAMES)}
MOST_FIGURES_OF_A_WORTHLESS_TRICK = 2
_TRICKS_OF_A_MAJORITY = 2  # and one conceded


def card_points(taken: UInt64Array, last_winner: IntArray) -> IntArray:
    """Return each side's points for cards and the last trick, (N, 2) int.

    `taken` (2, N): the cards each side took; `last_winner` (N,): seat that took the last trick.
    Thirds are summed over the side, then floored once.
    """
    points = (thirds_of(taken) // 3).T
    points[np.arange(len(points)), last_winner & 1] += 1
    return points


def whole_suit(hands: UInt64Array, rules: Rules) -> npt.NDArray[np.bool_]:
    """Return which hands (N,) are just one suit of the pack, no card missing."""
    pack = np.uint64(bitboard_of(rules.pack))
    return np.isin(hands, [mask & pack for mask in SUIT_MASKS if mask & pack])


def is_worthless(trick: UInt64Array) -> npt.NDArray[np.bool_]:
    """Return which tricks (N,), given by their cards, a side may concede and still earn the bonus for the others."""
    worthless: npt.NDArray[np.bool_] = (trick & ACES) == 0
    worthless &= popcount(trick & FIGURES) <= MOST_FIGURES_OF_A_WORTHLESS_TRICK
    return worthless


def all_but_one_counts(rules: Rules) -> bool:
    """Whether taking all tricks but one is a feat: only where it is a majority, which mini games may lack."""
    return rules.num_tricks > _TRICKS_OF_A_MAJORITY


def bonus_codes(
    taken: UInt64Array, tricks: IntArray, leader_hand: UInt64Array, leader: IntArray, rules: Rules
) -> IntArray:
    """Return the index into `BONUS_NAMES` that each finished deal earns, (N,) int.

    `taken` (2, N): cards by side; `tricks` (seats, N): tricks by seat; `leader_hand` (N,): the cards dealt
    to `leader` (N,), the seat on lead at the start.
    """
    total = rules.num_tricks
    codes = np.zeros(len(leader), np.int64)
    one_suit = whole_suit(leader_hand, rules)
    for side in (0, 1):
        of_side = tricks[side] + tricks[side + 2]
        alone = np.maximum(tricks[side], tricks[side + 2]) == of_side
        every = of_side == total
        codes[every] = _CODE["callada"]
        codes[every & alone] = _CODE["calladona"]
        codes[every & alone & one_suit & (leader & 1 == side)] = _CODE["calladondriona"]
        all_but_one = (of_side == total - 1) & is_worthless(taken[1 - side]) & all_but_one_counts(rules)
        codes[all_but_one] = _CODE["strammasseta"]
        codes[all_but_one & alone] = _CODE["strammassona"]
    return codes


def bonus_points(codes: IntArray, tricks: IntArray) -> IntArray:
    """Return each side's bonus points, (N, 2) int: they go to the side with more `tricks` (seats, N)."""
    points = np.zeros((len(codes), 2), np.int64)
    by_side = np.stack([tricks[0] + tricks[2], tricks[1] + tricks[3]])
    points[np.arange(len(codes)), by_side.argmax(axis=0)] = _BONUS_POINTS[codes]
    return points
