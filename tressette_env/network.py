"""The player `network`: a trained policy, computed with numpy alone.

Suit-equivariant towers (`tressette_env.towers`) and a head that scores the cards of each suit; a second head says who
holds each unseen card.  `agents.network` trains the same network with torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env.cards import NUM_CARDS, NUM_RANKS, IntArray, lowest_cards, popcount
from tressette_env.rules import VARIANTS, Rules, variant_name
from tressette_env.shuffling import random_bits, stream_keys
from tressette_env.towers import FloatArray, TowerWeights, hidden_places
from tressette_env.view import View

_NEGATIVE = -1e9
_WEIGHTS = "weights"


class PolicyWeights(TowerWeights):
    """The weights of a policy network.

    Arrays named ``critic.…`` are the critic's that it was trained with, if it is shipped too, for search at play time.
    Raises ``ValueError`` when a layer is missing or does not fit.
    """

    def __init__(self, variant: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super().__init__(variant, arrays)
        outputs = {"score": NUM_RANKS, "owner": NUM_RANKS * hidden_places(variant)}
        try:
            for layer, size in outputs.items():
                if self.arrays[f"{layer}.weight"].shape[-2] != size:
                    raise ValueError(f"{layer}.weight has {self.arrays[f'{layer}.weight'].shape[-2]} rows, not {size}")
            self.answers("score", np.zeros((1, self.observation_size), np.uint8))
        except KeyError as error:
            raise ValueError(f"the weights have no {error.args[0]}") from None


class NetworkPlayer:
    """Plays the most probable card, or draws one at a `temperature` above 0, from `seed` and the view's keys alone.

    Raises ``ValueError`` for a bad temperature.
    """

    def __init__(self, weights: PolicyWeights, seed: int = 0, temperature: float = 0.0) -> None:
        if isinstance(temperature, bool) or not isinstance(temperature, int | float) or not 0 <= temperature < np.inf:
            raise ValueError(f"temperature must be a number of at least 0, not {temperature!r}")
        self.weights = weights
        self.variant = weights.variant
        self.version = f"weights {weights.digest}"
        self._seed, self._temperature = seed, temperature

    def act(self, view: View) -> IntArray:
        """Return the cards to play, (n,), 0 for rows that do not act."""
        if view.variant != self.variant:
            raise ValueError(f"this network plays {self.variant}, not {view.variant}")
        cards = lowest_cards(view.legal_cards)
        rows = np.flatnonzero(popcount(view.legal_cards) > 1)
        if len(rows):
            cards[rows] = self._choose(view.take(rows))
        return np.where(view.seat >= 0, cards, 0)

    def log_probs(self, view: View) -> FloatArray:
        """Return log-probabilities over the legal cards, (n, 40), very negative where illegal."""
        return _log_softmax(self.scores(view))

    def owner_log_probs(self, view: View) -> FloatArray:
        """Return where each card that the seat has not seen is likely to be, (n, 40, places), in logarithms.

        The places are the other hands, the next seat's first, and the stock where there is one.
        """
        owners = self.weights.answers("owner", view.observation)
        return _log_softmax(owners.reshape(len(view), NUM_CARDS, hidden_places(self.variant)))

    def scores(self, view: View) -> FloatArray:
        """Return scores of the legal cards, (n, 40), very negative where illegal; in blocks of `BLOCK` rows."""
        scores = self.weights.answers("score", view.observation)
        return np.where(view.legal, scores, np.float32(_NEGATIVE))

    def _choose(self, view: View) -> IntArray:
        scores = self.scores(view)
        if self._temperature:
            bits = random_bits(stream_keys(self._seed, view.keys), NUM_CARDS)
            uniform = ((bits >> np.uint64(11)) + 0.5) * 2.0**-53
            # The largest of scores with Gumbel noise is a draw from their softmax.
            scores = np.where(view.legal, scores / self._temperature - np.log(-np.log(uniform)), _NEGATIVE)
        best: IntArray = scores.argmax(axis=1)
        return best


def _log_softmax(scores: FloatArray) -> FloatArray:
    shifted = scores - scores.max(axis=-1, keepdims=True)
    logs: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs


def shipped_variants() -> list[str]:
    """Return the variants that have a trained network."""
    folder = files("tressette_env") / _WEIGHTS
    return [variant for variant in VARIANTS if (folder / f"{variant}.npz").is_file()]


@cache
def shipped_weights(variant: str) -> PolicyWeights:
    """Return the trained weights of a variant; ``ValueError`` if none is shipped."""
    path = files("tressette_env") / _WEIGHTS / f"{variant}.npz"
    if not path.is_file():
        have = ", ".join(shipped_variants()) or "no variant"
        raise ValueError(f"no trained network of {variant} is shipped yet (of {have}): train one, or name a checkpoint")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return PolicyWeights(variant, dict(arrays))


def network(variant: str | Rules = "partners", seed: int = 0, temperature: float = 0.0) -> NetworkPlayer:
    """Return the player of the trained network that is shipped for a variant."""
    return NetworkPlayer(shipped_weights(variant_name(variant)), seed, temperature)
