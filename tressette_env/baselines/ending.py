"""Counting out the last tricks of the two-player game, when the stock is empty and every card is known.

Positions run along the last axis, (m,).  Values are final points, the leader's minus the other's, under best
play of both, floors and the last trick included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tressette_env.baselines.bits import BoolArray, as_float, distinct, ids_of, spread
from tressette_env.baselines.facts import Facts, Marks
from tressette_env.cards import ACES, FIGURES, ONE, SUIT_MASK_OF_CARD, IntArray, UInt64Array, popcount

MOST_CARDS = 4
"""Cards in hand from which on every line of play is worked out."""
_ROWS = 128  # decisions worked out at once: what a core's cache holds
_NEVER = 99  # worse than any value
_1, _MINUS_1, _3 = np.int8(1), np.int8(-1), np.int8(3)
_ACE_THIRDS = np.uint8(3)


SmallInts = npt.NDArray[np.int8]


class Side(NamedTuple):
    """A player's cards in hand (m,) and thirds taken (m,)."""

    hand: UInt64Array
    thirds: SmallInts

    def take(self, rows: IntArray) -> Side:
        """Return some positions, or one for each entry of `rows`."""
        return Side(self.hand[rows], self.thirds[rows])


def count_ending(f: Facts) -> Marks:
    """Count the last tricks out: with the stock empty the other's cards are known, and so is every line of play."""
    if f.partnership:
        return {}
    points = np.zeros(f.bit.shape, np.int8)
    known = popcount(f.out) <= f.left
    counted = (f.stock == 0) & (f.left <= MOST_CARDS) & known
    for size in np.unique(f.left[counted]):
        rows = np.flatnonzero(counted & (f.left == size))
        for start in range(0, len(rows), _ROWS):
            part = rows[start : start + _ROWS]
            points[:, part] = _value_of_cards(f, part)
    return {"points": as_float(points)}


def _value_of_cards(f: Facts, rows: IntArray) -> SmallInts:
    """Return (k, rows): what each legal card is worth to its player."""
    bits = f.bit[:, rows]
    place, row = np.nonzero(bits)
    card, position = bits[place, row], rows[row]
    thirds = f.thirds[:, position].astype(np.int8)
    own = Side(f.hand[position] ^ card, thirds[0])
    other = Side(f.out[position], thirds[1])
    values = np.full(bits.shape, -_NEVER, np.int8)
    if f.table[position[0]] == 0:
        values[place, row] = _reply(own, other, card)
    else:
        values[place, row] = -_finish(other, own, f.table[position], card)
    return values


def _lead(leader: Side, follower: Side) -> SmallInts:
    """Return the value (m,) of positions before a lead."""
    if not (leader.hand & (leader.hand - ONE)).any():
        return _last_trick(leader, follower)
    cards = spread(distinct(leader.hand, follower.hand))
    place, row = np.nonzero(cards)
    card = cards[place, row]
    after = leader.take(row)
    values = np.full(cards.shape, -_NEVER, np.int8)
    values[place, row] = _reply(after._replace(hand=after.hand ^ card), follower.take(row), card)
    best: SmallInts = values.max(axis=0)
    return best


def _last_trick(leader: Side, follower: Side) -> SmallInts:
    """Return the value (m,) of positions with one card in each hand."""
    own, other, lost = _score(leader, follower, leader.hand, follower.hand)
    return own // _3 - other // _3 + np.where(lost, _MINUS_1, _1)


def _score(
    leader: Side, follower: Side, led: UInt64Array, reply: UInt64Array
) -> tuple[SmallInts, SmallInts, BoolArray]:
    """Return the thirds of the leader and the other after a trick, and whether the leader lost it."""
    lost = (reply > led) & ((reply & SUIT_MASK_OF_CARD.take(ids_of(led))) != 0)
    trick = led | reply
    thirds = (np.bitwise_count(trick & FIGURES) + _ACE_THIRDS * np.bitwise_count(trick & ACES)).view(np.int8)
    of_follower = thirds * lost
    return leader.thirds + (thirds - of_follower), follower.thirds + of_follower, lost


def _reply(leader: Side, follower: Side, led: UInt64Array) -> SmallInts:
    """Return the value (m,) of positions in which `led` is on the table."""
    following = follower.hand & SUIT_MASK_OF_CARD.take(ids_of(led))
    cards = np.where(following == 0, follower.hand, following)
    cards = spread(distinct(cards, leader.hand | led))
    place, row = np.nonzero(cards)
    card = cards[place, row]
    after = follower.take(row)
    values = np.full(cards.shape, _NEVER, np.int8)
    values[place, row] = _finish(leader.take(row), after._replace(hand=after.hand ^ card), led[row], card)
    worst: SmallInts = values.min(axis=0)
    return worst


def _finish(leader: Side, follower: Side, led: UInt64Array, reply: UInt64Array) -> SmallInts:
    """Return the value (m,) of positions after both cards of a trick, for the one who led to it."""
    own, other, lost = _score(leader, follower, led, reply)
    if not leader.hand.any():
        return own // _3 - other // _3 + np.where(lost, _MINUS_1, _1)
    winner = Side(np.where(lost, follower.hand, leader.hand), np.where(lost, other, own))
    loser = Side(np.where(lost, leader.hand, follower.hand), np.where(lost, own, other))
    values = _lead(winner, loser)
    return np.where(lost, -values, values)
