"""The player `search`: the trained network, its best cards compared in sampled worlds before one is played."""

from __future__ import annotations

from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from agents.critic import critic_of
from agents.search.beliefs import Belief, Policy
from agents.search.pimc import SAME, batches_of, check_z
from agents.search.world_values import FloatArray, WorldValues, check_number, different_cards, lowest_equal, stock_left
from agents.search.worlds import Worlds, draw_worlds, warm_up
from tressette_env.cards import NUM_CARDS, ONE, IntArray, UInt64Array, membership, popcount
from tressette_env.players import make_player
from tressette_env.rules import Rules, resolve_rules
from tressette_env.view import View

HANDOVER = {"two_player": 6, "partners": 4, "historical": 4}
"""Cards in hand at which a roll-out takes the exact value."""
EXACT = {"two_player": 10, "partners": 4, "historical": 4}
"""Cards in hand at which the values of all cards are exact: with two players where the stock is empty."""
SURE = 0.98
"""A card of at least this probability is played without search."""
_BITS = ONE << np.arange(NUM_CARDS, dtype=np.uint64)


class GuidingPlayer(Policy, Protocol):
    """A player that says how probable each card is to be played."""

    version: str

    def act(self, view: View) -> Any:
        """Return a card for each row."""


class SearchPlayer:
    """Plays the network's card unless another does better with the network in all seats, in worlds of its own.

    `worlds` are drawn from `pool` times as many that agree with what the seat knows, weighted by how probable the
    network makes the play so far in them (`temper`: the exponent, 0 for uniform worlds, see `Belief`).  The
    `candidates` most probable cards are played out in all of them by the network in every seat, each seeing only what
    it may, to the end of the trick and `tricks` more; there the critic that the network was trained with values the
    open cards.  From `handover` cards in hand on, values are exact instead; a network without its critic plays down to
    there.  With at most `exact` cards in hand every legal card has its exact value.  The best card of the first half of
    the worlds replaces the network's if it is ahead in the other half, which shares no hands with it, by more than `z`
    standard errors of the paired differences; where there are no more than `worlds` worlds all count at once.
    In two_player with an empty stock all cards are known: there the card is exactly best (with the default `exact`).
    `policy`: the network, `network` unless another player with `log_probs` is named.
    One information set and `seed` give one decision.
    Raises ``ValueError`` for an unknown variant or a wrong option.
    """

    slow = True
    budget_option = "worlds"

    def __init__(
        self,
        variant: str | Rules = "partners",
        seed: int = 0,
        worlds: int = 200,
        candidates: int = 4,
        z: float = 0.5,
        pool: int = 5,
        temper: float = 0.75,
        exact: int | None = None,
        handover: int | None = None,
        tricks: int = 1,
        policy: str = "network",
    ) -> None:
        self.rules = resolve_rules(variant)
        self.seed = seed
        self.worlds = check_number("worlds", worlds, 2)
        self.pool = check_number("pool", pool, 1)
        self.candidates = check_number("candidates", candidates, 1)
        self.z = check_z(z)
        self.policy = as_policy(policy, make_player(policy, self.rules, seed))
        self.version = f"3 {self.policy.version}"
        name = self.rules.variant
        exact = min(EXACT[name], self.rules.hand) if exact is None else check_number("exact", exact, 0)
        handover = min(HANDOVER[name], exact) if handover is None else handover
        self._world_values = WorldValues(self.rules, exact, handover, self.policy, critic_of(self.policy), tricks)
        belief = Belief(self.policy, temper)
        self._belief = belief if temper > 0 else None
        warm_up(self.rules)

    def act(self, view: View) -> IntArray:
        """Return (n,) int64 card ids, 0 where no card is legal."""
        log_probs = self.policy.log_probs(view)
        cards = np.where(view.legal, log_probs, -np.inf).argmax(axis=1)
        base, tried = self._considered(view, cards, log_probs)
        for rows in batches_of(view, popcount(tried) > 1, self.worlds * self.candidates):
            better = self._better(view.take(rows), base[rows], tried[rows])
            cards[rows] = np.where(better >= 0, better, cards[rows])
        return cards

    def _considered(self, view: View, cards: IntArray, log_probs: FloatArray) -> tuple[IntArray, UInt64Array]:
        """Return the policy's card (n,), the lowest of equal ones, and the cards that it is compared with and itself.

        These are all where values are exact and every card is known, and none where the policy is sure.
        """
        different = different_cards(view)
        equal, rows = lowest_equal(different), np.arange(len(view))
        base = np.where(view.legal_cards != 0, equal[rows, cards], 0)
        chances = np.zeros((len(view), NUM_CARDS))
        np.add.at(chances, (rows[:, None], equal), np.where(view.legal, np.exp(log_probs), 0.0))
        sure = chances[rows, base] >= SURE
        chances[rows, base] = 2.0
        ranks = np.argsort(np.argsort(-chances, axis=1, kind="stable"), axis=1)
        tried = membership(different).astype(bool) & (ranks < self.candidates) & ~sure[:, None]
        known = (stock_left(view) == 0) & (self.rules.stock > 0) & self._world_values.is_exact(view)
        return base, np.where(known, different, (tried * _BITS).sum(axis=1, dtype=np.uint64))

    def _better(self, view: View, base: IntArray, tried: UInt64Array) -> IntArray:
        """Return the card that is better than `base` for certain enough, (n,), -1 where none is."""
        worlds = draw_worlds(view, self.worlds, self.seed, self._belief, self.pool)
        ahead = self._ahead(view, worlds, base, tried)
        dealt = numbered(worlds.hands)
        first = first_half(dealt)
        known = (worlds.counts <= self.worlds) & (stock_left(view) == 0)
        first[known] = True  # so few worlds that most are drawn: none are kept apart for a check
        means = (ahead * first[:, :, None]).sum(axis=1) / first.sum(axis=1)[:, None]
        chosen = np.where(np.isnan(means), -np.inf, means).argmax(axis=1)
        of_chosen = np.take_along_axis(ahead, chosen[:, None, None], axis=2)[:, :, 0]
        mean, error = clustered(of_chosen, dealt, ~first)
        mean[known], error[known] = means[known, chosen[known]], 0.0
        return np.where(mean > self.z * error + SAME, chosen, -1)

    def _ahead(self, view: View, worlds: Worlds, base: IntArray, tried: UInt64Array) -> npt.NDArray[np.float64]:
        """Return by how much each card is better than `base` in each world, (n, worlds, 40); equal worlds count once.

        NaN for cards that are not tried.
        """
        which = numbered(np.concatenate([worlds.hands, worlds.stock.astype(np.uint64)], axis=2))
        where = np.zeros((len(which), which.max(initial=0) + 1), np.int64)
        rows, places = np.nonzero(which == np.maximum.accumulate(which, axis=1))
        where[rows[::-1], which[rows, places][::-1]] = places[::-1]
        hands = np.take_along_axis(worlds.hands, where[:, :, None], axis=1)
        stock = np.take_along_axis(worlds.stock, where[:, :, None], axis=1)
        values = self._world_values(view, hands, stock, tried).astype(np.float64)
        ahead: npt.NDArray[np.float64] = values - np.take_along_axis(values, base[:, None, None], axis=2)
        return np.take_along_axis(ahead, which[:, :, None], axis=1)


def numbered(items: UInt64Array) -> IntArray:
    """Return which item of its row each of (n, m, k) is, (n, m): equal ones have one number, in order of appearance."""
    numbers = np.zeros(items.shape[:2], np.int64)
    for row, of_row in enumerate(items):
        _, first, inverse = np.unique(of_row, axis=0, return_index=True, return_inverse=True)
        numbers[row] = np.argsort(np.argsort(first))[inverse.reshape(-1)]
    return numbers


def first_half(numbers: IntArray) -> npt.NDArray[np.bool_]:
    """Return which of the items numbered so (n, m) make the first half, (n, m); equal ones are in the same half."""
    rows, size = numbers.shape
    counts = np.zeros((rows, size), np.int64)
    np.add.at(counts, (np.arange(rows)[:, None], numbers), 1)
    middle = counts.cumsum(axis=1) - counts / 2
    return np.take_along_axis((middle <= size / 2) | (np.arange(size) == 0), numbers, axis=1)


def clustered(
    values: npt.NDArray[np.float64], numbers: IntArray, used: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the mean (n,) of the `used` (n, m) values and its standard error, where equal items are one observation.

    The mean is minus infinity, and the error 0, where fewer than two different items are used.
    """
    rows, size = values.shape
    count = used.sum(axis=1)
    mean = np.where(used, values, 0.0).sum(axis=1) / np.maximum(count, 1)
    sums, there = np.zeros((rows, size)), np.zeros((rows, size), bool)
    here = np.broadcast_to(np.arange(rows)[:, None], numbers.shape)
    np.add.at(sums, (here, numbers), np.where(used, values - mean[:, None], 0.0))
    there[here[used], numbers[used]] = True
    items = there.sum(axis=1)
    spread = np.sqrt((sums**2).sum(axis=1) * items / np.maximum(items - 1, 1)) / np.maximum(count, 1)
    return np.where(items > 1, mean, -np.inf), np.where(items > 1, spread, 0.0)


def as_policy(name: str, player: Any) -> GuidingPlayer:
    """Return a player that can guide the search; ``ValueError`` if this one can not."""
    if not hasattr(player, "log_probs"):
        raise ValueError(f"policy={name} is not allowed: it has no log_probs, as networks have")
    return cast(GuidingPlayer, player)
