"""``evaluate.py match``: two players meet on duplicate pairs, and what comes of it is shown and written."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.breakdown import breakdown, deals_won_rate, details_text, histogram
from agents.budget import fit_budget
from agents.command import (
    STOPPED,
    Options,
    UsageError,
    cheating,
    check_options,
    check_players,
    deliver,
    game_text,
)
from agents.deal_ranges import deals_text, distinct_deals
from agents.kept_matches import held_results, play_kept
from agents.pairs import PairResults
from agents.sprt import UNDECIDED, Decision, Sprt
from agents.statistics import summarize
from agents.store import Store
from agents.tables import interval_text, number_text
from agents.workers import Meeting
from tressette_env import ENV_VERSION
from tressette_env.files import write_whole
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
    store: Path | None = None
    sprt: str | None = None
    budget_ms: float | None = None
    details: bool = False


def check_match(options: MatchOptions) -> tuple[Meeting, Sprt | None]:
    """Return the meeting that the options describe, and the test; `UsageError` if they are wrong."""
    if options.target is not None and options.episode != "match":
        raise UsageError(f"--target {options.target} needs --episode match: a single deal has no target")
    if options.budget_ms is not None and not 0 < options.budget_ms < float("inf"):
        raise UsageError(f"--budget-ms {options.budget_ms:g} is not allowed: a number of milliseconds above 0")
    try:
        check_episode(options.episode)
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        test = None if options.sprt is None else Sprt.parse(options.sprt)
    except ValueError as error:
        raise UsageError(f"--sprt {error}") from error
    rules = check_options(options, DEFAULT_TARGET if options.target is None else options.target)
    return Meeting(
        options.a, options.b, rules, options.seed, options.episode, recorded=options.records is not None
    ), test


def run_match(options: MatchOptions) -> bool:
    """Play, print the result to standard output, write it to ``--json``, and return whether all pairs were played.

    An interrupt (Ctrl-C) ends the play with the pairs completed so far.  Raises `UsageError` before anything is
    played, and `PlayerError` if a player fails or returns what is no legal card.
    """
    meeting, test = check_match(options)
    check_players(meeting)
    if options.budget_ms is not None:
        meeting = fit_players(meeting, options.budget_ms)
    players = check_players(meeting)
    store = None if options.store is None else Store(options.store)
    held = len(held_results(meeting, store))
    start = time.perf_counter()

    def decided(results: PairResults) -> bool:
        return test is not None and test.decide(results.margin).accepted != UNDECIDED

    results = play_kept(meeting, options.pairs, options.workers, store, decided)
    seconds = time.perf_counter() - start
    decision = None if test is None else test.decide(results.margin)
    if decision is not None:
        results = results.first(decision.pairs)
    report = make_report(options, meeting, results, seconds, decision)
    report["stored_pairs"] = min(held, len(results))
    report["cheats"] = cheating({"A": players[0], "B": players[1]})
    shown = shown_name(meeting.a, players[0]), shown_name(meeting.b, players[1])
    if options.records is not None:
        write_whole(options.records, results.records)
    return deliver(report, as_text(report, shown, options.details), options.json)


def fit_players(meeting: Meeting, ms: float) -> Meeting:
    """Return a meeting whose players have as many worlds or iterations as fit; say how many that are."""
    fitted = {name: fit_budget(name, meeting.rules, meeting.seed, ms) for name in dict.fromkeys([meeting.a, meeting.b])}
    names = {name: found.name for name, found in fitted.items() if found is not None}
    if not names:
        raise UsageError(
            f"--budget-ms {ms:g}: neither {meeting.a} nor {meeting.b} has worlds or iterations that are still to be set"
        )
    for found in filter(None, fitted.values()):
        over = "" if found.fits else f": {ms:g} ms is less than the least it can do"
        print(f"{found.name} takes {found.ms:.3g} ms a decision here{over}", file=sys.stderr)
    return replace(meeting, a=names.get(meeting.a, meeting.a), b=names.get(meeting.b, meeting.b))


def make_report(
    options: MatchOptions, meeting: Meeting, results: PairResults, seconds: float, decision: Decision | None = None
) -> dict[str, Any]:
    """Return the fields of CONTRACT §7, and more: where the result comes from, and what the players' time was.

    `seconds` is the time that the games took now, and what is undefined is NaN.  ``complete``: all pairs were
    played, or the test decided before.
    """
    summary = summarize(results)
    decided = decision is not None and decision.accepted != UNDECIDED
    return {
        "a": meeting.a,
        "b": meeting.b,
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
        "complete": decided or summary["pairs"] == options.pairs,
        "ms_per_decision": results.effort.ms_per_decision,
        "deals_won": deals_won_rate(results),
        "deals_per_game": float(results.deals.mean()) if len(results) else float("nan"),
        "distinct_deals": distinct_deals(meeting.rules, options.seed, summary["pairs"], options.episode),
        "breakdown": breakdown(results),
        "histogram": histogram(results),
        "sprt": None if decision is None else {"hypotheses": options.sprt, **decision._asdict()},
    }


def as_text(report: dict[str, Any], shown: tuple[str, str], details: bool = False) -> str:
    """Return a report for people, a few lines; `shown` are the players' names."""
    matches = report["episode"] == "match"
    game = game_text(report)
    measure, games = "points per deal", "deals"
    if matches:
        game += f", matches to {report['target']}"
        measure, games = "payment per match", "matches"
    mean, ci95 = number_text(report["mean"], "+.3f"), interval_text(report["ci95"], "+.3f")
    spread = number_text(report["sd_pair"], ".3f")
    lines = [
        f"A {shown[0]} against B {shown[1]}: {game}",
        f"A's {measure}, less B's: {mean}, 95 % interval {ci95}",
        f"{games} won by A, ties counting half: {number_text(report['win_rate'], '.1%')}",
        f"{report['pairs']:,} duplicate pairs of seed {deals_text(report)}, standard deviation {spread}",
        _effort_text(report),
    ]
    if matches:
        won, number = number_text(report["deals_won"], ".1%"), number_text(report["deals_per_game"], ".1f")
        lines.insert(3, f"deals won by A: {won}, {number} deals to a match on average")
    if report["sprt"] is not None:
        lines.append(_sprt_text(report["sprt"]))
    if details:
        lines += details_text(report["breakdown"], report["histogram"])
    if not report["complete"]:
        lines.append(STOPPED)
    return "\n".join(lines)


def _effort_text(report: dict[str, Any]) -> str:
    a, b = (number_text(ms, ".3g") for ms in report["ms_per_decision"])
    stored = f" ({report['stored_pairs']:,} of the pairs from the store)" if report["stored_pairs"] else ""
    return (
        f"{report['decisions']:,} decisions, played in {report['seconds']:.1f} s{stored};"
        f" milliseconds per unforced decision: A {a}, B {b}"
    )


def _sprt_text(sprt: dict[str, Any]) -> str:
    low, high = sprt["hypotheses"].split(",")
    ratio = f"log likelihood ratio {sprt['llr']:+.2f}"
    if sprt["accepted"] == UNDECIDED:
        return f"sequential test undecided after {sprt['pairs']:,} pairs: {ratio}"
    found = f"at least {high}" if sprt["accepted"] == "high" else f"at most {low}"
    return (
        f"sequential test decided after {sprt['pairs']:,} pairs: the mean is {found} ({ratio}, error rates 5 %;"
        " stopping early biases mean and interval)"
    )
