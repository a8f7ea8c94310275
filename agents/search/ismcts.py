"""The player `ismcts`: information set Monte Carlo tree search over exactly sampled worlds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search import ismcts_kernel
from agents.search.compiled import compiling
from agents.search.game_kernel import game_of, states_of
from agents.search.playout_kernel import SIZE, FloatArray
from agents.search.world_values import check_number, different_cards
from agents.search.worlds import FREE_STREAM, draw_worlds, warm_up
from tressette_env.cards import NUM_CARDS, IntArray, popcount
from tressette_env.rules import Rules, resolve_rules
from tressette_env.shuffling import stream_keys
from tressette_env.view import View

EXPLORATION = 6.0
"""Points, about twice the deviation of a playout's result: from 4 to 12 no difference was found at ± 0.2, below
strength falls."""
SMALLEST_POOL, ITERATIONS_A_WORLD = 100, 20
WEIGHTS = Path(__file__).with_name("playout_weights.npz")
_ROWS = 256  # searched at once: their worlds take a few megabytes


class Search(NamedTuple):
    """What a search of n decisions found: visits (n, 40) int64 and mean points (n, 40) float64 of each card.

    The mean is of the final points of the own side less the other's; NaN for cards that were not tried.  Equal cards
    count as the lowest of them.  Where only one card is to be considered it has no visits.
    """

    visits: IntArray
    means: npt.NDArray[np.float64]


class IsmctsPlayer:
    """Plays the card that single-observer information set MCTS visits most (Cowling, Powley, Whitehouse 2012).

    `iterations` playouts a decision, over a pool of worlds drawn uniformly from those that agree with what the seat
    knows; `exploration`: points, the factor of the UCB term; `pool`: worlds, None for one to
    `ITERATIONS_A_WORLD` iterations and at least `SMALLEST_POOL`.  A decision depends on `seed` and the information
    set alone.  Equal cards (worth the same, no other's card between them) are one choice, the lowest; a choice of
    one is not searched.  Raises ``ValueError`` for a bad option.
    """

    slow = True
    version = 1
    budget_option = "iterations"

    def __init__(
        self,
        variant: str | Rules = "partners",
        seed: int = 0,
        iterations: int = 1000,
        exploration: float = EXPLORATION,
        pool: int | None = None,
    ) -> None:
        rules = resolve_rules(variant)
        self.seed = seed
        self.iterations = check_number("iterations", iterations, 1)
        if isinstance(exploration, bool) or not isinstance(exploration, int | float) or not 0 <= exploration < np.inf:
            raise ValueError(f"exploration={exploration!r} is not allowed: a number of points, at least 0")
        self.exploration = float(exploration)
        worlds = max(SMALLEST_POOL, self.iterations // ITERATIONS_A_WORLD)
        self.pool = worlds if pool is None else check_number("pool", pool, 1)
        self._weights = playout_weights(rules.variant)
        view = warm_up(rules)
        with compiling("the ISMCTS kernel"):
            self._search(view, np.ones((1, 1, rules.seats), np.uint64), np.zeros((1, 1, 0), np.int8), iterations=0)

    def act(self, view: View) -> IntArray:
        """Return (n,) int64 card ids, 0 where no card is legal."""
        cards: IntArray = view.legal.argmax(axis=1).astype(np.int64)
        searched = self._rows(view)
        if len(searched):
            found = self.search(view.take(searched))
            most = found.visits == found.visits.max(axis=1, keepdims=True)
            cards[searched] = np.where(most, found.means, -np.inf).argmax(axis=1)
        return cards

    def visits(self, view: View) -> IntArray:
        """Return (n, 40) int64: how often each card was tried; they add up to `iterations`, 0 in rows of one choice."""
        return self.search(view).visits

    def search(self, view: View) -> Search:
        """Search the rows of a view that have a choice."""
        found = Search(np.zeros((len(view), NUM_CARDS), np.int64), np.full((len(view), NUM_CARDS), np.nan))
        searched = self._rows(view)
        for start in range(0, len(searched), _ROWS):
            rows = searched[start : start + _ROWS]
            seen = view.take(rows)
            worlds = draw_worlds(seen, self.pool, self.seed)
            found.visits[rows], totals = self._search(seen, worlds.hands, worlds.stock, self.iterations)
            with np.errstate(invalid="ignore"):
                found.means[rows] = totals / found.visits[rows]
        return found

    def _rows(self, view: View) -> IntArray:
        """Return the rows with more than one card to consider."""
        return np.flatnonzero(popcount(different_cards(view)) > 1)

    def _search(
        self, view: View, hands: npt.NDArray[np.uint64], stock: npt.NDArray[np.int8], iterations: int
    ) -> tuple[IntArray, IntArray]:
        found: tuple[IntArray, IntArray] = ismcts_kernel.search(
            states_of(view),
            hands,
            stock,
            game_of(view.rules),
            iterations,
            self.exploration,
            self._weights,
            stream_keys(self.seed, view.keys, FREE_STREAM),
        )
        return found


@cache
def playout_weights(variant: str) -> FloatArray:
    """Return the factors of the playout policy of a variant, (SIZE,) float32; see `fit_playouts`."""
    with np.load(WEIGHTS) as logits:
        weights: FloatArray = np.exp(logits[variant].astype(np.float32))
    if weights.shape != (SIZE,):
        raise ValueError(f"{WEIGHTS.name} is of another version: it holds {len(weights)} numbers, not {SIZE}")
    weights.setflags(write=False)
    return weights
