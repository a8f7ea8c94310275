"""The exact solver on random deals: time of a position, of all cards' values, on two threads, and each enhancement.

Times are of one position at a time on one core, its tables included.  The transposition table is kept from deal to
deal, as in use: entries of other deals save less than one position in a hundred.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.search import card_points, double_dummy, thirds_to_come
from agents.search.positions import TABLE, Positions
from benchmarks.measuring import Row, seconds_of
from tressette_env import Rules
from tressette_env.cards import NUM_CARDS, bitboard_of
from tressette_env.shuffling import random_bits, stream_keys

TITLE = "Exact solver, one core unless said"
CASES = (("two_player", 10), ("partners", 7), ("partners", 8), ("partners", 10))
"""Variant and cards a hand, nothing left to draw."""
DEALS, QUICK_DEALS = 200, 20
ENHANCEMENTS = {
    "transposition table": double_dummy.MEMORY,
    "equal cards merged": double_dummy.EQUAL_CARDS,
    "ranks that matter only": double_dummy.RANKS,
    "sure tricks of the leader's side": double_dummy.CASHING,
    "sure tricks of the other side": double_dummy.OTHERS,
    "move ordering": double_dummy.ORDER,
    "dominated plays left out": double_dummy.DOMINANCE,
}
_SEED = 2026


def run(quick: bool) -> list[Row]:
    """Measure every case, then what each enhancement saves."""
    rows = []
    for variant, size in CASES:
        if quick and size == NUM_CARDS // Rules(variant).seats and variant == "partners":
            continue  # whole deals take minutes
        rows += _case(variant, size, QUICK_DEALS if quick else DEALS)
    rows.append(_threads(QUICK_DEALS if quick else DEALS))
    for variant, size in CASES[:2]:
        rows += _shares(variant, size, QUICK_DEALS if quick else DEALS)
    return rows


def random_positions(variant: str, size: int, number: int, seed: int = _SEED) -> list[Positions]:
    """Return positions of `size` cards a hand at the start of a trick, the lead drawn at random."""
    seats = Rules(variant).seats
    bits = random_bits(stream_keys(seed, np.arange(number)), NUM_CARDS + 1)
    decks = np.argsort(bits[:, :NUM_CARDS], axis=1)[:, : seats * size].reshape(number, seats, size)
    hands = np.array([[bitboard_of(hand) for hand in deal] for deal in decks], np.uint64)
    leaders = (bits[:, NUM_CARDS] % np.uint64(seats)).astype(np.int64)
    return [_position(hands[row : row + 1], leaders[row : row + 1]) for row in range(number)]


def _position(hands: npt.NDArray[np.uint64], leader: npt.NDArray[np.int64]) -> Positions:
    table = np.full((1, TABLE), -1, np.int8)
    return Positions(hands, leader, table, np.zeros((1, 2), np.int64), np.zeros(1, np.int64))


def _joined(positions: list[Positions]) -> Positions:
    return Positions(*(np.concatenate(parts) for parts in zip(*positions, strict=True)))


def _case(variant: str, size: int, number: int) -> list[Row]:
    rules, positions = Rules(variant), random_positions(variant, size, number + 1)
    thirds_to_come(positions[0], rules)  # compiles
    card_points(positions[0], rules)
    value = [1e3 * seconds_of(lambda p=p: thirds_to_come(p, rules)) for p in positions[1:]]  # type: ignore[misc]
    others = random_positions(variant, size, number if size < 10 or rules.seats == 2 else number // 10, _SEED + 1)
    cards = [1e3 * seconds_of(lambda p=p: card_points(p, rules)) for p in others]  # type: ignore[misc]
    what = f"{variant}, {size} cards a hand"
    rows = []
    for name, times in ((f"{what}: value", value), (f"{what}: every card", cards)):
        rows.append(Row(f"{name}, median", [float(np.median(times))], "ms"))
        rows.append(Row(f"{name}, mean", [float(np.mean(times))], "ms"))
        rows.append(Row(f"{name}, 99 %", [float(np.percentile(times, 99))], "ms"))
    return rows


def _threads(number: int) -> Row:
    """Measure how many times as fast two threads solve many positions of eight cards."""
    rules = Rules("partners")
    positions = _joined(random_positions("partners", 8, number, _SEED + 2))
    one = seconds_of(lambda: thirds_to_come(positions, rules, threads=1))
    two = seconds_of(lambda: thirds_to_come(positions, rules, threads=2))  # new threads, so new tables
    return Row("partners, 8 cards a hand: speed of two threads to one", [one / two], "times")


def _shares(variant: str, size: int, number: int) -> list[Row]:
    """Measure how many times as long the same positions take without each enhancement."""
    rules, positions = Rules(variant), random_positions(variant, size, number, _SEED + 9)
    every = double_dummy.ALL_ENHANCEMENTS

    def seconds(flags: int) -> float:
        return sum(seconds_of(lambda p=p: thirds_to_come(p, rules, flags=flags)) for p in positions)  # type: ignore[misc]

    base = seconds(every)
    return [
        Row(f"{variant}, {size} cards a hand: time without {name}", [seconds(every & ~flag) / base], "times")
        for name, flag in ENHANCEMENTS.items()
    ]
