"""What a careful player works out before choosing a card: who may hold what, and who will take the trick.

Arrays over decisions have shape (n,); those over the legal cards of each decision (k, n).  Other seats are
named by how many places after the observer they sit: 1 is the next opponent, 2 the partner (four seats).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from tressette_env.baselines.bits import (
    ZERO,
    BoolArray,
    FloatArray,
    as_float,
    beaten_by,
    count,
    ids_of,
    spread,
    strongest,
)
from tressette_env.cards import (
    NUM_CARDS,
    NUM_RANKS,
    ONE,
    SUIT_MASK_OF_CARD,
    SUIT_MASKS,
    THIRDS,
    IntArray,
    UInt64Array,
    bitboard_of,
    popcount,
    thirds_of,
)
from tressette_env.view import View

PARTNER = 2
Marks = dict[str, FloatArray]
_MOST_HIDDEN = NUM_CARDS
_VALUE = THIRDS.astype(np.float32)
_SUIT_START = np.arange(NUM_CARDS) // NUM_RANKS


def _chances_of_none() -> FloatArray:
    """Return the table [hidden cards, cards in some hands, cards looked for] of the chance that none is there."""
    size, ranks = _MOST_HIDDEN + 1, NUM_RANKS + 1
    table = np.zeros((size, size, ranks), np.float32)
    for hidden in range(size):
        for held in range(size):
            for wanted in range(ranks):
                ways = comb(max(hidden - wanted, 0), held)
                table[hidden, held, wanted] = ways / comb(hidden, held) if held <= hidden else 0.0
    table[:, :, 0] = 1.0
    return table


_NONE = _chances_of_none()


@dataclass(frozen=True)
class Knowledge:
    """Which sources of information a player uses; all but in an ablation."""

    count_fallen: bool = True
    use_voids: bool = True
    use_shown: bool = True


class Facts:
    """The facts of n decisions that all lead, or all follow.

    By legal card, (k, n): ``bit`` (0 where a decision has fewer legal cards), ``card`` ids, ``suit`` masks,
    ``higher`` cards of the suit above it, ``strength`` 0…9, ``value`` in thirds, ``in_suit`` follows the suit,
    ``takes`` would be the best card on the table, ``ours`` the chance that the own side gets the trick.
    By decision, (n,): ``hand``; ``may`` (seats - 1, n) cards each other seat may hold; ``theirs`` cards that some
    opponent may hold; ``out`` cards not seen yet or shown in another hand; ``left`` cards in hand; ``stock`` cards
    undrawn; ``table_value`` thirds on the table; ``partner_ahead`` the partner holds the trick so far;
    ``behind`` seats still to play after this one; ``resting`` the chance `ours` without beating the table.
    """

    def __init__(self, view: View, knowledge: Knowledge) -> None:
        self.rules = view.rules
        self.partnership = view.rules.seats > PARTNER
        self._rows = np.arange(len(view))
        self._read(view, knowledge)
        self._look_at_cards(view)
        self._foresee()

    def _relative(self, by_seat: UInt64Array) -> UInt64Array:
        """Reorder (seats, n) from absolute seats to places after the observer."""
        taken: UInt64Array = by_seat.reshape(-1).take(self._seats * by_seat.shape[1] + self._rows)
        return taken

    def _read(self, view: View, knowledge: Knowledge) -> None:
        rules, last_seat = view.rules, view.rules.seats - 1
        self._seats = (np.maximum(view.seat, 0).astype(np.int64) + np.arange(rules.seats)[:, None]) & last_seat
        self.hand = view.hand
        self.table = view.table
        self.led_suit = view.suit
        self.place = view.ply & last_seat
        self.behind = last_seat - self.place
        taken = thirds_of(view.taken)
        self.thirds = np.where(view.seat & 1 == 0, taken, taken[::-1])
        played = self._relative(view.played)
        self.played = played
        drawn = self._relative(view.drawn)
        fallen = np.bitwise_or.reduce(played, axis=0) if knowledge.count_fallen else view.table
        self.shown = self._relative(view.shown)[1:]
        size = rules.hand + popcount(drawn) - popcount(played)
        self.left = size[0]
        self.stock = rules.stock - popcount(drawn).sum(axis=0)
        if not knowledge.use_shown:
            self.shown = np.zeros_like(self.shown)
        shown_here = np.bitwise_or.reduce(self.shown, axis=0)
        pack = np.uint64(bitboard_of(rules.pack))
        self.hidden = pack & ~(self.hand | fallen | shown_here)
        not_held = self._relative(view.void)[1:] if knowledge.use_voids else np.zeros_like(self.shown)
        self.void = not_held
        if knowledge.use_shown and (rules.napoletana or rules.variant == "historical"):
            not_held = not_held | self._relative(view.excluded)[1:]
        self._room = size[1:] - popcount(self.shown)
        unseen = np.where(self._room > 0, self.hidden & ~not_held, ZERO)
        self.may = unseen | self.shown
        self.theirs = np.bitwise_or.reduce(self.may[0::2], axis=0)
        self.partners = self.may[1] if rules.seats > PARTNER else np.zeros_like(self.hand)
        self.out = self.hidden | shown_here
        self.led_by = played & view.led
        self._unseen = unseen

    def _look_at_cards(self, view: View) -> None:
        self.bit = spread(view.legal_cards)
        self.card = ids_of(self.bit)
        self.suit = SUIT_MASK_OF_CARD.take(self.card)
        self.higher = self.suit & (~(self.bit << ONE) + ONE)
        self.value = _VALUE.take(self.card)
        self.strength = as_float(self.card % NUM_RANKS)
        self.own = self.suit & self.hand
        self.length = count(self.own)
        self.masters = self.hand & ~beaten_by(self.theirs)
        self.sure = (self.bit & self.masters) != 0
        self.unsure = as_float(~self.sure)

    def _foresee(self) -> None:
        """Work out who will take the trick if everybody behind who can beat the table does."""
        best = strongest(self.table & self.led_suit)
        self.best = best
        self.table_value = as_float(thirds_of(self.table))
        self.in_suit = (self.suit & self.led_suit) != 0
        self.partner_ahead = (best & self.played[PARTNER]) != 0 if len(self.played) > PARTNER else best != best
        leads = self.led_suit == 0
        self.takes = leads | (self.in_suit & (self.bit > best))
        above_best = self.led_suit & (~(best << ONE) + ONE)
        suit_index = np.bitwise_count(self.led_suit - ONE).astype(np.int64) // NUM_RANKS
        suit_index[leads] = 0
        self.resting = self._chance(above_best[None], suit_index[None], as_float(self.partner_ahead))[0]
        held = self._chance(self.higher, _SUIT_START.take(self.card), np.float32(1))
        self.ours = np.where(self.takes, held, self.resting)

    def _chance(self, above: UInt64Array, suit: IntArray, ours_now: FloatArray | np.float32) -> FloatArray:
        """Return the chance that the own side gets the trick when `above` are the cards that beat the best one."""
        seats, n = self._room.shape
        to_play = np.arange(1, seats + 1)[:, None] <= self.behind
        holds = (self._unseen[:, None, :] & SUIT_MASKS[:, None]) != 0
        room = self._room[:, None, :] * holds
        total = room.sum(axis=0) + self.stock
        room *= to_play[:, None, :]
        at = suit * n + self._rows
        behind_room = room.sum(axis=0).reshape(-1).take(at)
        unseen = np.bitwise_or.reduce(np.where(to_play, self._unseen, ZERO), axis=0) & above
        shown = np.where(to_play, self.shown, ZERO)
        shown_theirs = np.bitwise_or.reduce(shown[0::2], axis=0) & above
        none = _NONE[total.reshape(-1).take(at), behind_room, np.bitwise_count(unseen)]
        none = np.where(shown_theirs == 0, none, np.float32(0))
        if seats < PARTNER:
            return as_float(none * ours_now)
        shown_partner = shown[PARTNER - 1] & above
        none = np.where(shown_partner == 0, none, np.float32(0))
        share = as_float(room[PARTNER - 1].reshape(-1).take(at)) / np.maximum(as_float(behind_room), np.float32(1))
        share = np.where((shown_partner > shown_theirs) & (shown_partner > unseen), np.float32(1), share)
        share = np.where((shown_theirs > shown_partner) & (shown_theirs > unseen), np.float32(0), share)
        return as_float(none * ours_now + (np.float32(1) - none) * share)

    def rank(self, strength: int) -> BoolArray:
        """Return (k, n): the card is of this rank."""
        same: BoolArray = self.strength == strength
        return same
