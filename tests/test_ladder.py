"""The ladder: scores, ratings and their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.ladder import ELO_SCALE, fixtures, make_ladder, over_field, rate, resampled
from agents.statistics import interval
from tests.ladder_results import results, steady, three_matches


def test_everybody_meets_everybody_on_as_many_pairs_as_both_are_good_for() -> None:
    assert fixtures([100, 10, 100]) == [(0, 1, 10), (0, 2, 100), (1, 2, 10)]


def test_scores_are_means_over_the_field() -> None:
    ladder = make_ladder(["c", "b", "a"], {(0, 1): steady(-3), (0, 2): steady(-6), (1, 2): steady(-2)})
    assert ladder.scores.tolist() == [-4.5, 0.5, 4]
    assert ladder.order.tolist() == [2, 1, 0]
    assert ladder.opponents.tolist() == [2, 2, 2]
    assert (ladder.means[0, 2], ladder.means[2, 0], ladder.means[2, 1]) == (-6, 6, 2)
    assert np.isnan(np.diag(ladder.means)).all()
    ends = interval(steady(-3).margin).ci95
    assert ladder.means_ci95[0, 1].tolist() == ends
    assert ladder.means_ci95[1, 0].tolist() == pytest.approx([-ends[1], -ends[0]])
    assert (ladder.scores_ci95[:, 0] < ladder.scores).all()
    assert (ladder.scores < ladder.scores_ci95[:, 1]).all()
    assert ladder.above_next[[2, 1]].tolist() == [1, 1]
    assert np.isnan(ladder.above_next[0])


def test_players_who_are_alike_are_above_each_other_half_of_the_time() -> None:
    rng = np.random.default_rng(3)
    even, against = np.zeros((2, 400)), rng.integers(-4, 7, (2, 400))
    alike = {(0, 1): results(even), (0, 2): results(against), (1, 2): results(against)}
    ladder = make_ladder(["a", "b", "c"], alike)
    assert ladder.order.tolist() == [0, 1, 2]
    assert ladder.above_next[0] == 0.5  # equal in every draw: all share the deals
    equally_strong = alike | {(1, 2): results(rng.permuted(against, axis=1))}
    assert 0.3 < make_ladder(["a", "b", "c"], equally_strong).above_next[0] < 0.7


def test_a_missing_match_leaves_the_others_and_nobody_met_is_nan() -> None:
    ladder = make_ladder(["a", "b", "c", "d"], {(0, 1): steady(2), (2, 3): results(np.zeros((2, 0)))})
    assert ladder.scores[:2].tolist() == [2, -2]
    assert np.isnan(ladder.scores[2:]).all()
    assert np.isnan(ladder.ratings[2:]).all()
    assert ladder.ratings[0] == 0 > ladder.ratings[1]
    assert ladder.order.tolist() == [0, 1, 2, 3]
    empty = make_ladder(["a", "b"], {})
    assert np.isnan(empty.scores).all()
    assert empty.ratings[0] == 0


def test_one_seed_makes_one_ladder() -> None:
    one, same, other = (make_ladder(["a", "b", "c"], three_matches(), seed) for seed in (1, 1, 2))
    assert np.array_equal(one.scores_ci95, same.scores_ci95)
    assert np.array_equal(one.ratings_ci95, same.ratings_ci95)
    assert not np.array_equal(one.scores_ci95, other.scores_ci95)


def test_a_draw_weighs_a_deal_alike_in_all_matches() -> None:
    rng = np.random.default_rng(0)
    long, short = rng.normal(size=1000), rng.normal(size=100)
    drawn = resampled([long, -long, long[:100], short, short[:1]], 4000, np.random.default_rng(1))
    assert np.allclose(drawn[:, 0], -drawn[:, 1])
    shared = np.corrcoef(drawn[:, 0], drawn[:, 2])[0, 1]
    assert shared == pytest.approx(np.sqrt(100 / 1000), abs=0.1)  # a tenth of the deals
    for index, column in ((0, long), (3, short)):
        assert drawn[:, index].mean() == pytest.approx(column.mean(), abs=5 * column.std() / len(column) ** 0.5 / 60)
        assert drawn[:, index].std() == pytest.approx(column.std() / len(column) ** 0.5, rel=0.05)
    assert np.isnan(drawn[:, 4]).all()


def test_score_intervals_cover_the_truth() -> None:
    """Three players on shared deals, whose luck is in two matches alike; one match is shorter."""
    rng = np.random.default_rng(7)
    meetings, opponents = [(0, 1), (0, 2), (1, 2)], np.array([2, 2, 2])
    truth = over_field(meetings, np.array([0.5, 1.0, 0.5]), opponents)
    covered, trials = 0, 400
    for trial in range(trials):
        luck = rng.normal(0, 3, 200)
        columns = [
            0.5 + luck + rng.normal(0, 3, 200),
            1.0 + luck[:80] + rng.normal(0, 3, 80),
            0.5 + rng.normal(0, 3, 200),
        ]
        drawn = over_field(meetings, resampled(columns, 400, np.random.default_rng(trial)), opponents)
        low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
        covered += int(np.count_nonzero((low <= truth) & (truth <= high)))
    assert 0.925 < covered / (3 * trials) < 0.97


def simulated(ratings: list[float], games: int, rng: np.random.Generator) -> tuple[list[tuple[int, int]], Any, Any]:
    """Who met, the shares won and the number of games, drawn from Bradley–Terry."""
    meetings = [(a, b) for a in range(len(ratings)) for b in range(a + 1, len(ratings))]
    chances = [1 / (1 + 10 ** ((ratings[b] - ratings[a]) / 400)) for a, b in meetings]
    return meetings, rng.binomial(games, chances) / games, np.full(len(meetings), float(games))


def test_ratings_find_the_strengths_that_made_the_wins() -> None:
    truth = [0.0, 150.0, -220.0, 40.0]
    meetings, shares, games = simulated(truth, 40_000, np.random.default_rng(5))
    assert rate(meetings, shares, games, 4, 0) == pytest.approx(truth, abs=6)
    assert rate(meetings, shares, games, 4, 2) == pytest.approx(np.array(truth) + 220, abs=6)


def test_the_anchor_holds_when_players_join() -> None:
    rng = np.random.default_rng(8)
    meetings, shares, games = simulated([0.0, 100.0, -60.0, 500.0], 40_000, rng)
    few = [index for index, meeting in enumerate(meetings) if 3 not in meeting]
    before = rate([meetings[index] for index in few], shares[few], games[few], 3, 0)
    after = rate(meetings, shares, games, 4, 0)
    assert before[0] == after[0] == 0
    assert after[:3] == pytest.approx(before, abs=6)
    assert make_ladder(["a", "rules", "b"], three_matches()).ratings[1] == 0
    assert make_ladder(["a", "rules", "b"], three_matches()).anchor == 1


def test_a_rating_stays_finite_where_one_wins_all() -> None:
    ratings = rate([(0, 1)], np.array([1.0]), np.array([100.0]), 2, 0)
    assert ratings.tolist() == pytest.approx([0, -ELO_SCALE * np.log(100.5 / 0.5)])  # a tied deal is added


def test_ties_count_half_in_ratings() -> None:
    margins = np.array([[3, 0, -3, 0], [0, 0, 0, 0]])
    ladder = make_ladder(["a", "b"], {(0, 1): results(margins)})
    assert ladder.ratings.tolist() == pytest.approx([0, 0], abs=1e-6)
    assert make_ladder(["a", "b"], {(0, 1): results([[3, 1, -3, 1], [1, 1, 1, 1]])}).ratings[1] < -50
