"""`DealBatch`: many deals in lock-step (CONTRACT §2).

A deal that is played takes one play for each card of the pack, so a batch normally stands at one ply and the
place in the trick is one number: that is the fast path.  Playing some rows only keeps a ply for each deal.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env.cards import NUM_CARDS, ONE, IntArray, UInt64Array, cards_of, membership, popcount, thirds_of
from tressette_env.checking import as_array, batch_size, described, integer_array
from tressette_env.dealing import checked_deal, checked_ids
from tressette_env.errors import IllegalCardError
from tressette_env.play import NOBODY, Rows, Tables
from tressette_env.rules import Rules, resolve_rules
from tressette_env.scoring import BONUS_NAMES, bonus_codes, bonus_points, card_points
from tressette_env.view import View

BoolArray = npt.NDArray[np.bool_]


class DealBatch(Tables):
    """`num_deals` deals of one variant, played together.

    `variant`: a name or a `Rules` object.  Points are whole; thirds are thirds of a point.
    Raises ``ValueError`` for an unknown variant or option.
    """

    def __init__(self, num_deals: int, variant: str | Rules = "partners", napoletana: bool = False) -> None:
        super().__init__(batch_size("num_deals", num_deals), resolve_rules(variant, napoletana))
        self.variant = self.rules.variant

    def reset(
        self,
        seed: Any = None,
        decks: Any = None,
        dealers: Any = None,
        scores: Any = None,
        deal_ids: Any = None,
    ) -> None:
        """Deal anew.

        `seed`: an int or (N,); deal i then depends on (seed, its deal id) alone; `deal_ids` (N,), default 0…N-1.
        `decks` (N, cards): seat k holds the k-th hand-sized slice, the rest is the stock, first drawn first.
        `dealers` (N,) seats; the player after the dealer leads.  `scores` (N, 2): points before this deal.
        What is given overrides what the seed would draw; without a seed decks and dealers must be given.
        Raises ``ValueError`` and changes nothing when an argument is wrong.
        """
        self._start(self._index, seed, decks, dealers, scores, deal_ids)

    def reset_rows(
        self,
        rows: Any,
        seed: Any = None,
        decks: Any = None,
        dealers: Any = None,
        scores: Any = None,
        deal_ids: Any = None,
    ) -> None:
        """Deal anew in some deals and leave the others as they are.

        `rows`: (k,) different indices.  The other arguments are those of `reset`, with k entries for N; without
        `deal_ids` a deal is named by its index.  Raises ``ValueError`` and changes nothing when one is wrong.
        """
        given = as_array(rows)
        if given is None or given.ndim != 1 or given.dtype.kind not in "iu":
            raise ValueError(f"rows must be indices of shape (k,), not {described(rows)}")
        index = given.astype(np.int64)
        if ((index < 0) | (index >= self.num_deals)).any() or len(np.unique(index)) != len(index):
            raise ValueError(f"rows must be different indices from 0 to {self.num_deals - 1}")
        if len(index):
            self._start(index, seed, decks, dealers, scores, index if deal_ids is None else deal_ids)

    def _start(self, rows: IntArray, seed: Any, decks: Any, dealers: Any, scores: Any, deal_ids: Any) -> None:
        """Check the arguments of a reset, and deal."""
        ids = checked_ids(deal_ids, len(rows))
        self._deal(rows, checked_deal(self.rules, len(rows), seed, decks, dealers, scores, ids))

    def step(self, cards: Any, rows: Any = None) -> None:
        """Play one card in every active deal, or in the active ones of `rows`.

        `cards` (N,) integer ids; `rows` (N,) bool, which may select deals that are over: they are not played.
        What stands in `cards` for deals that do not play is ignored.
        Raises `IllegalCardError` before anything changes, ``ValueError`` for a wrong shape, dtype or id, and
        ``RuntimeError`` when no deal is active.
        """
        played = integer_array("cards", cards, (self.num_deals,)).astype(np.uint64)
        if self.done:
            raise RuntimeError("no deal is active: call reset first")
        index = self._rows_to_play(rows)
        if index is not None:
            if not len(index):
                return
            played = played[index]
        bits = ONE << played
        at: Rows = slice(None) if index is None else index
        where = self._index if index is None else index
        if not (bits & self._legal[at]).all():
            self._refuse(cards, where)
        if self._lockstep is not None:
            everyone = rows is None or len(where) == np.count_nonzero(self._active)  # before any deal ends
            self._play(at, where, played, bits, self._lockstep)
            if everyone:
                self._lockstep += 1
                return
        else:
            places = self._ply[where] & (self.rules.seats - 1)
            for place in range(self.rules.seats):
                here = np.flatnonzero(places == place)
                if len(here):
                    self._play(where[here], where[here], played[here], bits[here], self._ply[where[here]], place)
        self._find_lockstep()

    def _rows_to_play(self, rows: Any) -> IntArray | None:
        """Return the rows that play, None for the whole batch."""
        if rows is None:
            return None if self._active.all() else np.flatnonzero(self._active)
        mask = as_array(rows)
        if mask is None or mask.shape != (self.num_deals,) or mask.dtype != bool:
            raise ValueError(f"rows must be a bool mask of shape ({self.num_deals},), not {described(rows)}")
        playing = mask & self._active
        return None if playing.all() else np.flatnonzero(playing)

    def _refuse(self, cards: Any, rows: IntArray) -> None:
        for row in rows:
            card, legal = int(np.asarray(cards)[row]), cards_of(self._legal[row])
            if not 0 <= card < NUM_CARDS:
                raise ValueError(f"deal {row}: {card} is no card id: it must be from 0 to {NUM_CARDS - 1}")
            if card not in legal:
                raise IllegalCardError(card, self._player[row], legal, int(row))

    @property
    def player(self) -> npt.NDArray[np.int8]:
        """(N,) int8: the seat to act, -1 where the deal is over."""
        return self._player.astype(np.int8)

    @property
    def legal(self) -> UInt64Array:
        """(N,) uint64: bit c set = card c may be played; 0 where the deal is over."""
        return self._legal.copy()

    def legal_mask(self) -> BoolArray:
        """(N, 40) bool: True = the card may be played."""
        return membership(self._legal)

    @property
    def active(self) -> BoolArray:
        """(N,) bool: the deal is still to be played."""
        return self._active.copy()

    @property
    def done(self) -> bool:
        """No deal is active."""
        return not self._active.any()

    @property
    def ply(self) -> IntArray:
        """(N,) int: cards played so far in each deal."""
        return self._ply.copy()

    @property
    def dealer(self) -> IntArray:
        """(N,) int: the dealer's seat."""
        return self._dealer.copy()

    @property
    def scores(self) -> IntArray:
        """(N, 2) int: each side's points before this deal."""
        return self._scores.copy()

    @property
    def decks(self) -> IntArray:
        """(N, cards) int: the deck of each deal, hidden cards included."""
        return self._deck.T.astype(np.int64)

    @property
    def hands(self) -> UInt64Array:
        """(N, seats) uint64: the cards in each hand, hidden from the other seats."""
        return self._hands.T.copy()

    @property
    def stock(self) -> IntArray:
        """(N, k) int: the cards still to be drawn, hidden, first drawn first, then -1; k: the most left in any deal."""
        gone = popcount(self._drawn).sum(axis=0)
        places = gone[:, None] + np.arange(self.rules.stock - int(gone.min()))
        deck = self.rules.seats * self.rules.hand + places
        stock = self._deck[np.minimum(deck, self.rules.num_cards - 1), self._index[:, None]]
        return np.where(places < self.rules.stock, stock, NOBODY).astype(np.int64)

    @property
    def thirds(self) -> IntArray:
        """(N, 2) int: thirds of a point in the cards each side took, without the last trick's point."""
        return thirds_of(self._taken).T

    @property
    def bonus(self) -> list[str | None]:
        """The bonus each deal earned (historical, finished), by name."""
        return [BONUS_NAMES[code] for code in self._bonus_codes()]

    @property
    def points(self) -> IntArray:
        """(N, 2) int: during play the declarations alone; at the end also cards, last trick and bonus."""
        points = self._declared_points.T.copy()
        finished = self._ply == self.rules.num_cards
        if finished.any():
            points[finished] += card_points(self._taken, self._winner)[finished]
            if self.rules.variant == "historical":
                points += bonus_points(self._bonus_codes(), self._tricks())
        return points

    def _tricks(self) -> IntArray:
        """Return tricks taken by seat, (seats, N)."""
        return popcount((self._held ^ self._hands) & self._won)

    def _bonus_codes(self) -> IntArray:
        if self.rules.variant != "historical":
            return np.zeros(self.num_deals, np.int64)
        leader = (self._dealer + 1) & (self.rules.seats - 1)
        codes = bonus_codes(self._taken, self._tricks(), self._held[leader, self._index], leader, self.rules)
        return np.where(self._ply == self.rules.num_cards, codes, 0)

    def view(self, seat: Any = None, rows: IntArray | None = None) -> View:
        """Return what the seats to act may see, or what the given seats (an int or (N,)) may see.

        `rows`: indices (k,) of the deals to show, all by default.
        A row is blank (seat -1) where the deal is over, whatever seat is given for it.  The view is a snapshot:
        later steps leave it as it is.
        """
        facts = self._facts(seat)
        return facts.copy() if rows is None else facts.take(rows)

    def _facts(self, seat: Any) -> View:
        """Return the view for use before the next step: it shares this batch's arrays."""
        seats = self._player if seat is None else self._checked_seats(seat)
        hands = self._hands.reshape(-1).take(np.maximum(seats, 0) * self.num_deals + self._index)
        return View(
            rules=self.rules,
            seat=seats.astype(np.int8),
            hand=np.where(seats >= 0, hands, np.uint64(0)),
            legal_cards=np.where(seats == self._player, self._legal, np.uint64(0)),
            played=self._held ^ self._hands,
            shown=self._hands & (self._drawn | self._declared),
            drawn=self._drawn,
            declared=self._declared,
            silent=self._silent,
            apart=self._apart,
            void=self._void,
            table=self._table,
            suit=self._suit,
            led=self._led,
            won=self._won,
            taken=self._taken,
            fell=self._fell,
            drew=self._drew,
            ply=self._ply,
            leader=(self._player - self._ply) & (self.rules.seats - 1),
            dealer=self._dealer,
            scores=self._scores,
            declared_points=self._declared_points.T,
            target=self._target,
        )

    def _checked_seats(self, seat: Any) -> IntArray:
        """Return the observers, (N,): `NOBODY` where the deal is over, where a seat of (N,) seats is ignored."""
        given = integer_array("seat", seat, (), (self.num_deals,))
        no_seat = (given < 0) | (given >= self.rules.seats)
        wrong = np.flatnonzero(no_seat & self._active if given.ndim else no_seat)
        if len(wrong):
            which = f"{given[wrong[0]]} of deal {wrong[0]}" if given.ndim else f"{given}"
            raise ValueError(f"seat must be from 0 to {self.rules.seats - 1}, not {which}")
        seats = np.full(self.num_deals, NOBODY, np.int64)
        seats[self._active] = np.broadcast_to(given, seats.shape)[self._active]
        return seats

    def observe(self, seat: Any = None) -> npt.NDArray[np.uint8]:
        """Return (N, obs_size) uint8: what the seat to act, or the given one (an int or (N,)), may know.

        The layout is `OBSERVATION_LAYOUT[variant]`; rows are zero where the deal is over, whatever seat is given.
        """
        return self._facts(seat).observation

    def copy(self) -> DealBatch:
        """Return an independent batch that continues exactly from here."""
        return copy.deepcopy(self)
