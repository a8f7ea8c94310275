"""Counting the ways to deal hidden cards, for `agents.search.world_kernel`.

The hidden cards go to three *groups* of known size (other hands, the stock) under three kinds of constraints,
which is all that a seat can know:

* a card may go to some groups only;
* a group may take at most so many cards of one rank;
* a group may not take all of a set of keys of one suit (keys: ace, two and three).

Cards are dealt in blocks.  First the keys, one block a suit: the second kind ties a rank's cards in different
blocks, so the state is the number of keys of each rank that each group has taken.  Then the lower ranks, one
block a rank, which nothing ties but the room left in the groups.  The ways to go on from each state are counted
from the end as exact integers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search.compiled import compiled, lowest, popcount
from tressette_env.cards import ACE, NUM_RANKS, NUM_SUITS, SUIT_MASKS, IntArray, UInt64Array
from tressette_env.declarations import KEYS

GROUPS = 3
LOWER_RANKS = ACE
NO_LIMIT = 15
"""As many cards of a rank as there are."""

_NUM_KEYS = len(KEYS)
_RANK_ASSIGNMENTS = GROUPS**NUM_SUITS
_KEY_ASSIGNMENTS = GROUPS**_NUM_KEYS
_USAGES = 15  # ways to split four cards by number over three groups
_STATES = 1024  # at most 10 ways to split three cards of each of three ranks
_SLOTS = 4096  # of the hash table of states
_KEYS_SHARE = _NUM_KEYS * NUM_SUITS + 1  # a group takes 0 to 12 keys

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# A state is nine counters of five bits, by rank and group; a counter passes its limit when its highest bit is set.
_COUNTER_BITS = 5
_COUNTER = np.uint64(31)
_OVER_LIMIT = np.uint64(sum(16 << (_COUNTER_BITS * i) for i in range(_NUM_KEYS * GROUPS)))
_HASH = np.uint64(0x9E3779B97F4A7C15)
_HASH_SHIFT = np.uint64(64 - 12)
_KEY_MASKS = np.array([sum(1 << (NUM_RANKS * suit + int(key)) for key in KEYS) for suit in range(NUM_SUITS)], np.uint64)
_RANK_MASKS = np.array(
    [sum(1 << (NUM_RANKS * s + rank) for s in range(NUM_SUITS)) for rank in range(NUM_RANKS)], np.uint64
)


class Tables(NamedTuple):
    """What counting the worlds of one row leaves behind for drawing them.

    Key blocks, by suit: ``key_cards`` what each assignment gives to the first two groups, ``key_choices`` how many
    there are, ``steps`` the state that an assignment leads to (-1: over a limit), ``worth`` the completions of each
    state.  Rank blocks: ``rank_cards`` likewise, sorted by usage; ``usages`` (first, second, third group's cards,
    where the assignments begin, how many), ``ways`` the completions by the room left in the first two groups.
    ``states`` (counters) and ``slots`` (hash table) are scratch.
    """

    key_cards: npt.NDArray[np.uint64]
    key_choices: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int32]
    worth: npt.NDArray[np.int64]
    rank_cards: npt.NDArray[np.uint64]
    usages: npt.NDArray[np.int64]
    ways: npt.NDArray[np.int64]
    states: npt.NDArray[np.uint64]
    slots: npt.NDArray[np.int32]


@compiled(allocates=True)
def new_tables(most_first: np.int64, most_second: np.int64) -> Tables:
    """Return tables for rows with at most so much room in the first and second group."""
    return Tables(
        np.empty((NUM_SUITS, _KEY_ASSIGNMENTS, 2), np.uint64),
        np.empty(NUM_SUITS, np.int64),
        np.empty((NUM_SUITS, _STATES, _KEY_ASSIGNMENTS), np.int32),
        np.empty((NUM_SUITS + 1, _STATES), np.int64),
        np.empty((LOWER_RANKS, _RANK_ASSIGNMENTS, 2), np.uint64),
        np.empty((LOWER_RANKS, _USAGES, 5), np.int64),
        np.empty((LOWER_RANKS + 1, most_first + 1, most_second + 1), np.int64),
        np.empty((NUM_SUITS, _STATES), np.uint64),
        np.empty(_SLOTS, np.int32),
    )


@compiled(allocates=True)
def _holds_all(cards: np.uint64, forbidden: np.uint64) -> bool:
    return bool(forbidden != _ZERO and (cards & forbidden) == forbidden)


@compiled(allocates=True)
def _assign(
    cards: np.uint64, suit: np.uint64, allowed: UInt64Array, most: IntArray, forbidden: UInt64Array, found: UInt64Array
) -> np.int64:
    """List the ways to give `cards` to the groups: what goes to the first and to the second; return how many.

    By group: `allowed` cards, `most` cards of the block, and `forbidden` keys, not all to be held of the block's
    `suit` (a mask, 0 if the block is a rank).
    """
    count = np.int64(1)
    found[0, 0] = found[0, 1] = _ZERO
    grown = np.empty((len(found), 2), np.uint64)
    dealt = _ZERO
    left = cards
    while left != _ZERO:
        bit = left & (~left + _ONE)
        size = np.int64(0)
        for i in range(count):
            first, second = found[i, 0], found[i, 1]
            if allowed[0] & bit != _ZERO and popcount(first) < most[0]:
                grown[size, 0] = first | bit
                grown[size, 1] = second
                size += 1
            if allowed[1] & bit != _ZERO and popcount(second) < most[1]:
                grown[size, 0] = first
                grown[size, 1] = second | bit
                size += 1
            if allowed[2] & bit != _ZERO and popcount(dealt & ~(first | second)) < most[2]:
                grown[size, 0] = first
                grown[size, 1] = second
                size += 1
        count = size
        for i in range(count):  # a loop compiles in a tenth of the time that assigning a slice takes
            found[i, 0] = grown[i, 0]
            found[i, 1] = grown[i, 1]
        dealt |= bit
        left ^= bit
    kept = np.int64(0)
    for i in range(count):
        first, second = found[i, 0], found[i, 1]
        third = cards & ~(first | second)
        too_much = _holds_all(first, forbidden[0] & suit) or _holds_all(second, forbidden[1] & suit)
        if not (too_much or _holds_all(third, forbidden[2] & suit)):
            found[kept, 0] = first
            found[kept, 1] = second
            kept += 1
    return kept


@compiled(allocates=True)
def _sort_by_usage(cards: np.uint64, count: np.int64, found: UInt64Array, usages: IntArray) -> np.int64:
    """Sort the assignments of a rank by how many cards each group takes, note these usages; return how many."""
    side = NUM_SUITS + 1
    sizes = np.zeros(side * side, np.int64)
    for i in range(count):
        sizes[popcount(found[i, 0]) * side + popcount(found[i, 1])] += 1
    begins = np.zeros(side * side, np.int64)
    number = np.int64(0)
    total = np.int64(0)
    for usage in range(side * side):
        begins[usage] = total
        if sizes[usage]:
            first, second = usage // side, usage % side
            usages[number, 0] = first
            usages[number, 1] = second
            usages[number, 2] = popcount(cards) - first - second
            usages[number, 3] = total
            usages[number, 4] = sizes[usage]
            number += 1
            total += sizes[usage]
    given = np.empty((count, 2), np.uint64)
    for i in range(count):
        given[i, 0] = found[i, 0]
        given[i, 1] = found[i, 1]
    for i in range(count):
        usage = popcount(given[i, 0]) * side + popcount(given[i, 1])
        found[begins[usage], 0] = given[i, 0]
        found[begins[usage], 1] = given[i, 1]
        begins[usage] += 1
    return number


@compiled(allocates=True)
def _count_ranks(
    unseen: np.uint64, room: IntArray, allowed: UInt64Array, limits: IntArray, forbidden: UInt64Array, tables: Tables
) -> None:
    """Fill the tables of the lower ranks: `ways[block, a, b]` completions with room a and b in the first two groups."""
    left = np.int64(0)
    tables.ways[LOWER_RANKS, 0, 0] = 1
    for block in range(LOWER_RANKS - 1, -1, -1):
        cards = unseen & _RANK_MASKS[block]
        count = _assign(cards, _ZERO, allowed, limits[block], forbidden, tables.rank_cards[block])
        choices = _sort_by_usage(cards, count, tables.rank_cards[block], tables.usages[block])
        left += popcount(cards)
        for first in range(min(room[0], left) + 1):
            for second in range(max(0, left - first - room[2]), min(room[1], left - first) + 1):
                third = left - first - second
                total = np.int64(0)
                for choice in range(choices):
                    usage = tables.usages[block, choice]
                    if usage[0] <= first and usage[1] <= second and usage[2] <= third:
                        total += usage[4] * tables.ways[block + 1, first - usage[0], second - usage[1]]
                tables.ways[block, first, second] = total


@compiled(allocates=True)
def _counter(rank: np.int64, group: np.int64) -> np.uint64:
    return np.uint64(_COUNTER_BITS * (GROUPS * rank + group))


@compiled(allocates=True)
def _spread(suit: np.int64, count: np.int64, added: UInt64Array, tables: Tables) -> np.int64:
    """Find the states after the keys of one more suit, and the steps to them; return how many there are."""
    for i in range(_SLOTS):
        tables.slots[i] = -1
    size = np.int64(0)
    for i in range(count):
        for choice in range(tables.key_choices[suit]):
            state = tables.states[suit, i] + added[choice]
            if state & _OVER_LIMIT != _ZERO:
                tables.steps[suit, i, choice] = -1
                continue
            slot = np.int64((state * _HASH) >> _HASH_SHIFT)
            while tables.slots[slot] >= 0 and tables.states[suit + 1, tables.slots[slot]] != state:
                slot = (slot + 1) % _SLOTS
            if tables.slots[slot] < 0:
                tables.slots[slot] = size
                tables.states[suit + 1, size] = state
                size += 1
            tables.steps[suit, i, choice] = tables.slots[slot]
    return size


@compiled(allocates=True)
def _last_steps(count: np.int64, added: UInt64Array, start: np.uint64, tables: Tables) -> None:
    """Find the steps of the last suit's keys: from there only the share of each group matters."""
    suit = NUM_SUITS - 1
    for i in range(count):
        for choice in range(tables.key_choices[suit]):
            state = tables.states[suit, i] + added[choice]
            if state & _OVER_LIMIT != _ZERO:
                tables.steps[suit, i, choice] = -1
                continue
            taken = state - start
            first, second = _ZERO, _ZERO
            for rank in range(_NUM_KEYS):
                first += (taken >> _counter(rank, 0)) & _COUNTER
                second += (taken >> _counter(rank, 1)) & _COUNTER
            tables.steps[suit, i, choice] = np.int64(first) * _KEYS_SHARE + np.int64(second)


@compiled(allocates=True)
def _enter_ranks(num_keys: np.int64, room: IntArray, tables: Tables) -> None:
    """Note the completions of each share of the keys: those of the lower ranks in the room that is left."""
    for first in range(num_keys + 1):
        for second in range(num_keys + 1 - first):
            left = room[0] - first, room[1] - second
            fits = left[0] >= 0 and left[1] >= 0 and num_keys - first - second <= room[2]
            share = first * _KEYS_SHARE + second
            tables.worth[NUM_SUITS, share] = tables.ways[0, left[0], left[1]] if fits else 0


@compiled(allocates=True)
def count_worlds(
    unseen: np.uint64,
    room: IntArray,
    allowed: UInt64Array,
    limits: IntArray,
    forbidden: UInt64Array,
    limited: bool,
    tables: Tables,
) -> np.int64:
    """Count the worlds of a row, described as in `world_kernel.draw`, and fill the tables."""
    _count_ranks(unseen, room, allowed, limits, forbidden, tables)
    no_limit = np.empty(GROUPS, np.int64)
    for group in range(GROUPS):
        no_limit[group] = NO_LIMIT
    start = _ZERO  # counters begin so high that their highest bit is set just above the limit
    if limited:
        for rank in range(_NUM_KEYS):
            for group in range(GROUPS):
                start |= np.uint64(NO_LIMIT - limits[ACE + rank, group]) << _counter(rank, group)
    added = np.empty(_KEY_ASSIGNMENTS, np.uint64)
    sizes = np.ones(NUM_SUITS, np.int64)
    tables.states[0, 0] = start
    num_keys = np.int64(0)
    for suit in range(NUM_SUITS):
        cards = unseen & _KEY_MASKS[suit]
        num_keys += popcount(cards)
        found = tables.key_cards[suit]
        choices = _assign(cards, SUIT_MASKS[suit], allowed, no_limit, forbidden, found)
        tables.key_choices[suit] = choices
        for choice in range(choices):
            added[choice] = _ZERO
            left = cards
            while left != _ZERO:
                bit = left & (~left + _ONE)
                group = 0 if found[choice, 0] & bit != _ZERO else 1 if found[choice, 1] & bit != _ZERO else 2
                rank = lowest(bit) % NUM_RANKS - ACE if limited else 0
                added[choice] += _ONE << _counter(rank, group)
                left ^= bit
        if suit < NUM_SUITS - 1:
            sizes[suit + 1] = _spread(suit, sizes[suit], added, tables)
        else:
            _last_steps(sizes[suit], added, start, tables)
    _enter_ranks(num_keys, room, tables)
    for suit in range(NUM_SUITS - 1, -1, -1):
        for i in range(sizes[suit]):
            total = np.int64(0)
            for choice in range(tables.key_choices[suit]):
                step = tables.steps[suit, i, choice]
                if step >= 0:
                    total += tables.worth[suit + 1, step]
            tables.worth[suit, i] = total
    return np.int64(tables.worth[0, 0])
