"""The positions of RULES §8 with one right move, as batches that have reached them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tressette_env import DealBatch, Rules
from tressette_env.cards import NUM_CARDS, SUIT_MASK_OF_CARD, bitboard_of, card_ids, thirds_of
from tressette_env.determinize import determinize


class Ending(NamedTuple):
    """A position: by seat the cards in hand, the cards on the table from seat 0 on, and thirds taken by each side."""

    variant: str
    hands: list[str]
    trick: str
    thirds: tuple[int, int]
    right: str
    value: int
    next_best: int


ENDINGS = [
    Ending("two_player", ["AB RB 7S 5D", "3B 7C 4S 5S"], "", (13, 14), "RB", 1, -1),
    Ending("two_player", ["5C CS 3C 7C", "2S 4C 6D RC"], "", (14, 14), "CS", 1, -1),
    Ending("two_player", ["5D 2S 6B 6S", "6C FB AS 7C"], "", (13, 14), "6B", 1, -1),
    Ending("two_player", ["AS 7C", "2S 5C"], "", (14, 14), "AS", -1, -3),
    Ending("partners", ["4B", "5B", "AD 4C", "6S 3D"], "3S 4S", (13, 14), "AD", -1, -3),
    Ending("partners", ["7B", "6B", "AD 4C", "7S RD"], "4S 3S", (13, 14), "4C", 1, -1),
]


def reach(ending: Ending) -> DealBatch:
    """A deal in which other cards fell before, in an order that no rule looks at."""
    rules = Rules(ending.variant)
    hands = [card_ids(text) for text in ending.hands]
    trick = card_ids(ending.trick)
    fallen = [card for card in rules.pack if card not in sum(hands, trick)]
    tricks = len(fallen) // rules.seats
    played = [fallen[seat * tricks : (seat + 1) * tricks] for seat in range(rules.seats)]
    first: list[int] = []
    for card in sorted(fallen, key=lambda card: -thirds_of(np.uint64(1 << card))):
        if thirds_of(np.uint64(bitboard_of([*first, card]))) <= ending.thirds[0]:
            first.append(card)
    taken = [first, list(set(fallen) - set(first))]
    assert [int(thirds_of(np.uint64(bitboard_of(cards)))) for cards in taken] == list(ending.thirds)
    fell = np.zeros((1, NUM_CARDS), np.uint8)
    for seat, cards in enumerate(played):
        fell[0, cards] = 1 + seat + rules.seats * np.arange(tricks)
        cards.extend(trick[seat : seat + 1])
    fell[0, trick] = 1 + rules.seats * tricks + np.arange(len(trick))
    drew = np.zeros((1, NUM_CARDS), np.uint8)
    drawn = [cards[: rules.stock // 2] for cards in played]
    for cards in drawn:
        drew[0, cards] = 1 + np.arange(len(cards))

    def boards(by_seat: list[list[int]]) -> np.ndarray:
        return np.array([[bitboard_of(cards)] for cards in by_seat], np.uint64)

    start = DealBatch(1, rules)
    start.reset(decks=[rules.pack], dealers=[rules.seats - 1])
    mover = hands[len(trick)]
    suit = SUIT_MASK_OF_CARD[trick[:1]] if trick else np.zeros(1, np.uint64)
    own = np.array([bitboard_of(mover)], np.uint64)
    view = replace(
        start.view(),
        seat=np.array([len(trick)], np.int8),
        hand=own,
        legal_cards=own & suit if (own & suit).any() else own,
        played=boards(played),
        drawn=boards(drawn),
        shown=np.zeros((rules.seats, 1), np.uint64),
        taken=boards(taken),
        table=boards([trick])[0],
        suit=suit,
        led=np.array([bitboard_of([*played[0][:tricks], *trick[:1]])], np.uint64),
        won=np.array([bitboard_of(played[0][:tricks])], np.uint64),
        fell=fell,
        drew=drew,
        ply=np.array([rules.seats * tricks + len(trick)]),
        leader=np.array([0]),
    )
    return determinize(view, boards(hands).T)
