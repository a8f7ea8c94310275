"""Ends of deals whose cards are all known, solved for the learner: two_player once the stock is empty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.open_cards import FloatArray, for_side
from tressette_env import DealBatch
from tressette_env.cards import IntArray
from tressette_env.view import View


class Solved(NamedTuple):
    """What is known of n decisions.

    ``best`` (n, 40) bool: the legal cards of the highest value, none where the decision is not solved; ``value`` (n,)
    float32: the deal's final points by best play of all, own side minus the other, NaN where it is not solved.
    """

    best: npt.NDArray[np.bool_]
    value: FloatArray


def solve_rows(deals: DealBatch, rows: IntArray, view: View, wanted: npt.NDArray[np.bool_]) -> Solved:
    """Solve the `wanted` (n,) ones of some decisions, whose stock must be empty; row i of `view` is deal `rows[i]`."""
    solved = Solved(np.zeros(view.legal.shape, bool), np.full(len(rows), np.nan, np.float32))
    here = np.flatnonzero(wanted)
    if len(here):
        from agents.search.positions import positions_of  # compiled code, which only some runs need
        from agents.search.solver import card_points

        seen = view.take(here)
        points = card_points(positions_of(seen, deals.hands[rows[here]]), seen.rules)
        highest = points.max(axis=1)
        declared = for_side(seen.declared_points[:, 0] - seen.declared_points[:, 1], seen.seat)
        solved.best[here] = points == highest[:, None]
        solved.value[here] = highest + declared
    return solved
