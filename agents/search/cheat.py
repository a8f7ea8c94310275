"""The player `cheat`: it sees all cards, and says so."""

from __future__ import annotations

import numpy as np

from agents.search.pimc import best_cards
from agents.search.world_values import MOST_AT_ONCE, FloatArray, WorldValues, check_number, favourite
from tressette_env.cards import IntArray, popcount
from tressette_env.deals import DealBatch
from tressette_env.rules import Rules, resolve_rules
from tressette_env.view import View


class CheatPlayer:
    """CHEATS: it is handed the deals and looks into every hand and the stock.

    In the pair games it plays double dummy, exactly from `exact` cards in hand on: as well as anybody can against
    opponents who see all cards too, and so the upper reference.  With more cards it values each legal card by one
    roll-out of the true deal with `rules` in all seats, stopped at `handover` cards for the exact value.
    In two_player it does so until the stock is empty: PIMC on the one true world, in which the rolled-out players
    do not know what they will draw.  That makes it a reference there and no bound; from the empty stock on it is
    exact, but then so is whoever counts.
    Among cards of the same value it plays the one that `rules` would.  The seed changes nothing.
    Raises ``ValueError`` for an unknown variant or a wrong option.
    """

    sees_hidden_cards = True
    slow = True
    version = 1

    def __init__(
        self, variant: str | Rules = "partners", seed: int = 0, exact: int | None = None, handover: int | None = None
    ) -> None:
        self.rules = resolve_rules(variant)
        self.seed = seed
        exact = self.rules.hand if exact is None else check_number("exact", exact, 0)
        handover = min(exact, self.rules.hand) if handover is None else handover
        self._world_values = WorldValues(self.rules, exact, handover)

    def act_on(self, deals: DealBatch, rows: IntArray, view: View) -> IntArray:
        """Return (n,) int64 card ids for deals `rows` (n,), which the view shows; 0 where no card is legal."""
        cards = self._world_values.player.act(view)
        unforced = np.flatnonzero(popcount(view.legal_cards) > 1)
        for start in range(0, len(unforced), MOST_AT_ONCE):
            part = unforced[start : start + MOST_AT_ONCE]
            seen = view.take(part)
            best = best_cards(self.values_on(deals, rows[part], seen), cards[part], z=0.0)
            cards[part] = favourite(self._world_values.player, seen, best)
        return cards

    def values_on(self, deals: DealBatch, rows: IntArray, view: View) -> FloatArray:
        """Return (n, 1, 40) float32 values in the one true world, as `WorldValues` does; every row is to act."""
        return self._world_values(view, deals.hands[rows, None], deals.stock[rows, None])
