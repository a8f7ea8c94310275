"""Which plays the solver tries, and in which order (compiled)."""

from __future__ import annotations

import numpy as np

from agents.search.compiled import compiled
from agents.search.suit_tables import (
    DISTINCT_HIGH,
    DISTINCT_LOW,
    WORTHLESS_RANKS,
    Int64Array,
    strongest,
    weakest,
)
from tressette_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, SUIT_BITS, THIRDS

VALUE = THIRDS.astype(np.int64)
SUIT = np.arange(NUM_CARDS, dtype=np.int64) // NUM_RANKS
_LOW_BITS = (1 << WORTHLESS_RANKS) - 1
_NO_CARD = np.int64(-1)


@compiled()
def distinct_cards(legal: np.int64, separating: np.int64) -> np.int64:
    """Return the strongest of each set of equal cards: worth the same, and no `separating` card between them."""
    distinct = np.int64(0)
    for suit in range(NUM_SUITS):
        own = (legal >> (NUM_RANKS * suit)) & SUIT_BITS
        if own:
            others = (separating >> (NUM_RANKS * suit)) & SUIT_BITS
            low = DISTINCT_LOW[own & _LOW_BITS, others & _LOW_BITS]
            high = DISTINCT_HIGH[own >> WORTHLESS_RANKS, others >> WORTHLESS_RANKS]
            distinct |= (low | (high << WORTHLESS_RANKS)) << (NUM_RANKS * suit)
    return distinct


@compiled(inline=True)
def _best_of(cards: np.int64, suit: np.int64) -> np.int64:
    """Return the strongest card of a suit, -1 if there is none."""
    of_suit = cards & (np.int64(SUIT_BITS) << (NUM_RANKS * suit))
    return strongest(of_suit) if of_suit else _NO_CARD


@compiled()
def order_moves(
    tried: np.int64,
    partner: np.int64,
    opponents: np.int64,
    led: np.int64,
    best: np.int64,
    ours: bool,
    moves: Int64Array,
    scores: Int64Array,
) -> np.int64:
    """Write the cards `tried` into `moves`, the most promising first, and return how many they are.

    `partner` and `opponents` are the cards of those who play after this seat in the trick; `led` is -1 for who
    leads; `best` is the best card so far, and `ours` whether it is the own side's.
    """
    number = np.int64(0)
    enemy = _best_of(opponents, led) if led >= 0 else _NO_CARD
    friend = _best_of(partner, led) if led >= 0 else _NO_CARD
    safe = (ours and best > enemy) or (friend > enemy and friend > best)
    while tried:
        card = weakest(tried)
        tried &= tried - 1
        worth = 10 * VALUE[card]
        rank = card - NUM_RANKS * SUIT[card]
        if led < 0:
            enemy, friend = _best_of(opponents, SUIT[card]), _best_of(partner, SUIT[card])
            if friend > enemy and card < enemy:
                score = 120 + worth
            elif card > enemy:
                score = 100 + worth
            else:
                score = 40 - worth + rank
        elif SUIT[card] == led and card > best and not (ours and best > enemy):
            if card > enemy:
                score = 100 + worth - rank
            elif friend > enemy and friend > card:
                score = 60 + worth - rank
            else:
                score = 30 - worth - rank
        elif safe:
            score = 90 + worth - rank
        else:
            score = 50 - worth - rank
        place = number
        while place > 0 and scores[place - 1] < score:
            scores[place], moves[place] = scores[place - 1], moves[place - 1]
            place -= 1
        scores[place], moves[place] = score, card
        number += 1
    return number


@compiled()
def list_moves(tried: np.int64, moves: Int64Array) -> np.int64:
    """Write the cards `tried` into `moves` by rising id, and return how many they are."""
    number = np.int64(0)
    while tried:
        moves[number] = weakest(tried)
        tried &= tried - 1
        number += 1
    return number
