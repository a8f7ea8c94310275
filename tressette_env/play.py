"""The play of many deals on bitboards: dealing, declaring, tricks, drawing, announcing (RULES §2-§5, §7).

Arrays run over deals, the last axis; what belongs to a seat has the seat as first axis.  Every play goes through
`_play`: with `at` a slice for the whole batch (the fast path) or an index array for some rows, and `ply` a number
or an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tressette_env import declarations
from tressette_env.cards import LOWEST_OF_EACH_SUIT, NUM_CARDS, ONE, SUIT_MASK_OF_CARD, IntArray, UInt64Array, popcount
from tressette_env.dealing import Deal
from tressette_env.rules import HISTORICAL_TARGET, Rules

if TYPE_CHECKING:
    from tressette_env.view import View

Rows = slice | IntArray
NOBODY = -1


class End(NamedTuple):
    """How a deal ended that was played to its last card.

    By seat ``played``, the cards that fell from each hand (bitboards); ``won`` the cards that took a trick;
    by side ``taken``, the cards of its tricks, and ``declared_points``; ``winner`` the seat of the last trick.
    """

    played: list[int]
    won: int
    taken: list[int]
    declared_points: list[int]
    winner: int


class Tables:
    """The state of `num_deals` tables, and what a legal play does to it; `DealBatch` is its public face."""

    def __init__(self, num_deals: int, rules: Rules) -> None:
        self.rules = rules
        self.num_deals = num_deals
        rows, seats = num_deals, rules.seats
        self._index = np.arange(rows)
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

    def _resume(self, view: View, hands: UInt64Array, decks: IntArray, best: UInt64Array) -> None:
        """Continue from the rows of a view, all of them to act, with these hands (seats, N) and decks (N, cards).

        `best` (N,): the strongest card of the suit led on the table.
        """
        last_seat = self.rules.seats - 1
        self._deck[:] = decks.T
        self._hands[:] = hands
        self._held[:] = hands | view.played
        self._ply[:] = view.ply
        self._dealer[:] = view.dealer
        self._scores[:] = view.scores
        self._target = view.target
        self._declared_points[:] = view.declared_points.T
        for name in (
            "drawn",
            "declared",
            "silent",
            "apart",
            "void",
            "suit",
            "table",
            "led",
            "won",
            "taken",
            "fell",
            "drew",
        ):
            getattr(self, f"_{name}")[:] = getattr(view, name)
        self._best[:] = best
        self._winner[:] = view.leader
        for seat in range(self.rules.seats):
            self._winner[(view.played[seat] & best) != 0] = seat
        self._active[:] = True
        self._pass_turn(slice(None), self._index, (view.leader + view.ply) & last_seat, view.suit)
        self._find_lockstep()

    def _declare(self, rows: IntArray) -> None:
        """Let each seat declare in turn, and end the deals won by it."""
        by_seat = [declarations.declare(hands, self.rules) for hands in self._hands[:, rows]]
        cards, points = (np.stack(parts) for parts in zip(*by_seat, strict=True))
        here = np.arange(len(rows))
        marks = self._scores[rows].T.copy()
        won = np.zeros(len(rows), bool)
        for turn in range(1, self.rules.seats + 1):
            seat = (self._dealer[rows] + turn) & (self.rules.seats - 1)
            if won.any():  # a won party ends the declarations
                silenced = seat[won], here[won]
                cards[silenced] = 0
                points[silenced] = 0
            marks[seat & 1, here] += points[seat, here]
            most = marks.max(axis=0)
            won |= (most >= HISTORICAL_TARGET) & (most > marks.min(axis=0))
        self._declared[:, rows] = cards
        self._declared_points[:, rows] = marks - self._scores[rows].T
        self._end(rows[won])

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

    def finish(self, row: int, end: End) -> None:
        """Let the deal of a row, still before its first card, end as it was played elsewhere.

        Everything that is counted is right then; who played which card when is not known here.
        Raises ``ValueError`` when the deal has begun or is over.
        """
        if self._ply[row] or not self._active[row]:
            raise ValueError(f"deal {row} is not before its first card: only such a deal takes an end from elsewhere")
        self._held[:, row] = end.played
        self._hands[:, row] = 0
        self._won[row] = end.won
        self._taken[:, row] = end.taken
        self._declared_points[:, row] = end.declared_points
        self._winner[row] = end.winner
        self._ply[row] = self.rules.num_cards
        self._end(np.array([row]))
        self._find_lockstep()

    def abandon(self, rows: IntArray) -> None:
        """Take the deals of these indices (k,) out of play as they stand: they are over, with nothing counted."""
        self._end(rows)
        self._find_lockstep()

    def _end(self, rows: IntArray) -> None:
        self._active[rows] = False
        self._player[rows] = NOBODY
        self._legal[rows] = 0

    def _find_lockstep(self) -> None:
        """Note the ply of the batch if all active deals share one."""
        plies = self._ply if self._active.all() else self._ply[self._active]
        self._lockstep = int(plies[0]) if len(plies) and (plies == plies[0]).all() else None
