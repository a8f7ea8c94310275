"""Plays a second of the PettingZoo loop, with observations, through `raw_env` and through `env`.

The loop is that of PettingZoo's documentation with the first legal card as policy; resets and the last
observations of a game are part of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.measuring import Row, rates, seconds_of
from tressette_env import tressette_v0
from tressette_env.rules import VARIANTS

TITLE = "PettingZoo loop: agent_iter, last, first legal card, step (targets: raw_env 20 k, env 10 k plays/s)"
_MAKERS: dict[str, Callable[..., Any]] = {"raw_env": tressette_v0.raw_env, "env": tressette_v0.env}


def play_games(env: Any, games: int) -> int:
    """Play `games` games of seed 0 to their end and return the number of plays."""
    plays = 0
    for game in range(games):
        env.reset(seed=None if game else 0)
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(int(observation["action_mask"].argmax()))
                plays += 1
    return plays


def run(quick: bool) -> list[Row]:
    """Return the plays a second of each maker and variant."""
    rows = []
    games = 20 if quick else 100
    for name, maker in _MAKERS.items():
        for variant in VARIANTS:
            env = maker(variant=variant)
            plays = play_games(env, games)
            repetition = partial(seconds_of, partial(play_games, env, games))
            rows.append(Row(f"{name} {variant}", rates(plays, repetition, quick), "plays/s"))
    return rows
