"""Decisions per second of the baseline players, in batches."""

from __future__ import annotations

from benchmarks.measuring import Row, rates, seconds_of
from tressette_env.baselines import GreedyPlayer, RandomPlayer, RulesPlayer, TunedPlayer
from tressette_env.deals import DealBatch
from tressette_env.players import Player
from tressette_env.rules import VARIANTS
from tressette_env.view import View

TITLE = "Baselines: decisions per second over whole deals, 4,096 in a batch"
_DEALS = 4096
_PLAYERS = {"random": RandomPlayer, "greedy": GreedyPlayer, "rules": RulesPlayer, "tuned": TunedPlayer}


def _views(variant: str) -> list[View]:
    """Return the views of every ply of one batch of deals played by `rules`."""
    player = RulesPlayer(variant)
    deals = DealBatch(_DEALS, variant)
    deals.reset(seed=10_000)
    views = []
    while not deals.done:
        views.append(deals.view())
        deals.step(player.act(views[-1]))
    return views


def _decide(player: Player, views: list[View]) -> float:
    """Return the seconds that all decisions take; nothing computed for one repetition serves the next."""
    fresh = [view.copy() for view in views]
    return seconds_of(lambda: [player.act(view) for view in fresh])


def run(quick: bool) -> list[Row]:
    """Measure each player in each variant."""
    rows = []
    for variant in VARIANTS:
        views = _views(variant)
        decisions = sum(int((view.seat >= 0).sum()) for view in views)
        for name, factory in _PLAYERS.items():
            player = factory(variant)
            values = rates(decisions, lambda player=player, views=views: _decide(player, views), quick)  # type: ignore[misc]
            rows.append(Row(f"{variant} {name}", values, "decisions/s"))
    return rows
