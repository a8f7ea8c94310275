"""The batch core on one core: steps with the legal sets, the same with observations, and dealing.

The cards are chosen beforehand (the lowest legal one), so the times are those of the environment alone.
"""

from __future__ import annotations

import time

from benchmarks.measuring import Row, rates, seconds_of
from tressette_env import DealBatch
from tressette_env.cards import IntArray, lowest_cards
from tressette_env.rules import VARIANTS

TITLE = "Batch core, one core (the choice of the cards is not counted)"
BATCHES = (256, 1024, 4096, 16384)
DEALING_BATCH = 4096
_PLAYS, _QUICK_PLAYS = 3_000_000, 700_000  # of one repetition
_DEALS, _QUICK_DEALS = 20 * DEALING_BATCH, 5 * DEALING_BATCH


def run(quick: bool) -> list[Row]:
    """Measure every variant."""
    rows = [
        _playing(variant, deals, observing, quick)
        for observing in (False, True)
        for variant in VARIANTS
        for deals in BATCHES
    ]
    return rows + [_dealing(variant, quick) for variant in VARIANTS]


def _playing(variant: str, num_deals: int, observing: bool, quick: bool) -> Row:
    deals = DealBatch(num_deals, variant)
    plays = _recorded(deals)
    per_game = num_deals * len(plays)
    games = max(1, (_QUICK_PLAYS if quick else _PLAYS) // (per_game * (4 if observing else 1)))

    def repetition() -> float:
        seconds = 0.0
        for _ in range(games):
            deals.reset(seed=0)
            start = time.perf_counter()
            for cards in plays:
                if observing:
                    deals.observe()
                _ = deals.legal
                deals.step(cards)
            seconds += time.perf_counter() - start
        return seconds

    what = "step + legal + observe" if observing else "step + legal"
    return Row(f"{what}, {variant}, {num_deals:,} deals", rates(games * per_game, repetition, quick), "plays/s")


def _recorded(deals: DealBatch) -> list[IntArray]:
    """Play the deals of seed 0 to their end and return the cards, (N,) for each ply."""
    deals.reset(seed=0)
    plays = []
    while not deals.done:
        plays.append(lowest_cards(deals.legal))
        deals.step(plays[-1])
    return plays


def _dealing(variant: str, quick: bool) -> Row:
    deals = DealBatch(DEALING_BATCH, variant)
    count = _QUICK_DEALS if quick else _DEALS

    def repetition() -> float:
        return sum(seconds_of(lambda seed=seed: deals.reset(seed=seed)) for seed in range(count // DEALING_BATCH))  # type: ignore[misc]

    microseconds = [1e6 / rate for rate in rates(count, repetition, quick)]
    return Row(f"reset, {variant}, {DEALING_BATCH:,} deals", microseconds, "us/deal")
