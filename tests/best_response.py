"""The exact best response to a player that is frozen and draws nothing, in a mini game of two players.

All deals are followed at once: where the player acts it chooses, where the responder acts every legal card is tried.
Then, from the last play back, the responder takes in each of its information sets the card with the largest sum over
the deals that it cannot tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from tressette_env import DealBatch, Rules
from tressette_env.cards import IntArray, UInt64Array
from tressette_env.players import Player, decide
from tressette_env.view import View


@dataclass(frozen=True)
class BestResponse:
    """What is found: ``deals`` as (decks, dealers), ``values`` (2, deals), ``table`` (2 dicts).

    Row s is for the responder in seat s: its points minus the player's in each deal, and its card by the view's key.
    """

    deals: tuple[IntArray, IntArray]
    values: IntArray
    tables: tuple[dict[int, int], dict[int, int]]

    @property
    def gain(self) -> float:
        """Points a deal, the mean over all deals and both seats."""
        return float(self.values.mean())


class TablePlayer:
    """Plays the cards of a `BestResponse`."""

    def __init__(self, found: BestResponse) -> None:
        self._tables = found.tables

    def act(self, view: View) -> IntArray:
        keys = zip(view.seat.tolist(), view.keys.tolist(), strict=True)
        return np.array([self._tables[seat][key] if seat >= 0 else 0 for seat, key in keys], np.int64)


def all_deals(rules: Rules) -> tuple[IntArray, IntArray]:
    """Every deck of a pack, the order within a hand left out, with every dealer; all are equally likely."""
    size, seats = rules.hand, rules.seats
    decks = [
        deck
        for deck in permutations(rules.pack)
        if all(list(deck[start : start + size]) == sorted(deck[start : start + size]) for start in (0, size))
    ]
    return np.repeat(np.array(decks), seats, axis=0), np.tile(np.arange(seats), len(decks))


def best_response(player: Player, rules: Rules) -> BestResponse:
    """Return the best response to `player`, in either seat."""
    assert rules.seats == 2, "with partners the responder would be two who do not see each other's hand"
    deals = all_deals(rules)
    first, second = (_respond(player, rules, deals, seat) for seat in (0, 1))
    return BestResponse(deals, np.stack([first[0], second[0]]), (first[1], second[1]))


@dataclass(frozen=True)
class _Ply:
    """The positions after some plays: where each comes from, and the play that leads to it.

    ``parent``, ``card`` and ``key`` (n,): the position before, the card played there, and what its seat knew;
    ``free`` (n,): whether it was the responder's.
    """

    parent: IntArray
    card: IntArray
    key: UInt64Array
    free: np.ndarray[tuple[int], np.dtype[np.bool_]]


def _respond(
    player: Player, rules: Rules, deals: tuple[IntArray, IntArray], seat: int
) -> tuple[IntArray, dict[int, int]]:
    """Return the responder's points minus the player's in each deal, and its card by key."""
    deal, plays = np.arange(len(deals[1])), np.zeros((len(deals[1]), 0), np.int64)
    plies: list[_Ply] = []
    for _ in range(rules.num_cards):
        position = _replay(rules, deals, deal, plays)
        view, free = position.view(), position.player == seat
        cards = np.zeros(len(deal), np.int64)
        if not free.all():
            cards[~free] = decide(player, view.take(~free))
        tried = np.where(free[:, None], view.legal, np.arange(40) == cards[:, None])
        parent, card = np.nonzero(tried)
        plies.append(_Ply(parent, card, view.keys[parent], free[parent]))
        deal, plays = deal[parent], np.column_stack([plays[parent], card])
    points = _replay(rules, deals, deal, plays).points
    values = points[:, seat] - points[:, 1 - seat]
    table: dict[int, int] = {}
    for ply in reversed(plies):
        values = _best(ply, values, table)
    return values, table


def _replay(rules: Rules, deals: tuple[IntArray, IntArray], deal: IntArray, plays: IntArray) -> DealBatch:
    position = DealBatch(len(deal), rules)
    position.reset(decks=deals[0][deal], dealers=deals[1][deal])
    for cards in plays.T:
        position.step(cards)
    return position


def _best(ply: _Ply, values: IntArray, table: dict[int, int]) -> IntArray:
    """Return the values before a ply from those after it, and note the responder's cards."""
    keys, group = np.unique(ply.key, return_inverse=True)
    sums = np.zeros((len(keys), 40), np.int64)
    tried = np.zeros((len(keys), 40), bool)
    # The responder's alone: the player, when it leads, knows in other deals what the responder knows in these.
    np.add.at(sums, (group[ply.free], ply.card[ply.free]), values[ply.free])
    tried[group[ply.free], ply.card[ply.free]] = True
    best = np.where(tried, sums, np.iinfo(np.int64).min).argmax(axis=1)
    table |= {int(keys[i]): int(best[i]) for i in np.unique(group[ply.free])}
    kept = ~ply.free | (ply.card == best[group])
    before = np.empty(int(ply.parent.max()) + 1, np.int64)
    before[ply.parent[kept]] = values[kept]
    return before
