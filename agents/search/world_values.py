"""What each legal card is worth in given worlds: by exact search, or by playing on with `rules` in all seats.

A world is a full deal that agrees with what a seat knows, or the true one.  Exact values are the double-dummy ones
of `agents.search.solver`: all seats see all cards.  A roll-out plays the card and then the deal with `rules`, each
seat seeing only what it may; it counts the final points, or stops where few cards are left and takes the exact value
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.search.positions import positions_of
from agents.search.solver import NO_VALUE, card_points, final_points, warm_up
from tressette_env.baselines import RulesPlayer
from tressette_env.baselines.bits import distinct
from tressette_env.cards import NUM_CARDS, ONE, IntArray, UInt64Array, bitboard_of, membership, popcount
from tressette_env.deals import DealBatch
from tressette_env.determinize import determinize
from tressette_env.players import Player
from tressette_env.rules import Rules, resolve_rules
from tressette_env.view import View

FloatArray = npt.NDArray[np.float32]
Critic = Callable[[DealBatch, IntArray], FloatArray]
"""Says side 0's final points less side 1's in some rows of a batch."""
MOST_AT_ONCE = 16_384
"""Roll-outs or positions in one batch, which bounds the memory."""
_BITS = ONE << np.arange(NUM_CARDS, dtype=np.uint64)


class WorldValues:
    """Values of cards in worlds.

    `exact`: cards in hand at which values are exact, where nothing is left to draw; with more, roll-outs.
    `handover`: cards in hand at which a roll-out stops and takes the exact value, at most `exact`; 0 plays to the last
    card.  `player`: who plays the roll-outs in all seats, `rules` unless given.  With a `critic` a roll-out stops at
    the latest `tricks` tricks after the one on the table, and takes what the critic says of the position.
    Raises ``ValueError`` for an unknown variant or a wrong option.
    """

    def __init__(
        self,
        variant: str | Rules,
        exact: int,
        handover: int,
        player: Player | None = None,
        critic: Critic | None = None,
        tricks: int = 0,
    ) -> None:
        self.exact = check_number("exact", exact, 0)
        self.handover = check_number("handover", handover, 0)
        if self.handover > self.exact:
            raise ValueError(
                f"handover={handover} must be at most exact={exact}: a roll-out stops where values are exact"
            )
        self.player = RulesPlayer(variant) if player is None else player
        self.critic = critic
        self.tricks = check_number("tricks", tricks, 0)
        hand = resolve_rules(variant).hand
        if self.handover > hand:
            raise ValueError(f"handover={handover} must be at most {hand}, the cards of a hand when the stock is empty")
        warm_up()

    def __call__(
        self, view: View, hands: UInt64Array, stock: npt.NDArray[Any], candidates: UInt64Array | None = None
    ) -> FloatArray:
        """Return (n, worlds, 40) float32: final points of the own side less the other's; NaN for illegal cards.

        `hands` (n, worlds, seats) and `stock` (n, worlds, k) as in `agents.search.worlds.Worlds`; all rows of the
        view are to act.  Points declared so far count.  `candidates` (n,): the only cards that are rolled out, the
        others then have NaN; where values are exact all have one.
        """
        values = np.empty((*hands.shape[:2], NUM_CARDS), np.float32)
        solved = self.is_exact(view)
        rows = np.flatnonzero(solved)
        if len(rows):
            values[rows] = self._solve(view.take(rows), hands[rows])
        rows = np.flatnonzero(~solved)
        if len(rows):
            seen = view.take(rows)
            tried = different_cards(seen) if candidates is None else candidates[rows]
            values[rows] = self._play_out(seen, hands[rows], stock[rows], tried)
            if candidates is None:
                values[rows] = _spread(values[rows], seen, tried)
        return values

    def is_exact(self, view: View) -> npt.NDArray[np.bool_]:
        """Return (n,): whether the values of a row are exact ones."""
        exact: npt.NDArray[np.bool_] = (stock_left(view) == 0) & (popcount(view.hand) <= self.exact)
        return exact

    def _solve(self, view: View, hands: UInt64Array) -> FloatArray:
        """Return exact values; equal worlds of a row, which are many when few cards are left, are solved once."""
        rows, worlds, seats = hands.shape
        row = np.repeat(np.arange(rows, dtype=np.uint64), worlds)
        different, where = np.unique(np.column_stack([row, hands.reshape(-1, seats)]), axis=0, return_inverse=True)
        values = np.empty((len(different), NUM_CARDS), np.float32)
        for part in _parts(len(different)):
            of = different[part, 0].astype(np.int64)
            values[part] = self._exact_values(view.take(of), different[part, 1:])
        return values[where.reshape(-1)].reshape(rows, worlds, NUM_CARDS)

    def _exact_values(self, view: View, hands: UInt64Array) -> FloatArray:
        points = card_points(positions_of(view, hands), view.rules)
        declared = view.declared_points[np.arange(len(view)), view.seat & 1] * 2 - view.declared_points.sum(axis=1)
        values = (points + declared[:, None]).astype(np.float32)
        values[points == NO_VALUE] = np.nan
        return values

    def _play_out(self, view: View, hands: UInt64Array, stock: npt.NDArray[Any], tried: UInt64Array) -> FloatArray:
        """Return values of the cards `tried` by roll-outs."""
        rows, worlds, _ = hands.shape
        row, card = np.nonzero(membership(tried))
        row, card, world = np.repeat(row, worlds), np.repeat(card, worlds), np.tile(np.arange(worlds), len(row))
        values = np.full((rows, worlds, NUM_CARDS), np.nan, np.float32)
        for part in _parts(len(row)):
            r, w, c = row[part], world[part], card[part]
            deals = determinize(view.take(r), hands[r, w], stock[r, w])
            deals.step(c)
            values[r, w, c] = self._finish(deals) * (1 - 2 * (view.seat[r] & 1))
        return values

    def _finish(self, deals: DealBatch) -> FloatArray:
        """Play deals on and return side 0's final points less side 1's, (N,)."""
        rules = deals.rules
        solved_from = (rules.num_tricks - self.handover) * rules.seats
        last_ply = np.full(deals.num_deals, solved_from)
        if self.critic is not None:
            this_trick = -(-deals.ply // rules.seats)
            last_ply = np.minimum((this_trick + self.tricks) * rules.seats, solved_from)
        while (playing := deals.active & (deals.ply < last_ply)).any():
            rows = np.flatnonzero(playing)
            view = deals.view()
            cards = np.zeros(len(view), np.int64)
            cards[rows] = np.asarray(self.player.act(view if playing.all() else view.take(rows)))
            deals.step(cards, rows=playing)
        points = deals.points
        margin = (points[:, 0] - points[:, 1]).astype(np.float32)
        solved = deals.ply >= solved_from
        rest = np.flatnonzero(deals.active & solved)
        if len(rest):
            view = deals.view().take(rest)
            declared = view.declared_points[:, 0] - view.declared_points[:, 1]
            margin[rest] = final_points(positions_of(view, deals.hands[rest]), rules) + declared
        rest = np.flatnonzero(deals.active & ~solved)
        if self.critic is not None and len(rest):
            margin[rest] = self.critic(deals, rest)
        return margin


def _spread(values: FloatArray, view: View, tried: UInt64Array) -> FloatArray:
    """Return values (n, worlds, 40) in which cards that are as good as each other have the same."""
    spread = np.take_along_axis(values, lowest_equal(tried)[:, None, :], axis=2)
    spread[np.broadcast_to(~view.legal[:, None], spread.shape)] = np.nan
    return spread


def stock_left(view: View) -> IntArray:
    """Return how many cards are still to be drawn, (n,)."""
    left: IntArray = view.rules.stock - popcount(view.drawn).sum(axis=0)
    return left


def different_cards(view: View) -> UInt64Array:
    """Return the legal cards (n,) without those as good as a lower one: worth the same, and no other's between."""
    gone = np.bitwise_or.reduce(view.played, axis=0) & ~view.table
    return distinct(view.legal_cards, np.uint64(bitboard_of(view.rules.pack)) & ~(view.hand | gone))


def lowest_equal(different: UInt64Array) -> IntArray:
    """Return (n, 40): for each legal card the one of `different_cards` (n,) that is as good as it."""
    lowest: IntArray = np.maximum.accumulate(np.where(membership(different), np.arange(NUM_CARDS), 0), axis=1)
    return lowest


def favourite(player: Player, view: View, allowed: npt.NDArray[np.bool_]) -> IntArray:
    """Return the card that `player` would play if only those `allowed` (n, 40) were legal, (n,) int64."""
    cards = player.act(replace(view, legal_cards=(allowed * _BITS).sum(axis=1, dtype=np.uint64)))
    return np.asarray(cards, np.int64)


def check_number(name: str, value: Any, least: int) -> int:
    """Return an option that is a whole number of at least `least`; ``ValueError`` if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}={value!r} is not allowed: a whole number of at least {least}")
    return int(value)


def _parts(size: int) -> Iterator[slice]:
    for start in range(0, size, MOST_AT_ONCE):
        yield slice(start, start + MOST_AT_ONCE)
