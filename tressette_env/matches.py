"""`MatchBatch`: matches, in the historical game parties, deal after deal (RULES §6, §7; CONTRACT §2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tressette_env.cards import IntArray, UInt64Array
from tressette_env.dealing import Deal, checked_deal, checked_ids
from tressette_env.deals import DealBatch
from tressette_env.play import NOBODY, End
from tressette_env.rules import DEFAULT_TARGET, Rules, resolve_rules
from tressette_env.shuffling import check_seed, draw_deals

DOUBLE_BELOW = 11
MOST_CARRIED = 20
SEED_OF_LATER_DEALS = 0
"""Draws the deals after a given first one when there is no seed."""


class Outcome(NamedTuple):
    """Where N matches stand after a deal.

    ``scores`` (N, 2) points; ``winner`` (N,) side or -1; ``payment`` (N,) chips to the winner, 0 if there is
    none; ``next_marks`` (N, 2) marks with which the next party starts (historical).
    """

    scores: IntArray
    winner: IntArray
    payment: IntArray
    next_marks: IntArray


def settle(rules: Rules, scores: IntArray, points: IntArray, played: npt.NDArray[np.bool_]) -> Outcome:
    """Return the outcome when a deal of `points` (N, 2) ends at `scores` (N, 2) before it.

    `played` (N,): cards were played; False where declarations alone ended the deal.
    """
    totals = scores + points
    rows = np.arange(len(totals))
    ahead = totals.argmax(axis=1)
    most, least = totals[rows, ahead], totals[rows, 1 - ahead]
    won = (most >= rules.target) & (most > least)
    payment = won.astype(np.int64)
    marks = np.zeros_like(totals)
    if rules.variant == "historical":
        payment[won & (least < DOUBLE_BELOW)] = 2
        carried = np.minimum(most - rules.target, MOST_CARRIED)
        marks[rows, ahead] = np.where(won & played, carried, 0)
    return Outcome(totals, np.where(won, ahead, NOBODY), payment, marks)


def next_dealers(rules: Rules, dealers: IntArray) -> IntArray:
    """Return the dealers (N,) of the deals that follow those dealt by `dealers` (N,)."""
    return (dealers + 1) % rules.seats


class MatchBatch(DealBatch):
    """`num_matches` matches of one variant, played together with the calls of `DealBatch`.

    The step that ends a deal also deals the next one, so that `points` and `thirds` are then the new deal's;
    a match is active until it has a winner.
    """

    def __init__(
        self,
        num_matches: int,
        variant: str | Rules = "partners",
        napoletana: bool = False,
        target: int = DEFAULT_TARGET,
    ) -> None:
        super().__init__(num_matches, resolve_rules(variant, napoletana, target))
        self._target = self.rules.target
        self._standing = np.zeros((num_matches, 2), np.int64)
        self._last_points = np.zeros((num_matches, 2), np.int64)
        self._match_winner = np.full(num_matches, NOBODY, np.int64)
        self._payment = np.zeros(num_matches, np.int64)
        self._next_marks = np.zeros((num_matches, 2), np.int64)
        self._deal_number = np.zeros(num_matches, np.int64)
        self._deals_won = np.zeros((num_matches, 2), np.int64)
        self._seeds: UInt64Array = np.zeros(num_matches, np.uint64)
        self._ids = np.arange(num_matches)

    def reset(
        self,
        seed: Any = None,
        decks: Any = None,
        dealers: Any = None,
        scores: Any = None,
        deal_ids: Any = None,
    ) -> None:
        """Start new matches; deal k of match i depends on (seed, i, k) alone.

        As `DealBatch.reset`, with `deal_ids` (N,) naming the matches.  Given decks and dealers hold for deal 0;
        the later deals are drawn from the seed, from seed 0 where decks and dealers are given without one.
        """
        super().reset(seed, decks, dealers, scores, deal_ids)

    def _start(self, rows: IntArray, seed: Any, decks: Any, dealers: Any, scores: Any, deal_ids: Any) -> None:
        if seed is None and decks is not None and dealers is not None:
            seed = SEED_OF_LATER_DEALS
        count = len(rows)
        ids = checked_ids(deal_ids, count)
        deal = checked_deal(self.rules, count, seed, decks, dealers, scores, ids, 0)
        decided = settle(self.rules, deal.scores, np.zeros_like(deal.scores), np.zeros(count, bool)).winner
        if (decided != NOBODY).any():
            row = int((decided != NOBODY).argmax())
            raise ValueError(f"scores {deal.scores[row].tolist()} of match {rows[row]} have decided it already")
        self._seeds[rows] = check_seed(seed, count)
        self._ids[rows] = ids
        self._deal_number[rows] = 0
        self._standing[rows] = deal.scores
        self._match_winner[rows] = NOBODY
        for state in (self._last_points, self._payment, self._next_marks, self._deals_won):
            state[rows] = 0
        self._deal(rows, deal)
        self._settle(rows[~self._active[rows]])

    def step(self, cards: Any, rows: Any = None) -> None:
        """Play one card in every active match, or in the active ones of `rows`; see `DealBatch.step`."""
        before = self._active.copy()
        super().step(cards, rows)
        ended = before & ~self._active
        if ended.any():
            self._settle(np.flatnonzero(ended))

    def finish(self, row: int, end: End) -> None:
        """Let the deal of a row end as it was played elsewhere, settle it, and deal again while the match goes on."""
        super().finish(row, end)
        self._settle(np.array([row]))

    def _settle(self, rows: IntArray) -> None:
        """Count the deals that ended, and deal again where the match goes on."""
        if not len(rows):
            return
        points = self.points[rows]
        outcome = settle(self.rules, self._standing[rows], points, self._ply[rows] > 0)
        self._last_points[rows] = points
        self._deals_won[rows] += points > points[:, ::-1]
        self._standing[rows] = outcome.scores
        self._match_winner[rows] = outcome.winner
        self._payment[rows] = outcome.payment
        self._next_marks[rows] = outcome.next_marks
        self._deal_next(rows[outcome.winner == NOBODY])

    def _deal_next(self, rows: IntArray) -> None:
        if not len(rows):
            return
        self._deal_number[rows] += 1
        decks, _ = draw_deals(self._seeds[rows], self._ids[rows], self._deal_number[rows], rules=self.rules)
        dealers = next_dealers(self.rules, self._dealer[rows])
        self._deal(rows, Deal(decks, dealers, self._standing[rows]))
        self._settle(rows[~self._active[rows]])

    @property
    def scores(self) -> IntArray:
        """(N, 2) int: each side's points in the match, the deal being played not included."""
        return self._standing.copy()

    @property
    def last_points(self) -> IntArray:
        """(N, 2) int: points of the deal that ended last, 0 before the first has."""
        return self._last_points.copy()

    @property
    def winner(self) -> IntArray:
        """(N,) int: the side that won the match, -1 while it goes on."""
        return self._match_winner.copy()

    @property
    def payment(self) -> IntArray:
        """(N,) int: chips to the winner (modern games: 1), 0 while the match goes on."""
        return self._payment.copy()

    @property
    def next_marks(self) -> IntArray:
        """(N, 2) int: marks with which the next party starts (historical), zeros in modern games."""
        return self._next_marks.copy()

    @property
    def deals_won(self) -> IntArray:
        """(N, 2) int: deals that ended so far in which each side had more points than the other."""
        return self._deals_won.copy()

    @property
    def deal_number(self) -> IntArray:
        """(N,) int: the number, from 0, of the deal each match stands at."""
        return self._deal_number.copy()
