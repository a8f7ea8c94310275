"""The store of results: what is read is what was kept, damage is told, and several processes may write."""

from __future__ import annotations

import base64
import json
import multiprocessing
import os
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.arena import Effort
from agents.pairs import PairResults, play_pairs
from agents.store import MatchKey, Store, StoreError, match_key
from agents.workers import Meeting
from tests.games import FULL_RULES, name
from tests.toy_players import Highest, Lowest, Mixed
from tressette_env import ENV_VERSION, Rules

PARTNERS = Meeting("ann", "bob", Rules("partners"), seed=3)
VERSIONS = ("1", "2")
KEY = match_key(PARTNERS, VERSIONS)


def played(meeting: Meeting, pairs: int) -> PairResults:
    variant = meeting.rules.variant
    results = play_pairs(Mixed(variant), Lowest(variant), meeting.rules, meeting.seed, 0, pairs, meeting.episode)
    return replace(results, effort=replace(results.effort, seconds=(1.25, 0.125)))


def same(one: PairResults, other: PairResults) -> bool:
    return one.effort == other.effort and all(
        np.array_equal(*columns) for columns in zip(one.columns, other.columns, strict=True)
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results.jsonl")


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_what_is_kept_is_read_again(store: Store, rules: Rules, episode: str) -> None:
    meeting = Meeting("ann", "bob", rules, 3, episode)
    results, key = played(meeting, 20), match_key(meeting, VERSIONS)
    assert len(store.get(key)) == 0
    store.add(key, results)
    assert same(store.get(key), results)
    assert same(Store(store.path).get(key), results)
    assert store.keys() == [key]
    assert np.abs(results.margins).max() > 0


def test_the_swapped_match_is_the_same_match(store: Store) -> None:
    results = played(PARTNERS, 20)
    backwards = play_pairs(Lowest("partners"), Mixed("partners"), PARTNERS.rules, 3, 0, 20)
    store.add(KEY, results)
    found = store.get(KEY.swapped)
    assert all(np.array_equal(*columns) for columns in zip(found.columns, backwards.columns, strict=True))
    assert found.effort == Effort(results.effort.decisions, results.effort.choices[::-1], (0.125, 1.25))
    store.add(KEY.swapped, play_pairs(Lowest("partners"), Mixed("partners"), PARTNERS.rules, 3, 0, 30))
    assert len(store.keys()) == 1
    assert np.array_equal(store.get(KEY).margins, played(PARTNERS, 30).margins)


def test_a_player_against_itself_is_kept(store: Store) -> None:
    key = replace(KEY, b="ann", b_version="1")
    assert key.swapped == key
    results = play_pairs(Mixed("partners"), Mixed("partners"), PARTNERS.rules, 3, 0, 20)
    store.add(key, results)
    assert np.array_equal(store.get(key).led, results.led)


def test_more_pairs_win_over_fewer(store: Store) -> None:
    for pairs, kept in ((20, 20), (10, 20), (20, 20), (25, 25)):
        store.add(KEY, played(PARTNERS, pairs))
        assert len(store.get(KEY)) == kept
    before = store.path.read_bytes()
    store.add(KEY, replace(played(PARTNERS, 25), effort=Effort(1, (1, 1), (9.0, 9.0))))
    assert store.path.read_bytes() == before


OTHER_KEYS = {
    "variant": "historical",
    "napoletana": True,
    "seed": 4,
    "version": ENV_VERSION + 1,
    "a": "ana",
    "a_version": "1b",
    "b": "zoe",
    "b_version": "3",
}


@pytest.mark.parametrize("field", OTHER_KEYS)
def test_whatever_decides_a_result_keeps_it_apart(store: Store, field: str) -> None:
    other = replace(KEY, **{field: OTHER_KEYS[field]})
    store.add(KEY, played(PARTNERS, 10))
    assert len(store.get(other)) == 0
    margins = play_pairs(Highest("partners"), Lowest("partners"), PARTNERS.rules, 9, 0, 12)
    store.add(other, replace(margins, effort=Effort(1, (1, 1), (1.0, 1.0))))
    assert same(store.get(KEY), played(PARTNERS, 10))
    assert np.array_equal(store.get(other).margins, margins.margins)
    assert len(store.keys()) == 2


def test_matches_are_kept_by_their_target(store: Store) -> None:
    meetings = [Meeting("ann", "bob", Rules("partners", target=target), 3, "match") for target in (21, 41)]
    for meeting in (PARTNERS, *meetings):
        store.add(match_key(meeting, VERSIONS), played(meeting, 6))
    for meeting in (PARTNERS, *meetings):
        assert same(store.get(match_key(meeting, VERSIONS)), played(meeting, 6))
    deals = [match_key(replace(meeting, episode="deal"), VERSIONS) for meeting in meetings]
    assert deals == [KEY, KEY]  # a single deal has no target


def test_the_file_is_text_one_line_a_match_and_sorted(store: Store) -> None:
    names = ["zoe", "élise", "bob", "own\nmodule:\u2028x"]
    for player in names:
        store.add(replace(KEY, b=player), played(PARTNERS, 10))
    text = store.path.read_text(encoding="ascii")
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    assert text.endswith("\n")
    assert len(lines) == 4
    assert {player for line in lines for player in (line["a"], line["b"])} == {"ann", *names}
    assert [line["b"] for line in lines] == sorted(names)
    first = lines[0]
    assert first["pairs"] == 10
    assert first["mean"] == pytest.approx(played(PARTNERS, 10).margin.mean(), abs=1e-6)
    assert first["ci95"][0] < first["mean"] < first["ci95"][1]
    shuffled = Store(store.path.with_name("other.jsonl"))
    for player in reversed(names):
        shuffled.add(replace(KEY, b=player), played(PARTNERS, 10))
    assert shuffled.path.read_bytes() == store.path.read_bytes()


def test_one_pair_has_no_interval(store: Store) -> None:
    store.add(KEY, played(PARTNERS, 1))
    assert json.loads(store.path.read_text())["ci95"] == [None, None]
    assert same(store.get(KEY), played(PARTNERS, 1))


def test_of_two_lines_of_a_match_the_longer_counts(store: Store) -> None:
    """As when two branches of a repository are merged."""
    lines = []
    for pairs in (12, 20, 15):
        store.path.unlink(missing_ok=True)
        store.add(KEY, played(PARTNERS, pairs))
        lines.append(store.path.read_text())
    store.path.write_text("".join(lines))
    assert same(store.get(KEY), played(PARTNERS, 20))


def games(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode()


DAMAGE: dict[str, Any] = {
    "mean": 0.5,
    "ci95": [0.0, 1.0],
    "pairs": 9,
    "pairs ": 0,
    "pairs  ": -10,
    "pairs   ": 10.5,
    "pairs    ": 10**30,
    "pairs     ": 10**17,
    "pairs      ": "10",
    "pairs       ": None,
    "variant": "bridge",
    "variant ": 3,
    "napoletana": "no",
    "episode": "party",
    "episode ": "match",
    "target": 21,
    "seed": -1,
    "seed ": "3",
    "seed  ": 2**70,
    "version": "1",
    "a": None,
    "a ": ["ann"],
    "a  ": "zoe",
    "a_version": 1,
    "b": 7,
    "decisions": float("inf"),
    "decisions ": "many",
    "decisions  ": 1.5,
    "choices": [1],
    "choices ": "ab",
    "choices  ": [1, 2, 3],
    "choices   ": [1, None],
    "seconds": [float("nan"), 1.0],
    "seconds ": [float("inf"), 1.0],
    "seconds  ": ["1.0", 1.0],
    "seconds   ": {},
    "games": "",
    "games ": 5,
    "games  ": "päckchen",
    "games   ": base64.b64encode(b"no zlib").decode(),
    "games    ": games(b""),
    "games     ": games(bytes(10**8)),
    "games      ": games(bytes(2 * 2 * 10 * 3)),
    "games       ": games(bytes(2 * 2 * 10 * 3 + 1)),
}


def damaged(store: Store, line: str) -> None:
    """Put a bad line after a good one: every question must name it, and the file stays as it is."""
    store.add(replace(KEY, a="abe"), played(PARTNERS, 10))
    text = store.path.read_text() + line + "\n"
    store.path.write_text(text)
    questions = (lambda: store.get(KEY), store.keys, lambda: store.add(KEY, played(PARTNERS, 11)))
    for question in questions:
        with pytest.raises(StoreError) as raised:
            question()
        assert str(raised.value).startswith(f"{store.path}, line 2 is no result of a match: ")
    assert store.path.read_text() == text


@pytest.fixture(scope="module")
def good_line(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("store") / "good.jsonl"
    Store(path).add(KEY, played(PARTNERS, 10))
    return path.read_text().rstrip("\n")


@pytest.mark.parametrize("field", DAMAGE)
def test_a_wrong_field_is_told(store: Store, good_line: str, field: str) -> None:
    damaged(store, json.dumps(json.loads(good_line) | {field.strip(): DAMAGE[field]}))


@pytest.mark.parametrize(
    "field", sorted({*MatchKey.__dataclass_fields__, "pairs", "mean", "ci95", "decisions", "seconds", "games"})
)
def test_a_missing_field_is_told(store: Store, good_line: str, field: str) -> None:
    entry = json.loads(good_line)
    del entry[field]
    damaged(store, json.dumps(entry))


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "3", "null", '"text"', "{}", "[" * 100_000, "9" * 5000, "<<<<<<< HEAD"], ids=range(10)
)
def test_a_line_that_is_no_result_is_told(store: Store, line: str) -> None:
    damaged(store, line)


def test_games_cut_short_are_told(store: Store, good_line: str) -> None:
    """The numbers may all be there, but not the check sum behind them."""
    entry = json.loads(good_line)
    data = base64.b64decode(entry["games"])
    for cut in (1, 4):
        store.path.unlink(missing_ok=True)
        damaged(store, json.dumps(entry | {"games": base64.b64encode(data[:-cut]).decode()}))


def test_bytes_that_are_no_text_are_told(store: Store, good_line: str) -> None:
    store.path.write_bytes(good_line.encode() + b"\n\xff\xfe\n")
    with pytest.raises(StoreError, match=r"results\.jsonl is no store of results: .*utf-8"):
        store.get(KEY)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_is_told_or_does_no_harm(store: Store, good_line: str, data: st.DataObject) -> None:
    """A changed, missing or doubled stretch: `StoreError`, or another match than the one asked for, or the same."""
    start = data.draw(st.integers(0, len(good_line) - 1))
    end = data.draw(st.integers(start, min(start + 8, len(good_line))))
    new = data.draw(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=8))
    store.path.write_text(good_line[:start] + new + good_line[end:] + "\n", encoding="utf-8")
    try:
        found, keys = store.get(KEY), store.keys()
    except StoreError:
        return
    assert len(keys) == 1
    assert len(found) == 0 or np.array_equal(found.margins, played(PARTNERS, 10).margins)
    store.add(replace(KEY, b="carl"), played(PARTNERS, 2))  # and it can still be sorted and written
    assert len(store.keys()) == 2


def test_a_failing_write_leaves_the_file_whole(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add(KEY, played(PARTNERS, 10))
    before = store.path.read_bytes()

    def no_space(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", no_space)
    with pytest.raises(OSError, match="no space"):
        store.add(KEY, played(PARTNERS, 20))
    monkeypatch.undo()
    assert store.path.read_bytes() == before
    assert {path.name for path in store.path.parent.iterdir()} <= {"results.jsonl", "results.jsonl.lock"}
    store.add(KEY, played(PARTNERS, 20))
    assert len(store.get(KEY)) == 20


def add_many(path: Path, first: int, started: Any) -> None:
    """Add ten matches of one's own, and ever more pairs of one that everybody adds to."""
    started.wait()
    store = Store(path)
    for number in range(10):
        pairs = 2 + 2 * number + first
        store.add(replace(KEY, seed=2 * number + first), played(replace(PARTNERS, seed=2 * number + first), 3))
        store.add(replace(KEY, seed=99), played(replace(PARTNERS, seed=99), pairs))


def test_two_processes_lose_nothing(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    started = context.Barrier(2)
    processes = [context.Process(target=add_many, args=(store.path, first, started)) for first in (0, 1)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    kept = store.keys()
    assert {key.seed for key in kept} == {*range(20), 99}
    assert len(store.get(replace(KEY, seed=99))) == 21
    for seed in range(20):
        expected = played(replace(PARTNERS, seed=seed), 3)
        assert np.array_equal(store.get(replace(KEY, seed=seed)).margins, expected.margins)
