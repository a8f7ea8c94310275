"""Games in a batch, written down as records while they are played."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env import ENV_VERSION
from tressette_env.cards import NUM_CARDS, IntArray, card_text
from tressette_env.deals import DealBatch
from tressette_env.episode import results_of
from tressette_env.matches import MatchBatch
from tressette_env.record_form import check_name, options_of
from tressette_env.rules import Rules

_TEXTS = np.array([card_text(card) for card in range(NUM_CARDS)])


class Recorder:
    """Writes down the games of a batch: it stands in for the batch's `step` from the first card to the last.

    `games`: a `DealBatch` or `MatchBatch`, just reset.  `players`: (games, seats) names, who sits where.
    Raises ``ValueError`` for a wrong number of names, a name no record takes, and games that have begun.
    """

    def __init__(self, games: DealBatch, players: Any) -> None:
        self._players = _checked_players(players, games)
        scores, begun = games.scores, games.ply.any()
        if isinstance(games, MatchBatch):
            scores -= games.last_points  # of the matches that declarations decided at once
            begun |= games.deal_number.any()
        if begun:
            raise ValueError("the games have begun: record them from their first card on")
        self._games = games
        self._scores: list[list[int]] = scores.tolist()
        self._deals: list[list[dict[str, Any]]] = [[] for _ in range(games.num_deals)]
        self._note_without_plays(np.flatnonzero(~games.active))

    def step(self, cards: Any, rows: Any = None) -> None:
        """Play as ``games.step(cards, rows)`` does, and note the deals that end."""
        games = self._games
        last = games.active & (games.ply == games.rules.num_cards - 1)
        if rows is not None and np.shape(rows) == last.shape:  # the batch refuses other shapes
            last &= np.asarray(rows, bool)
        ending = np.flatnonzero(last)
        if not len(ending):
            games.step(cards, rows)
            return
        decks, dealers, before = games.decks[ending], games.dealer[ending], games.scores[ending]
        plays = games.view().take(ending).plays[:, : games.rules.num_cards].copy()
        games.step(cards, rows)
        plays[:, -1] = np.asarray(cards)[ending]
        if isinstance(games, MatchBatch):
            at_once = ending[~games.active[ending] & (games.ply[ending] == 0)]  # the next deal, won by declarations
            points = games.scores[ending] - before
            points[np.isin(ending, at_once)] -= games.last_points[at_once]
        else:
            at_once, points = ending[:0], games.points[ending]
        self._note(ending, decks, dealers, plays, points)
        self._note_without_plays(at_once)

    def records(self) -> list[dict[str, Any]]:
        """Return the records, in the order of the games; ``ValueError`` unless all are over."""
        if not self._games.done:
            raise ValueError(
                f"{np.count_nonzero(self._games.active)} of the games are not over: records hold whole games"
            )
        return _records(self._games, self._players, self._scores, self._deals)

    def _note(self, rows: IntArray, *parts: Any) -> None:
        for row, deal in zip(rows, _deals(*parts), strict=True):
            self._deals[row].append(deal)

    def _note_without_plays(self, rows: IntArray) -> None:
        """Note the deals on these rows, which declarations won."""
        games = self._games
        self._note(rows, games.decks[rows], games.dealer[rows], np.zeros((len(rows), 0), np.int8), games.points[rows])


def records_of(deals: DealBatch, players: Any) -> list[dict[str, Any]]:
    """Return the records of a finished batch of single deals; `players`: (deals, seats) names.

    Raises ``ValueError`` while a deal is active, for a `MatchBatch`, which forgets its earlier deals (see `Recorder`),
    and for wrong names.
    """
    names = _checked_players(players, deals)
    if isinstance(deals, MatchBatch):
        raise ValueError("a batch of matches holds its last deals only: have a Recorder play them")
    _check_done(deals)
    played = deals.view().plays[:, : deals.rules.num_cards]
    entries = _deals(deals.decks, deals.dealer, played, deals.points)
    return _records(deals, names, deals.scores.tolist(), [[entry] for entry in entries])


def _records(
    games: DealBatch, players: list[list[str]], scores: list[list[int]], deals: list[list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Return the records of finished games, given the scores before them and their deals."""
    rules, match = games.rules, isinstance(games, MatchBatch)
    return [
        {
            "version": ENV_VERSION,
            "variant": rules.variant,
            "options": options_of(rules, match, before),
            "players": names,
            "deals": played,
            "result": result,
        }
        for names, before, played, result in zip(players, scores, deals, results_of(games), strict=True)
    ]


def _deals(decks: IntArray, dealers: IntArray, plays: npt.NDArray[np.int8], points: IntArray) -> list[dict[str, Any]]:
    """Return what a record says of n deals; `plays` (n, cards), all -1 where declarations won."""
    lengths: list[int] = np.count_nonzero(plays >= 0, axis=1).tolist()
    columns = _TEXTS[decks].tolist(), dealers.tolist(), _TEXTS[plays].tolist(), points.tolist(), lengths
    return [
        {"deck": deck, "dealer": dealer, "plays": cards[:length], "points": of_sides}
        for deck, dealer, cards, of_sides, length in zip(*columns, strict=True)
    ]


def _check_done(games: DealBatch) -> None:
    if not games.done:
        raise ValueError(f"{np.count_nonzero(games.active)} of the games are not over: records hold whole games")


def _checked_players(players: Any, games: DealBatch) -> list[list[str]]:
    rules: Rules = games.rules
    listed = [list(names) for names in (players.tolist() if isinstance(players, np.ndarray) else players)]
    if len(listed) != games.num_deals or any(len(names) != rules.seats for names in listed):
        raise ValueError(
            f"players must be names of shape ({games.num_deals}, {rules.seats}): one for each game and seat"
        )
    for name in {name for names in listed for name in names}:
        check_name("the name of a player", name)
    return listed
