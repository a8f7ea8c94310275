"""Exact values of positions and of each legal card, many positions in one call (compiled)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.search.bonuses import most_for_side
from agents.search.bounds import points, thirds_for
from agents.search.compiled import compiled
from agents.search.double_dummy import (
    AGE,
    BASE,
    BASE_AFTER,
    BEST,
    BONUS,
    CARDS,
    DEPTH,
    FRAME,
    LED,
    NEED,
    SEAT,
    SEATS,
    TOTAL,
    Work,
    legal_cards,
    play,
    search,
)
from agents.search.moves import SUIT, distinct_cards
from agents.search.suit_tables import CLASS, PATTERN, PATTERN_BITS, Int64Array, fill, thirds_in, weakest
from tressette_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, SUIT_BITS

NO_VALUE = np.int8(-128)
"""Stands where a card can not be played."""
_ANY_MOVE = np.int64(-1)
_WEIGHT_OF_LEAD, _WEIGHT_OF_FIRST, _WEIGHT_OF_SECOND, _UNIT_OF_WEIGHTS = 9, 20, 7, 144
_FIRST_STEP = 2  # the steps of the search for the value widen from this


@compiled()
def _set_up(
    work: Work,
    hands: npt.NDArray[np.uint64],
    leader: np.int64,
    table: npt.NDArray[np.int8],
    thirds: Int64Array,
    bonus: np.int64,
) -> None:
    """Put a position into ``work.stack[0]``; ``work.numbers`` has the seats, and gets total and age."""
    seats = work.numbers[SEATS]
    everything = np.int64(0)
    for seat in range(seats):
        work.owned[seat] = np.int64(hands[seat])
        everything |= work.owned[seat]
    fill(work.owned, seats, work.tables)
    state = work.stack[0]
    for field in range(FRAME):
        state[field] = 0
    state[CARDS], state[SEAT], state[LED], state[BEST], state[BASE_AFTER] = everything, leader, -1, -1, -1
    left = thirds_in(everything) + 3
    for place in range(seats - 1):
        if table[place] >= 0:
            left += thirds_in(np.int64(1) << np.int64(table[place]))
            play(state, np.int64(table[place]), work)
    state[BONUS] = bonus
    state[BASE] = thirds[0] if bonus else 0
    work.numbers[TOTAL] = thirds[0] + thirds[1] + left
    work.numbers[AGE] += 1


@compiled()
def _copy(source: Int64Array, target: Int64Array) -> None:
    for field in range(FRAME):
        target[field] = source[field]


@compiled()
def _value(work: Work, thirds: np.int64, guess: np.int64, first_move: np.int64, in_points: bool) -> np.int64:
    """Return the exact value of the position in ``work.stack[0]``, for side 0.

    `thirds`: side 0's so far.  `in_points`: the final difference in points, else the thirds still to take.
    """
    root = work.stack[DEPTH - 1]
    _copy(work.stack[0], root)
    total = work.numbers[TOTAL]
    low, high = np.int64(0), total - thirds
    if in_points:
        low = points(thirds, total) - most_for_side(root[BONUS], 1)
        high = points(total, total) + most_for_side(root[BONUS], 0)
    step = np.int64(_FIRST_STEP)
    above = below = False
    goal = guess
    while low < high:
        goal = min(max(goal, low + 1), high)
        _copy(root, work.stack[0])
        with_thirds = root[BONUS] == 0 and in_points
        work.stack[0, NEED] = thirds_for(goal, thirds, total) if with_thirds else goal
        found = search(work, first_move)
        if with_thirds:
            found = points(thirds + found, total)
        if found >= goal:
            low, above = found, True
        else:
            high, below = found, True
        if above and below:
            goal = (low + high + 1) >> 1
        else:
            goal = low + step if above else high - step + 1
            step += 1
    _copy(root, work.stack[0])
    return low


@compiled()
def _guess(work: Work) -> np.int64:
    """Return a first guess of the thirds that side 0 still takes in the position of ``work.stack[0]``.

    A least-squares fit on solved deals: the lead and each suit's two strongest cards leave an error of 3.6 thirds.
    """
    cards = work.stack[0, CARDS]
    left = thirds_in(cards)
    weight = _WEIGHT_OF_LEAD * (1 - 2 * (work.stack[0, SEAT] & 1))
    for suit in range(NUM_SUITS):
        part = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
        pattern = work.tables[suit, part, PATTERN]
        if part:
            weight += _WEIGHT_OF_FIRST * (1 - 2 * (pattern & 1))
        if part & (part - 1):
            weight += _WEIGHT_OF_SECOND * (1 - 2 * ((pattern >> PATTERN_BITS) & 1))
    return (left + 3) // 2 + left * weight // _UNIT_OF_WEIGHTS


@compiled()
def values_of_positions(
    work: Work,
    hands: npt.NDArray[np.uint64],
    leader: Int64Array,
    table: npt.NDArray[np.int8],
    thirds: Int64Array,
    bonus: Int64Array,
    in_points: bool,
    found: Int64Array,
) -> None:
    """Write the values for side 0 into `found` (n,), see `_value` for `in_points`; without it no bonus counts."""
    work.numbers[SEATS] = hands.shape[1]
    for row in range(len(leader)):
        _set_up(work, hands[row], leader[row], table[row], thirds[row], bonus[row] if in_points else np.int64(0))
        guess = _guess(work)
        if in_points:
            guess = points(thirds[row, 0] + guess, work.numbers[TOTAL])
        found[row] = _value(work, thirds[row, 0], guess, _ANY_MOVE, in_points)


@compiled()
def values_of_cards(
    work: Work,
    hands: npt.NDArray[np.uint64],
    leader: Int64Array,
    table: npt.NDArray[np.int8],
    thirds: Int64Array,
    bonus: Int64Array,
    found: npt.NDArray[np.int8],
) -> None:
    """Write into `found` (n, 40) the final points of the mover's side minus the other's for each legal card."""
    work.numbers[SEATS] = hands.shape[1]
    for row in range(len(leader)):
        _set_up(work, hands[row], leader[row], table[row], thirds[row], bonus[row])
        state = work.stack[0]
        sign = 1 - 2 * (state[SEAT] & 1)
        legal, separating = legal_cards(state, work)
        tried = distinct_cards(legal, separating)
        for column in range(NUM_CARDS):
            found[row, column] = NO_VALUE
        guess = points(thirds[row, 0] + _guess(work), work.numbers[TOTAL])
        while tried:
            card = weakest(tried)
            tried &= tried - 1
            guess = _value(work, thirds[row, 0], guess, card, True)
            _spread(found[row], card, np.int8(sign * guess), legal, separating)


@compiled()
def _spread(found: npt.NDArray[np.int8], card: np.int64, value: np.int8, legal: np.int64, separating: np.int64) -> None:
    """Write the value of a card for it and the weaker cards equal to it."""
    below = card
    while below >= NUM_RANKS * SUIT[card] and not (separating >> below) & 1:
        if (legal >> below) & 1 and CLASS[below] == CLASS[card]:
            found[below] = value
        below -= 1
