"""Duplicate pairs: two players meet twice on the same cards, with the sides swapped (CONTRACT §7).

The luck of the cards falls on both alike, so the *pair* of games is the unit of every statistic.  Pair i of
a seed is deal (match) i of that seed; it depends on nothing else, so adding pairs never changes earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from agents.arena import NO_EFFORT, Effort, FloatArray, play_out
from tressette_env import DealBatch, MatchBatch, Rules
from tressette_env.cards import IntArray
from tressette_env.players import AnyPlayer
from tressette_env.record_form import to_line
from tressette_env.recording import Recorder
from tressette_env.rules import check_episode


@dataclass(frozen=True, eq=False)
class PairResults:
    """What A did against B, game by game: row g of the arrays is the first or second game of each pair.

    ``margins`` (2, pairs) int64: A's points minus B's (matches: A's payment minus B's); ``led`` (2, pairs) int64:
    1 where A's side led to the first trick; ``declared`` (2, pairs, 2): points that A's and B's side declared or
    announced (deals; 0 in matches); ``deals_won`` (2, pairs, 2): the game's deals in which A, and B, had more points;
    ``deals`` (2, pairs): how many there were; ``effort`` of all games; ``records``: the games as lines of JSON
    (CONTRACT §8), both of the first pair, then the next, or nothing if they were not written down.
    """

    margins: IntArray
    led: IntArray
    declared: IntArray
    deals_won: IntArray
    deals: IntArray
    effort: Effort = NO_EFFORT
    records: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of pairs."""
        return int(self.margins.shape[1])

    @property
    def columns(self) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
        """The arrays, in the order of the fields."""
        return self.margins, self.led, self.declared, self.deals_won, self.deals

    @property
    def margin(self) -> FloatArray:
        """(pairs,): the mean margin of both games."""
        mean: FloatArray = self.margins.mean(axis=0)
        return mean

    @property
    def wins(self) -> FloatArray:
        """(pairs,): A's share of the two games won, a tie counting half."""
        share: FloatArray = (np.sign(self.margins).mean(axis=0) + 1) / 2
        return share

    def swapped(self) -> PairResults:
        """Return the same games, but for their records, as B's results against A."""
        return PairResults(
            -self.margins[::-1],
            1 - self.led[::-1],
            self.declared[::-1, :, ::-1],
            self.deals_won[::-1, :, ::-1],
            self.deals[::-1],
            Effort(self.effort.decisions, self.effort.choices[::-1], self.effort.seconds[::-1]),
        )

    def first(self, pairs: int) -> PairResults:
        """Return the results of the first so many pairs, with a share of the effort.

        The effort is not kept by game: it is shared out by deals, which is exact for the decisions of deals played
        to the last card, an estimate for all else.
        """
        if pairs >= len(self):
            return self
        margins, led, declared, deals_won, deals = (column[:, :pairs] for column in self.columns)
        effort = self.effort.part(int(deals.sum()) / int(self.deals.sum()))
        return PairResults(margins, led, declared, deals_won, deals, effort, self.records[: 2 * pairs])


def no_pairs() -> PairResults:
    """Return the results of no pair."""
    plain, of_sides = np.zeros((2, 0), np.int64), np.zeros((2, 0, 2), np.int64)
    return PairResults(plain, plain, of_sides, of_sides, plain, Effort(0, (0, 0), (0.0, 0.0)))


def join_results(parts: Iterable[PairResults]) -> PairResults:
    """Return the results of consecutive pairs as one."""
    listed = [no_pairs(), *parts]
    margins, led, declared, deals_won, deals = (
        np.concatenate(columns, axis=1) for columns in zip(*(part.columns for part in listed), strict=True)
    )
    effort = sum((part.effort for part in listed), NO_EFFORT)
    records = tuple(line for part in listed for line in part.records)
    return PairResults(margins, led, declared, deals_won, deals, effort, records)


def play_pairs(
    a: AnyPlayer,
    b: AnyPlayer,
    rules: Rules,
    seed: int,
    first: int,
    pairs: int,
    episode: str = "deal",
    names: tuple[str, str] = ("A", "B"),
    record_as: tuple[str, str] | None = None,
) -> PairResults:
    """Play pairs `first` to `first + pairs - 1` of `seed`, all in one batch.

    In the first game of a pair A is side 0 (in four-seat games seats 0 and 2), in the second side 1; cards and
    dealers are the same.  `episode`: ``"deal"`` or ``"match"`` (to the target of `rules`).  `names` are for errors.
    With `record_as`, names of A and B, the games are written down.
    Raises `PlayerError`, naming player, deal and ply, if a player fails or returns what is no legal card.
    """
    check_episode(episode)
    games, side_of_a, ids = _dealt(rules, seed, first, pairs, episode)
    led = _led(games, side_of_a)
    seating = seating_of(side_of_a, rules)
    recorder = None if record_as is None else Recorder(games, np.array(record_as, object)[seating])
    effort = play_out(games, (a, b), seating, names, ids, recorder=recorder)
    results = _results(games, side_of_a, led, effort)
    return results if recorder is None else replace(results, records=recorded_lines(recorder, pairs))


def recorded_lines(recorder: Recorder, pairs: int) -> tuple[str, ...]:
    """Return the games of a recorder as lines, those of one pair side by side."""
    lines = [to_line(record) for record in recorder.records()]
    return tuple(line for first in range(pairs) for line in lines[first::pairs])


def led_by_a(rules: Rules, seed: int, first: int, pairs: int, episode: str) -> IntArray:
    """Return `PairResults.led` of these pairs, whoever plays them."""
    games, side_of_a, _ = _dealt(rules, seed, first, pairs, episode)
    return _by_pair(_led(games, side_of_a))


def _dealt(rules: Rules, seed: int, first: int, pairs: int, episode: str) -> tuple[DealBatch, IntArray, IntArray]:
    """Return the games, A's side in each, and their ids: the first of all pairs before the second."""
    games = (DealBatch if episode == "deal" else MatchBatch)(2 * pairs, rules)
    ids = np.tile(np.arange(first, first + pairs), 2)
    games.reset(seed=seed, deal_ids=ids)
    return games, np.repeat([0, 1], pairs), ids


def _led(games: DealBatch, side_of_a: IntArray) -> IntArray:
    return ((games.dealer + side_of_a) & 1).astype(np.int64)


def seating_of(side_of_a: IntArray, rules: Rules) -> IntArray:
    """Return (games, seats): 0 where A sits, 1 where B does, if A is side ``side_of_a[i]`` of game i."""
    return (np.arange(rules.seats) ^ side_of_a[:, None]) & 1


def _results(games: DealBatch, side_of_a: IntArray, led: IntArray, effort: Effort) -> PairResults:
    """Return the results of finished games."""
    rows = np.arange(len(side_of_a))
    points = games.points
    margin_of_side_0 = points[:, 0] - points[:, 1]
    declared = np.zeros_like(points)
    deals_won, deals = (points > points[:, ::-1]).astype(np.int64), np.ones(len(rows), np.int64)
    if isinstance(games, MatchBatch):
        margin_of_side_0 = np.where(games.winner == 0, games.payment, -games.payment)
        deals_won, deals = games.deals_won, games.deal_number + 1
    else:
        declared = games.view().declared_points
    sides = np.column_stack([side_of_a, 1 - side_of_a])
    return PairResults(
        _by_pair(np.where(side_of_a == 0, margin_of_side_0, -margin_of_side_0)),
        _by_pair(led),
        _by_pair(declared[rows[:, None], sides]),
        _by_pair(deals_won[rows[:, None], sides]),
        _by_pair(deals),
        effort,
    )


def _by_pair(column: npt.NDArray[np.int64]) -> IntArray:
    """Return an array by game as one by pair: its first axis becomes (2, pairs)."""
    return column.reshape(2, -1, *column.shape[1:]).astype(np.int64)
