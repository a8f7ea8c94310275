"""The historical bonuses as the solver follows them (RULES §7): a compiled twin of `tressette_env.scoring`.

Which bonuses can still be won is one number: for each side four bits, from side 0 up, the first two whether it has
taken every trick, or conceded one that is worthless, the next two which of its seats took some.  0: none any more.
"""

from __future__ import annotations

import numpy as np

from agents.search.compiled import compiled
from tressette_env.cards import IntArray, UInt64Array
from tressette_env.rules import Rules
from tressette_env.scoring import BONUSES, MOST_FIGURES_OF_A_WORTHLESS_TRICK, all_but_one_counts, is_worthless

_OUT, _ALL, _ALL_BUT_ONE = range(3)
_SIDE_BITS = 4
_STANDINGS = 3 | (3 << _SIDE_BITS)
_BOTH_SEATS = 3
_MOST_THIRDS = MOST_FIGURES_OF_A_WORTHLESS_TRICK  # an ace alone is worth more

EVERY_TRICK, ALONE, TOGETHER, ONE_SUIT = range(4)
BONUS_POINTS = np.array([BONUSES[name] for name in ("callada", "strammassona", "strammasseta", "calladondriona")])
"""Points for every trick, which are the same for one player and for both; for all but one taken by one player
alone, or by both; and for every trick where the leader of the deal had ten cards of one suit."""
_ONE_SUIT_SHIFT = 2 * _SIDE_BITS  # two more bits: the side that led the deal from such a hand


def bonus_in_reach(taken: UInt64Array, tricks: IntArray, one_suit: IntArray, rules: Rules) -> IntArray:
    """Return (n,) int64: which bonuses can be won, 0 for none.

    `taken` (2, n): the cards each side took; `tricks` (seats, n): tricks taken by each seat; `one_suit` (n,): the
    side that led the deal from a hand of one suit, -1 for none.
    """
    reach = np.zeros(taken.shape[1], np.int64)
    if rules.variant != "historical":
        return reach
    for side in (0, 1):
        conceded = tricks[1 - side] + tricks[3 - side]
        one = (conceded == 1) & is_worthless(taken[1 - side]) & all_but_one_counts(rules)
        standing = np.where(conceded == 0, _ALL, np.where(one, _ALL_BUT_ONE, _OUT))
        takers = (tricks[side] > 0) | ((tricks[side + 2] > 0) << 1)
        reach |= (standing | (takers << 2)) << (_SIDE_BITS * side)
        reach |= (one_suit == side).astype(np.int64) << (_ONE_SUIT_SHIFT + side)
    return np.where(reach & _STANDINGS, reach, 0)


@compiled()
def after_trick(reach: np.int64, winner: np.int64, thirds: np.int64, all_but_one: bool) -> np.int64:
    """Return what can be won after a trick of so many thirds.

    `all_but_one`: whether all but one are a feat in this deal.
    """
    shift = _SIDE_BITS * (winner & 1)
    other = _SIDE_BITS - shift
    reach |= np.int64(4 << (winner >> 1)) << shift
    standing = (reach >> other) & 3
    if standing == _ALL and all_but_one and thirds <= _MOST_THIRDS:
        standing_now = np.int64(_ALL_BUT_ONE)
    else:
        standing_now = np.int64(_OUT)
    reach = (reach & ~(np.int64(3) << other)) | (standing_now << other)
    return reach if reach & _STANDINGS else np.int64(0)


@compiled()
def won_by_side_0(reach: np.int64) -> np.int64:
    """Return side 0's bonus minus side 1's at the end of the deal."""
    won = np.int64(0)
    for side in range(2):
        of_side = reach >> (_SIDE_BITS * side)
        sign = 1 - 2 * side
        if of_side & 3 == _ALL:
            won += sign * BONUS_POINTS[_name_of_every_trick(reach, side)]
        elif of_side & 3 == _ALL_BUT_ONE:
            won += sign * BONUS_POINTS[TOGETHER if (of_side >> 2) & 3 == _BOTH_SEATS else ALONE]
    return won


@compiled()
def most_for_side(reach: np.int64, side: int) -> np.int64:
    """Return the most that a side can still win as a bonus."""
    if (reach >> (_SIDE_BITS * side)) & 3 == _OUT:
        return np.int64(0)
    return max(BONUS_POINTS[_name_of_every_trick(reach, side)], BONUS_POINTS[ALONE])


@compiled(inline=True)
def _name_of_every_trick(reach: np.int64, side: int) -> int:
    return ONE_SUIT if (reach >> (_ONE_SUIT_SHIFT + side)) & 1 else EVERY_TRICK
