"""The wrapper ``+solver``: any player of two_player, exact once nothing is hidden any more."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.search.positions import positions_of
from agents.search.solver import card_points
from agents.search.world_values import favourite, stock_left
from tressette_env.baselines import RulesPlayer
from tressette_env.cards import NUM_CARDS, UInt64Array, bitboard_of
from tressette_env.players import Player
from tressette_env.rules import Rules, resolve_rules
from tressette_env.view import View


class SolverPlayer:
    """Plays as `player` does while there is a stock, and an exactly best card from the empty stock on.

    With the stock drawn, all cards that have not fallen and are not in the own hand are the opponent's, so that the
    rest of the deal is solved exactly.  If the player's own card is among the best, that is played, otherwise the one
    of them that `rules` would play.  The seed changes nothing: `player` has its own.
    Raises ``ValueError`` for a variant other than two_player.
    """

    version = 1

    def __init__(self, player: Player, variant: str | Rules = "two_player", seed: int = 0) -> None:
        self.rules = resolve_rules(variant)
        if self.rules.variant != "two_player":
            raise ValueError(f"+solver needs the end of two_player, where every card is known, not {variant!r}")
        self.wrapped = player
        self.slow = bool(getattr(player, "slow", False))
        self.seed = seed
        self._rules_player = RulesPlayer(variant)

    def act(self, view: View) -> Any:
        """Return (n,) card ids; what the player replies for rows with a stock, right or wrong, stands."""
        reply = self.wrapped.act(view)
        cards = np.array(reply)
        if cards.shape != view.seat.shape or cards.dtype.kind not in "iu":
            return reply  # no cards at all: whoever asked says so
        known = np.flatnonzero((view.legal_cards != 0) & (stock_left(view) == 0))
        if len(known):
            seen = view.take(known)
            points = card_points(positions_of(seen, all_hands(seen)), seen.rules)
            best = points == points.max(axis=1, keepdims=True)
            own = (np.arange(NUM_CARDS) == cards[known, None]) & best
            allowed = np.where(own.any(axis=1, keepdims=True), own, best)
            cards[known] = favourite(self._rules_player, seen, allowed)
        return cards


def all_hands(view: View) -> UInt64Array:
    """Return both hands, (n, 2) uint64, in rows of two_player with an empty stock: what has not fallen is held."""
    held = np.uint64(bitboard_of(view.rules.pack)) & ~np.bitwise_or.reduce(view.played, axis=0)
    other = held & ~view.hand
    hands: UInt64Array = np.where(view.seat[:, None] == np.arange(2), view.hand[:, None], other[:, None])
    return hands
