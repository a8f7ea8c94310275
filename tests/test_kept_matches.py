"""Matches that a store knows are extended, not played again; nothing that was played is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import kept_matches, workers
from agents.kept_matches import held_results, key_of, play_kept
from agents.pairs import PairResults
from agents.progress import Progress
from agents.sprt import UNDECIDED, Sprt
from agents.store import Store, StoreError
from agents.workers import Meeting
from tests import commands
from tests.commands import Capture
from tests.pair_results import same
from tests.test_evaluate_cli import interrupt_after
from tests.toy_players import TOYS
from tressette_env import Rules
from tressette_env.players import PlayerError

run, run_json = partial(commands.run, "match"), partial(commands.run_json, "match")
MEETING = Meeting("greedy", "random:seed=1", Rules("partners", napoletana=True), seed=7)
COMMON = ("greedy", "random:seed=1", "--variant", "partners", "--seed", "7")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results.jsonl")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pairs that are played from now on, in this process."""
    seen: list[int] = []
    play_chunk = workers.play_chunk

    def counting(meeting: Meeting, first: int, pairs: int) -> PairResults:
        seen.extend(range(first, first + pairs))
        return play_chunk(meeting, first, pairs)

    monkeypatch.setattr(workers, "play_chunk", counting)
    return seen


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("variant", ["two_player", "historical"])
def test_a_longer_match_plays_only_what_is_missing(
    store: Store, counted: list[int], variant: str, episode: str
) -> None:
    meeting = Meeting("greedy", "random:seed=1", Rules(variant), 7, episode)
    expected = play_kept(meeting, 50)
    assert counted == list(range(50))
    counted.clear()
    short = play_kept(meeting, 30, store=store)
    assert all(np.array_equal(*columns) for columns in zip(short.columns, expected.first(30).columns, strict=True))
    assert counted == list(range(30))
    counted.clear()
    assert same(play_kept(meeting, 50, store=store), expected)
    assert counted == list(range(30, 50))
    counted.clear()
    assert same(play_kept(meeting, 50, store=store), expected)
    again = play_kept(meeting, 20, store=store)
    assert np.array_equal(again.margins, expected.margins[:, :20])
    assert not counted


def test_without_a_store_everything_is_played(counted: list[int]) -> None:
    assert len(held_results(MEETING, None)) == 0
    play_kept(MEETING, 5)
    play_kept(MEETING, 5)
    assert counted == 2 * list(range(5))


def test_the_swapped_match_needs_no_games(store: Store, counted: list[int]) -> None:
    swapped = replace(MEETING, a=MEETING.b, b=MEETING.a)
    expected = play_kept(swapped, 20)
    play_kept(MEETING, 20, store=store)
    counted.clear()
    assert same(play_kept(swapped, 20, store=store), expected)
    assert not counted
    assert len(store.keys()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"a": "rules"},
        {"b": "random:seed=2"},
        {"seed": 8},
        {"rules": Rules("partners")},
        {"rules": Rules("historical")},
        {"episode": "match"},
        {"rules": Rules("partners", napoletana=True, target=31), "episode": "match"},
    ],
)
def test_another_match_is_another(store: Store, counted: list[int], change: dict[str, Any]) -> None:
    play_kept(MEETING, 5, store=store)
    play_kept(replace(MEETING, episode="match"), 5, store=store) if "rules" in change else None
    counted.clear()
    play_kept(replace(MEETING, **change), 5, store=store)
    assert counted == list(range(5))


def test_another_version_of_a_player_is_another_player(
    store: Store, counted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tressette_env.baselines import GreedyPlayer

    play_kept(MEETING, 5, store=store)
    counted.clear()
    monkeypatch.setattr(GreedyPlayer, "version", 99)
    play_kept(MEETING, 5, store=store)
    assert counted == list(range(5))
    kept = store.keys()
    assert len(kept) == 2
    assert "99" in {key.a_version for key in kept}


def test_two_workers_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 7)
    stores = [Store(tmp_path / f"{number}.jsonl") for number in (1, 2)]
    for number, store in enumerate(stores, 1):
        for pairs in (10, 30):
            play_kept(MEETING, pairs, number, store)
    assert same(*(store.get(key_of(MEETING)) for store in stores))
    assert same(stores[0].get(key_of(MEETING)), play_kept(MEETING, 30))


def test_an_interrupted_match_goes_on(store: Store, counted: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 10)
    expected = play_kept(MEETING, 60)
    advance = Progress.advance
    for chunks, pairs in ((2, 20), (1, 30)):
        monkeypatch.setattr(Progress, "advance", interrupt_after(chunks))
        found = play_kept(MEETING, 60, store=store)
        assert len(found) == len(store.get(key_of(MEETING))) == pairs
        assert np.array_equal(found.margins, expected.margins[:, :pairs])
    monkeypatch.setattr(Progress, "advance", advance)
    counted.clear()
    assert same(play_kept(MEETING, 60, store=store), expected)
    assert counted == list(range(30, 60))


def test_an_interrupt_before_anything_is_played_keeps_what_is_held(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = play_kept(MEETING, 5, store=store)
    before = store.path.read_bytes()

    def interrupted(*_: object) -> PairResults:
        raise KeyboardInterrupt

    monkeypatch.setattr(workers, "play_chunk", interrupted)
    assert same(play_kept(MEETING, 50, store=store), expected)
    assert store.path.read_bytes() == before


def test_an_error_keeps_what_was_played_before_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    play_chunk = workers.play_chunk

    def failing(meeting: Meeting, first: int, pairs: int) -> PairResults:
        if first >= 20:
            raise PlayerError("no luck")
        return play_chunk(meeting, first, pairs)

    monkeypatch.setattr(workers, "LARGEST_CHUNK", 10)
    expected = play_kept(MEETING, 20)
    monkeypatch.setattr(workers, "play_chunk", failing)
    with pytest.raises(PlayerError, match="no luck"):
        play_kept(MEETING, 60, store=store)
    assert same(store.get(key_of(MEETING)), expected)


def test_a_long_match_is_kept_on_the_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every minute, here at every chunk, so that a killed command loses little."""
    monkeypatch.setattr(kept_matches, "SECONDS_BETWEEN_SAVES", -1.0)
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 10)
    kept: list[int] = []

    def note(results: PairResults) -> bool:
        if len(results):
            kept.append(len(store.get(key_of(MEETING))))
        return False

    play_kept(MEETING, 40, store=store, until=note)
    assert kept == [10, 20, 30, 40]


def until(test: Sprt) -> Callable[[PairResults], bool]:
    return lambda results: test.decide(results.margin).accepted != UNDECIDED


def test_a_match_that_a_test_stopped_goes_on(store: Store, counted: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The next test reads what is there, and plays on only if that does not decide."""
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 25)
    quick, slow = Sprt(0, 2), Sprt(0, 0.05)
    first = play_kept(MEETING, 1000, store=store, until=until(quick))
    assert quick.decide(first.margin).accepted == "high"
    assert len(first) == len(counted) < 1000
    counted.clear()
    assert len(play_kept(MEETING, 1000, store=store, until=until(quick))) == len(first)
    assert not counted
    second = play_kept(MEETING, 1000, store=store, until=until(slow))
    assert counted == list(range(len(first), len(second)))
    assert len(first) < len(second) < 1000
    assert slow.decide(second.margin) == slow.decide(play_kept(MEETING, 1000).margin)


def report_of(path: Path) -> dict[str, Any]:
    """Read a report and take out what differs when games come from a store."""
    report = json.loads(path.read_text())
    return {name: report[name] for name in report if name not in ("seconds", "ms_per_decision", "stored_pairs")}


@pytest.mark.parametrize("number_of_workers", ["1", "2"])
def test_on_the_command_line(capsys: Capture, tmp_path: Path, number_of_workers: str) -> None:
    path, store = tmp_path / "o.json", tmp_path / "results.jsonl"
    kept = (*COMMON, "--store", str(store), "--json", str(path), "--workers", number_of_workers)
    run(capsys, *COMMON, "--pairs", "60", "--json", str(path))
    expected = report_of(path)
    for pairs, stored in (("40", 0), ("60", 40), ("60", 60)):
        code, output, errors = run(capsys, *kept, "--pairs", pairs)
        assert (code, errors) == (0, "")
        assert json.loads(path.read_text())["stored_pairs"] == stored
        assert (f"({stored} of the pairs from the store)" in output) == (stored > 0)
    assert report_of(path) == expected
    run(capsys, COMMON[1], COMMON[0], *kept[2:], "--pairs", "60")
    swapped = json.loads(path.read_text())
    assert (swapped["mean"], swapped["stored_pairs"]) == (-expected["mean"], 60)
    assert swapped["ci95"] == pytest.approx([-end for end in reversed(expected["ci95"])])


def test_fewer_pairs_than_are_kept(capsys: Capture, tmp_path: Path) -> None:
    """All but the time is that of the pairs asked for."""
    path, store = tmp_path / "o.json", tmp_path / "results.jsonl"
    run(capsys, *COMMON, "--pairs", "20", "--json", str(path))
    expected = report_of(path)
    run(capsys, *COMMON, "--pairs", "50", "--store", str(store))
    code, _, _ = run(capsys, *COMMON, "--pairs", "20", "--store", str(store), "--json", str(path))
    assert code == 0
    assert report_of(path) == expected


def test_an_interrupted_command_goes_on(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, store = tmp_path / "o.json", tmp_path / "results.jsonl"
    run(capsys, *COMMON, "--pairs", "50", "--json", str(path))
    expected = report_of(path)
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 10)
    advance = Progress.advance
    monkeypatch.setattr(Progress, "advance", interrupt_after(chunks=3))
    kept = (*COMMON, "--pairs", "50", "--store", str(store), "--json", str(path))
    code, output, _ = run(capsys, *kept)
    assert (code, json.loads(path.read_text())["pairs"]) == (130, 30)
    assert "stopped early" in output
    monkeypatch.setattr(Progress, "advance", advance)
    code, output, _ = run(capsys, *kept)
    assert (code, report_of(path)) == (0, expected)
    assert "(30 of the pairs from the store)" in output


def test_an_error_of_a_player_ends_with_1(capsys: Capture, tmp_path: Path) -> None:
    store = tmp_path / "results.jsonl"
    common = ("greedy", f"{TOYS}:Failing", "--variant", "partners", "--pairs", "10", "--store", str(store))
    code, output, errors = run(capsys, *common)
    assert (code, output, errors.count("\n")) == (1, "", 1)
    assert "no luck" in errors
    assert not store.exists()


def test_a_damaged_store_is_told_and_left_alone(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, store = tmp_path / "o.json", tmp_path / "results.jsonl"
    run(capsys, *COMMON, "--pairs", "5", "--store", str(store))
    store.write_text(text := store.read_text() + "spoilt\n")
    command = (*COMMON, "--pairs", "9", "--store", str(store), "--json", str(path))
    code, output, errors = run(capsys, *command)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert f"{store}, line 2 is no result of a match" in errors
    # It may also be damaged while a match is played.
    monkeypatch.setattr(Store, "get", lambda self, key: play_kept(MEETING, 0))
    assert run(capsys, *command)[0] == 2
    with pytest.raises(StoreError):
        play_kept(MEETING, 9, store=Store(store))
    assert store.read_text() == text
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--store nowhere/s.jsonl", "--store nowhere/s.jsonl: there is no folder"),
        ("--store .", "this is a folder, a file is needed"),
        ("--store s.jsonl --records r.jsonl", "--records writes down games that are played, not those of --store"),
        ("--store o.json --json ./o.json", "--json and --store both name o.json: each needs a file of its own"),
        ("--records o.json --json o.json", "--json and --records both name o.json: each needs a file of its own"),
    ],
)
def test_bad_usage(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, told: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, output, errors = run(capsys, *COMMON, *arguments.split())
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert told in errors
    assert list(tmp_path.iterdir()) == []
