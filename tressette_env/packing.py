"""Bits of many rows put in their columns: bitboards become suit blocks, 64 columns a word."""

from __future__ import annotations

import numpy as np

from tressette_env.cards import LOWEST_OF_EACH_SUIT, NUM_RANKS, NUM_SUITS, SUIT_BITS, SUIT_SHIFTS, UInt64Array

WORD = 64


class RowPacker:
    """Collects the bits of whole rows, one for each column, as words (words, n).

    Every field is added for all suits at once; the columns of bytes stay zero.
    """

    def __init__(self, rows: int, columns: int, suit_size: int) -> None:
        self._words = np.empty((-(-columns // WORD), rows), np.uint64)
        self._begun: set[int] = set()  # words that have been written to
        self._suit_size = suit_size
        self._offset = 0  # in the suit block
        self._flags: UInt64Array | None = None
        self._flag_bits = 0

    def cards(self, bitboards: UInt64Array) -> None:
        """Add ten bits a suit of each bitboard (boards, n), in fours; overwrites them."""
        self._flush()
        fours = bitboards.reshape(-1, NUM_SUITS, bitboards.shape[1])
        _transpose(fours)
        for four in fours:
            self._put(four, NUM_SUITS * NUM_RANKS)

    def flags(self, bitboards: UInt64Array, width: int = 1) -> None:
        """Add the lowest `width` bits of each suit of each bitboard (boards, n)."""
        mask = LOWEST_OF_EACH_SUIT * np.uint64((1 << width) - 1)
        for bitboard in bitboards:
            if self._flag_bits + width > NUM_RANKS:
                self._flush()
            part = bitboard & mask
            if self._flags is None:
                self._flags = part
            else:
                part <<= np.uint64(self._flag_bits)
                self._flags |= part
            self._flag_bits += width

    def skip(self, bits: int) -> None:
        """Leave bits zero."""
        self._flush()
        self._offset += bits

    def finish(self) -> UInt64Array:
        """Return the words."""
        self._flush()
        for word in set(range(len(self._words))) - self._begun:
            self._words[word] = 0
        return self._words

    def _flush(self) -> None:
        """Put the flags collected so far in their place."""
        if self._flags is not None:
            self._put((self._flags >> SUIT_SHIFTS[:, None]) & np.uint64(SUIT_BITS), self._flag_bits)
        self._flags, self._flag_bits = None, 0

    def _put(self, of_suits: UInt64Array, width: int) -> None:
        for suit, bits in enumerate(of_suits):
            word, shift = divmod(suit * self._suit_size + self._offset, WORD)
            self._add(word, np.left_shift, bits, shift)
            if shift + width > WORD:
                self._add(word + 1, np.right_shift, bits, WORD - shift)
        self._offset += width

    def _add(self, word: int, shift: np.ufunc, bits: UInt64Array, distance: int) -> None:
        if word in self._begun:
            self._words[word] |= shift(bits, np.uint64(distance))
        else:
            shift(bits, np.uint64(distance), out=self._words[word])
            self._begun.add(word)


def _transpose(fours: UInt64Array) -> None:
    """Turn four bitboards into the four suits, in place: suit s then holds, ten bits each, suit s of every board.

    `fours` (groups, 4, n).  Two rounds of swaps across the diagonal transpose 4 x 4 parts of ten bits.
    """
    suit = np.uint64(SUIT_BITS)
    rows = fours.shape[2]
    neighbours = fours.reshape(-1, 2, 2, rows)
    _swap(neighbours[:, :, 0], neighbours[:, :, 1], NUM_RANKS, suit | suit << np.uint64(2 * NUM_RANKS))
    _swap(fours[:, :2], fours[:, 2:], 2 * NUM_RANKS, suit | suit << np.uint64(NUM_RANKS))


def _swap(low: UInt64Array, high: UInt64Array, distance: int, mask: np.uint64) -> None:
    """Swap the bits of `high` under `mask` with those of `low` that stand `distance` above, in place."""
    shift = np.uint64(distance)
    different = low >> shift
    different ^= high
    different &= mask
    high ^= different
    different <<= shift
    low ^= different
