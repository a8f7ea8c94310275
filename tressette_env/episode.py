"""`Episode`: one game, a deal or a match, for environments that play a single game at a time."""

from __future__ import annotations

import logging
import math
from numbers import Real
from typing import Any

from tressette_env.checking import integer_array
from tressette_env.deals import DealBatch
from tressette_env.matches import MatchBatch, Outcome
from tressette_env.rules import Rules, check_episode
from tressette_env.scalar import ScalarDeal

_logger = logging.getLogger(__name__)
OPTIONS = ("deck", "dealer", "score")
_ILLEGAL_LOSS_OF_DEAL = {"two_player": 11, "partners": 11, "historical": 60}
_ILLEGAL_LOSS_WITH_NAPOLETANA = 23


class Episode:
    """One game after another on the same rules.

    `kind`: ``"deal"`` or ``"match"``.  Attributes: ``deal`` being played or, at the end, the last one;
    ``over``; ``forfeited_by`` the seat whose illegal card ended the game, or None; ``last_trick`` the (seat,
    card) pairs of the trick finished last, of an earlier deal in a match's first trick; ``illegal_loss`` what an
    illegal card costs, at first as much as the worst legal end.
    Raises ``ValueError`` for an unknown kind.
    """

    def __init__(self, rules: Rules, kind: str) -> None:
        check_episode(kind)
        self.rules = rules
        self.kind = kind
        self._batch: DealBatch = MatchBatch(1, rules) if kind == "match" else DealBatch(1, rules)
        self._deal: ScalarDeal | None = None
        self.over = True
        self.illegal_loss: float = illegal_loss(rules, kind)
        self.forfeited_by: int | None = None
        self._forfeited_loss: float = 0
        self.last_trick: list[tuple[int, int]] = []

    def start(self, seed: int, number: int, options: dict[str, Any] | None = None) -> None:
        """Deal game `number` of `seed`.

        `options`: ``deck`` (ids), ``dealer`` (seat) and ``score`` (two sides' points before the game), each
        optional; deck and dealer hold for the first deal; other names are ignored with a logged warning.
        Raises ``ValueError``, and changes nothing, when something is wrong.
        """
        decks, dealers, scores = deal_options(self.rules, options)
        self._batch.reset(seed=seed, deal_ids=[number], decks=decks, dealers=dealers, scores=scores)
        self.over = self._batch.done
        self.forfeited_by = None
        self.last_trick = []
        self._deal = ScalarDeal(self._batch)

    @property
    def deal(self) -> ScalarDeal:
        """The deal being played or, at the end, the last one; ``RuntimeError`` before the first game."""
        if self._deal is None:
            raise RuntimeError("no game has begun: call reset first")
        return self._deal

    def play(self, card: int) -> None:
        """Play a card; `IllegalCardError`, and nothing changed, unless it is legal."""
        deal = self.deal
        deal.play(card)
        if deal.ply % self.rules.seats == 0:
            self.last_trick = deal.plays[-self.rules.seats :]
        if deal.over:
            deal.hand_back(self._batch)
            self.over = self._batch.done
            if not self.over:
                self._deal = ScalarDeal(self._batch)

    def forfeit(self) -> None:
        """End the game: the seat to act loses for its side `illegal_loss`."""
        self.forfeited_by = self.deal.player
        self._forfeited_loss = self.illegal_loss
        self.over = True

    def rewards(self) -> tuple[float, float]:
        """Return what the game was worth to each side, summing to zero; both 0 before its end."""
        if not self.over:
            return 0.0, 0.0
        if self.forfeited_by is not None:
            gains = [self._forfeited_loss, self._forfeited_loss]
            gains[self.forfeited_by & 1] = 0
        elif isinstance(self._batch, MatchBatch):
            gains = [0, 0]
            gains[int(self._batch.winner[0])] = int(self._batch.payment[0])
        else:
            gains = self._batch.points[0].tolist()
        return float(gains[0] - gains[1]), float(gains[1] - gains[0])

    @property
    def scores(self) -> list[int]:
        """Points (historical: marks) of each side in the match, the deal being played not included."""
        return list(self._batch.scores[0].tolist())

    @property
    def points_of_last_deal(self) -> list[int] | None:
        """Points of each side in the match's deal that ended last, None in its first deal."""
        if isinstance(self._batch, MatchBatch) and self._batch.deal_number[0]:
            return list(self._batch.last_points[0].tolist())
        return None

    def result(self) -> dict[str, Any] | None:
        """Return None before the end, then what happened in plain Python values.

        ``points`` and ``thirds`` by side and ``bonus`` (a name or None) of the last deal; in a match also
        ``scores``, ``winner`` (side), ``payment`` and ``next_marks``.  A game ended by an illegal card has
        ``forfeited_by`` (seat) as well, the counts as they stood, and in a match the other side as winner.
        """
        if not self.over or self._deal is None:
            return None
        if self.forfeited_by is not None:
            return self._forfeited(self.forfeited_by)
        return results_of(self._batch)[0]

    def _forfeited(self, seat: int) -> dict[str, Any]:
        result: dict[str, Any] = {
            "points": list(self.deal.points),
            "thirds": list(self.deal.thirds),
            "bonus": None,
            "forfeited_by": seat,
        }
        if self.kind == "match":
            result |= {
                "scores": self.scores,
                "winner": 1 - (seat & 1),
                "payment": self._forfeited_loss,
                "next_marks": [0, 0],
            }
        return result


def results_of(deals: DealBatch, outcome: Outcome | None = None) -> list[dict[str, Any]]:
    """Return what happened in each of N finished games, as `Episode.result` tells it.

    `outcome`: where the matches stand whose last deals these are; a `MatchBatch` knows it itself.
    """
    results = [
        {"points": points, "thirds": thirds, "bonus": bonus}
        for points, thirds, bonus in zip(deals.points.tolist(), deals.thirds.tolist(), deals.bonus, strict=True)
    ]
    if isinstance(deals, MatchBatch):
        outcome = Outcome(deals.scores, deals.winner, deals.payment, deals.next_marks)
    if outcome is not None:
        for result, *values in zip(results, *(part.tolist() for part in outcome), strict=True):
            result |= dict(zip(Outcome._fields, values, strict=True))
    return results


def illegal_loss(rules: Rules, kind: str) -> int:
    """Return what an illegal card costs at first: as much as the worst legal end of a game (RULES §2, §5, §7)."""
    if kind == "match":
        return 2 if rules.variant == "historical" else 1
    return _ILLEGAL_LOSS_WITH_NAPOLETANA if rules.napoletana else _ILLEGAL_LOSS_OF_DEAL[rules.variant]


def checked_loss(loss: float) -> float:
    """Return what an illegal card is to cost; ``ValueError`` unless it is a number of at least 0."""
    if isinstance(loss, bool) or not isinstance(loss, Real) or not 0 <= loss < math.inf:
        raise ValueError(f"illegal_loss={loss!r} is not allowed: a number of at least 0")
    return int(loss) if loss == int(loss) else float(loss)


def deal_options(rules: Rules, options: dict[str, Any] | None) -> list[Any]:
    """Return deck, dealer and score of a reset's options as batches of one, None for what is not given.

    Raises ``ValueError`` for what is no such option; other names are ignored with a logged warning.
    """
    given = {} if options is None else options
    allowed = ", ".join(map(repr, OPTIONS))
    if not isinstance(given, dict):
        raise ValueError(f"options={options!r} is not allowed: a dict with any of {allowed}")
    unknown = [key for key in given if key not in OPTIONS]
    if unknown:  # not refused, since PettingZoo's own tests pass one
        _logger.warning("reset ignores the option %r: it knows %s", unknown[0], allowed)
    shapes = ((rules.num_cards,), (), (2,))
    return [_batch_of_one(name, given.get(name), shape) for name, shape in zip(OPTIONS, shapes, strict=True)]


def _batch_of_one(name: str, value: Any, shape: tuple[int, ...]) -> Any:
    return None if value is None else integer_array(f"options[{name!r}]", value, shape)[None]
