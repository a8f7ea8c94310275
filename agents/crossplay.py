"""Cross-play: who understands whom?  Players are partnered with themselves and with each other.

Every partnership plays the same deals against the same pair of opponents.  What two players lose when they are mixed,
against what they do among their own kind, is the worth of conventions that the other does not know (Bard et al. 2020,
The Hanabi challenge, Artificial Intelligence 280: ad-hoc team play).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

import numpy as np

from agents.arena import NO_EFFORT, Effort, FloatArray, play_out
from agents.pairs import recorded_lines
from tressette_env import DealBatch, Rules
from tressette_env.cards import IntArray
from tressette_env.players import AnyPlayer, make_player
from tressette_env.recording import Recorder


@dataclass(frozen=True)
class CrossTable:
    """Who is partnered, against whom, in what game; the seed names the deals and seeds the players.

    `recorded`: the games are written down, see `CrossResults.records`.
    """

    players: tuple[str, ...]
    opponent: str
    rules: Rules
    seed: int = 0
    recorded: bool = False

    @property
    def partnerships(self) -> list[tuple[int, int]]:
        """The numbers of the players who are partnered, the smaller first: each with itself and each other."""
        return list(combinations_with_replacement(range(len(self.players)), 2))


@dataclass(frozen=True, eq=False)
class CrossResults:
    """What partnerships did.

    ``values`` (partnerships, deals) float64: points of the partnership less its opponents', the mean over the games
    of a deal; ``effort``: of all players, the opponent last; ``records``: the games as lines of JSON (CONTRACT §8),
    all of the first deal before the next, or nothing if they were not written down.
    """

    values: FloatArray
    effort: Effort = NO_EFFORT
    records: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of deals."""
        return int(self.values.shape[1])


def join_cross(parts: Iterable[CrossResults], table: CrossTable) -> CrossResults:
    """Return the results of consecutive deals as one."""
    listed = [CrossResults(np.zeros((len(table.partnerships), 0))), *parts]
    return CrossResults(
        np.concatenate([part.values for part in listed], axis=1),
        sum((part.effort for part in listed), NO_EFFORT),
        tuple(line for part in listed for line in part.records),
    )


@lru_cache(maxsize=1)
def build_table(table: CrossTable) -> tuple[AnyPlayer, ...]:
    """Return the players, then the opponent, all with the seed of the table; ``ValueError`` for an unknown one."""
    names = (*table.players, table.opponent)
    return tuple(make_player(name, table.rules.variant, table.seed) for name in names)


def play_cross(table: CrossTable, first: int, deals: int) -> CrossResults:
    """Play some consecutive deals, every partnership on each: on both sides, and in both orders of its two seats.

    Raises `PlayerError`, naming player, deal and ply, if a player fails or returns what is no legal card.
    """
    players = build_table(table)
    names = (*table.players, f"the opponent {table.opponent}")
    effort = NO_EFFORT
    values = np.zeros((len(table.partnerships), deals))
    lines: list[tuple[str, ...]] = []
    for index, partners in enumerate(table.partnerships):
        seats, side = seatings(partners, len(table.players))
        ids = np.tile(np.arange(first, first + deals), len(seats))
        games = DealBatch(len(ids), table.rules)
        games.reset(seed=table.seed, deal_ids=ids)
        seating = np.repeat(seats, deals, axis=0)
        recorded_as = np.array([*table.players, table.opponent], object)[seating]
        recorder = Recorder(games, recorded_as) if table.recorded else None
        effort += play_out(games, players, seating, names, ids, recorder=recorder)
        margins = games.points[:, 0] - games.points[:, 1]
        margins = np.where(np.repeat(side, deals) == 0, margins, -margins)
        values[index] = margins.reshape(len(seats), deals).mean(axis=0)
        lines.append(() if recorder is None else recorded_lines(recorder, deals))
    return CrossResults(values, effort, _by_deal(lines, deals))


def seatings(partners: tuple[int, int], opponent: int) -> tuple[IntArray, IntArray]:
    """Return the games of a partnership on one deal: who sits where (games, 4), and its side in each (games,).

    Two different partners sit both ways round, so that four games are played; a player with itself plays two.
    """
    orders = [partners] if partners[0] == partners[1] else [partners, partners[::-1]]
    rows = []
    for one, other in orders:
        rows += [[one, opponent, other, opponent], [opponent, one, opponent, other]]
    return np.array(rows), np.array([0, 1] * len(orders))


def drops(table: CrossTable, values: FloatArray) -> dict[tuple[int, int], FloatArray]:
    """Return by two different players how much less they make together than, on average, each with itself, (deals,)."""
    row = {partners: values[index] for index, partners in enumerate(table.partnerships)}
    return {(x, y): (row[x, x] + row[y, y]) / 2 - row[x, y] for x, y in combinations(range(len(table.players)), 2)}


def _by_deal(lines: list[tuple[str, ...]], deals: int) -> tuple[str, ...]:
    """Return the lines of all partnerships, each in the order of the deals, in the order of the deals."""
    sizes = [len(part) // deals for part in lines]
    return tuple(
        line
        for deal in range(deals)
        for part, size in zip(lines, sizes, strict=True)
        for line in part[deal * size : (deal + 1) * size]
    )
