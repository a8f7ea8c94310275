"""Drawing worlds: the compiled half of `agents.search.worlds`.

`world_counting` counts the ways to go on from each state; the world of a given number below their total is found
by walking forward.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.search.compiled import compiled, lowest, mix64, popcount
from agents.search.world_counting import GROUPS, LOWER_RANKS, Tables, count_worlds, new_tables
from tressette_env.cards import NUM_SUITS, IntArray, UInt64Array

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@compiled(allocates=True)
def _world(number: np.int64, room: IntArray, tables: Tables, out: UInt64Array) -> None:
    """Write the cards that the world of this number gives to the first two groups."""
    first, second = _ZERO, _ZERO
    state = np.int64(0)
    for suit in range(NUM_SUITS):
        choice = np.int64(0)
        while True:
            step = np.int64(tables.steps[suit, state, choice])
            if step >= 0:
                worth = tables.worth[suit + 1, step]
                if number < worth:
                    break
                number -= worth
            choice += 1
        state = step
        first |= tables.key_cards[suit, choice, 0]
        second |= tables.key_cards[suit, choice, 1]
    room_1, room_2 = room[0] - popcount(first), room[1] - popcount(second)
    room_3 = np.int64(0)
    for block in range(LOWER_RANKS):
        usage = tables.usages[block, 0]
        room_3 += usage[0] + usage[1] + usage[2]
    room_3 -= room_1 + room_2
    for block in range(LOWER_RANKS):
        choice = np.int64(0)
        while True:
            usage = tables.usages[block, choice]
            if usage[0] <= room_1 and usage[1] <= room_2 and usage[2] <= room_3:
                each = tables.ways[block + 1, room_1 - usage[0], room_2 - usage[1]]
                if number < usage[4] * each:
                    break
                number -= usage[4] * each
            choice += 1
        assignment = usage[3] + number // each
        number %= each
        room_1 -= usage[0]
        room_2 -= usage[1]
        room_3 -= usage[2]
        first |= tables.rank_cards[block, assignment, 0]
        second |= tables.rank_cards[block, assignment, 1]
    out[0] = first
    out[1] = second


@compiled(allocates=True)
def below(bits: np.uint64, bound: np.int64) -> np.int64:
    """Return a number below `bound`, each exactly as likely, from 64 random bits."""
    size = np.uint64(bound)
    surplus = (~size + _ONE) % size  # of the 2**64 numbers; without the lowest ones every remainder is as frequent
    trial = _ZERO
    while bits < surplus:
        trial += _ONE
        bits = mix64(bits + trial)
    return np.int64(bits % size)


@compiled(allocates=True)
def draw(
    unseen: UInt64Array,
    room: IntArray,
    allowed: UInt64Array,
    limits: IntArray,
    forbidden: UInt64Array,
    limited: bool,
    bits: UInt64Array,
) -> tuple[IntArray, UInt64Array]:
    """Count the worlds of n rows and draw some of each, uniformly.

    `unseen` (n,) the cards to deal; by row and group, `room` (n, 3) cards to take, which add up to these,
    `allowed` (n, 3) cards, `limits` (n, 10, 3) cards of each rank (of keys only if `limited`, which is slower),
    `forbidden` (n, 3) keys of which no suit's may all be held; `bits` (n, worlds) random 64-bit numbers.
    Returns counts (n,) and the cards of each group (n, worlds, 3); zeros where there is no world.
    """
    rows, worlds = bits.shape
    counts = np.zeros(rows, np.int64)
    cards = np.zeros((rows, worlds, GROUPS), np.uint64)
    most_first, most_second = np.int64(0), np.int64(0)
    for row in range(rows):
        most_first, most_second = max(most_first, room[row, 0]), max(most_second, room[row, 1])
    tables = new_tables(most_first, most_second)
    for row in range(rows):
        counts[row] = count_worlds(unseen[row], room[row], allowed[row], limits[row], forbidden[row], limited, tables)
        if counts[row] == 0:
            continue
        for world in range(worlds):
            _world(below(bits[row, world], counts[row]), room[row], tables, cards[row, world])
            cards[row, world, 2] = unseen[row] & ~(cards[row, world, 0] | cards[row, world, 1])
    return counts, cards


@compiled(allocates=True)
def shuffle(cards: UInt64Array, bits: UInt64Array) -> npt.NDArray[np.int8]:
    """Return the cards of each set (m,) in random order, each order as likely: (m, longest) int8, then -1.

    `bits` (m, longest): random 64-bit numbers.
    """
    sets, longest = bits.shape
    order = np.empty((sets, longest), np.int8)
    for i in range(sets):
        size = np.int64(0)
        left = cards[i]
        while left != _ZERO:
            place = below(bits[i, size], size + 1)  # Fisher-Yates, inside out
            order[i, size] = order[i, place]
            order[i, place] = lowest(left)
            left &= left - _ONE
            size += 1
        for j in range(size, longest):
            order[i, j] = -1
    return order
