"""``evaluate.py match``: two players meet on duplicate pairs, and what comes of it is shown and written."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from agents.arena import PairResults, join_results
from agents.command import (
    STOPPED,
    Options,
    UsageError,
    cheating,
    check_options,
    check_players,
    collect,
    deliver,
    game_text,
)
from agents.statistics import summarize
from agents.workers import Meeting, play_chunks
from tressette_env import ENV_VERSION
from tressette_env.players import shown_name
from tressette_env.rules import DEFAULT_TARGET, check_episode


@dataclass(frozen=True, kw_only=True)
class MatchOptions(Options):
    """The arguments of ``evaluate.py match``, as given; ``target`` None means 21 in match episodes."""

    a: str
    b: str
    pairs: int = 10_000
    episode: str = "deal"
    target: int | None = None


def check_match(options: MatchOptions) -> Meeting:
    """Return the meeting that the options describe; `UsageError` if they are wrong."""
    if options.target is not None and options.episode != "match":
        raise UsageError(f"--target {options.target} needs --episode match: a single deal has no target")
    try:
        check_episode(options.episode)
    except ValueError as error:
        raise UsageError(str(error)) from error
    rules = check_options(options, DEFAULT_TARGET if options.target is None else options.target)
    return Meeting(options.a, options.b, rules, options.seed, options.episode)


def run_match(options: MatchOptions) -> bool:
    """Play, print the result to standard output, write it to ``--json``, and return whether all pairs were played.

    An interrupt (Ctrl-C) ends the play with the pairs completed so far.  Raises `UsageError` before anything is
    played, and `PlayerError` if a player fails or returns what is no legal card.
    """
    meeting = check_match(options)
    players = check_players(meeting)
    start = time.perf_counter()
    parts = collect(play_chunks(meeting, options.pairs, options.workers), options.pairs)
    report = make_report(options, meeting, join_results(parts), time.perf_counter() - start)
    report["cheats"] = cheating({"A": players[0], "B": players[1]})
    shown = shown_name(options.a, players[0]), shown_name(options.b, players[1])
    return deliver(report, as_text(report, shown), options.json)


def make_report(options: MatchOptions, meeting: Meeting, results: PairResults, seconds: float) -> dict[str, Any]:
    """Return the fields of CONTRACT §7, and ``ms_per_decision`` of A and B (see `Effort`).

    `seconds` is the time the games took, and what is undefined is NaN.
    """
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
        "decisions": results.effort.decisions,
        "seconds": seconds,
        "version": ENV_VERSION,
        "complete": summary["pairs"] == options.pairs,
        "ms_per_decision": results.effort.ms_per_decision,
    }


def as_text(report: dict[str, Any], shown: tuple[str, str]) -> str:
    """Return a report for people, a few lines; `shown` are the players' names."""
    matches = report["episode"] == "match"
    game = game_text(report)
    measure, games = "points per deal", "deals"
    if matches:
        game += f", matches to {report['target']}"
        measure, games = "payment per match", "matches"
    low, high = report["ci95"]
    a, b = report["ms_per_decision"]
    lines = [
        f"A {shown[0]} against B {shown[1]}: {game}",
        f"A's {measure}, less B's: {report['mean']:+.3f}, 95 % interval {low:+.3f} to {high:+.3f}",
        f"{games} won by A, ties counting half: {report['win_rate']:.1%}",
        f"{report['pairs']:,} duplicate pairs of seed {report['seed']}, standard deviation {report['sd_pair']:.3f}",
        f"{report['decisions']:,} decisions in {report['seconds']:.1f} s,"
        f" {report['decisions'] / max(report['seconds'], 1e-9):,.0f} a second",
        f"milliseconds per unforced decision: A {a:.3g}, B {b:.3g}",
    ]
    if not report["complete"]:
        lines.append(STOPPED)
    return "\n".join(lines)
