"""How likely worlds are by what a policy believes of the unseen cards."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from agents.search.world_values import FloatArray
from tressette_env.cards import UInt64Array, membership
from tressette_env.view import View

UNIFORM = 0.25
"""Share of the weight that all worlds get alike."""
LEAST_SAMPLE = 0.25
"""Least effective sample size of the weights, as a share of the worlds: below it the belief is flattened."""
_HALVINGS = 6


class Believer(Protocol):
    """Whoever says where each card lies."""

    def owner_log_probs(self, view: View) -> FloatArray:
        """Return (n, 40, places): the other hands, the next seat's first, and the stock where there is one."""


class Belief:
    """Weighs worlds by the product of the chances that each unseen card lies where it does, to the power of `temper`.

    `policy` says them.  Where the effective sample size, (Σw)² / Σw², would fall below
    `LEAST_SAMPLE` of the worlds the exponent is halved until it does not; then the weights are mixed with equal ones.
    Raises ``ValueError`` for a bad exponent.
    """

    def __init__(self, policy: Believer, temper: float) -> None:
        if isinstance(temper, bool) or not isinstance(temper, int | float) or not 0 <= temper < np.inf:
            raise ValueError(f"temper={temper!r} is not allowed: an exponent of at least 0")
        self._policy = policy
        self._temper = float(temper)

    def __call__(self, view: View, hands: UInt64Array) -> npt.NDArray[np.float64]:
        """Return weights (n, m) that add up to 1 for hands (n, m, seats)."""
        logs = self._temper * _log_likelihood(view, hands, self._policy.owner_log_probs(view))
        worlds = hands.shape[1]
        weights = _normalised(logs)
        for _ in range(_HALVINGS):
            narrow = 1 / (weights**2).sum(axis=1) < LEAST_SAMPLE * worlds
            if not narrow.any():
                break
            logs[narrow] /= 2
            weights[narrow] = _normalised(logs[narrow])
        return (1 - UNIFORM) * weights + UNIFORM / worlds


def _log_likelihood(view: View, hands: UInt64Array, owners: FloatArray) -> npt.NDArray[np.float64]:
    """Return the sum (n, m) of the log chances of where the cards lie, those on the table and known ones left out."""
    rows, worlds, seats = hands.shape
    here = np.arange(rows)
    seat = view.seat.astype(np.int64)
    total = np.zeros((rows, worlds))
    held = np.zeros((rows, worlds), np.uint64)
    known = np.bitwise_or.reduce(view.known, axis=1)
    for turn in range(1, seats):
        theirs = hands[here, :, (seat + turn) % seats]
        held |= theirs
        total += _summed(theirs & ~known[:, None], owners[:, :, turn - 1])
    if view.rules.stock:
        gone = np.bitwise_or.reduce(view.played, axis=0)
        unseen = ~(gone | view.hand)[:, None] & ~held & np.uint64((1 << 40) - 1)
        total += _summed(unseen, owners[:, :, seats - 1])
    return total


def _summed(cards: UInt64Array, logs: FloatArray) -> npt.NDArray[np.float64]:
    """Return (n, m): the sum of logs (n, 40) over the cards of each set (n, m)."""
    rows, worlds = cards.shape
    inside = membership(cards.reshape(-1)).reshape(rows, worlds, -1).astype(np.float32)
    total: npt.NDArray[np.float64] = np.einsum("nmc,nc->nm", inside, logs).astype(np.float64)
    return total


def _normalised(logs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    weights: npt.NDArray[np.float64] = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
