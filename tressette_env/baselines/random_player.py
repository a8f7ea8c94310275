"""The player `random`: any legal card, all equally likely."""

from __future__ import annotations

import numpy as np

from tressette_env.cards import ONE, IntArray, lowest_cards
from tressette_env.rules import Rules, resolve_rules
from tressette_env.shuffling import check_seed, stream_keys
from tressette_env.view import View

_HALF = np.uint64(32)


class RandomPlayer:
    """Plays a uniformly drawn legal card.

    The draw depends on `seed` and the view's keys alone, so one information set gives one card in any batch.
    Raises ``ValueError`` for an unknown variant or a seed that is no whole number from 0 to 2**63 - 1.
    """

    version = 1

    def __init__(self, variant: str | Rules = "partners", seed: int = 0) -> None:
        self.rules = resolve_rules(variant)
        self._seed = check_seed(seed, 1)

    def act(self, view: View) -> IntArray:
        """Return (n,) int64 card ids, 0 where no card is legal."""
        left, count = view.legal_cards, np.bitwise_count(view.legal_cards)
        draws = stream_keys(self._seed, view.keys) >> _HALF  # 32 random bits
        chosen = (draws * count) >> _HALF
        for passed in range(int(count.max(initial=0)) - 1):  # drop the cards below the chosen one
            left = np.where(chosen > passed, left & (left - ONE), left)
        return np.where(count > 0, lowest_cards(left), 0)
