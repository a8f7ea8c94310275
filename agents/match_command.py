"""``evaluate.py match``: two players meet on duplicate pairs, and what comes of it is shown and written."""

from __future__ import annotations

import json
import math
import os
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.arena import PairResults, join_results
from agents.progress import Progress
from agents.statistics import summarize
from agents.workers import Meeting, build_players, play_chunks
from tressette_env import ENV_VERSION, Rules
from tressette_env.rules import DEFAULT_TARGET, check_episode
from tressette_env.shuffling import check_seed


class UsageError(ValueError):
    """What the user asked for makes no sense; the message says what would."""


@dataclass(frozen=True)
class MatchOptions:
    """The arguments of ``evaluate.py match``, as given; ``target`` None means 21 in match episodes."""

    a: str
    b: str
    variant: str
    pairs: int = 10_000
    seed: int = 0
    napoletana: bool = False
    episode: str = "deal"
    target: int | None = None
    workers: int = 1
    json: Path | None = None


def check_options(options: MatchOptions) -> Meeting:
    """Return the meeting that the options describe; `UsageError` if they are wrong."""
    if options.pairs < 1 or options.workers < 1:
        raise UsageError(f"--pairs {options.pairs} and --workers {options.workers}: both must be at least 1")
    try:
        check_seed(options.seed, 1)
    except ValueError as error:
        raise UsageError(f"--seed {options.seed} is not allowed: {error}") from error
    if options.target is not None and options.episode != "match":
        raise UsageError(f"--target {options.target} needs --episode match: a single deal has no target")
    if options.json is not None and not options.json.absolute().parent.is_dir():
        raise UsageError(f"--json {options.json}: there is no folder {options.json.absolute().parent}")
    if options.json is not None and options.json.is_dir():
        raise UsageError(f"--json {options.json}: this is a folder, a file is needed")
    target = DEFAULT_TARGET if options.target is None else options.target
    try:
        check_episode(options.episode)
        rules = Rules(options.variant, napoletana=options.napoletana, target=target)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Meeting(options.a, options.b, rules, options.seed, options.episode)


def run_match(options: MatchOptions) -> bool:
    """Play, print the result to standard output, write it to ``--json``, and return whether all pairs were played.

    An interrupt (Ctrl-C) ends the play with the pairs completed so far.  Raises `UsageError` before anything is
    played, and `PlayerError` if a player fails or returns what is no legal card.
    """
    meeting = check_options(options)
    start = time.perf_counter()
    parts: list[PairResults] = []
    try:
        _check_players(meeting)
        with (
            Progress(options.pairs, "pairs") as progress,
            closing(play_chunks(meeting, options.pairs, options.workers)) as chunks,
        ):
            for part in chunks:
                parts.append(part)
                progress.advance(len(part))
    except KeyboardInterrupt:
        pass
    report = make_report(options, meeting, join_results(parts), time.perf_counter() - start)
    print(as_text(report))
    if options.json is not None:
        write_json(options.json, report)
    return bool(report["complete"])


def _check_players(meeting: Meeting) -> None:
    try:
        build_players(meeting)
    except ValueError as error:
        raise UsageError(str(error)) from error


def make_report(options: MatchOptions, meeting: Meeting, results: PairResults, seconds: float) -> dict[str, Any]:
    """Return the fields of CONTRACT §7; `seconds` is the time the games took, and what is undefined is NaN."""
    summary = summarize(results)
    return {
        "a": options.a,
        "b": options.b,
        "variant": options.variant,
        "napoletana": options.napoletana,
        "episode": options.episode,
        "target": meeting.rules.target if options.episode == "match" else None,
        "pairs": summary["pairs"],
        "seed": options.seed,
        "mean": summary["mean"],
        "ci95": summary["ci95"],
        "win_rate": summary["win_rate"],
        "sd_pair": summary["sd_pair"],
        "decisions": results.decisions,
        "seconds": seconds,
        "version": ENV_VERSION,
        "complete": summary["pairs"] == options.pairs,
    }


def as_text(report: dict[str, Any]) -> str:
    """Return a report for people, a few lines."""
    matches = report["episode"] == "match"
    game = report["variant"] + (" with napoletana" if report["napoletana"] else "")
    measure, games = "points per deal", "deals"
    if matches:
        game += f", matches to {report['target']}"
        measure, games = "payment per match", "matches"
    low, high = report["ci95"]
    lines = [
        f"A {report['a']} against B {report['b']}: {game}",
        f"A's {measure}, less B's: {report['mean']:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}",
        f"{games} won by A, ties counting half: {report['win_rate']:.1%}",
        f"{report['pairs']:,} duplicate pairs of seed {report['seed']}, standard deviation {report['sd_pair']:.3f}",
        f"{report['decisions']:,} decisions in {report['seconds']:.1f} s,"
        f" {report['decisions'] / max(report['seconds'], 1e-9):,.0f} a second",
    ]
    if not report["complete"]:
        lines.append("stopped early: these are the pairs completed so far")
    return "\n".join(lines)


def write_json(path: Path, report: dict[str, Any]) -> None:
    """Write a report as JSON, NaN as null; the file appears whole or not at all."""
    text = json.dumps({name: _without_nan(value) for name, value in report.items()}, indent=2)
    handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _without_nan(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and math.isnan(value) else value
