"""A ladder as a report: its fields, and for people on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents.arena import NO_EFFORT, Effort
from agents.command import game_text
from agents.deal_ranges import deals_text
from agents.ladder import Ladder, Matches
from agents.statistics import summarize
from agents.tables import interval_text, ms_text, number_text, table_text

STOPPED = "stopped early: only the matches that were completed count"


def ladder_report(names: Sequence[str], matches: Matches, ladder: Ladder) -> dict[str, Any]:
    """Return the fields ``players`` (ranked), ``matches``, ``anchor`` and ``decisions``; what is undefined is NaN.

    Of a player: ``place player opponents score ci95 above_next rating rating_ci95 ms_per_decision``, see `Ladder` and
    `Effort`; of a match: ``a b pairs mean ci95 win_rate sd_pair ms_per_decision``.
    """
    efforts = [effort_of(number, matches) for number in range(len(names))]
    players = [
        {
            "place": place,
            "player": names[number],
            "opponents": int(ladder.opponents[number]),
            "score": float(ladder.scores[number]),
            "ci95": ladder.scores_ci95[number].tolist(),
            "above_next": float(ladder.above_next[number]),
            "rating": float(ladder.ratings[number]),
            "rating_ci95": ladder.ratings_ci95[number].tolist(),
            "ms_per_decision": (efforts[number].ms_per_decision or [np.nan])[0],
        }
        for place, number in enumerate(ladder.order.tolist(), 1)
    ]
    return {
        "anchor": names[ladder.anchor],
        "players": players,
        "matches": [
            {"a": names[a], "b": names[b], **summarize(results), "ms_per_decision": results.effort.ms_per_decision}
            for (a, b), results in matches.items()
        ],
        "decisions": sum(results.effort.decisions for results in matches.values()),
    }


def effort_of(player: int, matches: Matches) -> Effort:
    """Return what one player took in all its matches."""
    total = NO_EFFORT
    for meeting, results in matches.items():
        if player in meeting and results.effort.choices:
            side = meeting.index(player)
            total += Effort(0, results.effort.choices[side : side + 1], results.effort.seconds[side : side + 1])
    return total


def means_between(report: dict[str, Any]) -> dict[tuple[str, str], tuple[float, float]]:
    """Return mean points per deal and half the width of the interval, of the first player named against the second."""
    found = {}
    for match in report["matches"]:
        half_width = (match["ci95"][1] - match["ci95"][0]) / 2
        found[match["a"], match["b"]] = match["mean"], half_width
        found[match["b"], match["a"]] = 0 - match["mean"], half_width  # 0, not -0
    return found


def heading(report: dict[str, Any]) -> str:
    """Return what was played, in one line."""
    fewer = any(match["pairs"] < report["pairs"] for match in report["matches"])
    slow = f" ({report['slow_pairs']:,} where a player searches)" if fewer else ""
    return (
        f"{game_text(report)}, {len(report['matches'])} matches on the same deals: {report['pairs']:,} duplicate"
        f" pairs{slow} of seed {deals_text(report)}"
    )


def explanation(report: dict[str, Any]) -> str:
    """Return what the columns mean."""
    return (
        "points: mean points per deal over the field, all opponents counting alike; rating: Bradley–Terry on deals won,"
        f" Elo scale, {report['anchor']} = 0; 95 % intervals from a bootstrap over deals; above next: the probability"
        " of being better than the player one place below; ms: milliseconds per unforced decision"
    )


def ranked_rows(report: dict[str, Any], shown: Mapping[str, str]) -> list[list[str]]:
    """Return the ranked table under `RANKED_HEADINGS`; `shown`: the players' names for people."""
    return [
        [
            str(row["place"]),
            shown[row["player"]],
            number_text(row["score"], "+.3f"),
            interval_text(row["ci95"], "+.3f"),
            number_text(row["above_next"], ".1%"),
            number_text(row["rating"], "+.0f"),
            interval_text(row["rating_ci95"], "+.0f"),
            ms_text(row["ms_per_decision"]),
        ]
        for row in report["players"]
    ]


RANKED_HEADINGS = ("place", "player", "points", "95 % interval", "above next", "rating", "95 % interval", "ms")


def ladder_text(report: dict[str, Any], shown: Mapping[str, str]) -> str:
    """Return a ladder for people: the ranked table and the matrix, as wide as they are; `shown`: see `ranked_rows`."""
    names = [row["player"] for row in report["players"]]
    places = [str(row["place"]) for row in report["players"]]
    means = means_between(report)
    matrix = [
        [place, shown[name], *(_cell(means.get((name, other))) for other in names)]
        for place, name in zip(places, names, strict=True)
    ]
    lines = [
        heading(report),
        explanation(report),
        "",
        table_text(RANKED_HEADINGS, ranked_rows(report, shown), left=2),
        "",
        "points per deal of the player on the left against the one with the place above:",
        "",
        table_text(["place", "player", *places], matrix, left=2),
        "",
        f"{report['decisions']:,} decisions; {report['seconds']:.1f} s now, without what was in a store",
    ]
    return "\n".join(lines if report["complete"] else [*lines, STOPPED])


def _cell(found: tuple[float, float] | None) -> str:
    return "" if found is None else f"{found[0]:+.3f} ±{found[1]:.3f}"
