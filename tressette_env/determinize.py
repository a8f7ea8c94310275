"""Determinization: go on from what a seat knows as if the hidden cards lay in a given way.

Everything public comes from the view, everything hidden from the arguments, so that no true hidden card can slip in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env.baselines.bits import strongest
from tressette_env.cards import ONE, IntArray, UInt64Array, bitboard_of, membership, popcount
from tressette_env.checking import as_array, described
from tressette_env.deals import DealBatch
from tressette_env.view import View


def determinize(view: View, hands: Any, stock: Any = None) -> DealBatch:
    """Return a batch in which deal i continues from row i of the view with the given hidden cards.

    `hands` (n, seats) uint64: all hands now, the observer's own included, cards on the table not.  `stock`
    (n, k) integers: the cards still to be drawn, first drawn first, then -1; may be left out when there are none.
    For several worlds of one row, repeat the row: ``view.take(np.repeat(rows, worlds))``.
    The decks of the batch are those of the given worlds, dealt hands in rising order.
    Raises ``ValueError`` for a row that is not to act, a wrong shape or dtype, or cards that, with those that fell
    or were drawn, are no deal of the pack or do not leave the observer its hand.
    """
    rules = view.rules
    if (view.seat < 0).any():
        raise ValueError(f"row {int((view.seat < 0).argmax())} of the view is not to act: take the rows that are")
    given = as_array(hands)
    if given is None or given.shape != (len(view), rules.seats) or given.dtype != np.uint64:
        raise ValueError(f"hands must be uint64 of shape ({len(view)}, {rules.seats}), not {described(hands)}")
    by_seat = np.ascontiguousarray(given.T)
    decks = _decks(view, by_seat, _checked_stock(view, stock))
    deals = DealBatch(len(view), rules)
    deals._resume(view, by_seat, decks, strongest(view.table & view.suit))
    return deals


def as_dealt(view: View, hands: Any, stock: Any = None) -> DealBatch:
    """Return a batch of the same worlds before their first card, with all declarations made: see `determinize`.

    Playing ``view.plays`` in it leads to what `determinize` returns.
    """
    now = determinize(view, hands, stock)
    deals = DealBatch(len(view), view.rules)
    deals._target = view.target
    deals.reset(decks=now.decks, dealers=now.dealer, scores=now.scores)
    return deals


def _checked_stock(view: View, stock: Any) -> IntArray:
    """Return the stock as (n, k) int64, no columns if there is none; ``ValueError`` for a wrong shape or dtype."""
    if stock is None:
        return np.zeros((len(view), 0), np.int64)
    given = as_array(stock)
    if given is None or given.ndim != 2 or len(given) != len(view) or given.dtype.kind not in "iu":
        raise ValueError(f"stock must be integers of shape ({len(view)}, cards), not {described(stock)}")
    return given.astype(np.int64)


def _decks(view: View, hands: UInt64Array, stock: IntArray) -> IntArray:
    """Return (n, cards) decks: what was dealt to each seat, then the cards drawn in order, then the stock."""
    rules = view.rules
    dealt = (hands | view.played) & ~view.drawn
    left = rules.stock - popcount(view.drawn).sum(axis=0)
    undrawn = stock[:, : int(left.max(initial=0))]
    bits = np.where(undrawn >= 0, ONE << undrawn.astype(np.uint64), np.uint64(0))
    _check_partition(view, hands, dealt, bits, left)
    decks = np.zeros((len(view), rules.num_cards), np.int64)
    for seat, cards in enumerate(dealt):
        decks[:, seat * rules.hand : (seat + 1) * rules.hand] = _ids(cards, rules.hand)
    if rules.stock:
        first = rules.seats * rules.hand
        _put_drawn(decks[:, first:], view)
        row, place = np.nonzero(undrawn >= 0)
        decks[row, first + (rules.stock - left)[row] + place] = undrawn[row, place]
    return decks


def _check_partition(view: View, hands: UInt64Array, dealt: UInt64Array, stock: UInt64Array, left: IntArray) -> None:
    """Raise ``ValueError`` unless dealt hands, cards drawn and stock (bits) make up the pack, each of its size."""
    rules, rows = view.rules, np.arange(len(view))
    pack = np.uint64(bitboard_of(rules.pack))
    wrong = (popcount(dealt) != rules.hand).any(axis=0) | (popcount(stock).sum(axis=1) != left)
    everything = np.bitwise_or.reduce(np.concatenate([dealt, view.drawn, stock.T]), axis=0)
    wrong |= (everything != pack) | (hands[view.seat, rows] != view.hand)
    if wrong.any():
        raise ValueError(
            f"row {int(wrong.argmax())}: hands and stock must be the observer's own hand, and all cards that "
            "neither it holds nor have fallen, as many in each place as there are now"
        )


def _ids(cards: UInt64Array, size: int) -> npt.NDArray[Any]:
    """Return the ids in bitboards (n,) of `size` cards each, in rising order: (n, size)."""
    return np.nonzero(membership(cards))[1].reshape(len(cards), size)


def _put_drawn(stock: IntArray, view: View) -> None:
    """Write the cards drawn so far to the front of `stock` (n, cards): the winner of a trick draws first."""
    winner = _winners(view)
    for seat, cards in enumerate(view.drawn):
        row, card = np.nonzero(membership(cards))
        trick = view.drew[row, card].astype(np.int64) - 1
        stock[row, 2 * trick + (winner[row, trick] != seat)] = card


def _winners(view: View) -> IntArray:
    """Return the seat that won each trick, (n, tricks), 0 for tricks not played yet (two players)."""
    winner = np.zeros((len(view), view.rules.num_tricks), np.int64)
    row, card = np.nonzero(membership(view.won & view.played[1]))
    winner[row, (view.fell[row, card].astype(np.int64) - 1) // view.rules.seats] = 1
    return winner
