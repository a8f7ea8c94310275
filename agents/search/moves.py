"""Which plays the solver tries, and in which order (compiled)."""

from __future__ import annotations

import numpy as np

from agents.search.compiled import compiled
from agents.search.suit_tables import (
    DISTINCT_HIGH,
    DISTINCT_LOW,
    WORTHLESS_RANKS,
    Int64Array,
    count,
    strongest,
    weakest,
)
from tressette_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, SUIT_BITS, THIRDS

VALUE = THIRDS.astype(np.int64)
SUIT = np.arange(NUM_CARDS, dtype=np.int64) // NUM_RANKS
_LOW_BITS = (1 << WORTHLESS_RANKS) - 1
_NO_CARD = np.int64(-1)

_LEAD_PARTNER_WINS, _LEAD_WINS, _LEAD_LOSES, _WINS, _PARTNER_WINS, _BEATEN, _SAFE, _GIVES = range(8)
"""Kinds of plays: a lead that the partner takes, that itself does, that neither may; of those who follow the best
card so far that nobody later beats, that only the partner does, that an opponent may; any other card to a trick that
can be the own side's, or not."""
_WEIGHTS = np.array(
    [
        [480, 108, 14, -20, 0, -16, 0],
        [400, 36, 0, -8, -2, 18, 60],
        [160, -44, 4, -8, -12, 12, 0],
        [360, 40, -8, 0, 0, 0, 0],
        [310, 88, 4, 0, 0, 0, 0],
        [160, -40, -4, 0, 0, 0, 0],
        [350, 52, -12, -16, 2, -20, -100],
        [200, -72, -10, 8, 0, -8, -90],
    ],
    np.int64,
)
"""By kind: for itself, a third of the card, its rank, and off the suit led each card tried, of the opponents and of the
partner in that suit, and being the strongest of it.  Found by hill climbing on the nodes of random deals."""


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
def best_of(cards: np.int64, suit: np.int64) -> np.int64:
    """Return the strongest card of a suit, -1 if there is none."""
    of_suit = cards & (np.int64(SUIT_BITS) << (NUM_RANKS * suit))
    return strongest(of_suit) if of_suit else _NO_CARD


@compiled()
def order_moves(
    tried: np.int64,
    others: np.int64,
    partner: np.int64,
    opponents: np.int64,
    led: np.int64,
    best: np.int64,
    ours: bool,
    moves: Int64Array,
    scores: Int64Array,
) -> np.int64:
    """Write the cards `tried` into `moves`, the most promising first, and return how many they are.

    `others` are the cards in all other hands, `partner` and `opponents` those of who plays after this seat in the
    trick; `led` is -1 for who leads; `best` is the best card so far, and `ours` whether it is the own side's.
    """
    number, rest = np.int64(0), tried
    enemy = best_of(opponents, led) if led >= 0 else _NO_CARD
    friend = best_of(partner, led) if led >= 0 else _NO_CARD
    safe = (ours and best > enemy) or (friend > enemy and friend > best)
    while rest:
        card = weakest(rest)
        rest &= rest - 1
        suit = SUIT[card]
        if led < 0:
            enemy, friend = best_of(opponents, suit), best_of(partner, suit)
            kind = _LEAD_WINS if card > enemy else (_LEAD_PARTNER_WINS if friend > enemy else _LEAD_LOSES)
        elif suit == led and card > best and not (ours and best > enemy):
            kind = _WINS if card > enemy else (_PARTNER_WINS if friend > enemy else _BEATEN)
        else:
            kind = _SAFE if safe else _GIVES
        score = _WEIGHTS[kind, 0] + _WEIGHTS[kind, 1] * VALUE[card] + _WEIGHTS[kind, 2] * (card - NUM_RANKS * suit)
        if suit != led:
            of_suit = np.int64(SUIT_BITS) << (NUM_RANKS * suit)
            score += _WEIGHTS[kind, 3] * count(tried & of_suit)
            score += _WEIGHTS[kind, 4] * count(opponents & of_suit) + _WEIGHTS[kind, 5] * count(partner & of_suit)
            if card > best_of(others, suit):
                score += _WEIGHTS[kind, 6]
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
