"""`LearnerGames`: games in which one seat learns and players hold the others; both Gymnasium environments play them.

All games advance together, one place in the trick after the other, so that every play of the batch is at one place,
whatever trick each game stands at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tressette_env.cards import NUM_CARDS, ONE, IntArray, lowest_cards
from tressette_env.deals import BoolArray, DealBatch
from tressette_env.episode import Episode, deal_options, illegal_loss
from tressette_env.interface import Observation
from tressette_env.matches import MatchBatch
from tressette_env.opponents import Companion, Company, FloatArray, Opponent, is_partner
from tressette_env.players import decide
from tressette_env.rules import Rules, check_episode

NO_SEED = -1
MOST_SKIPPED = 1000
"""Deals over before the first card that are passed over; more means that none can be played."""


class LearnerGames:
    """`num_games` games of `kind` ``"deal"`` or ``"match"``, each with a learner to act until it is over.

    `opponent`, `partner`: see `Company`; `seat`: the learner's, None to draw it in each game.
    `followed`: keep an `Episode` of each game, for drawing; after each play ``on_play`` is then called.
    Attributes: ``deals`` the batch; ``seats`` (N,) the learners'; ``seeds`` (N,), `NO_SEED` before the first
    game, and ``numbers`` (N,), which game of its seed each is; ``illegal_loss`` what an illegal card costs.
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules,
        kind: str,
        opponent: Opponent,
        partner: Opponent | None,
        seat: int | None,
        followed: bool = False,
    ) -> None:
        check_episode(kind)
        self.rules = rules
        self.kind = kind
        self.deals: DealBatch = MatchBatch(num_games, rules) if kind == "match" else DealBatch(num_games, rules)
        self.seats = np.zeros(num_games, np.int64)
        self.seeds = np.full(num_games, NO_SEED)
        self.numbers = np.zeros(num_games, np.int64)
        self.illegal_loss: float = illegal_loss(rules, kind)
        self._episodes = [Episode(rules, kind) for _ in range(num_games)] if followed else []
        self.on_play: Callable[[], None] | None = None
        self._seat = seat
        self._companions: list[Companion] = []
        self._opponent = np.zeros(num_games, np.int64)  # places in the list of companions
        self._partner = np.zeros(num_games, np.int64)
        self.set_opponent(opponent, partner)

    def set_opponent(self, opponent: Opponent, partner: Opponent | None) -> None:
        """Let other players play the games that begin from now on."""
        company = Company(self.rules, opponent, partner)
        active = self.deals.active
        playing = np.unique(np.concatenate([self._opponent[active], self._partner[active]]))
        self._companions = [self._companions[place] for place in playing] + company.companions
        self._opponent, self._partner = playing.searchsorted(self._opponent), playing.searchsorted(self._partner)
        self._company, self._first = company, len(playing)

    def begin(self, rows: IntArray, seeds: IntArray, options: dict[str, Any] | None = None) -> None:
        """Begin games in some rows and play until the learners are to act.

        `seeds` (k,): a new seed, whose game 0 is played, or `NO_SEED` for the next game of the seed in use.
        `options`: see `deal_options`; those given hold for every row.  A game over before its first card is passed
        over.  Raises ``ValueError``, and changes nothing, when the options are wrong.
        """
        given = deal_options(self.rules, options)
        fresh = seeds != NO_SEED
        seeds, numbers = np.where(fresh, seeds, self.seeds[rows]), np.where(fresh, 0, self.numbers[rows] + 1)
        left = np.arange(len(rows))
        for _ in range(MOST_SKIPPED):
            self._deal(rows[left], seeds[left], numbers[left], given)
            left = left[~self.deals.active[rows[left]]]
            if not len(left):
                break
            numbers[left] += 1
        else:
            self.deals.abandon(rows)
            raise ValueError(f"options={options!r}: every deal is over before its first card, there is none to play")
        self.seeds[rows], self.numbers[rows] = seeds, numbers
        roles = self._company.draw(self.rules, seeds, numbers, self._seat)
        self.seats[rows] = roles.seat
        self._opponent[rows], self._partner[rows] = roles.opponent + self._first, roles.partner + self._first
        if self._episodes:
            for row, seed, number in zip(rows.tolist(), seeds.tolist(), numbers.tolist(), strict=True):
                self._episodes[row].start(seed, number, options)
            self._shown()
        self._advance(np.zeros(self.deals.num_deals, np.int64), np.zeros(self.deals.num_deals, bool))

    def _deal(self, rows: IntArray, seeds: IntArray, numbers: IntArray, given: list[Any]) -> None:
        decks, dealers, scores = (None if one is None else np.repeat(one, len(rows), axis=0) for one in given)
        self.deals.reset_rows(rows, seeds, decks, dealers, scores, numbers)

    def play(self, cards: IntArray, rows: BoolArray) -> FloatArray:
        """Play the learners' `cards` (N,) in some games, then the others' until the learners are to act again.

        An illegal card, which may be any number, ends its game.  Returns the learners' rewards, (N,).
        Raises `PlayerError` when a player fails or plays an illegal card; all games are then abandoned.
        """
        in_pack = (cards >= 0) & (cards < NUM_CARDS)
        bits = ONE << np.where(in_pack, cards, 0).astype(np.uint64)
        legal = in_pack & ((bits & self.deals.legal) != 0)
        rewards = np.zeros(len(cards))
        if not legal[rows].all():
            illegal = np.flatnonzero(rows & ~legal)
            rewards[illegal] = -self.illegal_loss
            self._forfeit(illegal)
        played = rows & legal
        self._advance(cards, played)
        ended = played & ~self.deals.active
        if ended.any():
            rewards[ended] = self._results()[ended]
        return rewards

    def _forfeit(self, rows: IntArray) -> None:
        self.deals.abandon(rows)
        if self._episodes:
            for row in rows.tolist():
                self._episodes[row].forfeit()
            self._shown()

    def _advance(self, cards: IntArray, waiting: BoolArray) -> None:
        """Play `cards` where learners are `waiting` to, and all others until every learner is to act or done."""
        seats = self.rules.seats
        try:
            for place in (*range(seats), *range(seats - 1)):
                at_place = self.deals.active & ((self.deals.ply & (seats - 1)) == place)
                theirs = at_place & (self.deals.player != self.seats)
                playing = theirs | (at_place & waiting)
                if playing.any():
                    self._step(np.where(theirs, self._replies(theirs), cards), playing)
                    waiting = waiting & ~at_place
        except BaseException:
            self.deals.abandon(np.arange(self.deals.num_deals))  # they stand in the middle of a turn
            raise

    def _step(self, cards: IntArray, rows: BoolArray) -> None:
        self.deals.step(cards, rows)
        if self._episodes:
            for row in np.flatnonzero(rows):
                self._episodes[row].play(int(cards[row]))
            self._shown()

    def _shown(self) -> None:
        if self.on_play is not None:
            self.on_play()

    def _replies(self, rows: BoolArray) -> IntArray:
        """Return what the players play in `rows`, (N,); nobody is asked where a single card is legal."""
        legal = self.deals.legal
        replies = lowest_cards(legal)
        for companion, asked in self._asked(np.flatnonzero(rows & ((legal & (legal - ONE)) != 0))):
            name = f"{companion.name} (not the learner)"
            view = self.deals.view(rows=asked)
            replies[asked] = decide(companion.player, view, name, self._where(asked), self.deals, asked)
        return replies

    def _asked(self, rows: IntArray) -> Iterator[tuple[Companion, IntArray]]:
        """Yield the players that are to act in `rows`, each with its rows."""
        if len(self._companions) == 1:
            groups = [(self._companions[0], rows)]
        else:
            partner = is_partner(self.seats[rows], self.deals.player[rows].astype(np.int64))
            places = np.where(partner, self._partner[rows], self._opponent[rows])
            groups = [(self._companions[place], rows[places == place]) for place in np.unique(places)]
        yield from ((companion, asked) for companion, asked in groups if len(asked))

    def _where(self, rows: IntArray) -> Callable[[int], str]:
        """Return what tells in words which game, and seat, a row of a view belongs to."""

        def where(row: int) -> str:
            game = rows[row]
            environment = f" (environment {game})" if self.deals.num_deals > 1 else ""
            seat = self.deals.player[game]
            return f"{self.kind} {self.numbers[game]} of seed {self.seeds[game]}{environment}, seat {seat}"

        return where

    def episode(self, row: int) -> Episode | None:
        """Return a game for drawing, None unless the games are followed."""
        return self._episodes[row] if self._episodes else None

    def _results(self) -> FloatArray:
        """Return what finished games are worth to the learners, (N,)."""
        side = self.seats & 1
        if isinstance(self.deals, MatchBatch):
            return np.where(self.deals.winner == side, self.deals.payment, -self.deals.payment).astype(np.float64)
        points = self.deals.points
        ahead = (points[:, 0] - points[:, 1]).astype(np.float64)
        return np.where(side == 0, ahead, -ahead)

    def observe(self) -> Observation:
        """Return what the learners may know and play, float32 (N, obs_size) and int8 (N, 40).

        A game that is over shows zeros, and a mask of ones, since samplers break on zeros.
        """
        return {"observation": self.deals.observe().astype(np.float32), "action_mask": self.masks().view(np.int8)}

    def masks(self) -> BoolArray:
        """Return which cards the learners may play, (N, 40); ones where the game is over."""
        masks = self.deals.legal_mask()
        masks[~self.deals.active] = True
        return masks
