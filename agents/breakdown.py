"""Where a result comes from: by side, by who led, by who declared, and the spread of margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.pairs import PairResults
from agents.statistics import interval
from agents.tables import interval_text
from tressette_env.cards import IntArray
from tressette_env.deals import BoolArray

_WIDEST_BAR = 40


def breakdown(results: PairResults) -> list[dict[str, Any]]:
    """Return A's mean margin, with interval, in the games of each kind: ``kind games mean ci95``.

    By the side that A held, by whose side led to the first trick (in matches: of the first deal), and in single deals
    of games with declarations by who declared.  The pair stays the unit: a pair counts by the mean of its games of the
    kind.  Kinds without a game are left out.
    """
    side = np.broadcast_to(np.arange(2)[:, None], results.margins.shape)
    declared = results.declared > 0
    kinds = {
        "A is side 0": side == 0,
        "A is side 1": side == 1,
        "A's side leads": results.led == 1,
        "B's side leads": results.led == 0,
    }
    if declared.any():
        by_a, by_b = declared[..., 0], declared[..., 1]
        kinds |= {
            "only A's side declares": by_a & ~by_b,
            "only B's side declares": by_b & ~by_a,
            "both sides declare": by_a & by_b,
            "nobody declares": ~by_a & ~by_b,
        }
    return [_row(kind, results.margins, games) for kind, games in kinds.items() if games.any()]


def _row(kind: str, margins: IntArray, games: BoolArray) -> dict[str, Any]:
    number = games.sum(axis=0)
    means = np.where(games, margins, 0).sum(axis=0)[number > 0] / number[number > 0]
    found = interval(means)
    return {"kind": kind, "games": int(games.sum()), "mean": found.mean, "ci95": found.ci95}


def histogram(results: PairResults) -> dict[str, int]:
    """Return how many games ended with each margin of A, {margin: games}, from the lowest to the highest."""
    values, counts = np.unique(results.margins, return_counts=True)
    return {str(value): int(number) for value, number in zip(values, counts, strict=True)}


def deals_won_rate(results: PairResults) -> float:
    """Return A's share of the deals won, drawn ones counting half; NaN without a deal."""
    deals = int(results.deals.sum())
    won, lost = results.deals_won.sum(axis=(0, 1)).tolist()
    return 0.5 + (won - lost) / (2 * deals) if deals else np.nan


def details_text(rows: list[dict[str, Any]], margins: dict[str, int]) -> list[str]:
    """Return both for people: a table and bars."""
    lines = [f"{'':<24}{'games':>9}{'mean':>9}   95 % interval"]
    for row in rows:
        lines.append(f"{row['kind']:<24}{row['games']:>9,}{row['mean']:>+9.3f}   {interval_text(row['ci95'], '+.3f')}")
    lines.append("games by A's margin:")
    most = max(margins.values(), default=1)
    for margin, number in margins.items():
        lines.append(f"{int(margin):>+5}{number:>9,} {'#' * round(_WIDEST_BAR * number / most)}")
    return lines
