"""What pairs say about two players (CONTRACT §7), checked by hand and against simulation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from agents.pairs import PairResults, join_results, play_pairs
from agents.statistics import interval, summarize
from tests.toy_players import Lowest, Mixed
from tressette_env import Rules


def of_margins(*margins: float) -> PairResults:
    """Results whose pairs have these mean margins, which may not be fractions finer than a half."""
    doubled = (2 * np.array(margins)).astype(np.int64)
    games = np.stack([doubled // 2, doubled - doubled // 2])
    sides = np.zeros((*games.shape, 2), np.int64)
    return PairResults(games, np.zeros_like(games), sides, sides, np.ones_like(games))


def test_summary_by_hand() -> None:
    results = replace(of_margins(1, -1, 3, 5), margins=np.array([[1, -1, 7, 4], [1, -1, -1, 6]]))
    summary = summarize(results)
    spread = math.sqrt((1 + 9 + 1 + 9) / 3)
    assert summary["mean"] == 2
    assert summary["sd_pair"] == pytest.approx(spread)
    assert summary["ci95"] == pytest.approx([2 - 1.96 * spread / 2, 2 + 1.96 * spread / 2])
    assert summary["win_rate"] == (1 + 0 + 0.5 + 1) / 4
    assert summary["pairs"] == 4


def test_too_few_pairs_say_nothing() -> None:
    none = summarize(join_results([]))
    assert none["pairs"] == 0
    assert all(math.isnan(value) for value in (none["mean"], *none["ci95"], none["win_rate"], none["sd_pair"]))
    one = summarize(of_margins(2.0))
    assert (one["mean"], one["win_rate"], one["pairs"]) == (2, 1, 1)
    assert all(math.isnan(value) for value in (*one["ci95"], one["sd_pair"]))


DISTRIBUTIONS = {
    "skewed": ([-6.0, -1.0, 0.0, 1.0, 11.0], [0.1, 0.3, 0.25, 0.25, 0.1]),
    "mostly even": ([-5.0, -0.5, 0.0, 0.5, 4.0], [0.05, 0.1, 0.65, 0.1, 0.1]),
}


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
def test_the_interval_covers_the_true_mean_95_times_in_100(kind: str) -> None:
    """Margins of lumpy distributions, as points are: 1,000 matches of 300 pairs each."""
    margins, chances = DISTRIBUTIONS[kind]
    truth = float(np.dot(margins, chances))
    matches = np.random.default_rng(0).choice(margins, size=(1000, 300), p=chances)
    covered = 0
    for match in matches:
        low, high = summarize(of_margins(*match))["ci95"]
        covered += low <= truth <= high
    assert 930 <= covered <= 970


def test_the_interval_treats_the_pair_as_the_unit() -> None:
    """Pairs of real games: the spread of means of 100 pairs is what the interval of each predicts."""
    rules = Rules("partners")
    results = play_pairs(Mixed("partners"), Lowest("partners"), rules, seed=8, first=0, pairs=4000)
    truth = results.margin.mean()
    groups = results.margin.reshape(40, 100)
    inside = [low <= truth <= high for low, high in (summarize(of_margins(*group))["ci95"] for group in groups)]
    assert 34 <= sum(inside) <= 40


def test_an_interval_by_hand() -> None:
    mean, (low, high), sd = interval(np.array([1.0, 2.0, 6.0]))
    assert (mean, sd) == (3, pytest.approx(math.sqrt((4 + 1 + 9) / 2)))
    assert (low, high) == pytest.approx((3 - 1.96 * sd / math.sqrt(3), 3 + 1.96 * sd / math.sqrt(3)))
    assert all(math.isnan(value) for value in (*interval(np.array([1.0])).ci95, interval(np.array([])).mean))
