"""``evaluate.py crossplay``: how much players lose when their partner is another than themselves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from agents.arena import FloatArray
from agents.command import (
    STOPPED,
    Options,
    UsageError,
    cheating,
    check_names,
    check_options,
    collect,
    deliver,
    game_text,
)
from agents.crossplay import CrossResults, CrossTable, build_table, drops, join_cross, play_cross
from agents.deal_ranges import deals_text, distinct_deals
from agents.ladder import ANCHOR
from agents.statistics import interval
from agents.tables import interval_text, ms_text, number_text, table_text
from agents.workers import any_slow, in_chunks
from tressette_env import ENV_VERSION
from tressette_env.files import write_whole
from tressette_env.players import shown_name

_FOUR_SEATS = 4


@dataclass(frozen=True, kw_only=True)
class CrossplayOptions(Options):
    """The arguments of ``evaluate.py crossplay``, as given; of the ``pairs`` each is one deal, on both sides."""

    players: Sequence[str]
    opponent: str = ANCHOR
    pairs: int = 1000


def check_crossplay(options: CrossplayOptions) -> CrossTable:
    """Return what is to be played; `UsageError` if anything in the options is wrong."""
    rules = check_options(options)
    if rules.seats != _FOUR_SEATS:
        raise UsageError(f"{options.variant} has no partners to exchange: use --variant partners or historical")
    check_names("cross-play", options.players)
    return CrossTable(tuple(options.players), options.opponent, rules, options.seed, options.records is not None)


def run_crossplay(options: CrossplayOptions) -> bool:
    """Play, print the result to standard output, write it to ``--json``, and return whether it is complete.

    An interrupt (Ctrl-C) ends it with the deals completed so far.  Raises `UsageError` before anything is played, and
    `PlayerError` if a player fails or returns what is no legal card.
    """
    table = check_crossplay(options)
    try:
        players = build_table(table)
    except ValueError as error:
        raise UsageError(str(error)) from error
    start = time.perf_counter()
    chunks = in_chunks(partial(play_cross, table), options.pairs, options.workers, any_slow(players))
    results = join_cross(collect(chunks, options.pairs), table)
    report = make_report(options, table, results, time.perf_counter() - start)
    *names, opponent = (
        shown_name(name, player) for name, player in zip((*table.players, table.opponent), players, strict=True)
    )
    report["cheats"] = cheating(dict(zip((*table.players, "opponent"), players, strict=True)))
    if options.records is not None:
        write_whole(options.records, results.records)
    return deliver(report, as_text(report, names, opponent), options.json)


def make_report(options: CrossplayOptions, table: CrossTable, results: CrossResults, seconds: float) -> dict[str, Any]:
    """Return what is written; what is undefined is NaN.

    ``partnerships``: points per deal of each less its opponents'; ``drops``: what two players lose by being mixed, see
    `agents.crossplay.drops`, and ``mean_drop`` over all of them; ``ms_per_decision`` of the players, then the opponent.
    """
    names = table.players
    lost = drops(table, results.values)
    return {
        "players": list(names),
        "opponent": table.opponent,
        "variant": options.variant,
        "napoletana": options.napoletana,
        "pairs": len(results),
        "distinct_deals": distinct_deals(table.rules, options.seed, len(results)),
        "seed": options.seed,
        "partnerships": [
            {"a": names[a], "b": names[b], **_summary(values)}
            for (a, b), values in zip(table.partnerships, results.values, strict=True)
        ],
        "drops": [{"a": names[a], "b": names[b], **_summary(values)} for (a, b), values in lost.items()],
        "mean_drop": _summary(np.mean(list(lost.values()), axis=0)),
        "decisions": results.effort.decisions,
        "ms_per_decision": results.effort.ms_per_decision,
        "seconds": seconds,
        "version": ENV_VERSION,
        "complete": len(results) == options.pairs,
    }


def _summary(values: FloatArray) -> dict[str, Any]:
    found = interval(values)
    return {"mean": found.mean, "ci95": found.ci95}


def as_text(report: dict[str, Any], names: Sequence[str], opponent: str) -> str:
    """Return a report for people: the matrix of partnerships, then what mixing costs; names as they are shown."""
    numbers = [str(number) for number in range(1, len(names) + 1)]
    found = {frozenset((row["a"], row["b"])): row for row in report["partnerships"]}
    milliseconds = report["ms_per_decision"] or [np.nan] * (len(names) + 1)
    matrix = [
        [number, shown, *(_cell(found[frozenset((player, other))]) for other in report["players"]), ms_text(ms)]
        for number, shown, player, ms in zip(numbers, names, report["players"], milliseconds, strict=False)
    ]
    losses = [
        [f"{row['a']} with {row['b']}", number_text(row["mean"], "+.3f"), interval_text(row["ci95"], "+.3f")]
        for row in report["drops"]
    ]
    total = report["mean_drop"]
    losses.append(["mean of all pairs", number_text(total["mean"], "+.3f"), interval_text(total["ci95"], "+.3f")])
    lines = [
        f"cross-play against two of {opponent}: {game_text(report)}, {report['pairs']:,} deals of seed"
        f" {deals_text(report)}, each on both sides and in both"
        " orders of the partners",
        "",
        "points per deal of the player on the left with the partner above, ± half of the 95 % interval:",
        "",
        table_text(["", "player", *numbers, "ms"], matrix, left=2),
        "",
        "what two players lose per deal as partners of each other instead of each with itself:",
        "",
        table_text(["partners", "points lost", "95 % interval"], losses),
        "",
        f"{report['decisions']:,} decisions, played in {report['seconds']:.1f} s; ms: per unforced decision",
    ]
    return "\n".join(lines if report["complete"] else [*lines, STOPPED])


def _cell(row: dict[str, Any]) -> str:
    half_width = (row["ci95"][1] - row["ci95"][0]) / 2
    return f"{number_text(row['mean'], '+.3f')} ±{number_text(half_width, '.3f')}"
