"""Duplicate games: two players meet twice on the same cards, with the sides swapped (CONTRACT §7).

The luck of the cards falls on both alike, so the *pair* of games is the unit of every statistic.  Pair i of
a seed is deal (match) i of that seed; it depends on nothing else, so adding pairs never changes earlier ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tressette_env import DealBatch, MatchBatch, Rules
from tressette_env.cards import IntArray, popcount
from tressette_env.players import AnyPlayer, decide
from tressette_env.rules import check_episode
from tressette_env.view import View

FloatArray = npt.NDArray[np.float64]
Watch = Callable[[int, IntArray, View, IntArray], None]
"""Told of decisions: which of the two players, the rows of the games, their view, and the cards chosen."""


@dataclass(frozen=True)
class Effort:
    """What playing took.

    ``decisions``: cards played, forced ones included.  By player (A, B): ``choices``, its decisions with more than
    one legal card, and ``seconds`` of wall time spent asking it, in all worker processes together.
    """

    decisions: int = 0
    choices: tuple[int, int] = (0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)

    def __add__(self, other: Effort) -> Effort:
        """Return the effort of both."""
        return Effort(
            self.decisions + other.decisions,
            (self.choices[0] + other.choices[0], self.choices[1] + other.choices[1]),
            (self.seconds[0] + other.seconds[0], self.seconds[1] + other.seconds[1]),
        )

    @property
    def ms_per_decision(self) -> list[float]:
        """Milliseconds of each player for a decision of its own that was a choice; NaN where it had none."""
        return [
            1000 * seconds / choices if choices else np.nan
            for seconds, choices in zip(self.seconds, self.choices, strict=True)
        ]


NO_EFFORT = Effort()


@dataclass(frozen=True, eq=False)
class PairResults:
    """What A did against B, one entry a pair.

    ``margin`` (pairs,) float64: the mean over both games of A's points minus B's (matches: A's payment minus
    B's); ``wins`` (pairs,) float64: A's share of the two games won, a tie counting half; ``effort`` of all games.
    """

    margin: FloatArray
    wins: FloatArray
    effort: Effort = NO_EFFORT

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.margin)


def join_results(parts: Iterable[PairResults]) -> PairResults:
    """Return the results of consecutive pairs as one."""
    listed = [PairResults(np.zeros(0), np.zeros(0)), *parts]
    return PairResults(
        np.concatenate([part.margin for part in listed]),
        np.concatenate([part.wins for part in listed]),
        sum((part.effort for part in listed), NO_EFFORT),
    )


def play_pairs(
    a: AnyPlayer,
    b: AnyPlayer,
    rules: Rules,
    seed: int,
    first: int,
    pairs: int,
    episode: str = "deal",
    names: tuple[str, str] = ("A", "B"),
) -> PairResults:
    """Play pairs `first` to `first + pairs - 1` of `seed`, all in one batch.

    In the first game of a pair A is side 0 (in four-seat games seats 0 and 2), in the second side 1; cards and
    dealers are the same.  `episode`: ``"deal"`` or ``"match"`` (to the target of `rules`).  `names` are for errors.
    A player is shown its own decisions only; one that says it cheats is handed the deals too.
    Raises `PlayerError`, naming player, deal and ply, if a player fails or returns what is no legal card.
    """
    check_episode(episode)
    games = (DealBatch if episode == "deal" else MatchBatch)(2 * pairs, rules)
    ids = np.tile(np.arange(first, first + pairs), 2)
    side_of_a = np.repeat([0, 1], pairs)
    games.reset(seed=seed, deal_ids=ids)
    effort = play_out(games, (a, b), side_of_a, names, ids)
    margin_of_side_0, won_by_side_0 = _outcome(games)
    margin = np.where(side_of_a == 0, margin_of_side_0, -margin_of_side_0).reshape(2, pairs)
    wins = np.where(side_of_a == 0, won_by_side_0, 1 - won_by_side_0).reshape(2, pairs)
    return PairResults(margin.mean(axis=0), wins.mean(axis=0), effort)


def play_out(
    games: DealBatch,
    players: tuple[AnyPlayer, AnyPlayer],
    side_of_first: IntArray,
    names: tuple[str, str],
    ids: IntArray,
    watch: Watch | None = None,
) -> Effort:
    """Play all games to their end.

    The first of the players is side ``side_of_first[i]`` of game i, which errors call ``ids[i]``.  `watch`, if given,
    hears of every decision before the cards are played.
    """
    effort = NO_EFFORT
    cards = np.zeros(games.num_deals, np.int64)
    while not games.done:
        view = games.view()
        acting = view.seat >= 0
        first_acts = (view.seat & 1) == side_of_first
        for index, mask in enumerate((acting & first_acts, acting & ~first_acts)):
            rows = np.flatnonzero(mask)
            if len(rows):
                asked = view.take(rows)
                start = time.perf_counter()
                cards[rows] = decide(players[index], asked, names[index], _Place(games, ids, rows), games, rows)
                effort += _effort(index, asked, time.perf_counter() - start)
                if watch is not None:
                    watch(index, rows, asked, cards[rows])
        games.step(cards)
    return effort


def _effort(index: int, asked: View, seconds: float) -> Effort:
    choices = int(np.count_nonzero(popcount(asked.legal_cards) > 1))
    if index == 0:
        return Effort(len(asked), (choices, 0), (seconds, 0.0))
    return Effort(len(asked), (0, choices), (0.0, seconds))


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


def _outcome(games: DealBatch) -> tuple[FloatArray, FloatArray]:
    """Return side 0's margin and its share of the win, (games,) each, of finished games."""
    if isinstance(games, MatchBatch):
        margin = np.where(games.winner == 0, games.payment, -games.payment)
    else:
        margin = games.points[:, 0] - games.points[:, 1]
    return margin.astype(np.float64), (np.sign(margin) + 1) / 2
