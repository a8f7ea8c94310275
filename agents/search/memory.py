"""The solver's transposition table (compiled): bounds under patterns of the ranks that mattered.

Entries of one shape (how many cards of each class each seat holds in each suit, and who leads) share a set.  A set
starts with the facts of its `WAYS` entries, one cache line that tells which of them are worth a look: value, kind of
bound, size, a mark of the shape, age.  Then come the entries, six int64 numbers each: two for the shape, one pattern
a suit, with how many of its strongest cards count above it.
"""

from __future__ import annotations

import numpy as np

from agents.search.compiled import compiled
from agents.search.suit_tables import PATTERN, PATTERN_BITS, SHAPE, Int64Array, count, strongest, weakest
from tressette_env.cards import NUM_RANKS, NUM_SUITS, SUIT_BITS

WAYS = 8
_ENTRY = 6
SET = WAYS * (1 + _ENTRY)
_BITS_OF_SHAPE = 28
_LOWER, _SIZE, _MARK, _AGE = 8, 9, 16, 32  # where they start within the facts, behind eight bits for the value
_RANKS = 40  # where they start within a pattern
_OFFSET = 100  # keeps values positive
_BYTE = 255
_MARK_BITS = 0xFFFF
_LINE = 64  # bytes


def new_memory(sets: int) -> Int64Array:
    """Return an empty table (sets, SET) that starts with a cache line; `sets` is a power of two."""
    memory = np.zeros(sets * SET + _LINE // 8, np.int64)
    first = -memory.ctypes.data % _LINE // 8
    return memory[first : first + sets * SET].reshape(sets, SET)


@compiled(inline=True)
def shape_of(
    tables: Int64Array, cards: np.int64, seat: np.int64, base: np.int64, bonus: np.int64
) -> tuple[np.int64, np.int64]:
    """Return the shape of a position in two numbers; `base` and `bonus` are 0 where no bonus can be won.

    Of these only the low bits fit, the others being one and the same for all entries of an age.
    """
    first = (
        tables[0, cards & SUIT_BITS, SHAPE]
        | (tables[1, (cards >> NUM_RANKS) & SUIT_BITS, SHAPE] << _BITS_OF_SHAPE)
        | (seat << (2 * _BITS_OF_SHAPE))
        | (base << (2 * _BITS_OF_SHAPE + 2))
    )
    second = (
        tables[2, (cards >> (2 * NUM_RANKS)) & SUIT_BITS, SHAPE]
        | (tables[3, (cards >> (3 * NUM_RANKS)) & SUIT_BITS, SHAPE] << _BITS_OF_SHAPE)
        | (bonus << (2 * _BITS_OF_SHAPE))
    )
    return first, second


@compiled(inline=True)
def place_of(memory: Int64Array, first: np.int64, second: np.int64) -> tuple[np.int64, np.int64]:
    """Return the set that a shape belongs to, and its mark there."""
    mixed = (first * np.int64(-7046029254386353131)) ^ (second * np.int64(-4417276706812531889))
    mixed ^= (mixed >> 29) & np.int64(0x7FFFFFFFF)
    mixed *= np.int64(-4658895280553007687)
    return (mixed >> 20) & np.int64(memory.shape[0] - 1), (mixed >> 48) & _MARK_BITS


@compiled(inline=True)
def _same(entry: np.int64, pattern: np.int64) -> bool:
    return (entry ^ pattern) & ((np.int64(1) << (PATTERN_BITS * (entry >> _RANKS))) - 1) == 0


@compiled()
def recall(
    memory: Int64Array,
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
    place, mark = place_of(memory, first, second)
    entries = memory[place]
    one_age = not any_age or second >> (2 * _BITS_OF_SHAPE) != 0
    for way in range(WAYS):
        facts = entries[way]
        if (facts >> _MARK) & _MARK_BITS != mark:
            continue
        value = (facts & _BYTE) - _OFFSET
        if ((facts >> _LOWER) & 1 == 1) != (value >= need) or (one_age and facts >> _AGE != age):
            continue
        start = WAYS + _ENTRY * way
        if entries[start] != first or entries[start + 1] != second:
            continue
        if (
            _same(entries[start + 2], tables[0, cards & SUIT_BITS, PATTERN])
            and _same(entries[start + 3], tables[1, (cards >> NUM_RANKS) & SUIT_BITS, PATTERN])
            and _same(entries[start + 4], tables[2, (cards >> (2 * NUM_RANKS)) & SUIT_BITS, PATTERN])
            and _same(entries[start + 5], tables[3, (cards >> (3 * NUM_RANKS)) & SUIT_BITS, PATTERN])
        ):
            return True, value, _deciding(cards, entries, start + 2)
    return False, np.int64(0), np.int64(0)


@compiled()
def _deciding(cards: np.int64, entries: Int64Array, start: np.int64) -> np.int64:
    """Return the weakest card of each suit that an entry's pattern counts."""
    deciding = np.int64(0)
    for suit in range(NUM_SUITS):
        ranks = entries[start + suit] >> _RANKS
        if ranks:
            rest = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
            for _ in range(ranks - 1):
                rest ^= np.int64(1) << strongest(rest)
            deciding |= np.int64(1) << (NUM_RANKS * suit + strongest(rest))
    return deciding


@compiled()
def remember(
    memory: Int64Array,
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
    place, mark = place_of(memory, first, second)
    entries = memory[place]
    size = count(cards)
    replaced, least = np.int64(0), np.int64(1 << 60)
    for way in range(WAYS):
        old = entries[way]
        rank = (old >> _SIZE) & 127 if old >> _AGE == age else np.int64(-1)
        if rank < least:
            least, replaced = rank, np.int64(way)
    entries[replaced] = (
        (value + _OFFSET) | (np.int64(is_lower) << _LOWER) | (size << _SIZE) | (mark << _MARK) | (age << _AGE)
    )
    start = WAYS + _ENTRY * replaced
    entries[start], entries[start + 1] = first, second
    for suit in range(NUM_SUITS):
        part = (cards >> (NUM_RANKS * suit)) & SUIT_BITS
        weakest_deciding = (deciding >> (NUM_RANKS * suit)) & SUIT_BITS
        ranks = count(part >> weakest(weakest_deciding)) if weakest_deciding else np.int64(0)
        entries[start + 2 + suit] = tables[suit, part, PATTERN] | (ranks << _RANKS)
