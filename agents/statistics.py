"""What pairs of games say about two players: means with their 95 % interval (CONTRACT §7)."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from agents.arena import PairResults

Z_95 = 1.96
"""Half the width of the 95 % interval of a normal distribution, in standard deviations."""


class Summary(TypedDict):
    """``mean`` of the pair margins, ``ci95`` its interval [low, high], ``win_rate`` 0…1, ``sd_pair``, ``pairs``.

    What too few pairs leave undefined is NaN: everything without a pair, the spread and interval with one.
    """

    mean: float
    ci95: list[float]
    win_rate: float
    sd_pair: float
    pairs: int


def summarize(results: PairResults) -> Summary:
    """Return the statistics of some pairs; pairs are independent of each other, the two games of one are not."""
    pairs = len(results)
    mean = float(results.margin.mean()) if pairs else np.nan
    sd_pair = float(results.margin.std(ddof=1)) if pairs > 1 else np.nan
    half_width = Z_95 * sd_pair / max(pairs, 1) ** 0.5
    return Summary(
        mean=mean,
        ci95=[mean - half_width, mean + half_width],
        win_rate=float(results.wins.mean()) if pairs else np.nan,
        sd_pair=sd_pair,
        pairs=pairs,
    )
