"""`ScalarDeal`: one deal on Python integers, for environments that play a single game.

A batch of one row spends its time in the overhead of array calls, some ten times what a play costs here
(`benchmarks/pettingzoo_loop.py`).  Only the play itself is coded a second time: deals and declarations
before the first card come from a batch, scoring and match accounting go back to it, and what silence shows
is asked of `declarations`.  A differential test holds the two equal at every ply.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from tressette_env import declarations
from tressette_env.cards import (
    ACE,
    LOWEST_OF_EACH_SUIT,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    SUIT_BITS,
    SUIT_MASK_OF_CARD,
    SUIT_SHIFTS,
    THIRDS,
    UInt64Array,
    cards_of,
)
from tressette_env.deals import DealBatch
from tressette_env.errors import IllegalCardError
from tressette_env.observation import LARGEST_ENTRY
from tressette_env.play import NOBODY, End
from tressette_env.rules import Rules
from tressette_env.state import state_columns

Float32Array = npt.NDArray[np.float32]
_SUIT_MASK_OF_CARD: list[int] = SUIT_MASK_OF_CARD.tolist()
_THIRDS: list[int] = THIRDS.tolist()


def _bits(cards: int) -> UInt64Array:
    """Return a bitboard in the form the batch functions take, as an array without axes."""
    return np.array(cards, np.uint64)


def _third_of_pairs(cards: int) -> int:
    return int(declarations.third_of_pairs(_bits(cards)))


_KEY_BITS = int(declarations.napoletana_cards(_bits(int(LOWEST_OF_EACH_SUIT))))


@cache
def _excluded_by_part(rules: Rules) -> dict[int, int]:
    """Return what silence excludes beside the cards of one suit, or of one rank, that a historical hand had.

    Every combination lies in a suit or in a rank, so one more card changes only what these two parts exclude.
    """
    parts = [bits << shift for shift in SUIT_SHIFTS.tolist() for bits in range(SUIT_BITS + 1)]
    suits = [1 << shift for shift in SUIT_SHIFTS.tolist()]
    held = [sum(some) for count in range(NUM_SUITS + 1) for some in combinations(suits, count)]
    parts += [cards << rank for rank in range(NUM_RANKS) for cards in held]
    excluded = declarations.excluded_by_silence(np.array(parts, np.uint64), rules)
    return dict(zip(parts, excluded.tolist(), strict=True))


class ScalarDeal:
    """The deal at which row 0 of a one-row batch stands before its first card.

    Bitboards are ints, bit c for card c.  Attributes: ``player`` the seat to act, -1 when over; ``legal`` the
    cards it may play; ``ply``; ``hands``, ``declared`` (ever announced) and ``drawn`` by seat; ``points``
    announced so far and ``thirds`` taken, by side; ``tricks`` by seat; ``plays`` (seat, card) in order;
    ``leads`` the leader of each trick, the one being played last; ``next_draw`` the place in ``deck`` of the
    card drawn next.
    """

    def __init__(self, batch: DealBatch) -> None:
        if batch.num_deals != 1 or batch.ply[0]:
            raise ValueError("a ScalarDeal starts from a batch of one deal before its first card")
        self.rules = batch.rules
        self.dealer = int(batch.dealer[0])
        self.scores: list[int] = batch.scores[0].tolist()
        self.deck: list[int] = batch.decks[0].tolist()
        self.hands: list[int] = batch.hands[0].tolist()
        view = batch.view(0)
        self.declared: list[int] = view.declared[:, 0].tolist()
        self.points: list[int] = batch.points[0].tolist()
        self.player = int(batch.player[0])
        self.legal = int(batch.legal[0])
        self._reset_play()
        self._columns = state_columns(self.rules.variant)
        self._facts = np.zeros(self._columns.size, np.float32)
        self._note_start(view.target)

    def _reset_play(self) -> None:
        seats = self.rules.seats
        self.ply = 0
        self.plays: list[tuple[int, int]] = []
        self.leads = [(self.dealer + 1) % seats]
        self.next_draw = seats * self.rules.hand
        self.thirds = [0, 0]
        self.tricks = [0] * seats
        self.drawn = [0] * seats
        self._played = [0] * seats
        self._apart = [0] * seats  # 3, 2, A whose two companions were never in this hand together
        self._excluded = [0] * seats
        self._suit = 0  # mask of the led suit, 0 for who leads
        self._best = NOBODY  # the card that wins the trick so far
        self._winner = NOBODY  # its seat
        self._won = 0
        self._taken = [0, 0]

    def _note_start(self, target: int) -> None:
        """Write the deal before its first card into the empty state row."""
        facts, columns, rules = self._facts, self._columns, self.rules
        for seat, hand in enumerate(self.hands):
            for card in cards_of(hand):
                facts[columns.hand[seat][card]] = 1
            facts[columns.cards_left[seat]] = rules.hand
        for place, card in enumerate(self.deck[self.next_draw :]):
            facts[columns.stock_order[card]] = 1 + place
        facts[columns.stock] = rules.stock
        for column in (columns.leader[self.leads[0]], columns.turn[self.leads[0]], columns.dealer[self.dealer]):
            facts[column] = 1
        facts[columns.target] = target
        facts[columns.napoletana] = rules.napoletana
        for side in (0, 1):
            facts[columns.scores[side]] = min(self.scores[side], LARGEST_ENTRY)
            facts[columns.declared_points[side]] = self.points[side]
        if any(self.declared):
            self._note_declared()

    def _note_declared(self) -> None:
        """Write down what was declared before the first card, and what silence beyond it shows."""
        facts, columns = self._facts, self._columns
        excluded = declarations.excluded_by_silence(np.array(self.declared, np.uint64), self.rules).tolist()
        for seat, declared in enumerate(self.declared):
            for card in cards_of(declared):
                facts[columns.declared[seat][card]] = facts[columns.known[seat][card]] = 1
            self._set_excluded(seat, excluded[seat])

    @property
    def over(self) -> bool:
        """The last card has fallen, or declarations have won."""
        return self.player < 0

    def observe(self, seat: int) -> Float32Array:
        """Return (obs_size,) float32: the numbers of `DealBatch.observe`, zeros when the deal is over."""
        if self.player < 0:
            return np.zeros(self._columns.obs_size, np.float32)
        return self._facts.take(self._columns.observers[seat])

    def state(self) -> Float32Array:
        """Return (state_size,) float32: the state row (see `tressette_env.state`), zeros when the deal is over."""
        return np.zeros_like(self._facts) if self.player < 0 else self._facts.copy()

    def known(self, seat: int) -> int:
        """Return the cards shown to all and still in the hand of `seat`."""
        return self.hands[seat] & (self.drawn[seat] | self.declared[seat])

    def play(self, card: int) -> None:
        """Play a card; `IllegalCardError`, and nothing changed, unless it is legal."""
        if not 0 <= card < NUM_CARDS or not self.legal >> card & 1:
            raise IllegalCardError(card, self.player, cards_of(self.legal))
        seat, bit = self.player, 1 << card
        facts, columns = self._facts, self._columns
        if self.rules.napoletana and self.ply < self.rules.seats:
            self._announce_with_first_card(seat)
        self.hands[seat] ^= bit
        self._played[seat] |= bit
        self.plays.append((seat, card))
        self.ply += 1
        facts[columns.hand[seat][card]] = facts[columns.known[seat][card]] = 0
        facts[columns.played[seat][card]] = facts[columns.table[card]] = 1
        facts[columns.fell[card]] = self.ply
        facts[columns.cards_left[seat]] -= 1
        self._compare(seat, card, bit)
        if self.rules.variant == "historical" or (self.rules.napoletana and bit & _KEY_BITS):
            self._note_excluded(seat, card)
        if self.ply % self.rules.seats:
            self._pass_turn(seat, (seat + 1) % self.rules.seats)
        else:
            self._finish_trick(seat)

    def _compare(self, seat: int, card: int, bit: int) -> None:
        """Let a card lead the trick, or follow and perhaps beat it, or show a void."""
        facts, columns = self._facts, self._columns
        if not self._suit:
            self._suit = _SUIT_MASK_OF_CARD[card]
            self._best, self._winner = card, seat
            facts[columns.led[card]] = facts[columns.follow[card // NUM_RANKS]] = 1
        elif not bit & self._suit:
            facts[columns.void[seat][self._best // NUM_RANKS]] = 1
        elif card > self._best:
            self._best, self._winner = card, seat

    def _pass_turn(self, seat: int, following: int) -> None:
        facts, columns = self._facts, self._columns
        facts[columns.place] = self.ply % self.rules.seats
        facts[columns.turn[seat]] = 0
        facts[columns.turn[following]] = 1
        self.player = following
        hand = self.hands[following]
        self.legal = hand & self._suit or hand

    def _finish_trick(self, seat: int) -> None:
        facts, columns = self._facts, self._columns
        winner, best = self._winner, self._best
        for _, card in self.plays[-self.rules.seats :]:
            self._taken[winner & 1] |= 1 << card
            self.thirds[winner & 1] += _THIRDS[card]
            facts[columns.table[card]] = 0
        self._won |= 1 << best
        self._suit = 0
        self.tricks[winner] += 1
        facts[columns.follow[self.plays[-self.rules.seats][1] // NUM_RANKS]] = 0
        facts[columns.won[best]] = 1
        facts[columns.tricks[winner]] += 1
        facts[columns.trick] += 1
        facts[columns.thirds[winner & 1]] = self.thirds[winner & 1]
        if self.ply == self.rules.num_cards:
            self.player, self.legal = NOBODY, 0
            return
        facts[columns.leader[self.leads[-1]]] = 0
        facts[columns.leader[winner]] = 1
        self.leads.append(winner)
        if self.next_draw < len(self.deck):
            self._draw(winner)
            self._draw(1 - winner)
        self._pass_turn(seat, winner)

    def _draw(self, seat: int) -> None:
        """Draw the top card of the stock, shown to all (two players)."""
        facts, columns = self._facts, self._columns
        card = self.deck[self.next_draw]
        self.next_draw += 1
        self.hands[seat] |= 1 << card
        self.drawn[seat] |= 1 << card
        facts[columns.hand[seat][card]] = facts[columns.known[seat][card]] = 1
        facts[columns.drew[card]] = self.ply // self.rules.seats
        facts[columns.cards_left[seat]] += 1
        facts[columns.stock] -= 1
        facts[columns.stock_order[card]] = 0
        if self.rules.napoletana and 1 << card & _KEY_BITS:
            self._announce_after_draw(seat, card)

    def _announce_with_first_card(self, seat: int) -> None:
        suits = int(declarations.napoletana_suits(_bits(self.hands[seat])))
        self._announce(seat, suits)
        for suit in range(NUM_SUITS):
            self._facts[self._columns.silent[seat][suit]] = 1 - (suits >> suit * NUM_RANKS & 1)

    def _announce_after_draw(self, seat: int, card: int) -> None:
        """Announce what a drawn 3, 2 or ace completed; note which fallen cards it never stood beside."""
        complete = declarations.napoletana_suits(_bits(self.hands[seat]))
        suits = complete & ~declarations.napoletana_suits(_bits(self.declared[seat]))
        self._announce(seat, int(suits))
        fallen = self._played[seat]
        self._apart[seat] |= _third_of_pairs(fallen | 1 << card) & ~_third_of_pairs(fallen)
        self._note_excluded(seat, card)

    def _announce(self, seat: int, suits: int) -> None:
        """Announce the napoletana of `suits`, given by their lowest bits."""
        if not suits:
            return
        facts, columns = self._facts, self._columns
        cards = int(declarations.napoletana_cards(_bits(suits)))
        self.declared[seat] |= cards
        self.points[seat & 1] += declarations.NAPOLETANA_POINTS * suits.bit_count()
        facts[columns.declared_points[seat & 1]] = self.points[seat & 1]
        for card in cards_of(cards):
            facts[columns.known[seat][card]] = 1
            facts[columns.announced[seat][card // NUM_RANKS]] = 1

    def _note_excluded(self, seat: int, card: int) -> None:
        """Note which cards silence shows `seat` not to hold, now that it is known to have had `card`."""
        had = self._played[seat] | self.declared[seat] | self.drawn[seat]
        if self.rules.variant == "historical":
            table = _excluded_by_part(self.rules)
            same_rank = int(LOWEST_OF_EACH_SUIT) << card % NUM_RANKS
            cards = self._excluded[seat] | table[had & _SUIT_MASK_OF_CARD[card]] | table[had & same_rank]
            cards &= ~had
        else:
            apart = _bits(self._apart[seat])
            cards = int(declarations.excluded_without_napoletana(_bits(had), apart, self.rules))
        self._set_excluded(seat, cards)

    def _set_excluded(self, seat: int, cards: int) -> None:
        changed = cards ^ self._excluded[seat]
        if not changed:
            return
        self._excluded[seat] = cards
        for card in cards_of(changed):
            if self.rules.variant == "historical":
                column = self._columns.excluded[seat][card]
            else:
                column = self._columns.excluded_keys[seat][card // NUM_RANKS][card % NUM_RANKS - ACE]
            self._facts[column] = cards >> card & 1

    def hand_back(self, batch: DealBatch) -> None:
        """Put this finished deal into the batch it came from, which then counts it.

        A `MatchBatch` also settles the match and, while it goes on, deals again.
        """
        if not self.over or not self.ply:
            raise ValueError("only a deal that was played to its end is handed back")
        batch.finish(0, End(self._played, self._won, self._taken, self.points, self._winner))
