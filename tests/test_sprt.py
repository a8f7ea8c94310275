"""The sequential test: ratios by hand, error rates by simulation, and ``evaluate.py match --sprt``."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from agents import workers
from agents.sprt import ERROR, FEWEST_PAIRS, UNDECIDED, Decision, Sprt
from tests import commands
from tests.commands import Capture

run, run_json = partial(commands.run, "match"), partial(commands.run_json, "match")
MATCHES, MOST_PAIRS = 2000, 4000
GAMES = np.arange(-11, 12)
SHAPES = {
    "flat": np.full(23, 1 / 23),
    "mostly even": np.where(GAMES == 0, 0.6, 0.4 / 22),
}


def lumpy_margins(
    shape: str, mean: float, rng: np.random.Generator, matches: int = MATCHES, correlation: float = 0.3
) -> np.ndarray:
    """Return margins of pairs, (matches, MOST_PAIRS): means of two whole numbers that have the given mean.

    With some chance the second game is the first once more, as when the cards decide.
    """
    chances = SHAPES[shape]
    tilted = chances * (1 + mean / (chances @ GAMES**2) * GAMES)
    assert tilted.min() >= 0
    assert tilted @ GAMES == pytest.approx(mean)
    first, second = rng.choice(GAMES, size=(2, matches, MOST_PAIRS), p=tilted / tilted.sum())
    margins: np.ndarray = (first + np.where(rng.random(first.shape) < correlation, first, second)) / 2
    return margins


def test_the_ratio_by_hand() -> None:
    """The likelihood of the margins under either mean, all with the variance seen so far."""
    margins = [1.0, 0.0, 2.5, -1.0, 3.0]
    low, high = -0.25, 0.5
    ratios = Sprt(low, high).ratios(np.array(margins))
    for count in range(2, 6):
        seen = margins[:count]
        mean = sum(seen) / count
        variance = sum((margin - mean) ** 2 for margin in seen) / count
        logs = [sum((margin - hypothesis) ** 2 for margin in seen) / (2 * variance) for hypothesis in (low, high)]
        assert ratios[count - 1] == pytest.approx(logs[0] - logs[1])
    assert Sprt(0, 1).ratios(np.array([1.0, 0.0, 2.0]))[-1] == pytest.approx(2.25)
    assert Sprt(0, 1).bound == pytest.approx(math.log(19))


@pytest.mark.parametrize("truth", ["low", "high"])
@pytest.mark.parametrize("shape", SHAPES)
def test_error_rates(shape: str, truth: str) -> None:
    """At either hypothesis at most 5 % of the decisions are wrong, and few matches are left undecided."""
    test = Sprt(0, 0.5)
    margins = lumpy_margins(shape, getattr(test, truth), np.random.default_rng(7))
    decisions = [test.decide(match) for match in margins]
    found = [decision.accepted for decision in decisions]
    wrong = found.count("low" if truth == "high" else "high")
    slack = 3 * math.sqrt(ERROR * (1 - ERROR) / MATCHES)
    assert wrong / MATCHES <= ERROR + slack
    assert wrong / MATCHES > 0.01  # the errors that are allowed are used, or it would take longer than it must
    assert found.count(UNDECIDED) / MATCHES < 0.01
    fixed = 2 * (1.645 / 0.5) ** 2 * margins.var() * 2  # pairs of a test of fixed length with the same error rates
    assert np.mean([decision.pairs for decision in decisions]) < fixed


def test_far_from_the_hypotheses_it_is_never_wrong() -> None:
    test = Sprt(0, 0.5)
    for mean, accepted in ((-1.0, "low"), (1.5, "high")):
        margins = lumpy_margins("flat", mean, np.random.default_rng(1), 300)
        assert {test.decide(match).accepted for match in margins} == {accepted}


def test_the_decision_is_that_of_the_first_pairs_that_allow_one() -> None:
    """More pairs, or more at once, change nothing."""
    test = Sprt(0, 0.5)
    for match in lumpy_margins("flat", 0.6, np.random.default_rng(3), 20):
        decision = test.decide(match)
        assert decision.pairs > FEWEST_PAIRS  # of these seeds
        assert test.decide(match[: decision.pairs]) == decision
        before = test.decide(match[: decision.pairs - 1])
        assert (before.accepted, before.pairs) == (UNDECIDED, decision.pairs - 1)
        assert abs(before.llr) < test.bound <= abs(decision.llr)


def test_nothing_is_decided_by_few_pairs() -> None:
    clear = np.tile([4.0, 5.0], 100)
    assert Sprt(0, 0.5).decide(clear[: FEWEST_PAIRS - 1]).accepted == UNDECIDED
    assert Sprt(0, 0.5).decide(clear) == Sprt(0, 0.5).decide(clear[:FEWEST_PAIRS])
    assert Sprt(0, 0.5).decide(clear).accepted == "high"
    assert Sprt(0, 0.5).decide(np.zeros(0)) == Decision(UNDECIDED, 0, 0.0)


@pytest.mark.parametrize(
    ("margin", "low", "high", "accepted"),
    [(0.0, 0, 0.05, "low"), (0.5, 0, 0.05, "high"), (0.0, -0.05, 0.05, UNDECIDED), (0.0, 0.1, 0.2, "low")],
)
def test_margins_that_are_all_the_same(margin: float, low: float, high: float, accepted: str) -> None:
    decision = Sprt(low, high).decide(np.full(150, margin))
    assert decision.accepted == accepted
    assert decision.pairs == (150 if accepted == UNDECIDED else FEWEST_PAIRS)


@pytest.mark.parametrize("text", ["", "0", "0,", "a,b", "0,1,2", "0.5,0", "0,0", "nan,1", "0,inf", "-inf,0", "0;1"])
def test_what_is_no_pair_of_hypotheses_is_refused(capsys: Capture, text: str) -> None:
    with pytest.raises(ValueError, match="is not allowed: two numbers LOW,HIGH"):
        Sprt.parse(text)
    code, output, errors = run(capsys, "rules", "greedy", "--variant", "partners", f"--sprt={text}")
    assert (code, output) == (2, "")
    assert errors.startswith("evaluate.py match: error: --sprt ")
    assert errors.count("\n") == 1


def test_parse() -> None:
    assert Sprt.parse("0,0.05") == Sprt(0, 0.05)
    assert Sprt.parse("-0.5,-1e-1") == Sprt(-0.5, -0.1)


def test_a_match_stops_when_it_is_decided(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes and the size of the chunks change neither the decision nor the result."""
    path = tmp_path / "o.json"
    common = ("greedy", "random:seed=1", "--variant", "partners", "--sprt", "0,0.3", "--pairs", "3000")
    code, output, _ = run(capsys, *common, "--json", str(path))
    report = json.loads(path.read_text())
    pairs = report["sprt"]["pairs"]
    assert (code, report["complete"], report["pairs"]) == (0, True, pairs)
    assert report["sprt"]["accepted"] == "high"
    assert report["sprt"]["hypotheses"] == "0,0.3"
    assert report["sprt"]["llr"] >= math.log(19)
    assert f"sequential test decided after {pairs:,} pairs: the mean is at least 0.3" in output
    assert FEWEST_PAIRS <= pairs < 3000
    fixed = run_json(capsys, path, "greedy", "random:seed=1", "--variant", "partners", "--pairs", str(pairs))
    for largest, number in ((37, "1"), (60, "2")):
        monkeypatch.setattr(workers, "LARGEST_CHUNK", largest)
        again = run_json(capsys, path, *common, "--workers", number)
        assert again["sprt"] == report["sprt"]
        for field in ("mean", "ci95", "win_rate", "sd_pair", "decisions", "histogram", "breakdown", "distinct_deals"):
            assert again[field] == fixed[field]


def test_a_match_that_is_not_decided(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    common = ("greedy", "random", "--variant", "partners", "--pairs", "60", "--json", str(path))
    code, output, _ = run(capsys, *common, "--sprt", "0,0.05")
    report = json.loads(path.read_text())
    assert (code, report["complete"], report["pairs"]) == (0, True, 60)
    assert (report["sprt"]["accepted"], report["sprt"]["pairs"]) == (UNDECIDED, 60)
    assert "sequential test undecided after 60 pairs" in output


def test_a_player_against_itself_is_not_better(capsys: Capture, tmp_path: Path) -> None:
    """Its ratio is infinite, which JSON can not say."""
    path = tmp_path / "o.json"
    code, output, _ = run(
        capsys, "rules", "rules", "--variant", "partners", "--sprt", "0,0.05", "--pairs", "500", "--json", str(path)
    )

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    report = json.loads(path.read_text(), parse_constant=refuse)
    assert (code, report["mean"], report["pairs"]) == (0, 0, FEWEST_PAIRS)
    assert report["sprt"] == {"hypotheses": "0,0.05", "accepted": "low", "pairs": FEWEST_PAIRS, "llr": None}
    assert "the mean is at most 0 " in output
