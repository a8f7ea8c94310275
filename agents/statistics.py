"""What pairs of games say about two players: means with their 95 % interval (CONTRACT §7)."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

import numpy as np

from agents.arena import FloatArray
from agents.pairs import PairResults

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


class Interval(NamedTuple):
    """The ``mean`` of independent numbers, its 95 % interval ``ci95`` [low, high], and their standard deviation."""

    mean: float
    ci95: list[float]
    sd: float


def interval(values: FloatArray) -> Interval:
    """Return mean, interval and spread (ddof 1) of `values` (n,); NaN where they are too few."""
    mean = float(values.mean()) if len(values) else np.nan
    sd = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    half_width = Z_95 * sd / max(len(values), 1) ** 0.5
    return Interval(mean, [mean - half_width, mean + half_width], sd)


def summarize(results: PairResults) -> Summary:
    """Return the statistics of some pairs; pairs are independent of each other, the two games of one are not."""
    mean, ci95, sd_pair = interval(results.margin)
    return Summary(
        mean=mean,
        ci95=ci95,
        win_rate=float(results.wins.mean()) if len(results) else np.nan,
        sd_pair=sd_pair,
        pairs=len(results),
    )
