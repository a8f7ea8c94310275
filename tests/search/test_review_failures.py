"""``evaluate.py review``: bad usage, judges that fail, interrupts and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import review_command
from agents.command import UsageError
from agents.review import review_deal
from agents.review_command import run_review
from tests.commands import run
from tests.search.test_review import JUDGE, Judge, Record, options, played
from tests.toy_players import TOYS
from tressette_env import Rules
from tressette_env.players import PlayerError
from tressette_env.record import RecordError, write
from tressette_env.view import View


class Unsure(Judge):
    """Gives no value to some legal cards."""

    def values(self, view: View) -> Any:
        return np.full((len(view), 40), np.nan)


class Shapeless(Judge):
    """Values nothing at all."""

    def values(self, view: View) -> Any:
        return [1, 2, 3]


@pytest.mark.parametrize("judge", ["rules", "cheat", f"{TOYS}:Lowest"])
def test_a_judge_must_value_cards(judge: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write(path, played(Rules("two_player"), 1))
    with pytest.raises(UsageError, match=r"does not tell what cards are worth; players that do: .*pimc") as caught:
        run_review(options(path, judge=judge))
    assert "cheat," not in str(caught.value).partition("players that do")[2]
    assert not path.with_suffix(".json").exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"judge": "nobody"}, "--judge: unknown player 'nobody'"),
        ({"judge": "pimc:worlds=0"}, "worlds=0 is not allowed"),
        ({"game": 0}, "has games 1 to 1"),
        ({"game": 2}, "has games 1 to 1"),
        ({"json": Path("no/such/folder/out.json")}, "--json no/such/folder/out.json: there is no folder"),
    ],
)
def test_bad_usage(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write(path, played(Rules("two_player"), 1))
    with pytest.raises(UsageError) as caught:
        run_review(options(path, **change))
    assert reason in str(caught.value).replace("\\", "/")


def test_a_record_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write(path, played(Rules("two_player"), 1))
    before = path.read_bytes()
    with pytest.raises(UsageError, match="RECORD and --json both name"):
        run_review(options(path, json=path))
    assert path.read_bytes() == before


def test_files_that_hold_no_game(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with pytest.raises(UsageError, match=r"games\.jsonl cannot be read"):
        run_review(options(path))
    path.write_bytes(b"")
    with pytest.raises(UsageError, match="holds no game"):
        run_review(options(path))
    record = played(Rules("two_player"), 1)[0]
    path.write_text(json.dumps(record | {"players": 3}) + "\n", "utf-8")
    with pytest.raises(RecordError, match="line 1: players must be a list"):
        run_review(options(path))


@pytest.mark.parametrize(("judge", "reason"), [("Unsure", "gave a legal card no value"), ("Shapeless", "must return")])
def test_a_judge_that_fails_is_named(judge: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write(path, played(Rules("partners"), 1))
    with pytest.raises(PlayerError, match=reason) as caught:
        run_review(options(path, judge=f"{__name__}:{judge}"))
    assert judge in str(caught.value)
    assert not path.with_suffix(".json").exists()


def test_an_interrupt_leaves_what_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    write(path, played(Rules("partners", ranks="A2", hand=2), 5))

    def review_some(record: Record, deal: int, *rest: Any, calls: list[int] = []) -> Any:  # noqa: B006
        calls.append(deal)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return review_deal(record, deal, *rest)

    monkeypatch.setattr(review_command, "review_deal", review_some)
    assert not run_review(options(path))
    report = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert (report["deals"], report["complete"]) == (2, False)
    assert "stopped early" in capsys.readouterr().out


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    write(path, played(Rules("two_player", suits="DC", ranks="A3", hand=2), 2))
    code, output, errors = run("review", capsys, str(path), "--judge", JUDGE, "--game", "2")
    assert (code, errors) == (0, "")
    assert f"{path}: " in output.replace("\n", "")
    code, output, errors = run("review", capsys, str(path), "--game", "3")
    assert (code, output) == (2, "")
    assert errors.startswith("evaluate.py review: error: --game 3")
    path.write_text(path.read_text("utf-8").replace('"dealer":', '"dealer":7'), "utf-8")
    code, output, errors = run("review", capsys, str(path))
    assert (code, output) == (1, "")
    assert errors.startswith(f"evaluate.py review: failed: {path}, line 1: deal 0: dealer is 7")
