"""What a batch refuses: one clear error each, and nothing has changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.games import dealt
from tests.test_batches import play_some, seeded, snapshot
from tressette_env import DealBatch, IllegalCardError, MatchBatch, Rules
from tressette_env.cards import bitboard_of, card_id, card_ids

GOOD_DECKS = np.tile(np.arange(40), (3, 1))
GOOD_DEALERS = np.array([0, 1, 2])


def with_card(row: int, column: int, card: int) -> npt.NDArray[np.int64]:
    decks = GOOD_DECKS.copy()
    decks[row, column] = card
    return decks


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "seed, or both decks and dealers"),
        ({"decks": GOOD_DECKS}, "seed, or both"),
        ({"dealers": GOOD_DEALERS}, "seed, or both"),
        ({"seed": -1}, "seed must be from 0"),
        ({"seed": 2**63}, "seed must be"),
        ({"seed": 2**80}, rf"seed must be from 0 to 2\*\*63 - 1, not {2**80}"),
        ({"seed": 1.5}, r"seed must be a whole number or integers of shape \(3,\), not 1.5"),
        ({"seed": "7"}, "seed must be a whole number"),
        ({"seed": True}, "seed must be a whole number"),
        ({"seed": [1, 2]}, r"seed must be .*shape \(3,\), not int64 of shape \(2,\)"),
        ({"seed": [1, [2, 3], 4]}, "seed must be .* not lists of different lengths"),
        ({"seed": [1, 2, -3]}, "seed must be from 0 to 2\\*\\*63 - 1, not -3"),
        ({"seed": 1, "deal_ids": 5}, r"deal_ids must be integers of shape \(3,\), not 5"),
        ({"seed": 1, "deal_ids": [[0], [1, 2]]}, "deal_ids must be integers"),
        ({"seed": 1, "deal_ids": np.array([0, 1, 2**63], np.uint64)}, "deal_ids must be from 0 to"),
        ({"decks": GOOD_DECKS, "dealers": GOOD_DEALERS, "deal_ids": [0, 1]}, "deal_ids must be integers"),
        ({"decks": GOOD_DECKS, "dealers": GOOD_DEALERS, "seed": -1}, "seed must be from 0"),
        ({"seed": 1, "deal_ids": [0, 1]}, r"deal_ids must be integers of shape \(3,\)"),
        ({"seed": 1, "deal_ids": [0, 1, -1]}, "deal_ids must be from 0 to 2.*, not -1"),
        ({"seed": 1, "deal_ids": [0.0, 1.0, 2.0]}, "deal_ids must be integers"),
        ({"decks": GOOD_DECKS[:2], "dealers": GOOD_DEALERS}, r"decks must be integers of shape \(3, 40\)"),
        ({"decks": GOOD_DECKS[:, :39], "dealers": GOOD_DEALERS}, r"shape \(3, 40\)"),
        ({"decks": GOOD_DECKS.astype(float), "dealers": GOOD_DEALERS}, "decks must be integers"),
        ({"decks": [[1, 2], [3]], "dealers": GOOD_DEALERS}, "decks must be .* not lists of different lengths"),
        ({"decks": None, "dealers": [[0], [1, 2], 3]}, "dealers must be .* not lists of different lengths"),
        ({"seed": 1, "scores": [[0, 0], [1], [2, 2]]}, "scores must be .* not lists of different lengths"),
        ({"decks": with_card(1, 3, 4), "dealers": GOOD_DEALERS}, "deck 1 is no permutation"),
        ({"decks": with_card(2, 39, 40), "dealers": GOOD_DEALERS}, "deck 2 is no permutation"),
        ({"decks": with_card(0, 0, -1), "dealers": GOOD_DEALERS}, "deck 0 is no permutation"),
        ({"seed": 1, "decks": with_card(1, 3, 4)}, "deck 1 is no permutation"),
        ({"decks": GOOD_DECKS, "dealers": [0, 4, 1]}, "dealer 4 of deal 1.*0 to 3"),
        ({"decks": GOOD_DECKS, "dealers": [-1, 0, 1]}, "dealer -1 of deal 0"),
        ({"decks": GOOD_DECKS, "dealers": [0, 1]}, r"dealers must be integers of shape \(3,\)"),
        ({"seed": 1, "dealers": [0.0, 1.0, 2.0]}, "dealers must be integers"),
        ({"seed": 1, "scores": [0, 0]}, r"scores must be integers of shape \(3, 2\)"),
        ({"seed": 1, "scores": -np.ones((3, 2), int)}, "scores must be from 0 to 2.*, not -1"),
        ({"seed": 1, "scores": np.full((3, 2), 0.5)}, "scores must be integers"),
    ],
)
def test_a_refused_reset_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    deals = seeded(3, Rules("partners"), seed=1)
    play_some(deals, 5)
    before = snapshot(deals)
    with pytest.raises(ValueError, match=message):
        deals.reset(**arguments)
    assert snapshot(deals) == before


def test_a_dealer_of_the_two_player_game_is_0_or_1() -> None:
    with pytest.raises(ValueError, match="dealer 2 of deal 0 is no seat: it must be from 0 to 1"):
        dealt(Rules("two_player"), [list(range(40))], [2])


def test_a_deck_of_a_smaller_pack_permutes_its_own_ids() -> None:
    rules = Rules("partners", suits="DC", ranks="A2", hand=1)
    deals = dealt(rules, [card_ids("AD 2C AC 2D")], [3])
    assert deals.hands[0].tolist() == [bitboard_of([card_id(text)]) for text in ("AD", "2C", "AC", "2D")]
    with pytest.raises(ValueError, match="no permutation of the 4 cards"):
        dealt(rules, [[0, 1, 2, 3]], [3])


def one_suit_each() -> DealBatch:
    """Seat 0 leads denari; seat k holds the k-th suit, but for one exchange so that seat 1 must follow."""
    deck = list(range(40))
    deck[0], deck[10] = deck[10], deck[0]  # seat 0 has the 4C, seat 1 the 4D
    return dealt(Rules("partners"), [deck, deck], [3, 3])


def test_an_illegal_card_is_named_with_seat_and_legal_cards_and_changes_nothing() -> None:
    deals = one_suit_each()
    deals.step(np.array([9, 9]))
    before = snapshot(deals)
    with pytest.raises(IllegalCardError, match="deal 1: seat 1 may not play 3C; legal cards: 4D") as caught:
        deals.step(np.array([0, 19]))
    error = caught.value
    assert (error.deal, error.seat, error.card, error.legal) == (1, 1, 19, [0])
    assert snapshot(deals) == before
    deals.step(np.array([0, 0]))
    assert deals.player.tolist() == [2, 2]


@pytest.mark.parametrize("card", [0, 39, 25])
def test_a_card_of_another_seat_is_illegal(card: int) -> None:
    deals = one_suit_each()
    with pytest.raises(IllegalCardError):
        deals.step(np.array([1, card]))
    assert deals.ply.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([9, [9, 9]], r"cards must be integers of shape \(2,\), not lists of different lengths"),
        ([9], r"shape \(2,\)"),
        ([[9, 9]], r"shape \(2,\)"),
        (9, r"shape \(2,\)"),
        ([9.0, 9.0], "integers"),
        ([True, True], "integers"),
        (["3D", "3D"], "integers"),
        (None, "shape"),
        ([9, 40], "deal 1: 40 is no card id"),
        ([-1, 9], "deal 0: -1 is no card id"),
        ([9, 64 + 9], "deal 1: 73 is no card id"),
        ([2**40, 9], "no card id"),
        (np.array([9, 2**64 - 1], np.uint64), "no card id"),
    ],
)
def test_refused_cards_change_nothing(cards: Any, message: str) -> None:
    deals = one_suit_each()
    before = snapshot(deals)
    with pytest.raises(ValueError, match=message):
        deals.step(cards)
    assert snapshot(deals) == before


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([True], "bool mask"),
        ([0, 1], "bool mask"),
        (True, "bool mask"),
        ([[True, True]], "bool mask"),
        ([[True], []], "bool"),
    ],
)
def test_refused_rows(rows: Any, message: str) -> None:
    deals = one_suit_each()
    with pytest.raises(ValueError, match=message):
        deals.step(np.array([9, 9]), rows=rows)
    assert deals.ply.tolist() == [0, 0]


def test_every_integer_dtype_will_do() -> None:
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64):
        deals = one_suit_each()
        deals.step(np.array([9, 9], dtype))
        assert deals.ply.tolist() == [1, 1]


def test_a_deal_that_is_over_plays_no_more() -> None:
    deals = one_suit_each()
    while deals.active[0]:
        deals.step(np.array([int(deals.legal[0]).bit_length() - 1, -1]), rows=np.array([True, False]))
    assert deals.active.tolist() == [False, True]
    before = snapshot(deals)
    deals.step(np.array([-99, -99]), rows=np.array([True, False]))  # nothing to play
    assert snapshot(deals) == before
    deals.step(np.array([-99, 9]), rows=np.array([True, True]))  # what stands for a deal that is over is ignored
    assert deals.ply.tolist() == [40, 1]
    deals.step(np.array([-99, int(deals.legal[1]).bit_length() - 1]))
    assert deals.ply.tolist() == [40, 2]
    while not deals.done:
        deals.step(np.array([2**50, int(deals.legal[1]).bit_length() - 1]))
    for rows in (None, np.array([True, True]), np.array([False, False])):
        with pytest.raises(RuntimeError, match="no deal is active"):
            deals.step(np.array([0, 0]), rows=rows)
    with pytest.raises(RuntimeError, match="reset"):
        DealBatch(2).step(np.array([0, 0]))


@pytest.mark.parametrize(
    ("seat", "message"),
    [
        (4, "seat must be from 0 to 3, not 4"),
        (-1, "seat must be from 0 to 3, not -1"),
        (1.0, "seat must be a whole number or"),
        ("0", "seat must be a whole number or"),
        ([0, 1, 2], r"shape \(2,\), not int64 of shape \(3,\)"),
        ([0, [1, 2]], "not lists of different lengths"),
        ([0, 4], "seat must be from 0 to 3, not 4 of deal 1"),
        (np.array([2**64 - 1, 0], np.uint64), f"not {2**64 - 1} of deal 0"),
    ],
)
def test_refused_observers(seat: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_suit_each().observe(seat)
    with pytest.raises(ValueError, match=message):
        one_suit_each().view(seat)


def test_the_seat_given_for_a_deal_that_is_over_is_ignored() -> None:
    deals = one_suit_each()
    while deals.active[0]:
        deals.step(np.array([int(deals.legal[0]).bit_length() - 1, -1]), rows=np.array([True, False]))
    assert deals.player.tolist() == [-1, 0]
    assert (deals.observe(deals.player) == deals.observe()).all()
    assert deals.observe([99, 2])[1].tolist() == deals.observe(2)[1].tolist()
    assert not deals.observe([99, 2])[0].any()
    assert deals.view([99, 2]).seat.tolist() == [-1, 2]
    with pytest.raises(ValueError, match="not 9 of deal 1"):
        deals.observe([-1, 9])
    while not deals.done:
        deals.step(np.array([0, int(deals.legal[1]).bit_length() - 1]))
    assert not deals.observe(deals.player).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"napoletana": 1}, "napoletana=1 is not allowed: False, True"),
        ({"napoletana": True}, "contradicts the Rules object"),
        ({"target": 22}, "target=22 is not allowed"),
        ({"target": 41}, "target=41 contradicts the Rules object, which has target=31"),
    ],
)
def test_options_beside_a_rules_object(options: dict[str, Any], message: str) -> None:
    rules = Rules("partners", target=31)
    with pytest.raises(ValueError, match=message):
        MatchBatch(1, rules, **options)
    assert MatchBatch(1, rules).rules == MatchBatch(1, rules, target=21).rules == rules  # the default says nothing
