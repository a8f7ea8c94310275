"""How every example measures what it trained: duplicate pairs on deals that it does not train on.

A policy is a function of what the environments hand out: ``choose(observation, legal) -> cards`` with `observation`
(n, obs_size) float32, `legal` (n, 40) bool and `cards` (n,) integer ids.  It is asked for many decisions at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.deal_ranges import DEVELOPMENT, RANGES
from agents.pairs import play_pairs
from agents.statistics import Summary, summarize
from tressette_env import Rules, make_player
from tressette_env.view import View

Choose = Callable[[npt.NDArray[np.float32], npt.NDArray[np.bool_]], Any]
OPPONENTS = ("random", "rules")
PAIRS = 500
MEASURED_SEED = RANGES[DEVELOPMENT].seed
"""Train on the deals of other seeds."""


class PolicyPlayer:
    """A player that asks `choose`, for `evaluate.py`, for an `opponent=` of the environments, and for measuring."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def act(self, view: View) -> Any:
        """Return a card id for each of the n rows; what stands in rows that do not act is ignored."""
        idle = view.seat < 0
        return self._choose(view.observation.astype(np.float32), view.legal | idle[:, None])


def measured(choose: Choose, variant: str, opponent: str, pairs: int = PAIRS, seed: int = MEASURED_SEED) -> Summary:
    """Return how a policy does against a named player over duplicate pairs, in points a deal.

    Raises `tressette_env.players.IllegalReplyError`, naming the policy, when it plays a card that `legal` forbids.
    """
    rules = Rules(variant)
    player = make_player(opponent, rules, seed)
    return summarize(play_pairs(PolicyPlayer(choose), player, rules, seed, 0, pairs, names=("the policy", opponent)))


def points(choose: Choose, variant: str, opponent: str, pairs: int = PAIRS, seed: int = MEASURED_SEED) -> str:
    """Return what `measured` does as text: mean, 95 % interval, opponent and pairs."""
    found = measured(choose, variant, opponent, pairs, seed)
    low, high = found["ci95"]
    return f"{found['mean']:+.2f} ({low:+.2f} … {high:+.2f}) points a deal against {opponent}, {pairs:,} pairs"


def report(when: str, choose: Choose, variant: str, pairs: int = PAIRS, seed: int = MEASURED_SEED) -> None:
    """Print how a policy does against each of `OPPONENTS`; `when`: ``"before"`` or ``"after"`` training."""
    for opponent in OPPONENTS:
        print(f"{when}: {points(choose, variant, opponent, pairs, seed)}", flush=True)
