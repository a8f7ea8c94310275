"""``--budget-ms``: how many worlds or iterations fit, with costs that are made up, so that no clock decides."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from agents import budget
from agents.budget import Fitted, fit_budget, round_down
from tests import commands
from tests.commands import Capture
from tressette_env import Rules

run, run_json = partial(commands.run, "match"), partial(commands.run_json, "match")
PARTNERS, TWO = Rules("partners"), Rules("two_player")


def costs(monkeypatch: pytest.MonkeyPatch, cost: Callable[[int], float]) -> list[str]:
    """Let a player with a count take so many milliseconds; return the names that are measured."""
    measured: list[str] = []

    def milliseconds(name: str, rules: Rules, seed: int) -> float:
        measured.append(name)
        return cost(count_in(name))

    monkeypatch.setattr(budget, "_milliseconds", milliseconds)
    return measured


def count_in(name: str) -> int:
    (count,) = re.findall(r"(?:worlds|iterations)=(\d+)", name)
    return int(count)


def fitted(name: str, ms: float, rules: Rules = PARTNERS) -> Fitted:
    found = fit_budget(name, rules, 0, ms)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["pimc", "ismcts"])
@pytest.mark.parametrize("ms", [0.5, 3, 10, 77, 1000, 20_000])
def test_the_largest_count_that_fits_is_found(monkeypatch: pytest.MonkeyPatch, name: str, ms: float) -> None:
    """At a tenth of a millisecond for each; up to 5 % too long is near enough, and counts have two digits."""
    measured = costs(monkeypatch, lambda count: 0.1 * count)
    found = fitted(name, ms)
    count = count_in(found.name)
    assert found.ms == pytest.approx(0.1 * count)
    assert 0.9 * 10 * ms <= count <= 1.05 * 10 * ms
    assert len(str(count).rstrip("0")) <= 2
    assert len(measured) == len(set(measured)) <= 6


def test_a_part_of_the_time_that_does_not_grow_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    costs(monkeypatch, lambda count: 2 + 0.1 * count)
    count = count_in(fitted("pimc", 10).name)
    assert 70 <= count <= 85


@pytest.mark.parametrize("ms", [1.5, 5, 9, 30])
def test_costs_that_jump(monkeypatch: pytest.MonkeyPatch, ms: float) -> None:
    """Each hundred begun takes a millisecond: what is found fits, and no count tried that fits is larger."""
    measured = costs(monkeypatch, lambda count: float(-(-count // 100)))
    found = fitted("ismcts", ms)
    assert found.ms == -(-count_in(found.name) // 100) <= 1.05 * ms
    assert count_in(found.name) == max(count_in(name) for name in measured if -(-count_in(name) // 100) <= 1.05 * ms)


def test_where_not_even_one_fits_one_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    costs(monkeypatch, lambda count: 50.0 * count)
    assert fitted("pimc", 3) == ("pimc:worlds=1", 50, False)


def test_counts_are_rounded_down_to_two_digits() -> None:
    numbers = {0.3: 0, 1: 1, 9.99: 9, 10: 10, 99.5: 99, 100: 100, 109: 100, 1999: 1900, 2000: 2000, 123_456: 120_000}
    assert {number: round_down(number) for number in numbers} == numbers


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("pimc:exact=5", "pimc:exact=5,worlds="),
        ("ismcts:seed=3,pool=9", "ismcts:seed=3,pool=9,iterations="),
        ("pimc+solver", "pimc+solver:worlds="),
        ("ismcts+solver:seed=2", "ismcts+solver:seed=2,iterations="),
    ],
)
def test_other_options_and_the_wrapper_are_kept(monkeypatch: pytest.MonkeyPatch, name: str, start: str) -> None:
    costs(monkeypatch, lambda count: 0.1 * count)
    found = fitted(name, 5, TWO)
    assert re.fullmatch(re.escape(start) + r"\d+", found.name)


@pytest.mark.parametrize(
    "name",
    ["rules", "random:seed=2", "cheat", "pimc:worlds=7", "ismcts:pool=9,iterations=20", "tests.toy_players:Mixed"],
)
def test_nothing_to_fit(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    measured = costs(monkeypatch, float)
    assert fit_budget(name, PARTNERS, 0, 10) is None
    assert not measured


def test_nothing_to_fit_is_bad_usage(capsys: Capture) -> None:
    common = ("--variant", "partners", "--budget-ms", "5")
    code, output, errors = run(capsys, "rules", "pimc:worlds=3", *common)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert "--budget-ms 5: neither rules nor pimc:worlds=3 has worlds or iterations that are still to be set" in errors
    assert run(capsys, "nobody", "pimc", *common)[0] == 2


@pytest.mark.parametrize("ms", ["0", "-1", "nan", "inf", "many"])
def test_a_budget_that_is_none_is_refused(capsys: Capture, ms: str) -> None:
    code, output, errors = run(capsys, "pimc", "rules", "--variant", "partners", f"--budget-ms={ms}")
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert "--budget-ms" in errors


def test_the_match_is_played_by_count(capsys: Capture, tmp_path: Path) -> None:
    """Measured with a real clock; what was found is told, and its name gives the same match again."""
    path = tmp_path / "o.json"
    common = ("--variant", "partners", "--pairs", "2")
    code, output, errors = run(capsys, "pimc", "rules", *common, "--budget-ms", "0.02", "--json", str(path))
    report = commands.without_times(path)
    assert code == 0
    assert re.fullmatch(r"pimc:worlds=\d+", report["a"])
    assert report["b"] == "rules"
    told = r"takes [\d.e-]+ ms a decision here: 0.02 ms is less than the least it can do"
    assert re.search(rf"^{report['a']} {told}$", errors, re.MULTILINE)
    assert report["a"] in output
    assert run_json(capsys, path, report["a"], "rules", *common) == report


def test_a_player_that_meets_itself_is_measured_once(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else noise would give the two different counts."""
    times = iter([0.001, 50.0, 0.001, 50.0] * 10)
    costs(monkeypatch, lambda count: next(times))
    path = tmp_path / "o.json"
    code, _, _ = run(
        capsys, "pimc", "pimc", "--variant", "partners", "--pairs", "1", "--budget-ms", "0.001", "--json", str(path)
    )
    report = commands.without_times(path)
    assert (code, report["mean"], report["a"]) == (0, 0, report["b"])
