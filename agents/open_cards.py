"""What a critic knows besides the observation: the hidden cards, and what the sides have taken so far."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env import DealBatch
from tressette_env.cards import NUM_RANKS, NUM_SUITS, IntArray, membership
from tressette_env.towers import hidden_places
from tressette_env.view import View

FloatArray = npt.NDArray[np.float32]


def hidden_planes(deals: DealBatch, view: View, rows: IntArray) -> npt.NDArray[np.uint8]:
    """Return what a critic may know besides the observation, (rows, 4, hidden) uint8.

    By suit: the hands of the other seats, next seat first, and in `two_player` for each card of the stock
    its place, 1 for the next to be drawn.
    """
    rules = deals.rules
    seats = view.seat.astype(np.int64)
    hands = deals.hands[rows]
    here = np.arange(len(rows))
    others = [hands[here, (seats + turn) % rules.seats] for turn in range(1, rules.seats)]
    planes = [membership(hand).view(np.uint8) for hand in others]
    if len(planes) < hidden_places(rules.variant):  # also in a mini game without a stock
        planes.append(_stock_places(deals, rows))
    stacked = np.stack(planes, axis=1)
    by_suit = stacked.reshape(len(rows), len(planes), NUM_SUITS, NUM_RANKS).transpose(0, 2, 1, 3)
    return by_suit.reshape(len(rows), NUM_SUITS, -1)


def _stock_places(deals: DealBatch, rows: IntArray) -> npt.NDArray[np.uint8]:
    rules = deals.rules
    drawn = np.minimum(2 * (deals.ply[rows] // rules.seats), rules.stock)
    stock = deals.decks[rows, rules.seats * rules.hand :]
    places = np.arange(1, rules.stock + 1) - drawn[:, None]
    planes = np.zeros((len(rows), NUM_SUITS * NUM_RANKS), np.uint8)
    np.put_along_axis(planes, stock, np.maximum(places, 0).astype(np.uint8), axis=1)
    return planes


def points_taken(view: View) -> FloatArray:
    """Return (n,) the points already taken, own side minus the other, declarations and thirds included."""
    declared, thirds = view.declared_points, view.thirds
    return for_side(declared[:, 0] - declared[:, 1] + (thirds[:, 0] - thirds[:, 1]) / 3, view.seat)


def for_side(lead_of_side_0: npt.NDArray[Any], seat: npt.NDArray[Any]) -> FloatArray:
    """Return a difference of side 0 minus side 1 as each seat's own side minus the other."""
    return np.where(seat & 1, -lead_of_side_0, lead_of_side_0).astype(np.float32)
