"""A policy for the tests of `search`, named on command lines as ``tests.search.toy_policy:Toy``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tressette_env.cards import IntArray
from tressette_env.rules import Rules
from tressette_env.shuffling import random_bits, stream_keys
from tressette_env.view import View

Floats = npt.NDArray[np.float32]


class Toy:
    """Likes cards at random, but alike whenever it knows the same."""

    version = "1"

    def __init__(self, variant: str | Rules = "partners", seed: int = 0, sure: bool = False) -> None:
        self.sure = sure

    def act(self, view: View) -> IntArray:
        """Return the likeliest legal cards."""
        return self.log_probs(view).argmax(axis=1)

    def log_probs(self, view: View) -> Floats:
        """Return a policy drawn from the keys."""
        scores = self._numbers(view, 1, 40) * (1_000_000 if self.sure else 1)
        scores[~view.legal] = -1e9
        return self._normalised(scores)

    def _numbers(self, view: View, stream: int, count: int) -> Floats:
        bits = random_bits(stream_keys(view.keys, stream), count)
        return ((bits >> np.uint64(11)) * 2.0**-53).astype(np.float32)

    def _normalised(self, scores: Floats) -> Floats:
        shifted = scores - scores.max(axis=-1, keepdims=True)
        logs: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        return logs
