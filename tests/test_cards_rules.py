"""Cards and rule sets: ids, text forms, values, options and what is refused."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

from tests.oracle import RANKS, SUITS, value_in_thirds
from tressette_env import DealBatch, IllegalCardError, Rules
from tressette_env.cards import (
    THIRDS,
    bitboard_of,
    card_id,
    card_ids,
    card_text,
    cards_of,
    cards_text,
    hand_text,
    membership,
    popcount,
    thirds_of,
)
from tressette_env.observation import obs_size, suit_order


@pytest.mark.parametrize(("text", "card"), [("4D", 0), ("3D", 9), ("AC", 17), ("CC", 15), ("RB", 36), ("3B", 39)])
def test_ids_of_the_rules(text: str, card: int) -> None:
    assert card_id(text) == card
    assert card_text(card) == text


def test_every_id_is_ten_times_the_suit_plus_the_strength() -> None:
    texts = [rank + suit for suit in SUITS for rank in RANKS]
    assert [card_id(text) for text in texts] == list(range(40))
    assert [card_text(card) for card in range(40)] == texts
    assert card_ids(cards_text(range(40))) == list(range(40))


@pytest.mark.parametrize("text", ["", "3", "3d", "D3", "10D", "3X", "3D ", None, 9])
def test_no_card_text(text: Any) -> None:
    with pytest.raises(ValueError, match="is no card"):
        card_id(text)


@pytest.mark.parametrize("card", [-1, 40, 1000])
def test_no_card_id(card: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 39"):
        card_text(card)


def test_values_are_thirds_and_the_pack_holds_32() -> None:
    assert THIRDS.sum() == 32
    assert {RANKS[card % 10]: int(THIRDS[card]) for card in range(10)} == {
        **{"A": 3, "3": 1, "2": 1, "R": 1, "C": 1, "F": 1},
        **{"7": 0, "6": 0, "5": 0, "4": 0},
    }
    assert THIRDS.tolist() == [value_in_thirds([card]) for card in range(40)]


def test_bitboards_and_back() -> None:
    rng = np.random.default_rng(0)
    sets = [sorted(rng.choice(40, size=size, replace=False).tolist()) for size in range(41)]
    boards = np.array([bitboard_of(cards) for cards in sets], np.uint64)
    assert [cards_of(board) for board in boards] == sets
    assert popcount(boards).tolist() == list(range(41))
    assert thirds_of(boards).tolist() == [value_in_thirds(cards) for cards in sets]
    assert [np.flatnonzero(row).tolist() for row in membership(boards)] == sets


def test_a_hand_is_shown_suit_by_suit_from_the_strongest() -> None:
    assert hand_text(card_ids("4D AC 3D 2S 3C")) == "3D 4D 3C AC 2S"


def test_defaults() -> None:
    rules = Rules("partners")
    assert (rules.napoletana, rules.target, rules.suits, rules.ranks, rules.hand) == (False, 21, SUITS, RANKS, 10)
    assert rules.pack == list(range(40))
    sizes = {variant: Rules(variant) for variant in ("two_player", "partners", "historical")}
    assert {variant: (r.seats, r.num_tricks, r.stock) for variant, r in sizes.items()} == {
        "two_player": (2, 20, 20),
        "partners": (4, 10, 0),
        "historical": (4, 10, 0),
    }


@pytest.mark.parametrize("target", [21, 31, 41])
def test_targets_of_the_modern_game(target: int) -> None:
    assert Rules("two_player", target=target).target == target


def test_a_smaller_pack_keeps_the_ids_of_the_full_one() -> None:
    rules = Rules("partners", suits="BD", ranks="A234", hand=2)
    assert (rules.suits, rules.ranks) == ("DB", "4A23")
    assert cards_text(rules.pack) == "4D AD 2D 3D 4B AB 2B 3B"
    assert rules == Rules("partners", suits="DB", ranks="4A23", hand=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variant": "bridge"}, "'bridge'.*two_player.*partners.*historical"),
        ({"variant": None}, "None.*two_player"),
        ({"variant": "partners", "napoletana": 1}, "napoletana=1.*False, True"),
        ({"variant": "partners", "napoletana": "yes"}, "'yes'"),
        ({"variant": "historical", "napoletana": True}, "napoletana=True.*historical"),
        ({"variant": "partners", "target": 11}, "target=11.*21, 31, 41"),
        ({"variant": "partners", "target": 21.0}, r"target=21\.0"),
        ({"variant": "partners", "target": True}, "target=True"),
        ({"variant": "historical", "target": 31}, "target=31.*historical.*21"),
        ({"variant": "partners", "suits": ""}, "suits=''"),
        ({"variant": "partners", "suits": "DD"}, "suits='DD'"),
        ({"variant": "partners", "suits": "DX"}, "suits='DX'.*DCSB"),
        ({"variant": "partners", "ranks": "89"}, "ranks='89'"),
        ({"variant": "partners", "ranks": ["A", "2"]}, "ranks="),
        ({"variant": "partners", "hand": 0}, "hand=0"),
        ({"variant": "partners", "hand": 2.5}, "hand=2.5"),
        ({"variant": "partners", "hand": True}, "hand=True"),
        ({"variant": "partners", "hand": 9}, "hand=9 deals 36 of 40"),
        ({"variant": "two_player", "hand": 21}, "hand=21 leaves -2 of 40"),
        ({"variant": "two_player", "suits": "DCS", "ranks": "A23", "hand": 2}, "leaves 5 of 9"),
    ],
)
def test_refused_rules(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Rules(**arguments)


def test_rules_are_values() -> None:
    rules = Rules("partners", napoletana=True)
    assert pickle.loads(pickle.dumps(rules)) == rules == dataclasses.replace(rules)
    assert len({rules, Rules("partners", napoletana=True), Rules("partners")}) == 2


@pytest.mark.parametrize("count", [0, -1, 1.0, True, "4", None])
def test_refused_sizes_of_a_batch(count: Any) -> None:
    with pytest.raises(ValueError, match="num_deals"):
        DealBatch(count)


def test_refused_variants_of_a_batch() -> None:
    with pytest.raises(ValueError, match=r"'tresette'.*two_player"):
        DealBatch(1, "tresette")
    with pytest.raises(ValueError, match="napoletana=True"):
        DealBatch(1, "historical", napoletana=True)
    with pytest.raises(ValueError, match="contradicts"):
        DealBatch(1, Rules("partners"), napoletana=True)


def test_the_error_of_an_illegal_card_names_card_seat_and_legal_cards() -> None:
    error = IllegalCardError(card_id("3D"), 2, card_ids("4C AC"), deal=5)
    assert isinstance(error, ValueError)
    assert str(error) == "deal 5: seat 2 may not play 3D; legal cards: 4C AC"
    again = pickle.loads(pickle.dumps(error))
    assert (again.card, again.seat, again.legal, again.deal, str(again)) == (9, 2, [10, 17], 5, str(error))


def test_refused_orders_of_suits() -> None:
    with pytest.raises(ValueError, match="DCSB"):
        suit_order("partners", "DCS")
    assert suit_order("partners", "DCSB").tolist() == list(range(obs_size("partners")))
