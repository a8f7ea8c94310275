"""The benchmark command runs and prints what it measured; how fast anything is, is no test."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import core, gymnasium_steps, worlds
from benchmarks.measuring import Row, rates, table
from tressette_env import DealBatch
from tressette_env.cards import cards_of


def test_core_measures_every_variant_and_batch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(core, "BATCHES", (3, 5))
    monkeypatch.setattr(core, "DEALING_BATCH", 4)
    monkeypatch.setattr(core, "_QUICK_PLAYS", 1)
    monkeypatch.setattr(core, "_QUICK_DEALS", 8)
    assert command.main(["core", "--quick"]) == 0
    output = capsys.readouterr().out
    assert "numpy " + np.__version__ in output
    for variant in ("two_player", "partners", "historical"):
        for deals in (3, 5):
            assert f"step + legal, {variant}, {deals} deals" in output
            assert f"step + legal + observe, {variant}, {deals} deals" in output
        assert f"reset, {variant}, 4 deals" in output


def test_the_driver_plays_the_lowest_legal_card() -> None:
    deals = DealBatch(50, "two_player")
    deals.reset(seed=1)
    while not deals.done:
        cards = core.lowest_cards(deals.legal)
        assert cards.tolist() == [min(cards_of(legal)) for legal in deals.legal]
        deals.step(cards)


def test_tables_show_median_and_range() -> None:
    rows = [Row("short", [3e6, 1e6, 2_500_000], "plays/s"), Row("a longer name", [0.96], "us/deal")]
    assert table("Speeds", rows).splitlines() == [
        "Speeds",
        "  short          2.5 M plays/s  (1 M to 3 M)",
        "  a longer name   0.96 us/deal",
    ]


def test_rates_leave_the_warming_up_out() -> None:
    seconds = iter([100.0, 2.0, 4.0, 5.0])
    assert rates(20, lambda: next(seconds), quick=True) == [10, 5, 4]


def test_an_unknown_name_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        command.main(["nonsense"])
    assert end.value.code == 2
    assert "unknown name 'nonsense': use core" in capsys.readouterr().err


def test_worlds_are_measured_for_every_rule_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worlds, "WORLDS", 2)
    monkeypatch.setattr(worlds, "ROWS", 3)
    monkeypatch.setattr(worlds, "_QUICK_GAMES", 1)
    assert command.main(["worlds", "--quick"]) == 0
    output = capsys.readouterr().out
    for rules in ("two_player", "two_player with napoletana", "partners", "partners with napoletana", "historical"):
        assert f"2 worlds of one decision, {rules}, median" in output
        assert f"2 worlds of one decision, {rules}, 99 %" in output
        assert f"20 worlds each of 3 decisions at once, {rules} " in output


def test_steps_are_measured_for_every_variant_and_opponent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gymnasium_steps, "ENVIRONMENTS", 6)
    monkeypatch.setattr(gymnasium_steps, "_QUICK_STEPS", 2)
    assert command.main(["gymnasium", "--quick"]) == 0
    output = capsys.readouterr().out
    for variant in ("two_player", "partners", "historical"):
        for opponent in ("random", "rules"):
            assert f"{variant}, {opponent} " in output
    assert "games at different tricks" in output


def test_games_are_spread_over_different_tricks() -> None:
    learners = gymnasium_steps.Learners(9, spread=True, opponent="random")
    assert len(set(learners._env._games.deals.ply // 4)) == 3
