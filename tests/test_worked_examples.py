"""The worked examples of the rules: whole deals, piles and bonuses with their right values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games import dealt
from tressette_env import DealBatch, Rules
from tressette_env.cards import bitboard_of, card_ids, cards_of, cards_text, thirds_of
from tressette_env.scoring import card_points

E1_HANDS = (
    "RB CB 7B 2C RC 6C 4C 4D 3S 7S",
    "2B 7C 3D FD 7D AS RS FS 6S 4S",
    "3B FB 4B AC CC 5C RD 6D CS 5S",
    "AB 6B 5B 3C FC 2D AD CD 5D 2S",
)
E1_TRICKS = (
    "CB 2B 3B 5B",
    "CS 2S 3S 4S",
    "6C 7C 5C 3C",
    "AD 4D FD 6D",
    "AB 7B AS 4B",
    "6B RB 7D FB",
    "RC RS AC FC",
    "CC CD 2C 3D",
    "4C 6S RD 5D",
    "7S FS 5S 2D",
)
E2_HANDS = (
    "7S 3D RS 7C 6D RD 2D FB 6B RC",
    "4D 7D 4C AS FS 2C AB 2B 7B 6C",
    "RB AC 5C CB 5D FD AD FC 5B 3B",
    "CC 2S 6S CD 3C 3S 4B 5S 4S CS",
)
E2_TRICKS = (
    ("RB 4B 6B 7B", 2),
    ("3B 4S FB AB", 2),
    ("AC CC 7C 2C", 1),
    ("6C 5C 3C RC", 3),
    ("2S 7S AS AD", 3),
)


def deal_of(variant: str, hands: tuple[str, ...], leader: int, stock: str = "") -> DealBatch:
    deck = card_ids(" ".join(hands) + " " + stock)
    return dealt(Rules(variant), [deck], [(leader - 1) % len(hands)])


def play(deal: DealBatch, text: str) -> None:
    for card in card_ids(text):
        deal.step(np.array([card]))


def test_e1_ends_six_to_five() -> None:
    deal = deal_of("partners", E1_HANDS, leader=0)
    for trick in E1_TRICKS:
        assert deal.points.tolist() == [[0, 0]]
        play(deal, trick)
    assert deal.done
    assert deal.thirds.tolist() == [[19, 13]]
    assert deal.points.tolist() == [[6, 5]]


def test_e2_winners_thirds_and_the_duty_to_follow() -> None:
    deal = deal_of("partners", E2_HANDS, leader=2)
    for trick, winner in E2_TRICKS:
        play(deal, trick)
        assert deal.player.tolist() == [winner]
    assert deal.thirds.tolist() == [[6, 14]]
    play(deal, "CD 3D")
    assert deal.player.tolist() == [1]
    assert cards_text(cards_of(deal.legal[0])) == "4D 7D"


def pile(figures: int, aces: int = 0) -> int:
    cards = card_ids("AD AC AS AB")[:aces] + card_ids("3D 2D RD CD FD 3C 2C RC CC FC 3S 2S RS")[:figures]
    return bitboard_of([*cards, *card_ids("7D 6D 5D")])


@pytest.mark.parametrize(
    ("aces", "figures", "points"), [(0, 13, 4), (0, 6, 2), (1, 3, 2), (4, 3, 5), (0, 2, 0), (0, 3, 1)]
)
def test_piles(aces: int, figures: int, points: int) -> None:
    taken = np.array([[pile(figures, aces)], [0]], np.uint64)
    assert card_points(taken, np.array([1])).tolist() == [[points, 1]]


def test_the_thirds_of_a_pair_are_summed_before_they_are_floored() -> None:
    deal = deal_of("partners", E1_HANDS, leader=0)
    for trick in E1_TRICKS[:3]:  # the first two go to seats 2 and 0, the third to seat 3
        play(deal, trick)
    assert deal.thirds.tolist() == [[6, 1]]
    two_and_one = np.array([[bitboard_of(card_ids("3D 2D")) | bitboard_of(card_ids("3C"))], [0]], np.uint64)
    assert card_points(two_and_one, np.array([1])).tolist() == [[1, 1]]


def test_every_split_of_32_thirds_makes_eleven_points() -> None:
    figures = card_ids("3D 2D RD CD FD 3C 2C RC CC FC 3S 2S RS CS FS 3B 2B RB CB FB")
    aces = card_ids("AD AC AS AB")
    pack = np.uint64((1 << 40) - 1)
    piles = [bitboard_of(aces[:a] + figures[:f]) for a in range(5) for f in range(21)]
    own = np.array(piles, np.uint64)
    assert set(thirds_of(own).tolist()) == set(range(33))
    points = card_points(np.stack([own, pack ^ own]), np.arange(len(own)) % 2)
    assert set(points.sum(axis=1).tolist()) == {11}
