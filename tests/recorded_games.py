"""Random games as records."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np

from tests.games import mixed_decks, random_cards, random_dealers
from tressette_env import DealBatch, Rules
from tressette_env.record import Recorder, to_line

Record = dict[str, Any]


def names_of(rules: Rules) -> list[str]:
    return [f"player of seat {seat}" for seat in range(rules.seats)]


def started(rules: Rules, kind: type[DealBatch], games: int, seed: int = 1) -> DealBatch:
    batch = kind(games, rules)
    batch.reset(seed=seed, decks=mixed_decks(rules, games, seed), dealers=random_dealers(rules, games, seed))
    return batch


def recorded(rules: Rules, kind: type[DealBatch], games: int, seed: int = 1) -> list[Record]:
    """Random games, written down while they are played."""
    batch = started(rules, kind, games, seed)
    recorder = Recorder(batch, [names_of(rules)] * games)
    rng = np.random.default_rng(seed)
    while not batch.done:
        recorder.step(random_cards(batch, rng))
    return recorder.records()


@lru_cache
def one_line(rules: Rules, kind: type[DealBatch]) -> str:
    return to_line(recorded(rules, kind, 1)[0])


def one(rules: Rules, kind: type[DealBatch] = DealBatch) -> Record:
    """A fresh record to be spoilt."""
    record: Record = json.loads(one_line(rules, kind))
    return record
