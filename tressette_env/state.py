"""The full state as one row, and which of its columns each seat may see.

A *state row* is the observation of seat 0 (so that relative seats and sides are absolute ones), then the
hands of the other seats, 40 columns each, then in `two_player` 40 columns for the stock: 1 + the place of a
card that is still to be drawn.  Every observation is a selection of columns of the state row, derived from
`OBSERVATION_LAYOUT` alone, so that a single game can be encoded by changing a few entries a play.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import chain

import numpy as np

from tressette_env.cards import NUM_CARDS, SUITS, IntArray
from tressette_env.observation import OBSERVATION_LAYOUT, OBSERVATION_SIZES, Block


class StateColumns:
    """Where each fact of a variant stands in a state row, as nested lists of columns.

    By card: ``table led won fell drew``; by seat and card: ``hand played known``; ``declared`` and ``excluded``
    by seat and card (modern games: by seat and suit, and by seat, suit and key card); ``void announced
    silent`` by seat and suit; ``follow`` by suit; the rest by side, by seat or alone, as in the layout.
    ``observers``: (seats, obs_size) int, the columns that make the observation of each seat.
    """

    def __init__(self, variant: str) -> None:
        self._variant = variant
        self._layout = OBSERVATION_LAYOUT[variant]
        self.seats = seats = self._layout["turn"].shape[0]
        self.obs_size = OBSERVATION_SIZES[variant]
        others = self.obs_size + NUM_CARDS * np.arange(seats - 1)[:, None] + np.arange(NUM_CARDS)
        own = self._by_suit("hand").reshape(1, NUM_CARDS)
        self._hands = np.concatenate([own, others])
        self.hand: list[list[int]] = self._hands.tolist()
        self.size = self.obs_size + NUM_CARDS * (seats - 1)
        self.stock_order = range(self.size, self.size + NUM_CARDS)
        if variant == "two_player":
            self.size += NUM_CARDS
        self.table, self.led, self.won, self.fell = (self._by_card(name) for name in ("table", "led", "won", "fell"))
        self.drew = self._by_card("drew") if variant == "two_player" else []
        self.played, self.known = self._by_seat_and_card("played"), self._by_seat_and_card("known")
        self.void = self._by_seat_and_suit("void")
        self.follow: list[int] = self._by_suit("follow")[:, 0].tolist()
        if variant == "historical":
            self.declared = self._by_seat_and_card("declared")
            self.excluded = self._by_seat_and_card("excluded")
        else:
            self.announced, self.silent = self._by_seat_and_suit("announced"), self._by_seat_and_suit("silent")
            self.excluded_keys: list[list[list[int]]] = self._by_suit("excluded").transpose(1, 0, 2).tolist()
        self.thirds, self.declared_points = self._alone("thirds"), self._alone("declared_points")
        self.tricks, self.cards_left = self._alone("tricks"), self._alone("cards_left")
        self.leader, self.turn, self.dealer = self._alone("leader"), self._alone("turn"), self._alone("dealer")
        self.scores, (self.target,), (self.napoletana,) = map(self._alone, ("scores", "target", "napoletana"))
        (self.stock,), (self.trick,), (self.place,) = (self._alone(name) for name in ("stock", "trick", "place"))
        self.observers = [self._observer(seat) for seat in range(seats)]

    def __reduce__(self) -> tuple[Callable[[str], StateColumns], tuple[str]]:
        """Let copies and pickles of what holds the columns share them."""
        return state_columns, (self._variant,)

    def _by_suit(self, name: str) -> IntArray:
        """Return the columns of an inner field of the suit blocks, (suits, *shape)."""
        fields = [self._layout[suit].fields[name] for suit in SUITS]
        starts = [self._layout[suit].slice.start for suit in SUITS]
        return np.array([start + _columns(field) for start, field in zip(starts, fields, strict=True)])

    def _by_card(self, name: str) -> list[int]:
        return list(self._by_suit(name).reshape(NUM_CARDS).tolist())

    def _by_seat_and_card(self, name: str) -> list[list[int]]:
        return list(self._by_suit(name).transpose(1, 0, 2).reshape(self.seats, NUM_CARDS).tolist())

    def _by_seat_and_suit(self, name: str) -> list[list[int]]:
        return list(self._by_suit(name).T.tolist())

    def _alone(self, name: str) -> list[int]:
        return list(_columns(self._layout[name]).tolist())

    def _observer(self, seat: int) -> IntArray:
        """Return the columns of a state row that make the observation of `seat`, (obs_size,)."""
        columns = np.arange(self.obs_size)
        for start, block in self._blocks():
            absolute = _columns(block)
            if block.shape[0] in (self.seats, 2):  # by seat or by side: the observer's own comes first
                relative = np.roll(absolute, -seat, axis=0)
                columns[start + absolute.reshape(-1)] = start + relative.reshape(-1)
        columns[self._hands[0]] = self._hands[seat]
        return columns

    def _blocks(self) -> list[tuple[int, Block]]:
        """Return every innermost block of the layout with the column its slice counts from."""
        inner = ([(block.slice.start, field) for field in block.fields.values()] for block in self._layout.values())
        outer = [(0, block) for block in self._layout.values() if not block.fields]
        return [*chain.from_iterable(inner), *outer]


def _columns(block: Block) -> IntArray:
    """Return the columns of a block in its own shape."""
    return np.arange(block.slice.start, block.slice.stop).reshape(block.shape)


@cache
def state_columns(variant: str) -> StateColumns:
    """Return the columns of a variant's state row."""
    return StateColumns(variant)
