"""Regret: what a player's cards lose against best play with open cards, by the exact solver.

With two players every card can be deduced once the stock is empty, so there the best card is the best card for who
plays it as well, and regret is a fault.  With four seats it is measured against what nobody at the table knows
(the *double-dummy* value): it compares players, and even the best fair play loses some.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.arena import NO_EFFORT, Effort, FloatArray, play_out
from agents.pairs import recorded_lines, seating_of
from agents.workers import Meeting, build_players
from tressette_env import DealBatch, Rules
from tressette_env.cards import IntArray, popcount
from tressette_env.players import AnyPlayer
from tressette_env.recording import Recorder
from tressette_env.view import View

DECISIONS, CHOICES, BEST, POINTS, THIRDS = range(5)
"""Last axis of `RegretResults.counts`."""


@dataclass(frozen=True, eq=False)
class RegretResults:
    """What a player lost.

    ``lost`` (pairs,) float64: points a side lost in a deal, the mean of both sides on the same cards; ``counts``
    (tricks, seats, 5) int64: by trick and by seat, counted from the one that led to the first trick, the decisions
    looked at, those with a choice, those of them with a best card, the points lost, and the thirds lost (0 in
    `historical`); ``effort``: of all cards played, looked at or not, the
    player first; ``records``: the deals as lines of JSON (CONTRACT §8), those of a pair side by side, if written down.
    """

    lost: FloatArray
    counts: IntArray
    effort: Effort = NO_EFFORT
    records: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.lost)


def _no_counts(rules: Rules) -> IntArray:
    return np.zeros((rules.num_tricks, rules.seats, THIRDS + 1), np.int64)


def join_regrets(parts: Iterable[RegretResults], rules: Rules) -> RegretResults:
    """Return the results of consecutive pairs as one."""
    listed = [RegretResults(np.zeros(0), _no_counts(rules)), *parts]
    return RegretResults(
        np.concatenate([part.lost for part in listed]),
        np.sum([part.counts for part in listed], axis=0),
        sum((part.effort for part in listed), NO_EFFORT),
        tuple(line for part in listed for line in part.records),
    )


def warm_up() -> None:
    """Have the solver compiled, or loaded."""
    from agents.search import solver

    solver.warm_up()


def measurable(view: View, cards: int) -> npt.NDArray[np.bool_]:
    """Return (n,) bool: the stock is empty and the seat to act holds at most `cards` cards."""
    return (view.seat >= 0) & (view.ply >= view.rules.stock) & (popcount(view.hand) <= cards)


def points_lost(deals: DealBatch, rows: IntArray, view: View, cards: IntArray) -> IntArray:
    """Return (n,) int64: points that `cards` (n,) lose against the best card, played by best play of all afterwards.

    Row i of `view` is deal ``rows[i]`` of the batch, whose stock must be empty.
    """
    from agents.search.positions import positions_of
    from agents.search.solver import card_points

    values = card_points(positions_of(view, deals.hands[rows]), view.rules, threads=1).astype(np.int64)
    lost: IntArray = values.max(axis=1) - values[np.arange(len(rows)), cards]
    return lost


def thirds_lost(deals: DealBatch, rows: IntArray, view: View, cards: IntArray) -> IntArray:
    """Return (n,) int64: thirds that `cards` lose in the same sense, the last trick's point being three.

    Thirds count what flooring hides.  A best card in points may lose some, never the other way round.  The rows must
    have a choice, so that no deal ends.  The bonuses of `historical` are no thirds: there this is not defined.
    """
    later = deals.copy()
    played = np.zeros(deals.num_deals, np.int64)
    played[rows] = cards
    later.step(played, np.isin(np.arange(deals.num_deals), rows))
    gain = _thirds_of_side_0(deals, rows, view) - _thirds_of_side_0(later, rows, later.view().take(rows))
    return np.where(view.seat & 1, -gain, gain)


def _thirds_of_side_0(deals: DealBatch, rows: IntArray, view: View) -> IntArray:
    """Return (n,) int64: what side 0 has in the end if all play their best from here."""
    from agents.search.positions import positions_of
    from agents.search.solver import thirds_to_come

    return view.thirds[:, 0] + thirds_to_come(positions_of(view, deals.hands[rows]), view.rules, threads=1)


@dataclass
class _Watch:
    """Hears of the decisions in some games and adds up what those of the measured players lose."""

    games: DealBatch
    measured: tuple[int, ...]
    cards: int
    lost: IntArray = field(init=False)
    counts: IntArray = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self.lost = np.zeros(self.games.num_deals, np.int64)
        self.counts = _no_counts(self.games.rules)

    def __call__(self, index: int, rows: IntArray, view: View, chosen: IntArray) -> None:
        """Note the decisions of one player in these games."""
        if index not in self.measured:
            return
        looked_at = measurable(view, self.cards)
        where = view.ply // view.rules.seats, (view.seat - view.dealer - 1) % view.rules.seats
        self._add(DECISIONS, where, looked_at)
        with_choice = looked_at & (popcount(view.legal_cards) > 1)
        if not with_choice.any():
            return
        self._add(CHOICES, where, with_choice)
        rows, view, chosen = rows[with_choice], view.take(with_choice), chosen[with_choice]
        where = where[0][with_choice], where[1][with_choice]
        points = points_lost(self.games, rows, view, chosen)
        self.lost[rows] += points
        self._add(BEST, where, points == 0)
        self._add(POINTS, where, points)
        if view.variant != "historical":
            self._add(THIRDS, where, thirds_lost(self.games, rows, view, chosen))

    def _add(self, column: int, where: tuple[IntArray, IntArray], amounts: npt.NDArray[Any]) -> None:
        np.add.at(self.counts[..., column], where, amounts)


def play_regret(
    player: AnyPlayer,
    opponent: AnyPlayer | None,
    rules: Rules,
    seed: int,
    first: int,
    pairs: int,
    cards: int,
    names: tuple[str, str] = ("player", "opponent"),
    record_as: tuple[str, str] | None = None,
) -> RegretResults:
    """Measure a player in pairs `first` to `first + pairs - 1` of `seed`, at decisions with at most `cards` cards.

    Against an opponent a pair is two deals with the sides swapped; without one the player holds both sides of one
    deal, which is the same for who decides by what it knows.  With `record_as`, their names, the deals are written
    down.
    """
    deals_a_pair = 1 if opponent is None else 2
    games = DealBatch(deals_a_pair * pairs, rules)
    ids = np.tile(np.arange(first, first + pairs), deals_a_pair)
    games.reset(seed=seed, deal_ids=ids)
    watch = _Watch(games, (0, 1) if opponent is None else (0,), cards)
    players = player, player if opponent is None else opponent
    seating = seating_of(np.repeat(np.arange(deals_a_pair), pairs), rules)
    recorder = None if record_as is None else Recorder(games, np.array(record_as, object)[seating])
    effort = play_out(games, players, seating, names, ids, watch, recorder)
    if opponent is None:
        effort = Effort(effort.decisions, (sum(effort.choices), 0), (sum(effort.seconds), 0.0))
    lost = watch.lost.reshape(deals_a_pair, pairs).sum(axis=0) / 2
    return RegretResults(lost, watch.counts, effort, () if recorder is None else recorded_lines(recorder, pairs))


def measure_chunk(meeting: Meeting, cards: int, first: int, pairs: int) -> RegretResults:
    """Measure A of a meeting, which plays both sides where B has the same name, in some consecutive pairs."""
    a, b = build_players(meeting)
    player = f"player ({meeting.a})"
    opponent, names = (b, (player, f"opponent ({meeting.b})")) if meeting.a != meeting.b else (None, (player, player))
    record_as = (meeting.a, meeting.b) if meeting.recorded else None
    return play_regret(a, opponent, meeting.rules, meeting.seed, first, pairs, cards, names, record_as)
