"""Helpers on bitboards that the baseline players share (suits are ten neighbouring bits, the 3 on top)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env.cards import (
    ACE,
    LOWEST_OF_EACH_SUIT,
    NUM_CARDS,
    NUM_RANKS,
    ONE,
    SUIT_MASKS,
    THIRDS,
    THREE,
    TWO,
    IntArray,
    UInt64Array,
    popcount,
)

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float32]

ZERO = np.uint64(0)
TWOS = np.uint64(int(LOWEST_OF_EACH_SUIT) << TWO)
THREES = np.uint64(int(LOWEST_OF_EACH_SUIT) << THREE)
TOPS = TWOS | THREES
SMALL = np.uint64(sum(((1 << ACE) - 1) << (NUM_RANKS * suit) for suit in range(len(SUIT_MASKS))))
"""The cards below the ace."""
_STEPS = (1, 2, 4, 8)
_SAME_VALUE = np.uint64(
    sum(1 << card for card in range(1, NUM_CARDS) if card % NUM_RANKS and THIRDS[card] == THIRDS[card - 1])
)
"""The cards worth the same as the next weaker one of their suit."""
_LONGEST_RUN = 4  # of neighbours worth the same: 4 5 6 7


def _not_top(count: int) -> np.uint64:
    """Return all cards but the `count` strongest of each suit: where a downward shift may land."""
    low = (1 << (NUM_RANKS - count)) - 1
    return np.uint64(sum(low << (NUM_RANKS * suit) for suit in range(len(SUIT_MASKS))))


_LANDING = [_not_top(step) for step in _STEPS]


def beaten_by(cards: UInt64Array) -> UInt64Array:
    """Return every card that some card of `cards` beats: all below the strongest of each suit."""
    below = (cards >> ONE) & _LANDING[0]
    for step, landing in zip(_STEPS, _LANDING, strict=True):
        below |= (below >> np.uint64(step)) & landing
    return below


def strongest(cards: UInt64Array) -> UInt64Array:
    """Return the strongest card of sets that lie within one suit, 0 for the empty set."""
    filled = cards.copy()
    for step in _STEPS:
        filled |= filled >> np.uint64(step)
    return filled & ~(filled >> ONE)


def weakest(cards: UInt64Array) -> UInt64Array:
    """Return the lowest bit of each set, 0 for the empty set."""
    return cards & (~cards + ONE)


def ids_of(bits: UInt64Array) -> IntArray:
    """Return the id of the one card in each bitboard; 0 for the empty set."""
    ids = popcount(bits - ONE)
    ids[ids >= NUM_CARDS] = 0
    return ids


def distinct(cards: UInt64Array, others: UInt64Array) -> UInt64Array:
    """Return `cards` without those that are as good as a lower one of them.

    Two cards are as good as each other when they are worth the same and none of `others` lies between.
    """
    reached = cards
    for _ in range(_LONGEST_RUN - 1):
        reached = reached | ((reached << ONE) & _SAME_VALUE & ~others)
    return cards & ~((reached << ONE) & _SAME_VALUE)


def spread(cards: UInt64Array) -> UInt64Array:
    """Return the cards of (n,) sets one by one in rising order: (k, n), k the largest set, padded with 0."""
    size = int(np.bitwise_count(cards).max(initial=1))
    single = np.zeros((max(size, 1), len(cards)), np.uint64)
    rest = cards.copy()
    for place in range(size):
        single[place] = weakest(rest)
        rest ^= single[place]
    return single


def as_float(values: Any) -> FloatArray:
    """Return numbers or flags as float32."""
    return np.asarray(values, np.float32)


def count(cards: UInt64Array) -> FloatArray:
    """Return how many cards each bitboard holds, as float32."""
    return as_float(np.bitwise_count(cards))


def any_of(cards: UInt64Array, wanted: np.uint64) -> BoolArray:
    """Return whether each bitboard holds a card of `wanted`."""
    found: BoolArray = (cards & wanted) != 0
    return found
