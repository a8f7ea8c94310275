"""The player `network`: a trained policy, computed with numpy alone.

A suit-equivariant network: one tower with the same weights for each suit reads the suit's block of the observation,
what follows from it (`tressette_env.card_facts`) and the numbers that concern no suit; the towers talk through their
mean, and all hear the tower of the suit that was led; a head scores the suit's ten cards.  Relabelling suits permutes
the scores to the last bit: the mean is taken of numbers rounded to a grid, whose sum does not depend on their order.
`agents.network` trains the same network with torch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env.card_facts import card_facts
from tressette_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, SUITS, IntArray, lowest_cards, popcount
from tressette_env.observation import OBSERVATION_LAYOUT
from tressette_env.rules import VARIANTS, Rules, variant_name
from tressette_env.shuffling import random_bits, stream_keys
from tressette_env.view import View

FloatArray = npt.NDArray[np.float32]
BLOCK = 128
"""Rows that are always computed at once: a fixed size makes rounding independent of the batch; more leave the cache."""
GRID = 1024.0
"""Steps in a unit of the grid: float32 sums of four such numbers below 4,096 are exact."""
_FIELD_SCALES = {"fell": 1 / 40, "drew": 1 / 10}
_BLOCK_SCALES = {
    "thirds": 1 / 16,
    "declared_points": 1 / 6,
    "scores": 0.0,  # the networks play for the points of the deal, whatever the match stands at
    "target": 0.0,
    "tricks": 1 / 5,
    "cards_left": 1 / 10,
    "stock": 1 / 20,
    "trick": 1 / 10,
    "place": 1 / 3,
}
_NEGATIVE = -1e9
_WEIGHTS = "weights"


def input_scales(variant: str) -> tuple[FloatArray, FloatArray]:
    """Return what the bytes of a suit block, and of the other blocks, are multiplied by."""
    layout = OBSERVATION_LAYOUT[variant]
    suit = np.ones(layout[SUITS[0]].shape[0], np.float32)
    for name, scale in _FIELD_SCALES.items():
        if name in layout[SUITS[0]].fields:
            suit[layout[SUITS[0]].fields[name].slice] = scale
    shared = [
        np.full(block.slice.stop - block.slice.start, _BLOCK_SCALES.get(name, 1.0), np.float32)
        for name, block in layout.items()
        if name not in SUITS
    ]
    return suit, np.concatenate(shared)


def follow_column(variant: str) -> int:
    """Return the column of a suit block that says whether this suit was led to the trick being played."""
    return int(OBSERVATION_LAYOUT[variant][SUITS[0]].fields["follow"].slice.start)


def hidden_places(variant: str) -> int:
    """Return in how many places a card may be that a seat has not seen: the other hands, and the stock."""
    rules = Rules(variant)
    return rules.seats - 1 + (1 if rules.stock else 0)


class TowerWeights:
    """The weights of the towers of one variant, float32, as ``LAYER.weight`` (out, in) and ``LAYER.bias``.

    Layers may also have weights for each suit, (4, out, in); relabelling suits then changes what is computed.
    Raises ``ValueError`` when a number is not finite.
    """

    def __init__(self, variant: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.variant = variant
        self._suit_scale, self._shared_scale = input_scales(variant)
        self.arrays = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        self._more_exchanges = sum(name.startswith("again.") and name.endswith("pooled.weight") for name in self.arrays)
        if not all(np.isfinite(array).all() for array in self.arrays.values()):
            raise ValueError("some weights are not finite")

    @property
    def observation_size(self) -> int:
        """Numbers of an observation."""
        return len(self._suit_scale) * NUM_SUITS + len(self._shared_scale)

    def body(self, observation: npt.NDArray[np.uint8], hidden: npt.NDArray[np.uint8] | None = None) -> FloatArray:
        """Return the features of each suit, (n · 4, head); `hidden` (n, 4, k): more inputs of each suit."""
        rows = len(observation)
        cut = NUM_SUITS * len(self._suit_scale)
        blocks = observation[:, :cut].reshape(rows, NUM_SUITS, -1)
        seen: list[npt.NDArray[Any]] = [blocks * self._suit_scale]
        if hidden is not None:
            seen.append(hidden)
        if self.arrays["read_suit.weight"].shape[-1] > sum(part.shape[2] for part in seen):
            seen += card_facts(self.variant, blocks)
        inputs = np.concatenate(seen, axis=2, dtype=np.float32).reshape(rows * NUM_SUITS, -1)
        shared = self.apply("read_shared", observation[:, cut:] * self._shared_scale)
        features: FloatArray = self.apply("read_suit", inputs).reshape(rows, NUM_SUITS, -1)
        features += shared[:, None]
        read = relu(features).reshape(rows * NUM_SUITS, -1)
        tower = relu(self.apply("tower", read))
        led = observation[:, follow_column(self.variant) : cut : len(self._suit_scale)]
        pooled = self._heard("", tower.reshape(rows, NUM_SUITS, -1), led)
        own: FloatArray = self.apply("own", tower).reshape(rows, NUM_SUITS, -1)
        own += pooled[:, None]
        features = relu(own)
        for exchange in range(self._more_exchanges):
            pooled = self._heard(f"again.{exchange}.", features, led)
            own = self.apply(f"again.{exchange}.own", features.reshape(rows * NUM_SUITS, -1)).reshape(features.shape)
            own += features
            own += pooled[:, None]
            features = relu(own)
        return features.reshape(rows * NUM_SUITS, -1)

    def _heard(self, exchange: str, features: FloatArray, led: npt.NDArray[np.uint8]) -> FloatArray:
        """Return what all suits are told in an exchange, (n, out), of features (n, 4, in); `led` (n, 4): 0 and 1."""
        told = self.apply(f"{exchange}pooled", suit_mean(features))
        if f"{exchange}led.weight" in self.arrays:
            only = np.matmul(led[:, None].astype(np.float32), features)[:, 0]  # at most one of the four is not 0
            told += self.apply(f"{exchange}led", only)
        return told

    def apply(self, layer: str, inputs: FloatArray) -> FloatArray:
        """Return what a layer makes of inputs (rows, in); with weights for each suit the suits follow each other."""
        weight, bias = self.arrays[f"{layer}.weight"], self.arrays.get(f"{layer}.bias")
        if weight.ndim == 3:
            by_suit = inputs.reshape(-1, NUM_SUITS, inputs.shape[1]).transpose(1, 0, 2) @ weight.transpose(0, 2, 1)
            by_suit = by_suit.transpose(1, 0, 2) + self.arrays[f"{layer}.bias"]
            return by_suit.reshape(len(inputs), -1)
        outputs: FloatArray = inputs @ weight.T
        if bias is not None:
            outputs += bias
        return outputs

    @property
    def digest(self) -> str:
        """A hash of the weights."""
        hashed = hashlib.sha256()
        for name in sorted(self.arrays):
            hashed.update(name.encode() + self.arrays[name].tobytes())
        return hashed.hexdigest()[:12]


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
            self.card_scores(np.zeros((1, self.observation_size), np.uint8))
        except KeyError as error:
            raise ValueError(f"the weights have no {error.args[0]}") from None

    def card_scores(self, observation: npt.NDArray[np.uint8]) -> FloatArray:
        """Return scores of the cards, (n, 40)."""
        return self.apply("score", self.body(observation)).reshape(len(observation), NUM_CARDS)

    def owner_scores(self, observation: npt.NDArray[np.uint8]) -> FloatArray:
        """Return scores of where each unseen card is, (n, 40, places).

        The places are the other hands, the next seat's first, and the stock where there is one.
        """
        return self.apply("owner", self.body(observation)).reshape(len(observation), NUM_CARDS, -1)


def in_blocks(compute: Callable[..., FloatArray], *inputs: npt.NDArray[Any]) -> FloatArray:
    """Return what `compute` makes of inputs with n rows each, `BLOCK` rows at a time, the last ones filled up."""
    rows = len(inputs[0])
    blocks = max(-(-rows // BLOCK), 1)
    padded = [np.zeros((blocks * BLOCK, *array.shape[1:]), array.dtype) for array in inputs]
    for whole, array in zip(padded, inputs, strict=True):
        whole[:rows] = array
    parts = [compute(*(whole[start : start + BLOCK] for whole in padded)) for start in range(0, blocks * BLOCK, BLOCK)]
    return np.concatenate(parts)[:rows]


def relu(values: FloatArray) -> FloatArray:
    """Return the numbers with those below 0 replaced by 0, in place."""
    return np.maximum(values, np.float32(0), out=values)


def suit_mean(features: FloatArray) -> FloatArray:
    """Return the mean over the suits of (n, 4, width), exactly the same in any order of them."""
    steps = features * np.float32(GRID)
    np.rint(steps, out=steps)
    mean: FloatArray = steps.sum(axis=1)
    mean /= np.float32(NUM_SUITS * GRID)
    return mean


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
        """Return where each card that the seat has not seen is likely to be, (n, 40, places), in logarithms."""
        return _log_softmax(in_blocks(self.weights.owner_scores, view.observation))

    def scores(self, view: View) -> FloatArray:
        """Return scores of the legal cards, (n, 40), very negative where illegal; in blocks of `BLOCK` rows."""
        scores = in_blocks(self.weights.card_scores, view.observation)
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
