"""The solver's transposition table (compiled): bounds under patterns of the ranks that mattered.

Entries of one shape (how many cards of each class each seat holds in each suit, and who leads) share a set of
`WAYS` places.  An entry is eight int64 numbers, one cache line: two for the shape, one pattern a suit, and the
facts: four bits a suit for how many of its strongest cards the pattern counts, value, kind of bound, size, age.
"""

from __future__ import annotations

import numpy as np

from agents.search.compiled import compiled
from agents.search.suit_tables import PATTERN, PATTERN_BITS, SHAPE, Int64Array, count, strongest, weakest
from tressette_env.cards import NUM_RANKS, NUM_SUITS, SUIT_BITS

WAYS = 8
ENTRY = 8
_FACTS = 6
_BITS_OF_SHAPE = 28
_VALUE, _LOWER, _SIZE, _AGE = 16, 24, 25, 32  # where they start within the facts; sixteen bits of ranks come first
_OFFSET = 100  # keeps values positive
_BYTE = 255
NOT_FOUND = np.int64(-1)


def new_memory(sets: int) -> Int64Array:
    """Return an empty table (entries, 8); `sets` is a power of two."""
    return np.zeros((sets * WAYS, ENTRY), np.int64)


@compiled(inline=True)
def shape_of(
    tables: Int64Array, cards: np.int64, seat: np.int64, base: np.int64, bonus: np.int64
) -> tuple[np.int64, np.int64]:
    """Return the shape of a position in two numbers; `base` and `bonus` are 0 where no bonus can be won.

    Of these only the low bits fit, the others being one and the same for all entries of an age.
    """
    first = (
        tables[SHAPE, 0, cards & SUIT_BITS]
        | (tables[SHAPE, 1, (cards >> NUM_RANKS) & SUIT_BITS] << _BITS_OF_SHAPE)
        | (seat << (2 * _BITS_OF_SHAPE))
        | (base << (2 * _BITS_OF_SHAPE + 2))
    )
    second = (
        tables[SHAPE, 2, (cards >> (2 * NUM_RANKS)) & SUIT_BITS]
        | (tables[SHAPE, 3, (cards >> (3 * NUM_RANKS)) & SUIT_BITS] << _BITS_OF_SHAPE)
        | (bonus << (2 * _BITS_OF_SHAPE))
    )
    return first, second


@compiled(inline=True)
def place_of(memory: Int64Array, first: np.int64, second: np.int64) -> np.int64:
    """Return the first entry of the set that a shape belongs to."""
    mixed = (first * np.int64(-7046029254386353131)) ^ (second * np.int64(-4417276706812531889))
    mixed ^= (mixed >> 29) & np.int64(0x7FFFFFFFF)
    mixed *= np.int64(-4658895280553007687)
    return ((mixed >> 20) & np.int64(memory.shape[0] // WAYS - 1)) * WAYS


@compiled(inline=True)
def _same(pattern: np.int64, other: np.int64, ranks: np.int64) -> bool:
    return (pattern ^ other) & ((np.int64(1) << (PATTERN_BITS * ranks)) - 1) == 0


@compiled()
def recall(
    memory: Int64Array,
    place: np.int64,
    first: np.int64,
    second: np.int64,
    tables: Int64Array,
    cards: np.int64,
    need: np.int64,
    age: np.int64,
    any_age: bool,
) -> tuple[bool, np.int64, np.int64]:
    """Return whether a stored bound decides if the value reaches `need`, that bound, and the cards that decided.

    `any_age`: entries of all ages count.  Those with a bonus in reach never do: they hold for one total of points.
    """
    one = tables[PATTERN, 0, cards & SUIT_BITS]
    two = tables[PATTERN, 1, (cards >> NUM_RANKS) & SUIT_BITS]
    three = tables[PATTERN, 2, (cards >> (2 * NUM_RANKS)) & SUIT_BITS]
    four = tables[PATTERN, 3, (cards >> (3 * NUM_RANKS)) & SUIT_BITS]
    one_age = not any_age or second >> (2 * _BITS_OF_SHAPE) != 0
    for index in range(place, place + WAYS):
        entry = memory[index]
        if entry[0] != first or entry[1] != second:
            continue
        facts = entry[_FACTS]
        value = ((facts >> _VALUE) & _BYTE) - _OFFSET
        if ((facts >> _LOWER) & 1 == 1) != (value >= need) or (one_age and facts >> _AGE != age):
            continue
        if (
            _same(entry[2], one, facts & 15)
            and _same(entry[3], two, (facts >> 4) & 15)
            and _same(entry[4], three, (facts >> 8) & 15)
            and _same(entry[5], four, (facts >> 12) & 15)
        ):
            return True, value, _deciding(cards, facts)
    return False, np.int64(0), np.int64(0)


@compiled()
def _deciding(cards: np.int64, facts: np.int64) -> np.int64:
    """Return the weakest card of each suit that an entry's pattern counts."""
    deciding = np.int64(0)
    for suit in range(NUM_SUITS):
        ranks = (facts >> (4 * suit)) & 15
        if ranks:
            rest = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
            for _ in range(ranks - 1):
                rest ^= np.int64(1) << strongest(rest)
            deciding |= np.int64(1) << (NUM_RANKS * suit + strongest(rest))
    return deciding


@compiled()
def remember(
    memory: Int64Array,
    place: np.int64,
    first: np.int64,
    second: np.int64,
    tables: Int64Array,
    cards: np.int64,
    value: np.int64,
    is_lower: bool,
    deciding: np.int64,
    age: np.int64,
) -> None:
    """Store a bound; it takes the place of an entry of an earlier age, or else of the smallest position."""
    facts = np.int64(0)
    for suit in range(NUM_SUITS):
        weakest_deciding = (deciding >> (NUM_RANKS * suit)) & SUIT_BITS
        if weakest_deciding:
            facts |= count(((cards >> (NUM_RANKS * suit)) & SUIT_BITS) >> weakest(weakest_deciding)) << (4 * suit)
    size = count(cards)
    facts |= ((value + _OFFSET) << _VALUE) | (np.int64(is_lower) << _LOWER) | (size << _SIZE) | (age << _AGE)
    replaced, least = place, np.int64(1 << 60)
    for offset in range(WAYS):
        index = place + offset
        old = memory[index, _FACTS]
        rank = (old >> _SIZE) & 127 if old >> _AGE == age else np.int64(-1)
        if rank < least:
            least, replaced = rank, index
    entry = memory[replaced]
    entry[0], entry[1] = first, second
    for suit in range(NUM_SUITS):
        entry[2 + suit] = tables[PATTERN, suit, (cards >> (NUM_RANKS * suit)) & SUIT_BITS]
    entry[_FACTS] = facts
