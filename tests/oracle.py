"""A second, naive implementation of one deal, written from the rules alone: lists, sets and no bitboards.

It shares nothing with the package but the `Rules` object, which it only reads as data.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import NamedTuple

from tressette_env import Rules

SUITS = "DCSB"
RANKS = "4567FCRA23"
NAPOLETANA_ORDER = "32ARCF7654"
THREE_OF_A_RANK = {"3": 3, "2": 3, "A": 3, "7": 3, "R": 1, "C": 1, "F": 1}
KEY_RANKS = frozenset("32A")


def card_of(rank: str, suit: str) -> int:
    return 10 * SUITS.index(suit) + RANKS.index(rank)


def suit_of(card: int) -> str:
    return SUITS[card // 10]


def rank_of(card: int) -> str:
    return RANKS[card % 10]


def value_in_thirds(cards: Iterable[int]) -> int:
    return sum(3 if rank_of(card) == "A" else 1 if rank_of(card) in "32RCF" else 0 for card in cards)


def complete_suits(cards: Iterable[int]) -> set[str]:
    """The suits of which these cards hold the 3, the 2 and the ace."""
    cards = set(cards)
    return {suit for suit in SUITS if all(card_of(rank, suit) in cards for rank in KEY_RANKS)}


def combinations(hand: Iterable[int], rules: Rules) -> list[tuple[set[int], int]]:
    """The historical combinations of a hand: their cards and points."""
    hand = set(hand)
    found = []
    for suit in complete_suits(hand):
        run = []
        for rank in NAPOLETANA_ORDER:
            if rank not in rules.ranks:
                continue
            if card_of(rank, suit) not in hand:
                break
            run.append(card_of(rank, suit))
        found.append((set(run), len(run)))
    for rank in RANKS:
        cards = {card for card in hand if rank_of(card) == rank}
        if len(cards) == 4:
            found.append((cards, 4))
        elif len(cards) == 3 and rank in THREE_OF_A_RANK:
            found.append((cards, THREE_OF_A_RANK[rank]))
    return found


class Trick(NamedTuple):
    leader: int
    winner: int
    cards: tuple[int, ...]


class Event(NamedTuple):
    """What happened to one hand, in sight of all; `announced`: the suits announced at that moment."""

    kind: str  # "play" or "draw"
    card: int
    announced: frozenset[str]


class Oracle:
    """One deal from the first card to the last."""

    def __init__(self, rules: Rules, deck: Iterable[int], dealer: int, scores: tuple[int, int] = (0, 0)) -> None:
        self.rules = rules
        self.seats = 2 if rules.variant == "two_player" else 4
        deck = [int(card) for card in deck]
        self.pack = frozenset(deck)
        self.dealt = [frozenset(deck[seat * rules.hand : (seat + 1) * rules.hand]) for seat in range(self.seats)]
        self.hands = [set(cards) for cards in self.dealt]
        self.stock = deck[self.seats * rules.hand :]
        self.dealer = int(dealer)
        self.first_leader = (self.dealer + 1) % self.seats
        self.leader = self.player = self.first_leader
        self.scores = tuple(int(score) for score in scores)
        self.plays: list[tuple[int, int]] = []
        self.table: list[int] = []
        self.tricks: list[Trick] = []
        self.events: list[list[Event]] = [[] for _ in range(self.seats)]
        self.drawn: list[dict[int, int]] = [{} for _ in range(self.seats)]
        self.declared: list[set[int]] = [set() for _ in range(self.seats)]
        self.has_declared = [False] * self.seats
        self.declared_points = [0, 0]
        self.silent: list[set[str]] = [set() for _ in range(self.seats)]
        self.voids: list[set[str]] = [set() for _ in range(self.seats)]
        self.won_by_declarations = False
        if rules.variant == "historical":
            self._declare_in_turn()

    def copy(self) -> Oracle:
        """A copy to play on with; what never changes is shared."""
        other = copy.copy(self)
        for name in ("stock", "plays", "table", "tricks", "declared_points"):
            setattr(other, name, list(getattr(self, name)))
        for name in ("hands", "events", "drawn", "declared", "silent", "voids"):
            setattr(other, name, [entry.copy() for entry in getattr(self, name)])
        return other

    def _declare_in_turn(self) -> None:
        for turn in range(self.seats):
            seat = (self.first_leader + turn) % self.seats
            for cards, points in combinations(self.hands[seat], self.rules):
                self.declared[seat] |= cards
                self.declared_points[seat % 2] += points
            self.has_declared[seat] = True
            own, other = (self.scores[side] + self.declared_points[side] for side in (seat % 2, 1 - seat % 2))
            if own >= 21 and own > other:
                self.won_by_declarations = True
                return

    @property
    def played_out(self) -> bool:
        return len(self.plays) == len(self.pack)

    @property
    def over(self) -> bool:
        return self.won_by_declarations or self.played_out

    def legal(self) -> set[int]:
        if self.over:
            return set()
        hand = self.hands[self.player]
        if not self.table:
            return set(hand)
        return {card for card in hand if suit_of(card) == suit_of(self.table[0])} or set(hand)

    def play(self, card: int) -> None:
        assert card in self.legal(), f"{card} is illegal"
        seat = self.player
        announced = set()
        if self.rules.napoletana and not any(player == seat for player, _ in self.plays):
            announced = complete_suits(self.hands[seat])
            self.silent[seat] = set(SUITS) - announced
        self._announce(seat, announced)
        self.events[seat].append(Event("play", card, frozenset(announced)))
        if self.table and suit_of(card) != suit_of(self.table[0]):
            self.voids[seat].add(suit_of(self.table[0]))
        self.hands[seat].remove(card)
        self.table.append(card)
        self.plays.append((seat, card))
        self.player = (seat + 1) % self.seats
        if len(self.table) == self.seats:
            self._finish_trick()

    def _finish_trick(self) -> None:
        led = [card for card in self.table if suit_of(card) == suit_of(self.table[0])]
        best = max(led, key=lambda card: RANKS.index(rank_of(card)))
        winner = (self.leader + self.table.index(best)) % self.seats
        self.tricks.append(Trick(self.leader, winner, tuple(self.table)))
        self.table = []
        self.leader = self.player = winner
        if self.stock:
            self._draw(winner)
            self._draw((winner + 1) % self.seats)

    def _draw(self, seat: int) -> None:
        card = self.stock.pop(0)
        self.hands[seat].add(card)
        self.drawn[seat][card] = len(self.tricks) - 1
        announced = set()
        if self.rules.napoletana and rank_of(card) in KEY_RANKS:
            announced = complete_suits(self.hands[seat]) & {suit_of(card)}
        self._announce(seat, announced)
        self.events[seat].append(Event("draw", card, frozenset(announced)))

    def _announce(self, seat: int, suits: Iterable[str]) -> None:
        for suit in suits:
            self.declared[seat] |= {card_of(rank, suit) for rank in KEY_RANKS}
            self.declared_points[seat % 2] += 3

    # What is known to all.

    def fallen(self, seat: int) -> set[int]:
        return {card for player, card in self.plays if player == seat}

    def seen(self, seat: int) -> set[int]:
        """The cards all know this seat to hold or to have held."""
        return self.fallen(seat) | self.declared[seat] | set(self.drawn[seat])

    def known(self, seat: int) -> set[int]:
        """The cards all know to be in this hand because they were shown."""
        return (self.declared[seat] | set(self.drawn[seat])) - self.fallen(seat)

    def excluded(self, seat: int) -> set[int]:
        """The cards whose presence in this hand since the deal would contradict what was announced, or was not."""
        return {card for card in self.pack - self.seen(seat) if self._contradicts(seat, card)}

    def _contradicts(self, seat: int, card: int) -> bool:
        dealt = (self.seen(seat) - set(self.drawn[seat])) | {card}
        if self.rules.variant == "historical":
            would = set().union(*(cards for cards, _ in combinations(dealt, self.rules)))
            return self.has_declared[seat] and not would <= self.declared[seat]
        if not self.rules.napoletana:
            return False
        hand = set(dealt)
        for moment, event in enumerate(self.events[seat]):
            if event.kind == "draw":
                hand.add(event.card)
            if event.kind == "draw" or moment == 0:
                due = complete_suits(hand) & ({suit_of(event.card)} if event.kind == "draw" else set(SUITS))
                if event.kind == "draw" and rank_of(event.card) not in KEY_RANKS:
                    due = set()
                if not due <= event.announced:
                    return True
            if event.kind == "play":
                hand.remove(event.card)
        return False

    def public(self) -> tuple[object, ...]:
        """Everything that all have seen and heard, to compare two worlds by."""
        return (
            self.plays,
            self.events,
            self.declared if self.rules.variant == "historical" else None,
            self.declared_points,
            self.over,
        )

    # Scores.

    def taken(self, side: int) -> list[int]:
        return [card for trick in self.tricks if trick.winner % 2 == side for card in trick.cards]

    def thirds(self) -> list[int]:
        return [value_in_thirds(self.taken(side)) for side in (0, 1)]

    def tricks_of(self, seat: int) -> int:
        return sum(trick.winner == seat for trick in self.tricks)

    def bonus(self) -> tuple[str, int, int] | None:
        """The bonus of a finished historical deal: name, side and points."""
        if self.rules.variant != "historical" or not self.played_out:
            return None
        total = len(self.tricks)
        for side in (0, 1):
            mine = [trick for trick in self.tricks if trick.winner % 2 == side]
            conceded = [trick for trick in self.tricks if trick.winner % 2 != side]
            alone = len({trick.winner for trick in mine}) == 1
            if not conceded:
                hand = self.dealt[self.first_leader]
                whole_suit = hand == {card for card in self.pack if suit_of(card) == suit_of(min(hand))}
                if alone and whole_suit and self.first_leader % 2 == side:
                    return "calladondriona", side, 16
                return ("calladona", side, 4) if alone else ("callada", side, 4)
            if len(conceded) == 1 and total > 2:
                ranks = [rank_of(card) for card in conceded[0].cards]
                if "A" not in ranks and sum(rank in "32RCF" for rank in ranks) <= 2:
                    return ("strammassona", side, 6) if alone else ("strammasseta", side, 3)
        return None

    def points(self) -> list[int]:
        points = list(self.declared_points)
        if self.played_out:
            for side, thirds in enumerate(self.thirds()):
                points[side] += thirds // 3
            points[self.tricks[-1].winner % 2] += 1
            bonus = self.bonus()
            if bonus:
                points[bonus[1]] += bonus[2]
        return points
