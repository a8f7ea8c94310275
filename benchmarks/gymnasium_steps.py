"""Steps of the Gymnasium vector environment: a step is one decision of a learner, with all that others play after it.

The learners play random legal cards; choosing them is not counted.  Every game that ends begins anew in the same step.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from benchmarks.measuring import Row, rates, seconds_of
from tressette_env.rules import VARIANTS

TITLE = "Gymnasium: steps a second of 4,096 environments (targets: 200 k against random, 60 k against rules)"
ENVIRONMENTS = 4096
OPPONENTS = ("random", "greedy", "rules")
_STEPS, _QUICK_STEPS = 40, 20
_STEPS_BETWEEN_GROUPS = 3


class Learners:
    """Environments with random learners; `spread`: their games stand at different tricks instead of the same one."""

    def __init__(self, environments: int, spread: bool = False, **arguments: Any) -> None:
        self._env: Any = gymnasium.make_vec(
            "tressette_env:Tressette-v0", num_envs=environments, autoreset_mode=AutoresetMode.SAME_STEP, **arguments
        )
        self._rng = np.random.default_rng(0)
        self._observation = self._env.reset(seed=0)[0]
        groups = np.arange(environments) % _STEPS_BETWEEN_GROUPS
        for group in range(1, _STEPS_BETWEEN_GROUPS if spread else 1):
            self.play(_STEPS_BETWEEN_GROUPS)
            self._observation = self._env.reset(options={"reset_mask": groups == group})[0]

    def play(self, steps: int) -> float:
        """Play some steps and return the seconds that the environments took."""
        seconds = 0.0
        for _ in range(steps):
            mask = self._observation["action_mask"]
            cards = (mask * self._rng.random(mask.shape, np.float32)).argmax(axis=1)
            seconds += seconds_of(partial(self._step, cards))
        return seconds

    def _step(self, cards: Any) -> None:
        self._observation = self._env.step(cards)[0]


def run(quick: bool) -> list[Row]:
    """Measure every variant against every opponent, games at different tricks, and the single environment."""
    steps = _QUICK_STEPS if quick else _STEPS
    rows = []
    for variant in VARIANTS:
        for opponent in OPPONENTS:
            learners = Learners(ENVIRONMENTS, variant=variant, opponent=opponent)
            values = rates(steps * ENVIRONMENTS, partial(learners.play, steps), quick)
            rows.append(Row(f"{variant}, {opponent}", values, "steps/s"))
    learners = Learners(ENVIRONMENTS, spread=True, opponent="random")
    values = rates(steps * ENVIRONMENTS, partial(learners.play, steps), quick)
    rows.append(Row("partners, random, games at different tricks", values, "steps/s"))
    for opponent in OPPONENTS:
        alone = Learners(1, opponent=opponent)
        rows.append(
            Row(f"partners, {opponent}, 1 environment", rates(steps, partial(alone.play, steps), quick), "steps/s")
        )
    return rows
