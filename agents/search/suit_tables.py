"""What the solver looks up for every subset of a suit's cards, made once for each position it solves.

Owners never change while no card is drawn, so the cards of a suit still in hands tell all about that suit.
All numbers are int64; a suit's cards are its ten bits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.search.compiled import compiled, highest, lowest, popcount
from tressette_env.cards import ACES, FIGURES, NUM_RANKS, NUM_SUITS, SUIT_BITS, THIRDS

Int64Array = npt.NDArray[np.int64]

PATTERN, SHAPE, CASH, TOP = range(4)
"""The tables: see `fill`."""
NUM_TABLES = 4
NO_RANK = 15
PATTERN_BITS = 4
"""Bits a card takes in a pattern: two for its owner, two for its class of points."""

ACE_CARDS = np.int64(ACES)
FIGURE_CARDS = np.int64(FIGURES)
CLASS = np.array([2 if thirds == 3 else thirds for thirds in THIRDS], np.int64)
"""(40,) class of points of each card: 0 nothing, 1 a third, 2 an ace."""
_SHIFT_OF_CLASS = np.array([0, 3, 6], np.int64)
_BITS_OF_SEAT = 7  # up to 4 cards worth nothing, up to 5 worth a third, the ace


def _distinct(ranks: int, classes: list[int]) -> Int64Array:
    """Return by (own bits, others' bits) the strongest of each set of equal own cards.

    Cards of a hand are equal when no other card stands between them and they are worth the same.
    """
    table = np.zeros((1 << ranks, 1 << ranks), np.int64)
    for own in range(1 << ranks):
        for others in range(1 << ranks):
            met: set[int] = set()
            for rank in reversed(range(ranks)):
                if others >> rank & 1:
                    met.clear()
                elif own >> rank & 1 and classes[rank] not in met:
                    table[own, others] |= 1 << rank
                    met.add(classes[rank])
    return table


WORTHLESS_RANKS = 4
"""The weakest ranks, worth nothing: equal cards are all among these or all among the others."""
DISTINCT_LOW = _distinct(WORTHLESS_RANKS, [0] * WORTHLESS_RANKS)
DISTINCT_HIGH = _distinct(NUM_RANKS - WORTHLESS_RANKS, [int(c) for c in CLASS[WORTHLESS_RANKS:NUM_RANKS]])


@compiled(inline=True)
def count(cards: np.int64) -> np.int64:
    """Return how many cards are in a set."""
    return popcount(np.uint64(cards))


@compiled(inline=True)
def weakest(cards: np.int64) -> np.int64:
    """Return the lowest bit's number of a set that is not empty."""
    return lowest(np.uint64(cards))


@compiled(inline=True)
def strongest(cards: np.int64) -> np.int64:
    """Return the highest bit's number of a set that is not empty."""
    return highest(np.uint64(cards))


@compiled(inline=True)
def thirds_in(cards: np.int64) -> np.int64:
    """Return the thirds of a point in a set of cards."""
    return count(cards & FIGURE_CARDS) + 3 * count(cards & ACE_CARDS)


@compiled()
def fill(owned: Int64Array, seats: int, tables: Int64Array) -> None:
    """Fill `tables` (suits, 1024, 4) for the hands `owned` (seats,): what each subset of a suit's cards tells.

    ``PATTERN``: owner and class of each card, strongest first; ``SHAPE``: how many cards of each class each seat
    holds; ``CASH``: what the owner of the strongest card can take at once (see `_cash`); ``TOP``: that owner, and
    shifted by two the rank of the weakest card it needs for that, `NO_RANK` for none.
    """
    everything = np.int64(0)
    for seat in range(seats):
        everything |= owned[seat]
    for suit in range(NUM_SUITS):
        first = NUM_RANKS * suit
        whole = (everything >> first) & SUIT_BITS
        part = whole
        while True:
            pattern, shape = np.int64(0), np.int64(0)
            rest, place = part, 0
            while rest:
                rank = strongest(rest)
                rest ^= np.int64(1) << rank
                seat = _owner(owned, seats, first + rank)
                pattern |= (seat | (CLASS[rank] << 2)) << place
                shape += np.int64(1) << (_BITS_OF_SEAT * seat + _SHIFT_OF_CLASS[CLASS[rank]])
                place += PATTERN_BITS
            tables[suit, part, PATTERN] = pattern
            tables[suit, part, SHAPE] = shape
            if part == 0:
                break
            tables[suit, part, CASH], tables[suit, part, TOP] = _cash(owned, seats, first, part)
            part = (part - 1) & whole
        tables[suit, 0, CASH] = 0
        tables[suit, 0, TOP] = 0


@compiled()
def _owner(owned: Int64Array, seats: int, card: np.int64) -> np.int64:
    owner = np.int64(0)
    for seat in range(seats):
        if (owned[seat] >> card) & 1:
            owner = np.int64(seat)
    return owner


@compiled()
def _cash(owned: Int64Array, seats: int, first: int, part: np.int64) -> tuple[np.int64, np.int64]:
    """Return the entries of ``CASH`` and ``TOP`` for the cards `part` of the suit that starts at `first`.

    Who holds the strongest cards can lead them one after the other, and once nobody else has any left, all the
    rest.  ``CASH`` has at 16 times the owner's seat the number of tricks and 8 bits further the thirds in them for
    certain: the owner's cards, the best ones of the partner, who gives gladly, and the least ones of the others.
    """
    seat = _owner(owned, seats, first + strongest(part))
    own = (owned[seat] >> first) & part
    others = part & ~own
    longest = np.int64(0)
    for other in range(seats):
        if other != seat:
            longest = max(longest, count((owned[other] >> first) & part))
    cashed, needed = own, np.int64(NO_RANK)
    if others:
        above = strongest(others) + 1
        top = (own >> above) << above
        if count(top) >= longest:
            for _ in range(longest - 1):
                top ^= np.int64(1) << strongest(top)
            needed = strongest(top)
        else:
            cashed, needed = top, weakest(top)
    tricks = count(cashed)
    thirds = thirds_in(cashed)
    for other in range(seats):
        if other != seat:
            cards = (owned[other] >> first) & part
            plays = min(tricks, count(cards))
            aces, figures = count(cards & ACE_CARDS), count(cards & FIGURE_CARDS)
            if (other ^ seat) & 1 == 0:
                best_aces = min(aces, plays)
                thirds += 3 * best_aces + min(figures, plays - best_aces)
            else:
                worth = max(np.int64(0), plays - (count(cards) - aces - figures))
                thirds += min(figures, worth) + 3 * max(np.int64(0), worth - figures)
    return (tricks | (thirds << 8)) << (16 * seat), seat | (needed << 2)
