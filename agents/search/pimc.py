"""The player `pimc`: perfect-information Monte Carlo (determinization) over exactly sampled worlds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.search.world_values import MOST_AT_ONCE, FloatArray, WorldValues, check_number, different_cards, favourite
from agents.search.worlds import draw_worlds, warm_up
from tressette_env.cards import NUM_CARDS, IntArray, popcount
from tressette_env.rules import Rules, resolve_rules
from tressette_env.view import View

Z = {"two_player": 1.5, "partners": 1.0, "historical": 1.0}
EXACT_IN_PAIRS, MANY_WORLDS = 6, 100
HANDOVER = {"two_player": 5, "partners": 4, "historical": 4}
SAME = 1e-6
"""Less than any difference of mean values, more than rounding."""


class PimcPlayer:
    """Values every legal card in `worlds` sampled worlds and plays the best on average, if it is clearly better.

    The worlds are drawn uniformly from all that agree with what the seat knows (`agents.search.worlds`); all cards
    are valued in the same ones, so that their differences are what is judged.  How depends on the cards in hand:

    * At most `exact` and nothing left to draw: the exact double-dummy value.  In two_player that is, by default, from
      the empty stock on, where the one world is the true one and so the card is exactly best.  In the pair games it is
      six cards, five with more than `MANY_WORLDS` worlds: earlier it costs more and, measured against `rules`
      and `tuned`, wins nothing, because exact values suppose that everybody sees all cards.
    * Before that: a roll-out with `rules` in all seats, each seeing only what it may, to the last `handover` cards,
      and there the exact value.  In two_player this goes through the rest of the stock, and a napoletana that a draw
      completes counts.

    The card that `rules` plays stands unless another's mean is better by more than `z` standard errors of the paired
    differences: with few worlds the mean alone is too noisy, and `rules` a good guess.  Of cards equally good the one
    that `rules` prefers is played.  The aim is the final difference in points of the deal.
    One information set and `seed` give one decision.  Source of the method: Ginsberg, "GIB: imperfect information in
    a computationally challenging game" (2001).
    Raises ``ValueError`` for an unknown variant or a wrong option.
    """

    slow = True
    version = 1
    budget_option = "worlds"

    def __init__(
        self,
        variant: str | Rules = "partners",
        seed: int = 0,
        worlds: int = 20,
        exact: int | None = None,
        handover: int | None = None,
        z: float | None = None,
    ) -> None:
        self.rules = resolve_rules(variant)
        self.seed = seed
        self.worlds = check_number("worlds", worlds, 1)
        name = self.rules.variant
        self.z = Z[name] if z is None else check_z(z)
        in_pairs = EXACT_IN_PAIRS if self.worlds <= MANY_WORLDS else EXACT_IN_PAIRS - 1
        cards = self.rules.hand if name == "two_player" else in_pairs
        cards = cards if exact is None else check_number("exact", exact, 0)
        self._world_values = WorldValues(
            self.rules, cards, min(HANDOVER[name], cards, self.rules.hand) if handover is None else handover
        )
        warm_up(self.rules)

    def act(self, view: View) -> IntArray:
        """Return (n,) int64 card ids, 0 where no card is legal."""
        cards = self._world_values.player.act(view)
        for rows in batches_of(view, popcount(different_cards(view)) > 1, self.worlds * self.rules.hand):
            seen = view.take(rows)
            best = best_cards(self._values(seen), cards[rows], self.z)
            cards[rows] = favourite(self._world_values.player, seen, best)
        return cards

    def values(self, view: View) -> npt.NDArray[np.float64]:
        """Return (n, 40): mean values over the worlds, NaN for cards that are not legal.

        A value is the final points of the own side less the other's, declared ones included.
        """
        means = np.full((len(view), NUM_CARDS), np.nan)
        for rows in batches_of(view, view.legal_cards != 0, self.worlds * self.rules.hand):
            means[rows] = self._values(view.take(rows)).mean(axis=1, dtype=np.float64)
        return means

    def world_values(self, view: View) -> FloatArray:
        """Return (n, worlds, 40) float32: the values in each world, whose means are `values`."""
        by_world = np.full((len(view), self.worlds, NUM_CARDS), np.nan, np.float32)
        for rows in batches_of(view, view.legal_cards != 0, self.worlds * self.rules.hand):
            by_world[rows] = self._values(view.take(rows))
        return by_world

    def _values(self, view: View) -> FloatArray:
        worlds = draw_worlds(view, self.worlds, self.seed)
        return self._world_values(view, worlds.hands, worlds.stock)


def batches_of(view: View, wanted: npt.NDArray[np.bool_], roll_outs: int) -> Iterator[IntArray]:
    """Cut the rows wanted into batches of bounded size, which stand at the same ply where possible.

    `roll_outs`: the most that a row needs.
    """
    rows = np.flatnonzero(wanted)
    rows = rows[np.argsort(view.ply[rows], kind="stable")]
    size = max(MOST_AT_ONCE // roll_outs, 1)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def check_z(z: Any) -> float:
    """Return a number of standard errors; ``ValueError`` if it is none."""
    if isinstance(z, bool) or not isinstance(z, int | float) or not 0 <= z < np.inf:
        raise ValueError(f"z={z!r} is not allowed: a number of standard errors, at least 0")
    return float(z)


def best_cards(values: FloatArray, base: IntArray, z: float) -> npt.NDArray[Any]:
    """Return (n, 40) bool: the cards of the best mean value if they are clearly better than `base`, else `base`.

    `values` (n, worlds, 40).  Clearly: their mean difference to `base` (n,) in the same worlds is above `z` of its
    standard errors; the cards that are not stay out of it.
    """
    worlds = values.shape[1]
    ahead = values - np.take_along_axis(values, base[:, None, None], axis=2)
    mean = ahead.mean(axis=1, dtype=np.float64)
    error = ahead.std(axis=1, ddof=1, dtype=np.float64) / worlds**0.5 if worlds > 1 else np.zeros_like(mean)
    better = np.where(mean > z * error + SAME, mean, 0.0)
    most = better.max(axis=1, keepdims=True)
    return np.where(most > 0, better > most - SAME, np.arange(NUM_CARDS) == base[:, None])
