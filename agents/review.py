"""Review of recorded games: the best card of each decision, and what the one played cost.

A decision is judged *exactly* where the seat can know every card: nothing is left to draw and just one way for the
hidden cards to lie agrees with what it knows.  So it is in two_player from the empty stock on, and in the pair games in
the last tricks.  The value of a card is then what it brings if all play their best with open cards.  Everywhere else a
player judges that values cards by what the seat knows, and what it says is an estimate.  The best of several
estimates looks a little better than it is, so that small costs say nothing: see `Decision.is_fault`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from agents.arena import FloatArray
from agents.search.world_values import WorldValues, stock_left
from agents.search.worlds import draw_worlds
from agents.statistics import Z_95
from tressette_env.cards import NUM_CARDS, IntArray, card_id, card_text, popcount
from tressette_env.checking import as_array, described
from tressette_env.players import PlayerError
from tressette_env.record import replay_plies
from tressette_env.view import View

EXACT = "exact"
"""How a decision was judged whose values are exact."""
_SAME = 1e-6
"""Less than any difference of mean values, more than rounding."""


@runtime_checkable
class Judge(Protocol):
    """A player that also values cards.

    Where it has ``world_values(view)``, (n, worlds, 40), as well, with the values in independent worlds whose means
    they are, estimates get a standard error.
    """

    def values(self, view: View) -> Any:
        """Return (n, 40): the own side's expected final points less the other's; NaN for cards that are not legal."""


@dataclass(frozen=True)
class Decision:
    """A decision with more than one legal card, judged.

    ``deal`` and ``ply`` count from 0, ``trick`` from 1; ``cost`` points that the card lost against ``best``, 0 and
    the same card where none is better; ``error`` the standard error of the cost (0 where exact, NaN where the judge
    gives none); ``judged`` `EXACT` or the judge's name; ``values`` of the legal cards, own side's final points less
    the other's.
    """

    deal: int
    ply: int
    trick: int
    seat: int
    player: str
    card: str
    best: str
    cost: float
    error: float
    judged: str
    values: dict[str, float]

    @property
    def is_fault(self) -> bool:
        """A better card is known: the cost is above what its standard error, where there is one, explains."""
        return self.cost > _SAME and not self.cost <= Z_95 * self.error


class DealReview(NamedTuple):
    """The ``decisions`` of a deal in order, and by seat how many more were ``forced``: one legal card."""

    decisions: list[Decision]
    forced: list[int]


class _Values(NamedTuple):
    """``means`` (n, 40) float64, NaN for illegal cards; ``errors`` (n,) of their differences; ``exact`` (n,) bool."""

    means: FloatArray
    errors: FloatArray
    exact: npt.NDArray[np.bool_]


def review_deal(record: dict[str, Any], deal: int, judge: Judge, name: str) -> DealReview:
    """Judge all decisions of one deal of a valid record, in one batch; `name` is the judge's.

    Raises `PlayerError` if the judge fails.
    """
    players, entry = record["players"], record["deals"][deal]
    if not entry["plays"]:
        return DealReview([], [0] * len(players))
    view = replay_plies(record, deal).view()
    cards = np.array([card_id(text) for text in entry["plays"]])
    choice = popcount(view.legal_cards) > 1
    forced = np.bincount(view.seat[~choice], minlength=len(players)).tolist()
    if not choice.any():
        return DealReview([], forced)
    seen, cards = view.take(choice), cards[choice]
    means, errors, exact = judge_cards(seen, cards, judge, name)
    best = best_cards(means, cards)
    rows = np.arange(len(cards))
    cost = means[rows, best] - means[rows, cards]
    decisions = [
        Decision(
            deal=deal,
            ply=int(seen.ply[row]),
            trick=int(seen.ply[row]) // seen.rules.seats + 1,
            seat=int(seen.seat[row]),
            player=players[seen.seat[row]],
            card=card_text(int(cards[row])),
            best=card_text(int(best[row])),
            cost=float(cost[row]),
            error=float(errors[row]),
            judged=EXACT if exact[row] else name,
            values={card_text(card): float(means[row, card]) for card in np.flatnonzero(seen.legal[row]).tolist()},
        )
        for row in rows.tolist()
    ]
    return DealReview(decisions, forced)


def best_cards(means: FloatArray, cards: IntArray) -> IntArray:
    """Return the best card of each row of `means` (n, 40): the one played, `cards` (n,), where none is better."""
    most = np.nanmax(means, axis=1)
    as_good = means[np.arange(len(cards)), cards] >= most - _SAME
    return np.where(as_good, cards, np.nanargmax(means, axis=1))


def judge_cards(view: View, cards: IntArray, judge: Judge, name: str) -> _Values:
    """Return values of the legal cards, and how far those of `cards` (n,) may be off against the best ones."""
    means = np.full((len(view), NUM_CARDS), np.nan)
    errors = np.zeros(len(view))
    worlds = draw_worlds(view, 1)
    exact = (worlds.counts == 1) & (stock_left(view) == 0)
    if exact.any():
        values_of = WorldValues(view.rules, view.rules.hand, 0)
        means[exact] = values_of(view.take(exact), worlds.hands[exact], worlds.stock[exact])[:, 0]
    rows = np.flatnonzero(~exact)
    if len(rows):
        means[rows], errors[rows] = _estimates(view.take(rows), cards[rows], judge, name)
    return _Values(means, errors, exact)


def _estimates(view: View, cards: IntArray, judge: Judge, name: str) -> tuple[FloatArray, FloatArray]:
    """Return the judge's values, and the standard errors of the differences between `cards` and the best ones."""
    of_worlds = getattr(judge, "world_values", None)
    if of_worlds is None:
        return _checked(judge.values(view), view, name), np.full(len(view), np.nan)
    by_world = np.asarray(of_worlds(view))
    means = _checked(by_world.mean(axis=1, dtype=np.float64), view, name)
    chosen = [
        np.take_along_axis(by_world, of[:, None, None], axis=2)[:, :, 0] for of in (best_cards(means, cards), cards)
    ]
    worlds = by_world.shape[1]
    if worlds == 1:
        return means, np.full(len(view), np.nan)
    return means, (chosen[0] - chosen[1]).std(axis=1, ddof=1, dtype=np.float64) / worlds**0.5


def _checked(values: Any, view: View, name: str) -> FloatArray:
    """Return the values of a judge; `PlayerError` unless each legal card has one."""
    given = as_array(values)
    if given is None or given.shape != view.legal.shape or given.dtype.kind != "f":
        raise PlayerError(f"{name} returned {described(values)}; values must return floats of shape {view.legal.shape}")
    if not np.isfinite(given[view.legal]).all():
        raise PlayerError(f"{name} gave a legal card no value")
    means: FloatArray = np.where(view.legal, given.astype(np.float64), np.nan)
    return means


def worst(decisions: Sequence[tuple[int, Decision]], number: int) -> list[tuple[int, Decision]]:
    """Return the decisions, each with its game, that cost most, at most `number`, and none that cost nothing."""
    costly = [entry for entry in decisions if entry[1].cost > _SAME]
    return sorted(costly, key=lambda entry: -entry[1].cost)[:number]
