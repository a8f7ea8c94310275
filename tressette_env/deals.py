"""`DealBatch`: many deals in lock-step on bitboards (RULES §2-§5, §7; CONTRACT §2).

Arrays run over deals, the last axis; what belongs to a seat has the seat as first axis.  A deal that is
played takes one play for each card of the pack, so a batch normally stands at one ply and the place in
the trick is one number.  Every play goes through `_play`: with `at` a slice for the whole batch (the
fast path) or an index array for some rows, and `ply` a number or an array.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env import declarations
from tressette_env.cards import (
    LOWEST_OF_EACH_SUIT,
    NUM_CARDS,
    ONE,
    SUIT_MASK_OF_CARD,
    IntArray,
    UInt64Array,
    cards_of,
    membership,
    popcount,
    thirds_of,
)
from tressette_env.dealing import Deal, checked_deal
from tressette_env.errors import IllegalCardError
from tressette_env.rules import HISTORICAL_TARGET, Rules, resolve_rules
from tressette_env.scoring import BONUS_NAMES, bonus_codes, bonus_points, card_points
from tressette_env.view import View

BoolArray = npt.NDArray[np.bool_]
Rows = slice | IntArray
NOBODY = -1


class DealBatch:
    """`num_deals` deals of one variant, played together.

    `variant`: a name or a `Rules` object.  Points are whole; thirds are thirds of a point.
    Raises ``ValueError`` for an unknown variant or option.
    """

    def __init__(self, num_deals: int, variant: str | Rules = "partners", napoletana: bool = False) -> None:
        if isinstance(num_deals, bool) or not isinstance(num_deals, int | np.integer) or num_deals < 1:
            raise ValueError(f"num_deals must be a whole number of at least 1, not {num_deals!r}")
        self.rules = resolve_rules(variant, napoletana)
        self.variant = self.rules.variant
        self.num_deals = int(num_deals)
        self._index = np.arange(self.num_deals)
        rows, seats = self.num_deals, self.rules.seats
        self._active = np.zeros(rows, bool)
        self._ply = np.zeros(rows, np.int64)
        self._lockstep: int | None = 0
        self._player = np.full(rows, NOBODY, np.int64)
        self._legal = np.zeros(rows, np.uint64)
        self._dealer = np.zeros(rows, np.int64)
        self._scores = np.zeros((rows, 2), np.int64)
        self._target = 0
        self._deck = np.zeros((self.rules.num_cards, rows), np.int8)
        self._hands = np.zeros((seats, rows), np.uint64)
        self._held = np.zeros((seats, rows), np.uint64)  # ever in this hand, dealt or drawn
        self._drawn = np.zeros((seats, rows), np.uint64)
        self._declared = np.zeros((seats, rows), np.uint64)  # ever announced, fallen or not
        self._declared_points = np.zeros((2, rows), np.int64)
        self._silent = np.zeros((seats, rows), np.uint64)  # suits (lowest bits) not announced with the first card
        self._apart = np.zeros((seats, rows), np.uint64)  # 3, 2, A whose two companions were never in hand together
        self._void = np.zeros((seats, rows), np.uint64)  # whole suits not followed
        self._suit = np.zeros(rows, np.uint64)  # mask of the led suit; 0 for who leads
        self._table = np.zeros(rows, np.uint64)
        self._best = np.zeros(rows, np.uint64)
        self._winner = np.zeros(rows, np.int64)  # of this trick so far, or of the one just ended
        self._led = np.zeros(rows, np.uint64)  # every card that led a trick
        self._won = np.zeros(rows, np.uint64)  # every card that took a trick
        self._taken = np.zeros((2, rows), np.uint64)
        self._fell = np.zeros((rows, NUM_CARDS), np.uint8)  # 1 + ply at which a card fell; 0: not yet
        self._drew = np.zeros((rows, NUM_CARDS), np.uint8)  # 1 + trick after which it was drawn; 0: not drawn

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
        ids = self._index if deal_ids is None else deal_ids
        deal = checked_deal(self.rules, self.num_deals, seed, decks, dealers, scores, ids)
        self._deal(self._index, deal)

    def _deal(self, rows: IntArray, deal: Deal) -> None:
        """Start `deal` on these rows."""
        self._deck[:, rows] = deal.decks.T
        self._dealer[rows] = deal.dealers
        self._scores[rows] = deal.scores
        self._declared_points[:, rows] = 0
        for state in (self._drawn, self._declared, self._silent, self._apart, self._void, self._taken):
            state[:, rows] = 0
        for per_deal in (self._suit, self._table, self._best, self._led, self._won):
            per_deal[rows] = 0
        self._fell[rows] = 0
        self._drew[rows] = 0
        bits = ONE << deal.decks.astype(np.uint64)
        hand = self.rules.hand
        for seat in range(self.rules.seats):
            self._held[seat, rows] = np.bitwise_or.reduce(bits[:, seat * hand : (seat + 1) * hand], axis=1)
        self._hands[:, rows] = self._held[:, rows]
        self._ply[rows] = 0
        self._active[rows] = True
        self._winner[rows] = leader = (deal.dealers + 1) & (self.rules.seats - 1)
        self._pass_turn(rows, rows, leader, np.zeros(len(rows), np.uint64))
        if self.rules.variant == "historical":
            self._declare(rows)
        self._find_lockstep()

    def _declare(self, rows: IntArray) -> None:
        """Let each seat declare in turn, and end the deals won by it."""
        won = np.zeros(len(rows), bool)
        for turn in range(1, self.rules.seats + 1):
            seat = (self._dealer[rows] + turn) & (self.rules.seats - 1)
            side = seat & 1
            cards, points = declarations.declare(self._hands[seat, rows], self.rules)
            self._declared[seat, rows] = np.where(won, np.uint64(0), cards)
            self._declared_points[side, rows] += np.where(won, 0, points)
            marks = self._scores.T[:, rows] + self._declared_points[:, rows]
            own, other = np.where(side == 0, marks, marks[::-1])
            won |= (own >= HISTORICAL_TARGET) & (own > other)
        self._end(rows[won])

    def step(self, cards: Any, rows: Any = None) -> None:
        """Play one card in every active deal, or in those of `rows`.

        `cards` (N,) integer ids; `rows` (N,) bool.  What stands in `cards` for deals that do not play is ignored.
        Raises `IllegalCardError` before anything changes, ``ValueError`` for a wrong shape, dtype or id, or
        rows that are over, and ``RuntimeError`` when no deal is active.
        """
        played = self._integers(cards)
        if self.done:
            raise RuntimeError("no deal is active: call reset first")
        index = self._rows_to_play(rows)
        if index is not None:
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

    def _integers(self, cards: Any) -> UInt64Array:
        values = np.asarray(cards)
        if values.shape != (self.num_deals,):
            raise ValueError(f"cards must have shape ({self.num_deals},), not {values.shape}")
        if values.dtype.kind not in "iu":
            raise ValueError(f"cards must be integers, not {values.dtype}")
        return values.astype(np.uint64)

    def _rows_to_play(self, rows: Any) -> IntArray | None:
        """Return the rows that play, None for the whole batch."""
        if rows is None:
            return None if self._active.all() else np.flatnonzero(self._active)
        mask = np.asarray(rows)
        if mask.shape != (self.num_deals,) or mask.dtype != bool:
            raise ValueError(f"rows must be a bool mask of shape ({self.num_deals},), not {mask.dtype} {mask.shape}")
        over = mask & ~self._active
        if over.any():
            raise ValueError(f"rows selects deal {over.argmax()}, which is over")
        return None if mask.all() else np.flatnonzero(mask)

    def _refuse(self, cards: Any, rows: IntArray) -> None:
        for row in rows:
            card, legal = int(np.asarray(cards)[row]), cards_of(self._legal[row])
            if not 0 <= card < NUM_CARDS:
                raise ValueError(f"deal {row}: {card} is no card id: it must be from 0 to {NUM_CARDS - 1}")
            if card not in legal:
                raise IllegalCardError(card, self._player[row], legal, int(row))

    def _play(
        self, at: Rows, rows: IntArray, cards: UInt64Array, bits: UInt64Array, ply: Any, place: int | None = None
    ) -> None:
        """Play legal cards at one place in the trick; `at` and `rows` name the same deals (see the module)."""
        if place is None:
            place = ply & (self.rules.seats - 1)
        seat = self._player[at]
        flat = seat * self.num_deals + rows
        hands = self._hands.reshape(-1)
        hand = hands.take(flat)
        if self.rules.napoletana and np.any(ply < self.rules.seats):
            self._announce_with_first_card(rows, flat, hand, ply)
        hands[flat] = hand ^ bits
        self._fell.reshape(-1)[rows * NUM_CARDS + cards.view(np.int64)] = ply + 1
        if place == 0:
            suit = SUIT_MASK_OF_CARD.take(cards.view(np.int64))
            self._suit[at] = suit
            self._led[at] |= bits
            self._table[at] = bits
            self._best[at] = bits
            self._winner[at] = seat
        else:
            suit = self._suit[at]
            following = bits & suit
            self._void.reshape(-1)[flat] |= np.where(following == 0, suit, np.uint64(0))
            best = self._best[at]
            # Cards of one suit are neighbouring bits, so the stronger card is the greater number.
            self._winner[at] = np.where(following > best, seat, self._winner[at])
            self._best[at] = np.maximum(following, best)
            self._table[at] |= bits
        self._ply[at] += 1
        if place == self.rules.seats - 1:
            self._finish_trick(at, rows, ply)
        else:
            self._pass_turn(at, rows, (seat + 1) & (self.rules.seats - 1), suit)

    def _pass_turn(self, at: Rows, rows: IntArray, seat: IntArray, suit: UInt64Array) -> None:
        """Put `seat` on turn; `suit` is the mask to follow, 0 for a lead."""
        hand = self._hands.reshape(-1).take(seat * self.num_deals + rows)
        following = hand & suit
        self._legal[at] = np.where(following == 0, hand, following)
        self._player[at] = seat

    def _finish_trick(self, at: Rows, rows: IntArray, ply: Any) -> None:
        winner = self._winner[at]
        table = self._table[at]
        mask_of_side_0 = (winner & 1).astype(np.uint64) - ONE  # all ones for side 0, zero for side 1
        self._taken[0, at] |= table & mask_of_side_0
        self._taken[1, at] |= table & ~mask_of_side_0
        self._won[at] |= self._best[at]
        self._table[at] = 0
        self._suit[at] = 0
        if self.rules.stock:
            self._draw(rows, winner, ply // self.rules.seats)
        self._pass_turn(at, rows, winner, np.zeros(len(rows), np.uint64))
        last = np.broadcast_to(np.asarray(ply) == self.rules.num_cards - 1, rows.shape)
        if last.any():
            self._end(rows[last])

    def _draw(self, rows: IntArray, winner: IntArray, trick: Any) -> None:
        """Let the winner, then the other draw, where the stock lasts (two players)."""
        lasts = np.broadcast_to(np.asarray(trick) < self.rules.stock // 2, rows.shape)
        if not lasts.any():
            return
        if not lasts.all():
            rows, winner, trick = rows[lasts], winner[lasts], trick[lasts]
        for place, seat in enumerate((winner, 1 - winner)):
            card = self._deck[self.rules.seats * self.rules.hand + 2 * trick + place, rows].astype(np.int64)
            bits = ONE << card.astype(np.uint64)
            flat = seat * self.num_deals + rows
            for state in (self._hands, self._held, self._drawn):
                state.reshape(-1)[flat] |= bits
            self._drew.reshape(-1)[rows * NUM_CARDS + card] = trick + 1
            if self.rules.napoletana:
                self._announce_after_draw(flat, bits)

    def _announce_with_first_card(self, rows: IntArray, flat: IntArray, hand: UInt64Array, ply: Any) -> None:
        first = np.broadcast_to(np.asarray(ply) < self.rules.seats, rows.shape)
        flat, suits = flat[first], declarations.napoletana_suits(hand[first])
        self._announce(flat, suits)
        self._silent.reshape(-1)[flat] = suits ^ LOWEST_OF_EACH_SUIT

    def _announce(self, flat: IntArray, suits: UInt64Array) -> None:
        """Announce the napoletana of `suits` (lowest bits); `flat` is seat * N + row."""
        self._declared.reshape(-1)[flat] |= declarations.napoletana_cards(suits)
        side = (flat // self.num_deals) & 1
        self._declared_points[side, flat % self.num_deals] += declarations.NAPOLETANA_POINTS * popcount(suits)

    def _announce_after_draw(self, flat: IntArray, bits: UInt64Array) -> None:
        """Announce what the drawn cards `bits` completed; note which fallen cards they never stood beside."""
        hand, declared = self._hands.reshape(-1).take(flat), self._declared.reshape(-1)
        complete = declarations.napoletana_suits(hand)
        self._announce(flat, complete & ~declarations.napoletana_suits(declared[flat]))
        fallen = self._held.reshape(-1)[flat] ^ hand
        apart = declarations.third_of_pairs(fallen | bits) & ~declarations.third_of_pairs(fallen)
        self._apart.reshape(-1)[flat] |= apart

    def _end(self, rows: IntArray) -> None:
        self._active[rows] = False
        self._player[rows] = NOBODY
        self._legal[rows] = 0

    def _find_lockstep(self) -> None:
        """Note the ply of the batch if all active deals share one."""
        plies = self._ply if self._active.all() else self._ply[self._active]
        self._lockstep = int(plies[0]) if len(plies) and (plies == plies[0]).all() else None

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

    def view(self, seat: Any = None) -> View:
        """Return what the seats to act may see, or what the given seats (an int or (N,)) may see.

        A row is blank (seat -1) where the deal is over.  The view is a snapshot: later steps leave it as it is.
        """
        return self._facts(seat).copy()

    def _facts(self, seat: Any) -> View:
        """Return the view for use before the next step: it shares this batch's arrays."""
        seats = self._player if seat is None else self._checked_seats(seat)
        seats = np.where(self._active, seats, NOBODY)
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
        values = np.asarray(seat)
        if values.dtype.kind not in "iu" or values.shape not in ((), (self.num_deals,)):
            raise ValueError(f"seat must be an int or ({self.num_deals},) ints, not {seat!r}")
        if values.size and (values.min() < 0 or values.max() >= self.rules.seats):
            raise ValueError(f"seat must be from 0 to {self.rules.seats - 1}, not {seat!r}")
        return np.broadcast_to(values.astype(np.int64), (self.num_deals,))

    def observe(self, seat: Any = None) -> npt.NDArray[np.uint8]:
        """Return (N, obs_size) uint8: what the seat to act, or the given one (an int or (N,)), may know.

        The layout is `OBSERVATION_LAYOUT[variant]`; rows are zero where the deal is over.
        """
        return self._facts(seat).observation

    def copy(self) -> DealBatch:
        """Return an independent batch that continues exactly from here."""
        return copy.deepcopy(self)
