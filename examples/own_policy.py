"""A policy of your own: python evaluate.py match examples.own_policy:Policy rules --variant partners --pairs 1000."""

import numpy as np

from tressette_env.cards import NUM_CARDS, NUM_RANKS, THIRDS, IntArray, membership
from tressette_env.shuffling import stream_keys
from tressette_env.view import View

IDS = np.arange(NUM_CARDS)
STRENGTH = IDS % NUM_RANKS


class Policy:
    """Takes tricks that are worth it with the weakest card that wins, and gives the least otherwise."""

    def __init__(self, variant: str, seed: int = 0, eager: int = 1) -> None:
        self.seed, self.eager = seed, eager  # `eager`, an option of its own: thirds of a point that are worth a trick

    def act(self, view: View) -> IntArray:
        """Return a card id for each of the n rows: the legal card with the highest score."""
        best = (membership(view.table & view.suit) * (IDS + 1)).max(axis=1) - 1  # the card that holds the trick, or -1
        mate = (view.seat + 2) % 4 % view.rules.seats
        holds_it = view.played[mate, np.arange(len(view))] >> np.maximum(best, 0).astype(np.uint64) & 1 == 1
        ours = (holds_it & (best >= 0) & (view.rules.seats == 4))[:, None]
        thirds = membership(view.table)[:, None] @ THIRDS + THIRDS
        take = membership(view.suit) & (best[:, None] < IDS) & ~ours & (thirds >= self.eager)
        draw = stream_keys(self.seed, view.keys)[:, None] >> IDS.astype(np.uint64) & 1  # settles ties by the seed
        score = np.where(take, 100 - STRENGTH, np.where(ours, 10, -10) * THIRDS - STRENGTH + draw / 2)
        return np.asarray(np.where(view.legal, score, -np.inf).argmax(axis=1))
