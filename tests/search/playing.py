"""Decisions at all stages of random games, for the tests of players that search."""

from __future__ import annotations

import numpy as np

from tests.games import dealt, mixed_decks, random_cards, random_dealers
from tressette_env import DealBatch, Rules


def scattered(rules: Rules, rows: int, seed: int) -> DealBatch:
    """Deals played by random cards to a random ply each, some to their end."""
    deals = dealt(rules, mixed_decks(rules, rows, seed), random_dealers(rules, rows, seed))
    rng = np.random.default_rng(seed)
    stop = rng.integers(rules.num_cards + 1, size=rows)
    while (going := deals.active & (deals.ply < stop)).any():
        deals.step(random_cards(deals, rng), rows=going)
    return deals
