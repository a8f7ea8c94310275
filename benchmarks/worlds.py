"""The world sampler on one core: 1,000 worlds of one decision at every ply of random games, and few of many.

Each time includes what a player pays who is handed a fresh view: its key, counting the worlds, drawing them and,
with two players, ordering the stock.  Sampling is exact, so every world drawn counts: nothing is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agents.search.worlds import draw_worlds
from benchmarks.measuring import QUICK_REPEATS, REPEATS, Row, rates, seconds_of
from tressette_env import DealBatch, Rules
from tressette_env.shuffling import random_bits, stream_keys
from tressette_env.view import View

TITLE = "World sampler, one core (exact: no world is rejected)"
RULE_SETS = (
    Rules("two_player"),
    Rules("two_player", napoletana=True),
    Rules("partners"),
    Rules("partners", napoletana=True),
    Rules("historical"),
)
WORLDS = 1000
ROWS, WORLDS_A_ROW = 500, 20
_GAMES, _QUICK_GAMES = 10, 2


def run(quick: bool) -> list[Row]:
    """Measure every rule set."""
    rows = [row for rules in RULE_SETS for row in _every_ply(rules, quick)]
    return rows + [_many_rows(rules, quick) for rules in RULE_SETS]


def _name(rules: Rules) -> str:
    return rules.variant + " with napoletana" * rules.napoletana


def _views(rules: Rules, games: int, seed: int) -> Iterator[View]:
    """Yield the views of random games, ply by ply."""
    deals = DealBatch(games, rules)
    deals.reset(seed=seed)
    while not deals.done:
        yield deals.view()
        chances = random_bits(stream_keys(seed, deals.ply, np.arange(games)), deals.legal_mask().shape[1])
        deals.step(np.where(deals.legal_mask(), chances >> np.uint64(1), np.uint64(0)).argmax(axis=1))


def _every_ply(rules: Rules, quick: bool) -> list[Row]:
    games = _QUICK_GAMES if quick else _GAMES
    medians, worst = [], []
    draw_worlds(next(_views(rules, 1, seed=0)), 1)  # compiles
    for seed in range(QUICK_REPEATS if quick else REPEATS):
        milliseconds = [
            1e3 * seconds_of(lambda row=row: draw_worlds(row, WORLDS))  # type: ignore[misc]
            for view in _views(rules, games, seed)
            for row in [view.take([game]) for game in np.flatnonzero(view.seat >= 0)]
        ]
        medians.append(float(np.median(milliseconds)))
        worst.append(float(np.percentile(milliseconds, 99)))
    what = f"{WORLDS:,} worlds of one decision, {_name(rules)}"
    return [Row(f"{what}, median", medians, "ms"), Row(f"{what}, 99 %", worst, "ms")]


def _many_rows(rules: Rules, quick: bool) -> Row:
    views = list(_views(rules, ROWS, seed=0))[:: 8 if quick else 2]

    def repetition() -> float:
        fresh = [view.copy() for view in views]  # a view remembers its keys
        return sum(seconds_of(lambda view=view: draw_worlds(view, WORLDS_A_ROW)) for view in fresh)  # type: ignore[misc]

    decisions = sum(int((view.seat >= 0).sum()) for view in views)
    microseconds = [1e6 / rate for rate in rates(decisions, repetition, quick)]
    return Row(f"{WORLDS_A_ROW} worlds each of {ROWS} decisions at once, {_name(rules)}", microseconds, "us/decision")
