"""How likely worlds are by how well a policy explains the play so far."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from agents.search.world_values import FloatArray
from tressette_env.cards import UInt64Array, bitboard_of, membership, popcount
from tressette_env.deals import DealBatch
from tressette_env.determinize import as_dealt
from tressette_env.view import View

UNIFORM = 0.1
"""Share of the weight that all worlds get alike."""
LEAST_SAMPLE = 16.0
"""Least effective sample size of the weights, in worlds: below it the belief is flattened."""
UNLIKELY = 0.01
"""The chance that a play is given at least: whoever sits there may play otherwise than the policy."""
_FLATTER = 0.7


class Policy(Protocol):
    """Whoever says how probable each card is to be played."""

    def log_probs(self, view: View) -> FloatArray:
        """Return log-probabilities (n, 40), very negative where illegal."""


class Belief:
    """Weighs worlds by the product of the chances that `policy` gives to all plays of the other seats in them.

    The product is taken to the power of `temper`.  Where the effective sample size, (Σw)² / Σw², would fall below
    `LEAST_SAMPLE` worlds (all but one, if they are fewer) the exponent is lowered until it does not, step by step;
    then the weights are mixed with equal ones.  Raises ``ValueError`` for a bad exponent.
    """

    def __init__(self, policy: Policy, temper: float) -> None:
        if isinstance(temper, bool) or not isinstance(temper, int | float) or not 0 <= temper < np.inf:
            raise ValueError(f"temper={temper!r} is not allowed: an exponent of at least 0")
        self._policy = policy
        self._temper = float(temper)

    def __call__(self, view: View, hands: UInt64Array) -> npt.NDArray[np.float64]:
        """Return weights (n, m) that add up to 1 for hands (n, m, seats)."""
        logs = np.stack([self._temper * self.explained(view.take([row]), hands[row]) for row in range(len(view))])
        worlds = hands.shape[1]
        weights = _normalised(logs)
        least = min(LEAST_SAMPLE, worlds - 1)
        while (narrow := 1 / (weights**2).sum(axis=1) < least).any():
            logs[narrow] *= _FLATTER
            weights[narrow] = _normalised(logs[narrow])
        return (1 - UNIFORM) * weights + UNIFORM / worlds

    def explained(self, view: View, hands: UInt64Array) -> npt.NDArray[np.float64]:
        """Return (m,) the sum of the logarithms of those chances, for a view of one row and hands (m, seats).

        What a seat sees depends on its own cards alone, so a hand that it has in several worlds is asked once.
        """
        total = np.zeros(len(hands))
        ply, seats = int(view.ply[0]), view.rules.seats
        if view.seat[0] < 0 or not ply:
            return total
        others = [(int(view.seat[0]) + turn) % seats for turn in range(1, seats)]
        distinct = [np.unique(hands[:, seat], return_index=True, return_inverse=True) for seat in others]
        worlds = np.concatenate([first for _, first, _ in distinct])
        holder = np.repeat(others, [len(first) for _, first, _ in distinct])
        found = self._replayed(view, hands[worlds], holder, ply)
        for seat, (_, _, where) in zip(others, distinct, strict=True):
            total += found[holder == seat][where.reshape(-1)]
        return total

    def _replayed(
        self, view: View, hands: UInt64Array, holder: npt.NDArray[np.int64], ply: int
    ) -> npt.NDArray[np.float64]:
        """Return (k,) what the plays of seat `holder` (k,) add up to in worlds of one row."""
        deals = _as_dealt(view, hands)
        lowest = np.log(UNLIKELY)
        found = np.zeros(len(hands))
        for card, seat in zip(view.plays[0, :ply], view.play_seats[0, :ply], strict=True):
            rows = np.flatnonzero((holder == seat) & (popcount(deals.legal) > 1))
            if len(rows):
                found[rows] += np.maximum(self._policy.log_probs(deals.view(rows=rows))[:, card], lowest)
            deals.step(np.full(len(hands), card, np.int64))
        return found


def _as_dealt(view: View, hands: UInt64Array) -> DealBatch:
    """Return the deals (k,) that hands (k, seats) of a view of one row were dealt as; the stock in any order."""
    repeated = view.take(np.zeros(len(hands), np.int64))
    gone = np.bitwise_or.reduce(repeated.played, axis=0)
    undrawn = np.uint64(bitboard_of(view.rules.pack)) & ~gone & ~np.bitwise_or.reduce(hands, axis=1)
    stock = np.nonzero(membership(undrawn))[1].reshape(len(hands), -1)
    return as_dealt(repeated, hands, stock if stock.shape[1] else None)


def _normalised(logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    weights: npt.NDArray[np.float64] = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
