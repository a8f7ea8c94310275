"""Open-card positions: what the solver solves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search.bonuses import bonus_in_reach
from tressette_env.cards import IntArray, UInt64Array, popcount
from tressette_env.scoring import whole_suit
from tressette_env.view import View

TABLE = 4
"""Columns of `Positions.table`: no trick has more cards."""


class Positions(NamedTuple):
    """n positions with all hands open and no card left to draw.

    ``hands`` (n, seats) uint64: cards in hand, those on the table not among them; ``leader`` (n,) int64: the seat
    that leads, or led the trick on the table; ``table`` (n, 4) int8: the cards on the table as they were played,
    then -1; ``thirds`` (n, 2) int64: taken so far by each side, never the last trick; ``bonus`` (n,) int64: which
    historical bonuses can still be won, see `agents.search.bonuses`, 0 for none.
    """

    hands: UInt64Array
    leader: IntArray
    table: npt.NDArray[np.int8]
    thirds: IntArray
    bonus: IntArray

    @property
    def mover(self) -> IntArray:
        """(n,) int64: the seat to play."""
        seat: IntArray = (self.leader + (self.table >= 0).sum(axis=1)) % self.hands.shape[1]
        return seat


def positions_of(view: View, hands: UInt64Array) -> Positions:
    """Return the positions of a view's rows, given all hands (n, seats) uint64; no card may be left to draw."""
    rules, rows = view.rules, np.arange(len(view))
    on_table = view.ply % rules.seats
    table = np.full((len(view), TABLE), -1, np.int8)
    for place in range(rules.seats - 1):
        there = rows[on_table > place]
        table[there, place] = view.plays[there, (view.ply - on_table + place)[there]]
    first = (view.dealer + 1) % rules.seats
    dealt = hands[rows, first] | view.played[first, rows]
    one_suit = np.where(whole_suit(dealt, rules), first & 1, -1)
    return Positions(
        hands=np.ascontiguousarray(hands, np.uint64),
        leader=view.leader.astype(np.int64),
        table=table,
        thirds=np.ascontiguousarray(view.thirds, np.int64),
        bonus=bonus_in_reach(view.taken, popcount(view.played & view.won), one_suit, rules),
    )
