"""A ladder: every player meets every other on the same deals; how strong each is, and how surely.

Two measures stand beside each other.  *Points per deal over the field*: the mean, over a player's opponents, of its
mean margin; it says what is won at the table.  *Ratings* on the Elo scale: the Bradley–Terry model fitted to deals
won, a tie counting half; anchored at one player, so that they do not drift when others join.

Intervals come from a bootstrap over deals.  All matches are played on the same cards, so a draw gives every deal one
weight, the same in all matches: what a lucky deal does to several results stays together.  The weights are those of
the Bayesian bootstrap (Rubin 1981, The Annals of Statistics 9): independent and exponential.  A match of fewer pairs
uses the weights of the deals that it has, which is a Bayesian bootstrap of that match, whatever the others' length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import choix
import numpy as np

from agents.arena import FloatArray
from agents.pairs import PairResults
from agents.statistics import interval
from tressette_env.cards import IntArray
from tressette_env.deals import BoolArray

ANCHOR = "rules"
"""The player whose rating is 0, if it is among the players; else the first of them is."""
ELO_SCALE = 400 / np.log(10)
TIED_DEALS = 1.0
"""Added to every match before ratings are fitted, so that who wins every deal has a finite rating."""
DRAWS = 1000  # of the bootstrap
_MOST_ITERATIONS = 10_000
_WEIGHTS_AT_ONCE = 2_000_000  # 16 MB

Matches = Mapping[tuple[int, int], PairResults]
"""By the numbers of two players, the smaller first: the first one's results against the second."""


class Fixture(NamedTuple):
    """Two players by number, a < b, who are to play so many pairs."""

    a: int
    b: int
    pairs: int


def fixtures(pairs: Sequence[int]) -> list[Fixture]:
    """Return who meets whom: everybody everybody else, on as many pairs as both are good for (`pairs` by player)."""
    return [Fixture(a, b, min(pairs[a], pairs[b])) for a in range(len(pairs)) for b in range(a + 1, len(pairs))]


@dataclass(frozen=True, eq=False)
class Ladder:
    """What the matches between n players say; NaN where nothing is known.

    ``order`` (n,) int64 the players from first to last; by player: ``opponents`` (n,) int64 how many it met,
    ``scores`` (n,) points per deal over the field, ``ratings`` (n,) on the Elo scale, each with its 95 % interval
    (n, 2); ``above_next`` (n,) the probability that a player is truly above the one placed next, by score;
    ``means`` (n, n): points per deal of the row's player against the column's, with interval (n, n, 2);
    ``anchor``: the player whose rating is 0.
    """

    order: IntArray
    opponents: IntArray
    scores: FloatArray
    scores_ci95: FloatArray
    above_next: FloatArray
    ratings: FloatArray
    ratings_ci95: FloatArray
    anchor: int
    means: FloatArray
    means_ci95: FloatArray


def make_ladder(players: Sequence[str], matches: Matches, seed: int = 0, draws: int = DRAWS) -> Ladder:
    """Return the ladder of some players; matches without a pair are left out of means and ratings.

    `seed` and `draws` are the bootstrap's.
    """
    number = len(players)
    meetings = [meeting for meeting, results in matches.items() if len(results)]
    played = [matches[meeting] for meeting in meetings]
    anchor = players.index(ANCHOR) if ANCHOR in players else 0
    drawn = resampled(
        [results.margin for results in played] + [results.wins for results in played],
        draws,
        np.random.default_rng(seed),
    )
    margins, shares = drawn[:, : len(played)], drawn[:, len(played) :]
    opponents = np.array([sum(player in meeting for meeting in meetings) for player in range(number)], np.int64)
    scores = over_field(meetings, np.array([results.margin.mean() for results in played]), opponents)
    drawn_scores = over_field(meetings, margins, opponents)
    games = np.array([2 * len(results) for results in played], np.float64)
    won = np.array([results.wins.mean() for results in played])
    drawn_ratings = [rate(meetings, share, games, number, anchor) for share in shares]
    order = np.lexsort((np.arange(number), -scores))  # NaN, who played nobody, comes last
    means, means_ci95 = _matrix(meetings, played, number)
    return Ladder(
        order=order,
        opponents=opponents,
        scores=scores,
        scores_ci95=_middle(drawn_scores),
        above_next=_above_next(drawn_scores, order),
        ratings=rate(meetings, won, games, number, anchor),
        ratings_ci95=_middle(np.array(drawn_ratings)),
        anchor=anchor,
        means=means,
        means_ci95=means_ci95,
    )


def resampled(columns: Sequence[FloatArray], draws: int, rng: np.random.Generator) -> FloatArray:
    """Return the bootstrapped means (draws, len(columns)) of columns that hold values of deals from 0 on.

    Deal i has one weight in a draw, in all columns, which may differ in length.  A single value has no spread: NaN.
    """
    means = np.full((draws, len(columns)), np.nan)
    deals = max((len(column) for column in columns), default=0)
    block = max(_WEIGHTS_AT_ONCE // max(deals, 1), 1)
    for first in range(0, draws, block):
        weights = rng.standard_exponential((min(block, draws - first), deals))
        totals = weights.cumsum(axis=1)
        for index, column in enumerate(columns):
            if len(column) > 1:
                sums = weights[:, : len(column)] @ column
                means[first : first + len(weights), index] = sums / totals[:, len(column) - 1]
    return means


def over_field(meetings: Sequence[tuple[int, int]], margins: FloatArray, opponents: IntArray) -> FloatArray:
    """Return (…, players): each player's mean over the opponents it met, NaN if there was none.

    `margins` (…, matches): of the first player of each match; `opponents` (players,): how many each met.
    """
    signs = np.zeros((len(meetings), len(opponents)))
    for index, (a, b) in enumerate(meetings):
        signs[index, a], signs[index, b] = 1, -1
    return np.where(opponents > 0, margins @ signs / np.maximum(opponents, 1), np.nan)


def rate(
    meetings: Sequence[tuple[int, int]], shares: FloatArray, games: FloatArray, players: int, anchor: int
) -> FloatArray:
    """Return Bradley–Terry ratings (players,) on the Elo scale, that of `anchor` 0.

    By match: who met, the first one's share of the games won (a tie counts half), and how many there were.  NaN for
    players whom no chain of matches ties to the anchor, and for all where a share is NaN.
    """
    ratings = np.full(players, np.nan)
    if np.isnan(shares).any():
        return ratings
    wins = np.zeros((players, players))
    for (a, b), share, number in zip(meetings, shares, games, strict=True):
        wins[a, b] = share * number + TIED_DEALS / 2
        wins[b, a] = (1 - share) * number + TIED_DEALS / 2
    tied = np.flatnonzero(_tied_to(anchor, wins > 0))
    if len(tied) == 1:
        ratings[anchor] = 0
        return ratings
    strengths = choix.ilsr_pairwise_dense(wins[np.ix_(tied, tied)], max_iter=_MOST_ITERATIONS)
    ratings[tied] = ELO_SCALE * (strengths - strengths[np.searchsorted(tied, anchor)])
    return ratings


def _tied_to(player: int, met: BoolArray) -> BoolArray:
    """Return (players,): whom a chain of matches ties to a player, itself included; `met` (players, players)."""
    tied: BoolArray = np.arange(len(met)) == player
    for _ in range(len(met)):
        tied |= met[tied].any(axis=0)
    return tied


def _matrix(
    meetings: Sequence[tuple[int, int]], played: Sequence[PairResults], players: int
) -> tuple[FloatArray, FloatArray]:
    """Return `Ladder.means` and their intervals."""
    means = np.full((players, players), np.nan)
    ci95 = np.full((players, players, 2), np.nan)
    for (a, b), results in zip(meetings, played, strict=True):
        found = interval(results.margin)
        means[a, b], ci95[a, b] = found.mean, found.ci95
        means[b, a], ci95[b, a] = -means[a, b], -ci95[a, b, ::-1]
    return means, ci95


def _middle(drawn: FloatArray) -> FloatArray:
    """Return the interval (n, 2) that holds the middle 95 % of draws (draws, n)."""
    bounds: FloatArray = np.percentile(drawn, [2.5, 97.5], axis=0).T
    return bounds


def _above_next(drawn: FloatArray, order: IntArray) -> FloatArray:
    above = np.full(len(order), np.nan)
    for player, following in pairwise(order):
        above[player] = (np.sign(drawn[:, player] - drawn[:, following]).mean() + 1) / 2
    return above
