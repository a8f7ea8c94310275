"""``python evaluate.py match`` (CONTRACT §7): results, files, bad usage, interrupts."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import evaluate
from agents import command, progress, workers
from agents.progress import Progress
from tests import commands
from tests.commands import Capture, without_times
from tests.toy_players import FLAG_VARIABLE, TOYS
from tressette_env import ENV_VERSION, Rules

ROOT = Path(evaluate.__file__).parent
FIELDS = (
    "a b variant napoletana episode target pairs seed mean ci95 win_rate sd_pair decisions seconds version complete"
)
MORE_FIELDS = [
    *("ms_per_decision", "deals_won", "deals_per_game", "distinct_deals", "breakdown", "histogram", "sprt"),
    *("stored_pairs", "cheats"),
]
run, run_json = partial(commands.run, "match"), partial(commands.run_json, "match")


def test_the_json_holds_the_fields_of_the_contract_and_two_more(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    code, output, errors = run(
        capsys, "greedy", "random", "--variant", "partners", "--pairs", "60", "--seed", "5", "--json", str(path)
    )
    assert (code, errors) == (0, "")
    report = json.loads(path.read_text())
    assert list(report) == FIELDS.split() + MORE_FIELDS
    assert report["cheats"] == []
    assert all(0 < ms < 1000 for ms in report["ms_per_decision"])
    assert (report["a"], report["b"], report["variant"]) == ("greedy", "random", "partners")
    assert (report["napoletana"], report["episode"], report["target"]) == (False, "deal", None)
    assert (report["pairs"], report["seed"], report["decisions"]) == (60, 5, 60 * 2 * 40)
    assert (report["version"], report["complete"]) == (ENV_VERSION, True)
    half_width = 1.96 * report["sd_pair"] / 60**0.5
    assert report["ci95"] == pytest.approx([report["mean"] - half_width, report["mean"] + half_width])
    assert 0 <= report["win_rate"] <= 1
    for shown in (f"{report['mean']:+.3f}", f"{report['ci95'][0]:+.3f}", f"{report['win_rate']:.1%}", "60 duplicate"):
        assert shown in output
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_player_against_itself_scores_zero(capsys: Capture, tmp_path: Path) -> None:
    for variant in ("two_player", "partners", "historical"):
        report = run_json(capsys, tmp_path / "o.json", "rules", "rules", "--variant", variant, "--pairs", "50")
        assert (report["mean"], report["ci95"], report["win_rate"], report["sd_pair"]) == (0, [0, 0], 0.5, 0)


def test_match_episodes(capsys: Capture, tmp_path: Path) -> None:
    common = ("greedy", "random", "--pairs", "20", "--episode", "match")
    path = tmp_path / "o.json"
    short = run_json(capsys, path, *common, "--variant", "two_player")
    long = run_json(capsys, path, *common, "--variant", "two_player", "--target", "41", "--napoletana")
    party = run_json(capsys, path, *common, "--variant", "historical")
    assert [report["target"] for report in (short, long, party)] == [21, 41, 21]
    assert [report["napoletana"] for report in (short, long, party)] == [False, True, False]
    assert long["decisions"] > short["decisions"] > 20 * 2 * 40
    assert abs(short["mean"]) <= 1
    assert abs(party["mean"]) <= 2
    assert short["mean"] == pytest.approx(2 * short["win_rate"] - 1)  # a payment of 1 a match


def test_the_seed_names_the_cards(capsys: Capture, tmp_path: Path) -> None:
    path, common = tmp_path / "o.json", ("greedy", "random:seed=1", "--variant", "partners", "--pairs", "30")
    first, again = (run_json(capsys, path, *common, "--seed", "1") for _ in range(2))
    other = run_json(capsys, path, *common, "--seed", "2")
    assert first == again
    assert (first["mean"], first["sd_pair"]) != (other["mean"], other["sd_pair"])


def test_own_players(capsys: Capture, tmp_path: Path) -> None:
    report = run_json(
        capsys, tmp_path / "o.json", f"{TOYS}:Mixed:seed=3", f"{TOYS}:Lowest", "--variant", "partners", "--pairs", "5"
    )
    assert (report["a"], report["b"]) == (f"{TOYS}:Mixed:seed=3", f"{TOYS}:Lowest")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("nobody rules --variant partners", "unknown player 'nobody': use one of"),
        ("rules no_module:x --variant partners", "unknown player 'no_module:x'"),
        ("rules random:depth=1 --variant partners", "its options are: seed"),
        ("rules random:seed=abc --variant partners", "player 'random:seed=abc': seed must be a whole number"),
        ("rules builtins:int --variant partners", "player 'builtins:int'"),
        (f"rules {TOYS}:Failing:at=start --variant partners", "Failing:at=start': ZeroDivisionError: no luck"),
        ("rules rules --variant pairs", "variant='pairs' is not allowed: 'two_player', 'partners', 'historical'"),
        ("rules rules", "--variant"),
        ("rules --variant partners", "B"),
        ("rules rules rules --variant partners", "unrecognized arguments: rules"),
        ("rules rules --variant partners --depth 1", "unrecognized arguments: --depth"),
        ("rules rules --variant partners --pair 1", "unrecognized arguments: --pair"),
        ("rules rules --variant historical --napoletana", "napoletana=True is not allowed in historical"),
        ("rules rules --variant partners --episode party", "'party'"),
        ("rules rules --variant partners --episode match --target 22", "target=22 is not allowed: 21, 31, 41"),
        ("rules rules --variant partners --episode match --target 0", "target=0 is not allowed: 21, 31, 41"),
        ("rules rules --variant historical --episode match --target 31", "target=31 is not allowed in historical: 21"),
        ("rules rules --variant partners --target 31", "--target 31 needs --episode match"),
        ("rules rules --variant partners --pairs 0", "--pairs 0"),
        ("rules rules --variant partners --pairs ten", "'ten'"),
        ("rules rules --variant partners --workers 0", "--workers 0"),
        ("rules rules --variant partners --seed -1", "--seed -1"),
        ("rules rules --variant partners --seed 9223372036854775808", "from 0 to 2**63 - 1"),
        ("rules rules --variant partners --json no_folder/o.json", "no_folder"),
        ("rules rules --variant partners --json .", "folder"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(capsys: Capture, arguments: str, told: str) -> None:
    code, output, errors = run(capsys, *arguments.split())
    assert (code, output) == (2, "")
    assert told in errors
    assert errors.startswith(("evaluate.py match: error: ", "evaluate.py: error: "))
    assert errors.count("\n") == 1


def test_no_command_is_bad_usage(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        evaluate.main([])
    assert end.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["match", "--help"]])
def test_help_has_an_example(capsys: Capture, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        evaluate.main(arguments)
    assert end.value.code == 0
    assert "python evaluate.py match rules greedy --variant partners" in capsys.readouterr().out


def test_a_cheating_player_is_marked(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    common = ("--variant", "partners", "--pairs", "5", "--json", str(path))
    code, output, _ = run(capsys, "rules", f"{TOYS}:Peeking", *common)
    assert code == 0
    assert f"A rules against B {TOYS}:Peeking (cheats: sees all cards): partners" in output
    assert json.loads(path.read_text())["cheats"] == ["B"]


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_an_illegal_reply_ends_with_1_and_names_player_deal_and_ply(
    capsys: Capture, tmp_path: Path, variant: str
) -> None:
    path = tmp_path / "o.json"
    code, output, errors = run(
        capsys, "greedy", f"{TOYS}:Illegal", "--variant", variant, "--pairs", "9", "--json", str(path)
    )
    assert (code, output) == (1, "")
    assert f"B ({TOYS}:Illegal) played " in errors
    assert " in deal " in errors
    assert " at ply 6; legal cards: " in errors
    assert errors.count("\n") == 1
    assert not path.exists()


def test_workers_change_nothing_but_the_time(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "o.json"
    common = ("greedy", "random:seed=1", "--variant", "partners", "--pairs", "50", "--napoletana")
    alone = run_json(capsys, path, *common)
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 20)
    assert run_json(capsys, path, *common) == alone
    assert run_json(capsys, path, *common, "--workers", "2") == alone
    assert run_json(capsys, path, *common, "--workers", "3") == alone


@pytest.mark.parametrize("variant", ["two_player", "partners"])
def test_players_that_search_play_the_same_in_any_worker_and_chunk(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    path = tmp_path / "o.json"
    common = ("pimc:worlds=2", "ismcts:iterations=20", "--variant", variant, "--pairs", "4", "--seed", "3")
    one_by_one = run_json(capsys, path, *common)  # chunks of a pair
    assert one_by_one["sd_pair"] > 0
    assert run_json(capsys, path, *common, "--workers", "2") == one_by_one
    monkeypatch.setattr(workers, "_SLOW_CHUNKS", 1)
    assert run_json(capsys, path, *common) == one_by_one


def test_an_illegal_reply_in_a_worker(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 5)
    code, output, errors = run(
        capsys, f"{TOYS}:Illegal", "greedy", "--variant", "partners", "--pairs", "10", "--workers", "2"
    )
    assert (code, output) == (1, "")
    assert f"A ({TOYS}:Illegal) played " in errors
    assert " in deal " in errors


@pytest.mark.parametrize("number_of_workers", ["1", "2"])
def test_an_error_of_a_player_ends_with_1(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, number_of_workers: str
) -> None:
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 5)
    common = ("--variant", "partners", "--pairs", "10", "--workers", number_of_workers)
    code, output, errors = run(capsys, "greedy", f"{TOYS}:Failing", *common)
    assert (code, output) == (1, "")
    assert f"failed: B ({TOYS}:Failing) failed in deal " in errors
    assert ": ZeroDivisionError: no luck (toy_players.py, line " in errors
    assert " at ply 6 (the first of " in errors
    assert errors.count("\n") == 1


def test_a_worker_that_dies_ends_the_command(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 5)
    code, output, errors = run(
        capsys, f"{TOYS}:Dying", "greedy", "--variant", "partners", "--pairs", "10", "--workers", "2"
    )
    assert (code, output) == (1, "")
    assert "failed: a worker process was killed" in errors


def interrupt_after(chunks: int) -> Callable[[Progress, int], None]:
    """An `advance` that is interrupted when so many chunks have been played."""
    seen = []

    def advance(self: Progress, count: int) -> None:
        seen.append(count)
        if len(seen) == chunks:
            raise KeyboardInterrupt

    return advance


@pytest.mark.parametrize("number_of_workers", ["1", "2"])
def test_an_interrupt_keeps_what_was_played(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number_of_workers: str
) -> None:
    path = tmp_path / "o.json"
    common = ("greedy", "random:seed=1", "--variant", "partners")
    expected = run_json(capsys, path, *common, "--pairs", "40")
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 20)
    monkeypatch.setattr(Progress, "advance", interrupt_after(chunks=2))
    code, output, _ = run(capsys, *common, "--pairs", "200", "--workers", number_of_workers, "--json", str(path))
    assert code == 130
    assert "stopped early" in output
    assert without_times(path) == expected | {"complete": False}


def test_an_interrupt_before_the_first_chunk(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    code, output, _ = run(capsys, f"{TOYS}:Stopping:after=9", "greedy", "--variant", "partners", "--json", str(path))
    report = json.loads(path.read_text())
    assert code == 130
    assert "stopped early" in output
    assert "nan" not in output
    assert (report["pairs"], report["decisions"], report["complete"]) == (0, 0, False)
    assert (report["mean"], report["ci95"], report["win_rate"], report["sd_pair"]) == (None, [None, None], None, None)
    assert report["ms_per_decision"] == [None, None]


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.mark.parametrize("number_of_workers", ["1", "2"])
def test_ctrl_c_ends_the_command_and_its_workers(tmp_path: Path, number_of_workers: str) -> None:
    """A real process group is interrupted while a player that never answers is thinking."""
    path, flag = tmp_path / "o.json", tmp_path / "flag"
    options = f"--variant partners --pairs 2000 --workers {number_of_workers} --json".split()
    process = subprocess.Popen(
        [sys.executable, "evaluate.py", "match", "greedy", f"{TOYS}:Blocking", *options, str(path)],
        cwd=ROOT,
        env=os.environ | {FLAG_VARIABLE: str(flag)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # ignored where tests run in the background
    )
    try:
        wait_for(flag, process)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, errors) == (130, "")
    assert "stopped early" in output
    assert json.loads(path.read_text())["complete"] is False


def test_a_report_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "o.json"
    path.write_text("the old report")

    def no_space(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", no_space)
    with pytest.raises(OSError, match="no space"):
        command.write_json(path, {"mean": 1.0})
    assert path.read_text() == "the old report"
    assert os.listdir(tmp_path) == ["o.json"]


def test_progress_is_a_line_now_and_then(capsys: Capture) -> None:
    seen = ""
    with Progress(1000, "pairs", seconds_between_lines=0.001) as shown:
        shown.advance(250)
        while "250 of 1,000 pairs after" not in seen:
            seen += capsys.readouterr().err
    assert " s left\n" in seen
    assert progress.SECONDS_BETWEEN_LINES == 30


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(10, "pairs") as shown:
        shown.advance(10)
    assert "0/10" in terminal.getvalue()


def test_the_players_get_the_seed_and_the_variant() -> None:
    rules = Rules("partners", napoletana=True, target=31)
    meeting = workers.Meeting(f"{TOYS}:Lowest", f"{TOYS}:Mixed", rules, seed=12)
    for player in workers.build_players(meeting):
        assert (player.variant, player.seed) == ("partners", 12)  # type: ignore[attr-defined]
