"""What the examples that bring their own torch networks share.

The networks are the suit-equivariant ones of `agents.network`, which read the observation's blocks as they are meant:
one tower, the same for each suit.  From as many cards a plain perceptron learns far less.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents.initialization import initialize
from agents.network import NetworkConfig, PolicyNetwork, SuitTowers, linear
from examples.measuring import Choose

FORBIDDEN = -1e8
"""The score of a card that may not be played: finite, so that a row without a legal card gives no NaN."""
_SIZE = NetworkConfig(width=64, head=64, facts=False)


class Scores(nn.Module):
    """A score for every card, legal or not: observations (…, obs_size) to (…, 40)."""

    def __init__(self, variant: str, seed: int = 0) -> None:
        super().__init__()
        self.network = initialize(PolicyNetwork(variant, _SIZE), seed)

    def forward(self, observation: Tensor) -> Tensor:
        """Return the scores; nothing is masked yet."""
        scores: Tensor = self.network(observation.flatten(0, -2))
        return scores.reshape(*observation.shape[:-1], -1)


class Value(nn.Module):
    """The value of a position for its observer: observations (…, obs_size) to (…, 1)."""

    def __init__(self, variant: str, seed: int = 0) -> None:
        super().__init__()
        self.body = SuitTowers(variant, _SIZE)
        self.value = linear(_SIZE.head, 1)
        initialize(self, seed)

    def forward(self, observation: Tensor) -> Tensor:
        """Return the values."""
        value: Tensor = self.value(self.body(observation.flatten(0, -2)).mean(dim=1))
        return value.reshape(*observation.shape[:-1], 1)


def masked(scores: Tensor, legal: Tensor) -> Tensor:
    """Return the scores (…, 40) with those of forbidden cards replaced; `legal` is bool, or numbers, 0 for no."""
    return torch.where(legal > 0, scores, FORBIDDEN)


def greedy(scores: Callable[[Tensor], Tensor]) -> Choose:
    """Return the policy that plays the legal card of the highest score, (n, obs_size) to (n, 40)."""

    def choose(observation: npt.NDArray[np.float32], legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            best = masked(scores(torch.as_tensor(observation)), torch.as_tensor(legal)).argmax(dim=1)
        cards: npt.NDArray[np.int64] = best.numpy()
        return cards

    return choose
