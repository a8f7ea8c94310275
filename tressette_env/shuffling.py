"""Deals from a counter-based generator: deal *i* of seed *s* depends on (s, i) alone.

The generator is the SplitMix64 finaliser (Steele, Lea, Flood: "Fast splittable pseudorandom number
generators", OOPSLA 2014) applied to a counter, so that any deal can be drawn without the ones before
it and a batch is a plain array expression.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tressette_env.cards import IntArray, UInt64Array
from tressette_env.checking import count_array
from tressette_env.rules import Rules

_GOLDEN = 0x9E3779B97F4A7C15
_FIRST_FACTOR, _SECOND_FACTOR = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_CARD_BITS = 6  # a sort key is 58 random bits above the 6 bits of a card id
_CHUNK = 4096  # deals shuffled at once: what a core's cache holds


def mix64(counters: UInt64Array) -> UInt64Array:
    """Return well-mixed 64-bit numbers, one for each counter (a bijection)."""
    mixed: UInt64Array = (counters ^ (counters >> np.uint64(30))) * np.uint64(_FIRST_FACTOR)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND_FACTOR)
    return mixed ^ (mixed >> np.uint64(31))


def mix64_in_place(counters: UInt64Array, shifted: UInt64Array) -> None:
    """Do what `mix64` does to the numbers themselves, which is faster; `shifted`, of their shape, is written over."""
    for shift, factor in ((30, _FIRST_FACTOR), (27, _SECOND_FACTOR)):
        np.right_shift(counters, np.uint64(shift), out=shifted)
        counters ^= shifted
        counters *= np.uint64(factor)
    np.right_shift(counters, np.uint64(31), out=shifted)
    counters ^= shifted


def stream_keys(*parts: Any) -> UInt64Array:
    """Return one key for each combination of parts (ints or arrays, broadcast together)."""
    key: UInt64Array = np.zeros(1, np.uint64)
    for part in parts:
        key = mix64((key + np.uint64(_GOLDEN)) ^ mix64(np.atleast_1d(np.asarray(part).astype(np.uint64))))
    return key


def random_bits(keys: UInt64Array, count: int, first: int = 0) -> UInt64Array:
    """Return numbers `first` to `first + count - 1` of each key's stream: (N, count) uint64."""
    with np.errstate(over="ignore"):
        steps = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    return mix64(keys[:, None] + steps)


def check_seed(seed: Any, rows: int) -> UInt64Array:
    """Return a seed, an int or (N,) ints from 0 to 2**63 - 1, as (rows,) uint64; ``ValueError`` otherwise."""
    return np.broadcast_to(count_array("seed", seed, (), (rows,)).astype(np.uint64), (rows,))


def draw_deals(seeds: UInt64Array, *ids: Any, rules: Rules) -> tuple[IntArray, IntArray]:
    """Draw decks and first dealers.

    `seeds` (N,) and any number of ids (ints or (N,), such as the deal id, or match id and deal number)
    name each deal.  Returns decks (N, num_cards), permutations of the pack's ids, and dealers (N,).
    """
    keys = stream_keys(seeds, *ids)
    pack = np.array(rules.pack)
    decks = np.empty((len(keys), len(pack)), np.int64)
    for start in range(0, len(keys), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        sortable = random_bits(keys[chunk], len(pack), first=1)
        sortable &= np.uint64((1 << 64) - (1 << _CARD_BITS))
        sortable |= np.arange(len(pack), dtype=np.uint64)
        sortable.sort(axis=1)
        sortable &= np.uint64((1 << _CARD_BITS) - 1)
        decks[chunk] = pack.take(sortable.view(np.int64))
    dealers = (random_bits(keys, 1)[:, 0] & np.uint64(rules.seats - 1)).astype(np.int64)
    return decks, dealers
