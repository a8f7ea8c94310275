"""``evaluate.py regret``: what a player loses against the exact solver."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

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
from agents.deal_ranges import deals_text, distinct_deals
from agents.regret import BEST, CHOICES, DECISIONS, POINTS, THIRDS, RegretResults, join_regrets, measure_chunk, warm_up
from agents.statistics import interval
from agents.tables import interval_text, number_text
from agents.workers import Meeting, any_slow, in_chunks
from tressette_env import ENV_VERSION
from tressette_env.cards import IntArray
from tressette_env.files import write_whole
from tressette_env.players import shown_name

DEFAULT_CARDS = {"two_player": 10, "partners": 7, "historical": 7}
"""Cards in the hand of who decides from which on decisions are measured: with four seats more take long."""


@dataclass(frozen=True, kw_only=True)
class RegretOptions(Options):
    """The arguments of ``evaluate.py regret``, as given; ``opponent`` None: the player itself."""

    player: str
    pairs: int = 1000
    opponent: str | None = None
    cards: int | None = None


def check_regret(options: RegretOptions) -> tuple[Meeting, int]:
    """Return the meeting that the options describe and the most cards of a measured hand; `UsageError` if wrong."""
    rules = check_options(options)
    cards = DEFAULT_CARDS[rules.variant] if options.cards is None else options.cards
    if not 2 <= cards <= rules.hand:
        raise UsageError(f"--cards {cards} is not allowed: from 2 (one card is no choice) to {rules.hand}")
    opponent = options.player if options.opponent is None else options.opponent
    return Meeting(options.player, opponent, rules, options.seed, recorded=options.records is not None), cards


def run_regret(options: RegretOptions) -> bool:
    """Measure, print the result to standard output, write it to ``--json``, and return whether it is complete.

    An interrupt (Ctrl-C) ends it with the pairs completed so far.  Raises `UsageError` before anything is played,
    and `PlayerError` if a player fails or returns what is no legal card.
    """
    meeting, cards = check_regret(options)
    players = check_players(meeting)
    warm_up()  # in this process first: workers then find the compiled solver in the cache
    start = time.perf_counter()
    chunks = in_chunks(partial(measure_chunk, meeting, cards), options.pairs, options.workers, any_slow(players))
    results = join_regrets(collect(chunks, options.pairs), meeting.rules)
    if options.records is not None:
        write_whole(options.records, results.records)
    report = make_report(options, meeting, cards, results, time.perf_counter() - start)
    report["cheats"] = cheating({"player": players[0], "opponent": players[1]})
    shown = shown_name(meeting.a, players[0]), shown_name(meeting.b, players[1])
    return deliver(report, as_text(report, shown), options.json)


def make_report(
    options: RegretOptions, meeting: Meeting, cards: int, results: RegretResults, seconds: float
) -> dict[str, Any]:
    """Return what is written: counts, what a side loses per deal (points with interval) and per decision with a choice.

    What is undefined is NaN.  ``ms_per_decision`` is the player's (see `Effort`).
    """
    lost = interval(results.lost)
    in_thirds = meeting.rules.variant != "historical"
    total = results.counts.sum(axis=(0, 1))
    sides = 2 * len(results)  # of a deal both that the player holds, or one in each of two deals
    return {
        "player": options.player,
        "opponent": meeting.b,
        "variant": options.variant,
        "napoletana": options.napoletana,
        "pairs": len(results),
        "distinct_deals": distinct_deals(meeting.rules, options.seed, len(results)),
        "seed": options.seed,
        "cards": cards,
        "points_lost_per_deal": lost.mean,
        "ci95": lost.ci95,
        "sd_pair": lost.sd,
        "thirds_lost_per_deal": int(total[THIRDS]) / sides if sides and in_thirds else np.nan,
        **_rates(total, in_thirds),
        "by_trick": _rows("trick", results.counts.sum(axis=1), in_thirds),
        "by_seat": _rows("seat", results.counts.sum(axis=0), in_thirds),
        "ms_per_decision": results.effort.ms_per_decision[0],
        "seconds": seconds,
        "version": ENV_VERSION,
        "complete": len(results) == options.pairs,
    }


def _rows(of: str, counts: IntArray, in_thirds: bool) -> list[dict[str, Any]]:
    """Return the rates of each trick, or of each seat from the first leader on, that has decisions, from 1."""
    return [{of: number + 1} | _rates(row, in_thirds) for number, row in enumerate(counts) if row[DECISIONS]]


def _rates(counts: IntArray, in_thirds: bool) -> dict[str, Any]:
    """Return what a row of `RegretResults.counts`, or a sum of them, says for each decision with a choice."""
    choices = int(counts[CHOICES])
    rates = [int(counts[column]) / choices if choices else np.nan for column in (POINTS, THIRDS, BEST)]
    return {
        "decisions": int(counts[DECISIONS]),
        "unforced": choices,
        "points_lost_per_decision": rates[0],
        "thirds_lost_per_decision": rates[1] if in_thirds else np.nan,
        "best_share": rates[2],
    }


def as_text(report: dict[str, Any], shown: tuple[str, str]) -> str:
    """Return a report for people: a few lines and a table by trick; `shown` are the players' names."""
    alone = report["opponent"] == report["player"]
    against = "both sides" if alone else f"against {shown[1]}"
    lost, ci95 = number_text(report["points_lost_per_deal"], ".4f"), interval_text(report["ci95"], ".4f")
    in_thirds = report["thirds_lost_per_deal"]
    thirds = "" if np.isnan(in_thirds) else f"; thirds: {in_thirds:.4f}"
    lines = [
        f"{shown[0]}, {against}: {game_text(report)}, decisions with at most {report['cards']} cards in hand",
        f"points a side loses per deal: {lost}, 95 % interval {ci95}{thirds}",
        _MEANING[report["variant"]],
        f"{'trick':>7}{'decisions':>11}{'choices':>10}{'points per choice':>19}{'thirds':>9}{'best cards':>12}",
    ]
    lines += [_row_text(row["trick"], row) for row in report["by_trick"]]
    lines += [_row_text(f"seat {row['seat']}", row) for row in report["by_seat"]]
    lines += [_row_text("all", report), "seats are counted from the one that led to the first trick"]
    games = "deals" if alone else "duplicate pairs"
    lines.append(
        f"{report['pairs']:,} {games} of seed {deals_text(report)}, in {report['seconds']:.1f} s,"
        f" {number_text(report['ms_per_decision'], '.3g')} ms of the player per unforced decision of the whole deal"
    )
    if not report["complete"]:
        lines.append(STOPPED)
    return "\n".join(lines)


def _row_text(name: int | str, row: dict[str, Any]) -> str:
    text = f"{name:>7}{row['decisions']:>11,}{row['unforced']:>10,}"
    for name, width, form in _RATES:
        text += f"{number_text(row[name], form):>{width}}"
    return text


_RATES = (("points_lost_per_decision", 19, ".4f"), ("thirds_lost_per_decision", 9, ".4f"), ("best_share", 12, ".1%"))
_DOUBLE_DUMMY = (
    "measured with all cards open, which no player sees: it compares players, but the best fair play loses some too"
)
_MEANING = {
    "two_player": "measured from the empty stock on, when all cards can be deduced: the best play loses nothing",
    "partners": _DOUBLE_DUMMY,
    "historical": _DOUBLE_DUMMY,
}
