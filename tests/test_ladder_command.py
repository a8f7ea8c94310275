"""``evaluate.py ladder``: playing it with a store, its report and its text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import kept_matches
from agents.command import UsageError
from agents.ladder_command import LadderOptions, run_ladder
from agents.ladder_report import ladder_text
from tests.commands import Capture
from tests.ladder_results import made_report
from tests.toy_players import TOYS

LOWEST, HIGHEST, MIXED = (f"{TOYS}:{name}" for name in ("Lowest", "Highest", "Mixed"))


def options(*players: str, **others: Any) -> LadderOptions:
    return LadderOptions(**{"variant": "two_player", "pairs": 30, "players": list(players)} | others)


def report_of(path: Path) -> dict[str, Any]:
    """A report without the times in it."""
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    del report["seconds"]
    for row in (*report["players"], *report["matches"]):
        assert np.min(row.pop("ms_per_decision")) > 0
    return report


def ladder(path: Path, *players: str, **others: Any) -> dict[str, Any]:
    assert run_ladder(options(*players, json=path, **others))
    return report_of(path)


def test_a_stored_ladder_plays_nothing_and_a_new_player_only_its_own_games(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store.jsonl"
    first = ladder(tmp_path / "1.json", LOWEST, HIGHEST, MIXED, store=store)
    assert [(match["a"], match["b"], match["pairs"]) for match in first["matches"]] == [
        (LOWEST, HIGHEST, 30),
        (LOWEST, MIXED, 30),
        (HIGHEST, MIXED, 30),
    ]
    assert first["decisions"] == 3 * 60 * 40
    assert first["anchor"] == LOWEST
    assert f"match 3 of 3: {HIGHEST} against {MIXED}, 30 pairs\n" in capsys.readouterr().err
    played = []
    play_chunks = kept_matches.play_chunks
    monkeypatch.setattr(
        kept_matches,
        "play_chunks",
        lambda meeting, *rest: played.append((meeting.a, meeting.b)) or play_chunks(meeting, *rest),
    )
    assert ladder(tmp_path / "2.json", LOWEST, HIGHEST, MIXED, store=store) == first
    assert played == []
    output = capsys.readouterr()
    assert output.err == ""
    ladder(tmp_path / "3.json", "random", MIXED, LOWEST, HIGHEST, store=store)
    assert played == [("random", MIXED), ("random", LOWEST), ("random", HIGHEST)]


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    one, two = (
        ladder(tmp_path / f"{workers}.json", LOWEST, MIXED, pairs=60, workers=workers, seed=3) for workers in (1, 2)
    )
    assert one == two


def test_slow_players_play_fewer_pairs(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder(tmp_path / "out.json", LOWEST, MIXED)
    assert "searches" not in capsys.readouterr().out
    monkeypatch.setattr("tests.toy_players.Mixed.slow", True, raising=False)
    report = ladder(tmp_path / "slow.json", LOWEST, MIXED, HIGHEST, slow_pairs=4)
    assert [match["pairs"] for match in report["matches"]] == [4, 30, 4]
    assert report["slow_pairs"] == 4
    assert "30 duplicate pairs (4 where a player searches)" in capsys.readouterr().out


def test_an_interrupt_leaves_the_matches_that_were_completed(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "out.json"
    stopping = f"{TOYS}:Stopping:after=25"
    assert not run_ladder(options(LOWEST, HIGHEST, stopping, json=path, html=tmp_path / "out.html"))
    report = json.loads(path.read_text(encoding="utf-8"))
    assert (report["complete"], len(report["matches"])) == (False, 1)
    assert [row["opponents"] for row in report["players"]] == [1, 1, 0]
    assert report["players"][2]["score"] is None
    assert "stopped early" in capsys.readouterr().out
    assert "Stopped early" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_records_hold_all_games(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert run_ladder(options(LOWEST, HIGHEST, MIXED, pairs=3, records=path))
    players = [json.loads(line)["players"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert players == [
        sides for pair in ([LOWEST, HIGHEST], [LOWEST, MIXED], [HIGHEST, MIXED]) for sides in [pair, pair[::-1]] * 3
    ]


def test_cheating_players_are_marked(tmp_path: Path, capsys: Capture) -> None:
    peeking = f"{TOYS}:Peeking"
    report = ladder(tmp_path / "out.json", LOWEST, peeking, html=tmp_path / "out.html")
    assert report["cheats"] == [peeking]
    marked = f"{peeking} (cheats"
    assert capsys.readouterr().out.count(marked) == 2  # the ranked table and the matrix
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert page.count(f">{marked}") + page.count(f"> {marked}") >= 4  # and both pictures


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"players": [LOWEST, HIGHEST, LOWEST]}, "named twice"),
        ({"players": [LOWEST]}, "at least two"),
        ({"players": [LOWEST, "nobody"]}, "unknown player 'nobody'"),
        ({"slow_pairs": 0}, "--slow-pairs 0"),
        ({"variant": "whist"}, "whist"),
        ({"html": Path("no/such/folder.html")}, "--html"),
        ({"html": Path("a.html"), "json": Path("a.html")}, "--json and --html both name a.html"),
        ({"store": Path("a.jsonl"), "records": Path("b.jsonl")}, "use one of them"),
    ],
)
def test_bad_usage_is_refused_before_anything_is_played(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        run_ladder(LadderOptions(**{"variant": "two_player", "players": [LOWEST, HIGHEST]} | wrong))


def test_the_text_does_not_depend_on_the_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    report = made_report(["rules", "[b]x[/b]", "c"])
    shown = {row["player"]: row["player"] for row in report["players"]}
    texts = []
    for width in ("20", "200"):
        monkeypatch.setenv("COLUMNS", width)
        texts.append(ladder_text(report, shown))
    assert texts[0] == texts[1]
    assert "[b]x[/b]" in texts[0]
    assert "+2.000 ±" in texts[0]
    assert "-6.000 ±" in texts[0]
