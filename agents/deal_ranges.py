"""The published deals: fixed ranges, so that everybody plays the same cards and none is used up by tuning.

A range is the deals 0, 1, … of one seed.  Its decks can be written to a file, for other implementations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tressette_env import DealBatch, MatchBatch, Rules


class DealRange(NamedTuple):
    """The first `deals` deals of a seed, and what they are for."""

    seed: int
    deals: int
    purpose: str


REPORT, DEVELOPMENT, SELECTION = "report", "development", "selection"
RANGES = {
    REPORT: DealRange(0, 100_000, "results that are shown, and nothing else"),
    DEVELOPMENT: DealRange(1, 100_000, "measuring while something is written or trained"),
    SELECTION: DealRange(2, 100_000, "choosing between finished candidates"),
}


def range_of(seed: int) -> str | None:
    """Return the name of the range that has this seed."""
    return next((name for name, deals in RANGES.items() if deals.seed == seed), None)


def seed_text(seed: int, pairs: int) -> str:
    """Return a seed for people, with the name of its range where `pairs` deals do not go beyond it."""
    name = range_of(seed)
    return f"{seed} (the {name} range)" if name and pairs <= RANGES[name].deals else str(seed)


def distinct_deals(rules: Rules, seed: int, pairs: int, episode: str = "deal") -> int:
    """Return how many different deals (deck and dealer; of matches the first) pairs 0 to `pairs - 1` have."""
    if not pairs:
        return 0
    games = (DealBatch if episode == "deal" else MatchBatch)(pairs, rules)
    games.reset(seed=seed)
    cards = games.decks.astype(np.int8)
    return len({(dealer, deck.tobytes()) for dealer, deck in zip(games.dealer.tolist(), cards, strict=True)})


def deals_text(report: dict[str, Any]) -> str:
    """Return for people which deals a report is about: its ``seed``, and how many of its ``pairs`` are distinct."""
    return f"{seed_text(report['seed'], report['pairs'])}, {report['distinct_deals']:,} of them distinct"
