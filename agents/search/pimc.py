"""The player `pimc`: perfect-information Monte Carlo (determinization) over exactly sampled worlds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.search.world_values import MOST_AT_ONCE, FloatArray, WorldValues, check_number, different_cards, favourite
from agents.search.worlds import draw_worlds
from tressette_env.cards import NUM_CARDS, IntArray, popcount
from tressette_env.rules import Rules, resolve_rules
from tressette_env.view import View

Z = 1.0
_SAME = 1e-6
"""Less than any difference of mean values, more than rounding."""


class PimcPlayer:
    slow = True

    def __init__(
        self,
        variant: str | Rules = "partners",
        seed: int = 0,
        worlds: int = 20,
        exact: int | None = None,
        handover: int | None = None,
        z: float = Z,
    ) -> None:
        self.rules = resolve_rules(variant)
        self.seed = seed
        self.worlds = check_number("worlds", worlds, 1)
        if isinstance(z, bool) or not isinstance(z, int | float) or not 0 <= z < np.inf:
            raise ValueError(f"z={z!r} is not allowed: a number of standard errors, at least 0")
        self.z = float(z)
        exact = 6 if exact is None else check_number("exact", exact, 0)
        handover = min(4, exact) if handover is None else handover
        self._world_values = WorldValues(self.rules, exact, handover)

    def act(self, view: View) -> IntArray:
        """Return (n,) int64 card ids, 0 where no card is legal."""
        cards = self._world_values.player.act(view)
        for rows in self._batches(view, popcount(different_cards(view)) > 1):
            seen = view.take(rows)
            best = best_cards(self._values(seen), cards[rows], self.z)
            cards[rows] = favourite(self._world_values.player, seen, best)
        return cards

    def values(self, view: View) -> npt.NDArray[np.float64]:
        """Return (n, 40): mean values over the worlds, NaN for cards that are not legal.

        A value is the final points of the own side less the other's, declared ones included.
        """
        means = np.full((len(view), NUM_CARDS), np.nan)
        for rows in self._batches(view, view.legal_cards != 0):
            means[rows] = self._values(view.take(rows)).mean(axis=1, dtype=np.float64)
        return means

    def _batches(self, view: View, wanted: npt.NDArray[np.bool_]) -> Iterator[IntArray]:
        """Cut the rows wanted into batches of bounded size, which stand at the same ply where possible."""
        rows = np.flatnonzero(wanted)
        rows = rows[np.argsort(view.ply[rows], kind="stable")]
        size = max(MOST_AT_ONCE // (self.worlds * self.rules.hand), 1)
        for start in range(0, len(rows), size):
            yield rows[start : start + size]

    def _values(self, view: View) -> FloatArray:
        worlds = draw_worlds(view, self.worlds, self.seed)
        return self._world_values(view, worlds.hands, worlds.stock)


def best_cards(values: FloatArray, base: IntArray, z: float) -> npt.NDArray[Any]:
    """Return (n, 40) bool: the cards of the best mean value if they are clearly better than `base`, else `base`.

    `values` (n, worlds, 40).  Clearly: their mean difference to `base` (n,) in the same worlds is above `z` of its
    standard errors; the cards that are not stay out of it.
    """
    worlds = values.shape[1]
    ahead = values - np.take_along_axis(values, base[:, None, None], axis=2)
    mean = ahead.mean(axis=1, dtype=np.float64)
    error = ahead.std(axis=1, ddof=1, dtype=np.float64) / worlds**0.5 if worlds > 1 else np.zeros_like(mean)
    better = np.where(mean > np.maximum(z * error, _SAME), mean, 0.0)
    most = better.max(axis=1, keepdims=True)
    return np.where(most > 0, better > most - _SAME, np.arange(NUM_CARDS) == base[:, None])
