"""The pack: card ids, text forms, bitboards and values (RULES §1).

A card is an id ``10 * suit + strength`` with the suits in the order ``DCSB`` and the strength
0 for a 4 up to 9 for a 3.  A set of cards is a *bitboard*: an unsigned 64-bit integer whose bit
``c`` is set when card ``c`` is in the set.  Values are whole thirds of a point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

UInt64Array = npt.NDArray[np.uint64]
IntArray = npt.NDArray[np.int64]

SUITS = "DCSB"  # denari, coppe, spade, bastoni
RANKS = "4567FCRA23"  # weakest to strongest: fante, cavallo, re, asso, due, tre
NUM_SUITS = len(SUITS)
NUM_RANKS = len(RANKS)
NUM_CARDS = NUM_SUITS * NUM_RANKS

ACE, TWO, THREE = (RANKS.index(rank) for rank in "A23")
THIRDS = np.array([3 if rank == "A" else 1 if rank in "32RCF" else 0 for rank in RANKS] * NUM_SUITS)
"""(40,) int: thirds of a point of each card."""

ONE = np.uint64(1)
SUIT_BITS = (1 << NUM_RANKS) - 1
SUIT_MASKS = np.array([SUIT_BITS << (NUM_RANKS * suit) for suit in range(NUM_SUITS)], np.uint64)
SUIT_MASK_OF_CARD = np.repeat(SUIT_MASKS, NUM_RANKS)
SUIT_SHIFTS = np.arange(0, NUM_CARDS, NUM_RANKS, dtype=np.uint64)
LOWEST_OF_EACH_SUIT = np.uint64(sum(1 << (NUM_RANKS * suit) for suit in range(NUM_SUITS)))
ACES = np.uint64(int(LOWEST_OF_EACH_SUIT) << ACE)
FIGURES = np.uint64(sum(int(LOWEST_OF_EACH_SUIT) << RANKS.index(rank) for rank in "32RCF"))
"""The cards worth one third each; the aces are worth three."""

_ID_OF_TEXT = {rank + suit: 10 * s + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
_TEXT_OF_ID = list(_ID_OF_TEXT)


def card_text(card: int) -> str:
    """Return the text form of a card id, such as ``"3D"``; ``ValueError`` if it is none."""
    if not 0 <= card < NUM_CARDS:
        raise ValueError(f"{card!r} is no card id: it must be from 0 to {NUM_CARDS - 1}")
    return _TEXT_OF_ID[card]


def card_id(text: str) -> int:
    """Return the id of a card given as text, rank then suit (``"3D"`` is 9); ``ValueError`` if it is none."""
    try:
        return _ID_OF_TEXT[text]
    except (KeyError, TypeError):
        raise ValueError(f"{text!r} is no card: write a rank of {RANKS} and a suit of {SUITS}, as in 3D") from None


def cards_text(cards: Iterable[int]) -> str:
    """Return the text forms of ids separated by blanks."""
    return " ".join(card_text(int(card)) for card in cards)


def card_ids(text: str) -> list[int]:
    """Return the ids of cards given as one text separated by blanks."""
    return [card_id(part) for part in text.split()]


def cards_of(bitboard: int) -> list[int]:
    """Return the ids in a bitboard, in rising order."""
    bits = int(bitboard)
    return [card for card in range(NUM_CARDS) if bits >> card & 1]


def bitboard_of(cards: Iterable[int]) -> int:
    """Return the bitboard of some card ids."""
    bits = 0
    for card in cards:
        bits |= 1 << int(card)
    return bits


def popcount(bitboards: UInt64Array) -> IntArray:
    """Return how many cards each bitboard holds, as int64 of the same shape."""
    return np.bitwise_count(bitboards).astype(np.int64)


def lowest_cards(bitboards: UInt64Array) -> IntArray:
    """Return the lowest id in each bitboard, as int64 of the same shape; 64 where it is empty."""
    return popcount((bitboards & (~bitboards + ONE)) - ONE)


def thirds_of(bitboards: UInt64Array) -> IntArray:
    """Return the thirds of a point in each bitboard, as int64 of the same shape."""
    return popcount(bitboards & FIGURES) + 3 * popcount(bitboards & ACES)


def membership(bitboards: UInt64Array) -> npt.NDArray[np.bool_]:
    """Return bitboards (N,) as a bool array (N, 40), True where the card is in the set."""
    octets = np.ascontiguousarray(bitboards).astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(octets.reshape(len(bitboards), 8), axis=1, count=NUM_CARDS, bitorder="little")
    return bits.view(np.bool_)


def pack_of(suits: str, ranks: str) -> list[int]:
    """Return the ids of the pack made of these suits and ranks, in rising order."""
    return sorted(_ID_OF_TEXT[rank + suit] for suit in suits for rank in ranks)


def hand_text(cards: Sequence[int]) -> str:
    """Return a hand for people: suit by suit, the strongest card first."""
    ordered = sorted(cards, key=lambda card: (card // NUM_RANKS, -(card % NUM_RANKS)))
    return cards_text(ordered)
