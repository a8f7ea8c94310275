"""The player `random`: any legal card, all equally likely."""

from __future__ import annotations

import numpy as np

from tressette_env.cards import IntArray
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
        legal = view.legal
        draws = stream_keys(self._seed, view.keys) >> _HALF  # 32 random bits
        chosen = (draws * np.count_nonzero(legal, axis=1).astype(np.uint64)) >> _HALF
        upto = np.cumsum(legal, axis=1, dtype=np.uint8)
        return np.asarray((upto > chosen[:, None].astype(np.uint8)).argmax(axis=1), np.int64)
