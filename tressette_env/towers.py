"""The towers of a network, computed with numpy alone: what policy and critic are made of.

One tower with the same weights for each suit reads the suit's block of the observation, what follows from it
(`tressette_env.card_facts`) and the numbers that concern no suit; the towers talk through their mean, and all hear the
tower of the suit that was led.  Relabelling suits permutes the features to the last bit: the mean is taken of numbers
rounded to a grid, whose sum does not depend on their order.  `agents.network` trains the same towers with torch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env.card_facts import card_facts, facts_size
from tressette_env.cards import NUM_SUITS, SUITS
from tressette_env.observation import OBSERVATION_LAYOUT, UInt8Array
from tressette_env.rules import Rules

FloatArray = npt.NDArray[np.float32]
BLOCK = 128
"""Rows that are always computed at once: a fixed size makes rounding independent of the batch; more leave the cache."""
ALIKE = 8
"""Rows that OpenBLAS adds up alike with AVX2 alone; of twelve it does not, and fewer take longer."""
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
        hand = OBSERVATION_LAYOUT[variant][SUITS[0]].fields["hand"].slice
        self._public = np.ones(self.observation_size, bool)  # which columns are not the observer's hand
        self._public[: NUM_SUITS * len(self._suit_scale)].reshape(NUM_SUITS, -1)[:, hand] = False
        self._more_exchanges = sum(name.startswith("again.") and name.endswith("pooled.weight") for name in self.arrays)
        if not all(np.isfinite(array).all() for array in self.arrays.values()):
            raise ValueError("some weights are not finite")

    @property
    def observation_size(self) -> int:
        """Numbers of an observation."""
        return len(self._suit_scale) * NUM_SUITS + len(self._shared_scale)

    def body(self, observation: UInt8Array, hidden: UInt8Array | None = None) -> FloatArray:
        """Return the features of each suit, (n · 4, head); `hidden` (n, 4, k): more inputs of each suit."""
        return self._exchanged(*self._alone(observation, hidden), self._led(observation))

    def answers(self, layer: str, observation: UInt8Array) -> FloatArray:
        """Return what a layer makes of `body`, (n, 4 · out), `BLOCK` rows at a time.

        Rows that differ in the observer's hand alone, such as worlds, share the towers of equal suits, to save time.
        """
        if (mixed := self._mixed(observation)) is None:
            return in_blocks(lambda rows: self._answer(layer, self.body(rows)), observation)
        rows, where = mixed
        both = in_blocks(lambda rows: np.concatenate(self._alone(rows), axis=2), rows)
        width = self.arrays["tower.weight"].shape[-2]
        tower, own = np.ascontiguousarray(both[:, :, :width]), np.ascontiguousarray(both[:, :, width:])
        suits = np.arange(NUM_SUITS)

        def of_worlds(observation: UInt8Array, where: npt.NDArray[np.int64]) -> FloatArray:
            alone = tower[where, suits], own[where, suits]
            return self._answer(layer, self._exchanged(*alone, self._led(observation)))

        return in_blocks(of_worlds, observation, where)

    def _mixed(self, observation: UInt8Array) -> tuple[UInt8Array, npt.NDArray[np.int64]] | None:
        """Return rows (m, obs) that have every hand of each suit, and where those of n rows are, (n, 4).

        None if the rows differ in more than the hands, or where there are too few to gain by it.
        """
        if len(observation) <= 2 * BLOCK or ((observation[-1] != observation[0]) & self._public).any():
            return None
        if ((observation != observation[0]) & self._public).any():
            return None
        columns = np.flatnonzero(~self._public).reshape(NUM_SUITS, -1)
        hands = np.packbits(observation[:, columns], axis=2, bitorder="little").view("<u2")[:, :, 0]
        distinct = [np.unique(of_suit, return_index=True, return_inverse=True) for of_suit in hands.T]
        mixed = observation[: max(len(first) for _, first, _ in distinct)].copy()
        for of_suit, (_, first, _) in zip(columns, distinct, strict=True):
            mixed[: len(first), of_suit] = observation[first[:, None], of_suit]
        return mixed, np.stack([inverse.reshape(-1) for _, _, inverse in distinct], axis=1)

    def _led(self, observation: UInt8Array) -> UInt8Array:
        """Return which suit was led, (n, 4) of 0 and 1."""
        return observation[:, follow_column(self.variant) : NUM_SUITS * len(self._suit_scale) : len(self._suit_scale)]

    def _alone(self, observation: UInt8Array, hidden: UInt8Array | None = None) -> tuple[FloatArray, FloatArray]:
        """Return what the towers say of each suit before they talk, and what of it enters the first exchange.

        Both (n, 4, …); that of a suit depends on its block, on what concerns no suit and on whose card takes the trick.
        """
        rows = len(observation)
        cut = NUM_SUITS * len(self._suit_scale)
        blocks = observation[:, :cut].reshape(rows, NUM_SUITS, -1)
        seen: list[npt.NDArray[Any]] = [blocks * self._suit_scale]
        if hidden is not None:
            seen.append(hidden)
        seen += self._facts(blocks, sum(part.shape[2] for part in seen))
        inputs = np.concatenate(seen, axis=2, dtype=np.float32).reshape(rows * NUM_SUITS, -1)
        shared = self.apply("read_shared", observation[:, cut:] * self._shared_scale)
        features: FloatArray = self.apply("read_suit", inputs).reshape(rows, NUM_SUITS, -1)
        features += shared[:, None]
        read = relu(features).reshape(rows * NUM_SUITS, -1)
        tower = relu(self.apply("tower", read))
        own = self.apply("own", tower)
        return tower.reshape(rows, NUM_SUITS, -1), own.reshape(rows, NUM_SUITS, -1)

    def _facts(self, blocks: UInt8Array, seen: int) -> list[UInt8Array]:
        """Return the facts of suit blocks if the first layer reads them beside `seen` other numbers, or none."""
        reads, facts = self.arrays["read_suit.weight"].shape[-1], facts_size(self.variant)
        if reads not in (seen, seen + facts):
            raise ValueError(
                f"read_suit.weight reads {reads} numbers of a suit, not {seen} or, with facts, {seen + facts}"
            )
        return card_facts(self.variant, blocks) if reads > seen else []

    def _exchanged(self, tower: FloatArray, own: FloatArray, led: UInt8Array) -> FloatArray:
        """Return the features of each suit after all exchanges, (n · 4, head); `own` is overwritten."""
        own += self._heard("", tower, led)[:, None]
        features = relu(own)
        for exchange in range(self._more_exchanges):
            pooled = self._heard(f"again.{exchange}.", features, led)
            own = self.apply(f"again.{exchange}.own", features.reshape(-1, features.shape[2])).reshape(features.shape)
            own += features
            own += pooled[:, None]
            features = relu(own)
        return features.reshape(-1, features.shape[2])

    def _answer(self, layer: str, body: FloatArray) -> FloatArray:
        return self.apply(layer, body).reshape(len(body) // NUM_SUITS, -1)

    def _heard(self, exchange: str, features: FloatArray, led: UInt8Array) -> FloatArray:
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
            by_suit = product(inputs.reshape(-1, NUM_SUITS, inputs.shape[1]).transpose(1, 0, 2), weight)
            by_suit = by_suit.transpose(1, 0, 2) + self.arrays[f"{layer}.bias"]
            return by_suit.reshape(len(inputs), -1)
        outputs = product(inputs, weight)
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


def in_blocks(compute: Callable[..., FloatArray], *inputs: npt.NDArray[Any]) -> FloatArray:
    """Return what `compute` makes of inputs with n rows each, `BLOCK` rows at a time, the last ones filled up."""
    rows = len(inputs[0])
    blocks = max(-(-rows // BLOCK), 1)
    padded = [np.zeros((blocks * BLOCK, *array.shape[1:]), array.dtype) for array in inputs]
    for whole, array in zip(padded, inputs, strict=True):
        whole[:rows] = array
    parts = [compute(*(whole[start : start + BLOCK] for whole in padded)) for start in range(0, blocks * BLOCK, BLOCK)]
    return np.concatenate(parts)[:rows]


def product(inputs: FloatArray, weight: FloatArray) -> FloatArray:
    """Return inputs (…, rows, in) times the transpose of weight (…, out, in); no bit depends on where a row stands.

    With AVX2 alone OpenBLAS adds up the rows of a large matrix in orders that depend on their place.
    """
    turned = weight.swapaxes(-1, -2)
    if inputs.shape[-2] % ALIKE or not _depends_on_place():
        plain: FloatArray = inputs @ turned
        return plain
    if weight.shape[-2] == 1:  # a matrix times a vector, which it adds up by place even for few rows
        single: FloatArray = (inputs * weight).sum(axis=-1, keepdims=True)
        return single
    few = inputs.reshape(*inputs.shape[:-2], -1, ALIKE, inputs.shape[-1]) @ turned[..., None, :, :]
    return few.reshape(*inputs.shape[:-1], -1)


@cache
def _depends_on_place() -> bool:
    """Say whether on this processor rows of a matrix product depend in their last bits on where they stand."""
    generator = np.random.Generator(np.random.PCG64(0))
    for rows, reads, writes in ((4 * BLOCK, 90, 64), (BLOCK, 64, 40), (4 * BLOCK, 128, 128)):
        inputs = generator.standard_normal((rows, reads), np.float32)
        weight = generator.standard_normal((writes, reads), np.float32)
        if not np.array_equal((inputs @ weight.T)[::-1], inputs[::-1] @ weight.T):
            return True
    return False


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
