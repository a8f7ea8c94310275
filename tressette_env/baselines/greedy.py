"""The player `greedy`: takes what it can cheaply and gives the least, without memory or plan."""

from __future__ import annotations

import numpy as np

from tressette_env.baselines.bits import spread, strongest
from tressette_env.cards import NUM_RANKS, ONE, SUIT_MASK_OF_CARD, THIRDS, IntArray, UInt64Array, popcount
from tressette_env.rules import Rules, resolve_rules
from tressette_env.view import View

_STRENGTH = np.arange(len(THIRDS)) % NUM_RANKS
_NO_CARD = np.iinfo(np.int64).max
_MORE = 16  # outweighs any difference in what stands to the right of it: strengths, lengths


class GreedyPlayer:
    """Looks at the table and its hand only.

    * Leads a 3 if it holds one, otherwise the card worth least, the weakest of them.
    * Takes the trick when a card can beat the table, for thirds on the table or on that card: with the card
      worth most when it is last to play, otherwise with the weakest that beats the table.
    * Leaves the partner's trick alone, and gives it the card worth most when last to play.
    * Gives the least otherwise: the card worth least, the weakest of them.

    Ties between suits go to the longer suit when leading and to the shorter one otherwise, then to the
    suit that comes first.  The seed changes nothing.  Raises ``ValueError`` for an unknown variant.
    """

    version = 1

    def __init__(self, variant: str | Rules = "partners", seed: int = 0) -> None:
        self.rules = resolve_rules(variant)
        self.seed = seed

    def act(self, view: View) -> IntArray:
        """Return (n,) int64 card ids, 0 where no card is legal."""
        bits = spread(view.legal_cards)
        cards = np.where(bits == 0, 0, popcount(bits - ONE))
        costs = np.where(bits == 0, _NO_CARD, _costs(view, bits, cards))
        return np.asarray(cards[costs.argmin(axis=0), np.arange(len(view))], np.int64)


def _costs(view: View, bits: UInt64Array, cards: IntArray) -> IntArray:
    """Return (k, n): the legal card with the lowest number is played."""
    strength, value = _STRENGTH.take(cards), THIRDS.take(cards)
    length = popcount(SUIT_MASK_OF_CARD.take(cards) & view.hand)
    least = (value * _MORE + strength) * _MORE + length
    lead = (np.where(strength == NUM_RANKS - 1, -1, value) * _MORE + strength) * _MORE - length
    best = strongest(view.table & view.suit)
    last = popcount(view.table) == view.rules.seats - 1
    partners = _partner_holds(view, best)
    beats = ((bits & view.suit) != 0) & (bits > best) & ~partners
    worth_it = beats & (((view.table | bits) & _WORTH_A_THIRD) != 0)
    most = -value * _MORE + strength
    take = np.where(last, most, strength) - _MORE**3
    give = np.where(partners & last, most, least)
    return np.where(view.suit == 0, lead, np.where(worth_it, take, give))


_WORTH_A_THIRD = np.uint64(sum(1 << card for card, thirds in enumerate(THIRDS.tolist()) if thirds))


def _partner_holds(view: View, best: UInt64Array) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return (n,) whether the best card on the table is the partner's."""
    if view.rules.seats == 2:
        return np.zeros(len(view), bool)
    partner = (np.maximum(view.seat, 0).astype(np.int64) + 2) & 3
    return np.asarray((view.played[partner, np.arange(len(view))] & best) != 0)
