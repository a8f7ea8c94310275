"""Playing games out: players by seat, what they cost in time, and errors that name the place."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from tressette_env import DealBatch, MatchBatch
from tressette_env.cards import IntArray, popcount
from tressette_env.players import AnyPlayer, decide
from tressette_env.recording import Recorder
from tressette_env.view import View

FloatArray = npt.NDArray[np.float64]
Watch = Callable[[int, IntArray, View, IntArray], None]
"""Told of decisions: the index of the player, the rows of the games, their view, and the cards chosen."""


@dataclass(frozen=True)
class Effort:
    """What playing took.

    ``decisions``: cards played, forced ones included.  By player: ``choices``, its decisions with more than one
    legal card, and ``seconds`` of wall time spent asking it, in all worker processes together.
    """

    decisions: int = 0
    choices: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()

    def __add__(self, other: Effort) -> Effort:
        """Return the effort of both."""
        return Effort(
            self.decisions + other.decisions,
            tuple(a + b for a, b in zip_longest(self.choices, other.choices, fillvalue=0)),
            tuple(a + b for a, b in zip_longest(self.seconds, other.seconds, fillvalue=0.0)),
        )

    def part(self, share: float) -> Effort:
        """Return a share, 0…1, of the effort."""
        return Effort(
            round(self.decisions * share),
            tuple(round(choices * share) for choices in self.choices),
            tuple(seconds * share for seconds in self.seconds),
        )

    @property
    def ms_per_decision(self) -> list[float]:
        """Milliseconds of each player for a decision of its own that was a choice; NaN where it had none."""
        return [
            1000 * seconds / choices if choices else np.nan
            for seconds, choices in zip(self.seconds, self.choices, strict=True)
        ]


NO_EFFORT = Effort()


def play_out(
    games: DealBatch,
    players: Sequence[AnyPlayer],
    seating: IntArray,
    names: Sequence[str],
    ids: IntArray,
    watch: Watch | None = None,
    recorder: Recorder | None = None,
) -> Effort:
    """Play all games to their end.

    ``players[seating[i, s]]`` has seat s of game i, which errors call ``ids[i]``; `names` are the players' in
    errors.  A player is shown its own decisions only; one that says it cheats is handed the deals too.  `watch`, if
    given, hears of every decision before the cards are played; `recorder` writes the games down.
    Raises `PlayerError`, naming player, deal and ply, if a player fails or returns what is no legal card.
    """
    choices, seconds = [0] * len(players), [0.0] * len(players)
    decisions = 0
    step = games.step if recorder is None else recorder.step
    cards = np.zeros(games.num_deals, np.int64)
    everyone = np.arange(games.num_deals)
    while not games.done:
        view = games.view()
        acts = np.where(view.seat >= 0, seating[everyone, view.seat], -1)
        for index, player in enumerate(players):
            rows = np.flatnonzero(acts == index)
            if not len(rows):
                continue
            asked = view.take(rows)
            start = time.perf_counter()
            cards[rows] = decide(player, asked, names[index], _Place(games, ids, rows), games, rows)
            seconds[index] += time.perf_counter() - start
            choices[index] += int(np.count_nonzero(popcount(asked.legal_cards) > 1))
            decisions += len(rows)
            if watch is not None:
                watch(index, rows, asked, cards[rows])
        step(cards)
    return Effort(decisions, tuple(choices), tuple(seconds))


@dataclass(frozen=True)
class _Place:
    """Says which deal a row of a player's view belongs to."""

    games: DealBatch
    ids: IntArray
    rows: IntArray

    def __call__(self, row: int) -> str:
        game = self.rows[row]
        if isinstance(self.games, MatchBatch):
            return f"match {self.ids[game]}, deal {self.games.deal_number[game]}"
        return f"deal {self.ids[game]}"
