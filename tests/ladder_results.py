"""Made-up results of matches, and the report of a ladder made from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.arena import Effort
from agents.ladder import make_ladder
from agents.ladder_report import ladder_report
from agents.pairs import PairResults


def results(margins: Any, seconds: tuple[float, float] = (0.001, 0.01)) -> PairResults:
    """Results with these margins (2, pairs), each player having made ten choices."""
    games = np.asarray(margins, np.int64)
    of_sides = np.stack([games > 0, games < 0], axis=2).astype(np.int64)
    effort = Effort(40 * games.size, (10, 10), seconds)
    return PairResults(games, np.zeros_like(games), np.zeros_like(of_sides), of_sides, np.ones_like(games), effort)


def steady(margin: int, pairs: int = 50) -> PairResults:
    """Results whose pairs all have this margin, but for what a pair more or less makes."""
    swing = np.tile([1, -1], pairs // 2)
    return results([margin + swing, margin + swing])


def three_matches() -> dict[tuple[int, int], PairResults]:
    return {(0, 1): steady(2), (0, 2): steady(6), (1, 2): steady(3)}


def made_report(names: list[str]) -> dict[str, Any]:
    matches = three_matches()
    fields = ladder_report(names, matches, make_ladder(names, matches))
    more = {"variant": "partners", "napoletana": False, "seed": 0, "pairs": 50, "slow_pairs": 50}
    return more | {"distinct_deals": 50, **fields, "cheats": [], "seconds": 1.0, "version": 1, "complete": True}
