"""Plays that need not be tried because another of the same hand is as good for certain (compiled)."""

from __future__ import annotations

import numpy as np

from agents.search.compiled import compiled
from agents.search.moves import best_of
from agents.search.suit_tables import WORTHLESS_RANKS, strongest, weakest
from tressette_env.cards import ACES, FIGURES, NUM_RANKS, NUM_SUITS, SUIT_BITS

_ACE = np.int64(ACES & SUIT_BITS)
_FIGURES = np.int64(FIGURES & SUIT_BITS)
_WORTHLESS = np.int64((1 << WORTHLESS_RANKS) - 1)


@compiled()
def without_dominated(
    tried: np.int64,
    legal: np.int64,
    separating: np.int64,
    partner: np.int64,
    opponents: np.int64,
    led: np.int64,
    best: np.int64,
    ours: bool,
) -> tuple[np.int64, np.int64]:
    """Return the cards `tried` without the dominated ones, and the cards that decide that they are.

    Cards of a suit with no `separating` card between them win and lose alike, now and later.  Where it is certain
    which side takes this trick, it is best to play of these the one worth most to the own side, or the one worth
    least to the other: a card kept instead makes up at most the difference.  `tried`: at most one of those worth the
    same, the strongest; the other arguments are as in `order_moves`.

    That holds for a pattern of ranks if this includes the lowest of the neighbours where they take the lead.
    Elsewhere their ranks do not matter, unless a stronger one than that played is kept and so may win later.
    """
    kept, deciding = tried, np.int64(0)
    for suit in range(NUM_SUITS):
        first = NUM_RANKS * suit
        rest = (tried >> first) & SUIT_BITS
        others = (separating >> first) & SUIT_BITS
        while rest & (rest - 1):
            top = strongest(rest)
            below = others & ((np.int64(1) << top) - 1)
            lowest = strongest(below) + 1 if below else np.int64(0)
            group = (rest >> lowest) << lowest
            rest ^= group
            if group & (group - 1) == 0:
                continue
            leads = led < 0 or (suit == led and first + top > best)
            high = first + top if leads else best
            mine = leads or ours  # in front so far; certain unless one of the others that follow is above
            if high <= best_of(opponents if mine else partner, np.int64(suit) if led < 0 else led):
                continue
            played = _worth_most(group) if mine else _worth_least(group)
            kept ^= (group ^ played) << first
            if leads:
                own = (legal >> first) & (SUIT_BITS >> lowest << lowest)
                deciding |= np.int64(1) << (first + weakest(own))
            elif (group ^ played) > played:
                deciding |= played << first
    return kept, deciding


@compiled(inline=True)
def _worth_most(group: np.int64) -> np.int64:
    if group & _ACE:
        return _ACE
    return group & _FIGURES if group & _FIGURES else group


@compiled(inline=True)
def _worth_least(group: np.int64) -> np.int64:
    if group & _WORTHLESS:
        return group & _WORTHLESS
    return group & _FIGURES if group & _FIGURES else group
