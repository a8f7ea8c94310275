"""Napoletana (RULES §5) and the historical declarations (§7), on bitboards.

What a declaration is, what it is worth and what *silence* shows are three readings of the same
combinations, so they live together.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tressette_env.cards import (
    ACE,
    LOWEST_OF_EACH_SUIT,
    NUM_CARDS,
    RANKS,
    SUIT_BITS,
    SUIT_SHIFTS,
    THREE,
    TWO,
    IntArray,
    UInt64Array,
    bitboard_of,
)
from tressette_env.rules import Rules

NAPOLETANA_POINTS = 3
KEYS = np.array([ACE, TWO, THREE], np.uint64)
"""Strengths of the three cards of a napoletana."""
_KEY_CARDS = (1 << ACE) | (1 << TWO) | (1 << THREE)
_FOUR_POINTS, _THREE_POINTS = np.uint8(4), np.uint8(3)


def _rank_bits(ranks: str) -> np.uint64:
    return np.uint64(sum(1 << RANKS.index(rank) for rank in ranks))


_TRIPLES_OF_THREE = _rank_bits("32A7")
_TRIPLES_OF_ONE = _rank_bits("RCF")
_TRIPLES = _TRIPLES_OF_THREE | _TRIPLES_OF_ONE


class RunTables(NamedTuple):
    """The neapolitan of one suit by its ten bits; each table is (1024,) uint64."""

    cards: UInt64Array
    completing: UInt64Array


@lru_cache(maxsize=64)
def run_tables(ranks: str = RANKS) -> RunTables:
    """Return the tables of the neapolitan in a pack of these ranks.

    ``cards``: the bits of 3-2-A and of each next card in rank order without a gap, worth a point each;
    ``completing``: the missing bits any one of which would make or lengthen the run.
    """
    order = [RANKS.index(rank) for rank in reversed(RANKS) if rank in ranks]
    possible = "A" in ranks and "2" in ranks and "3" in ranks
    cards = np.zeros(SUIT_BITS + 1, np.uint64)
    if possible:
        for bits in range(SUIT_BITS + 1):
            run = 0
            for strength in order:
                if not bits >> strength & 1:
                    break
                run |= 1 << strength
            cards[bits] = run if run & _KEY_CARDS == _KEY_CARDS else 0
    completing = np.zeros_like(cards)
    for bits in range(SUIT_BITS + 1):
        for strength in order:
            card = 1 << strength
            if not bits & card and int(cards[bits | card]) & card:
                completing[bits] |= np.uint64(card)
    return RunTables(cards, completing)


def napoletana_suits(hands: UInt64Array) -> UInt64Array:
    """Return the suits in which each hand holds 3, 2 and ace, as the suits' lowest bits."""
    ace, two, three = (hands >> shift for shift in KEYS)
    complete: UInt64Array = ace & two & three & LOWEST_OF_EACH_SUIT
    return complete


def napoletana_cards(suits: UInt64Array) -> UInt64Array:
    """Return the 3, 2 and ace of suits given by their lowest bits."""
    return suits * np.uint64(_KEY_CARDS)


def third_of_pairs(cards: UInt64Array) -> UInt64Array:
    """Return each 3, 2 or ace whose two companions are in `cards`."""
    shifts = (ACE, TWO, THREE)
    held = [(cards >> shift) & LOWEST_OF_EACH_SUIT for shift in shifts]
    found = np.zeros_like(cards)
    for third, shift in enumerate(shifts):
        found |= (held[third - 1] & held[third - 2]) << shift
    return found


def _suit_fields(cards: UInt64Array) -> UInt64Array:
    """Return the ten bits of each suit: (4, N) uint64."""
    fields = cards >> SUIT_SHIFTS[:, None]
    fields &= np.uint64(SUIT_BITS)
    return fields


def _rank_counts(fields: Iterable[npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], ...]:
    """Return the ranks held at least twice, at least three times and four times, as ten bits each.

    `fields`: the ten bits of each of the four suits, in any unsigned type.
    """
    denari, coppe, spade, bastoni = fields
    both_red, both_black = denari & coppe, spade & bastoni
    red, black = denari | coppe, spade | bastoni
    twice = both_red | both_black | (red & black)
    thrice = (both_red & black) | (both_black & red)
    return twice, thrice, both_red & both_black


def _join(fields: UInt64Array) -> UInt64Array:
    """Return bitboards (N,) from the ten bits of each suit (4, N)."""
    joined: UInt64Array = np.bitwise_or.reduce(fields << SUIT_SHIFTS[:, None], axis=0)
    return joined


def declare(hands: UInt64Array, rules: Rules) -> tuple[UInt64Array, IntArray]:
    """Return what hands (N,) declare in the historical game: cards (N,) and points (N,)."""
    tables = run_tables(rules.ranks)
    fields = _suit_fields(hands)
    runs = tables.cards.take(fields.view(np.int64))
    _, thrice, fourfold = _rank_counts(fields)
    threefold = thrice & ~fourfold
    points = np.bitwise_count(runs).sum(axis=0, dtype=np.uint8)  # small numbers: no hand is worth more than 19
    points += _FOUR_POINTS * np.bitwise_count(fourfold)
    points += _THREE_POINTS * np.bitwise_count(threefold & _TRIPLES_OF_THREE)
    points += np.bitwise_count(threefold & _TRIPLES_OF_ONE)
    fields &= (thrice & _TRIPLES) | fourfold
    fields |= runs
    return _join(fields), points.astype(np.int64)


def excluded_by_silence(held: UInt64Array, rules: Rules) -> UInt64Array:
    """Return the cards that a historical hand cannot hold besides `held` (N,), all it is known to have held.

    A card is excluded when together with the cards known it would complete or lengthen a combination:
    every combination is declared, so its cards would be known.
    """
    fields = [(held >> shift) & np.uint64(SUIT_BITS) for shift in SUIT_SHIFTS]
    twice, thrice, _ = _rank_counts([field.astype(np.uint16) for field in fields])  # shorter numbers are quicker
    short_of_one = thrice | (twice & _TRIPLES.astype(np.uint16))
    excluded: UInt64Array = (short_of_one * LOWEST_OF_EACH_SUIT) & ~held
    completing = run_tables(rules.ranks).completing
    for field, shift in zip(fields, SUIT_SHIFTS, strict=True):
        excluded |= completing.take(field.view(np.int64)) << shift
    return _in_pack(excluded, rules)


def excluded_without_napoletana(held: UInt64Array, apart: UInt64Array, rules: Rules) -> UInt64Array:
    """Return the cards that a hand which announced no more cannot hold besides `held`, all it is known to have held.

    `apart`: each 3, 2 or ace whose two companions are in `held` but were never in hand together; any shape.
    A card still hidden has been in the hand since the deal, so it stood beside any pair that was ever there
    together: with its first card, or when the later of the two was drawn.
    """
    return _in_pack(third_of_pairs(held) & ~apart & ~held, rules)


def _in_pack(cards: UInt64Array, rules: Rules) -> UInt64Array:
    """Return those of the cards that a smaller pack has."""
    return cards & np.uint64(bitboard_of(rules.pack)) if rules.num_cards < NUM_CARDS else cards
