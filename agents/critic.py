"""The critic that a network was trained with, as a judge of positions with open cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.open_cards import FloatArray, for_side, hidden_planes, points_taken
from tressette_env import DealBatch
from tressette_env.cards import NUM_RANKS, NUM_SUITS, IntArray
from tressette_env.towers import TowerWeights, hidden_places, in_blocks, relu

CRITIC = "critic."
"""What the names of a critic's arrays begin with among those of its policy."""
POINTS_SCALE = 10.0
"""Points by which values are divided inside the critic."""


class CriticWeights(TowerWeights):
    """A critic of one variant; ``ValueError`` when a layer is missing or does not fit."""

    def __init__(self, variant: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super().__init__(variant, arrays)
        try:
            hidden = np.zeros((1, NUM_SUITS, NUM_RANKS * hidden_places(variant)), np.uint8)
            self.to_come(np.zeros((1, self.observation_size), np.uint8), hidden)
        except KeyError as error:
            raise ValueError(f"the critic has no {error.args[0]}") from None

    def to_come(self, observation: npt.NDArray[np.uint8], hidden: npt.NDArray[np.uint8]) -> FloatArray:
        """Return the points still to come, own side minus the other, (n,); see `hidden_planes`."""
        body = self.body(observation, hidden).reshape(len(observation), NUM_SUITS, -1)
        value = self.apply("value.2", relu(self.apply("value.0", body.mean(axis=1))))
        return value[:, 0] * np.float32(POINTS_SCALE)

    def __call__(self, deals: DealBatch, rows: IntArray) -> FloatArray:
        """Return side 0's final points less side 1's, as expected in these rows of a batch, which are being played."""
        view = deals.view().take(rows)
        hidden = hidden_planes(deals, view, rows)
        to_come = in_blocks(self.to_come, view.observation, hidden)
        return for_side(to_come + points_taken(view), view.seat)


def critic_of(player: Any) -> CriticWeights | None:
    """Return the critic among the weights of a network player, None if there is none."""
    weights = getattr(player, "weights", None)
    arrays = {} if weights is None else weights.arrays
    own = {name.removeprefix(CRITIC): array for name, array in arrays.items() if name.startswith(CRITIC)}
    return CriticWeights(weights.variant, own) if own and weights is not None else None
