"""Properties that hold in every game: conservation, the duty to follow, eleven points, and the symmetries."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games import ALL_RULES, FULL_RULES, dealt, mixed_decks, name, random_cards, random_dealers
from tests.oracle import SUITS, Oracle, rank_of, value_in_thirds
from tressette_env import DealBatch, Rules, decode
from tressette_env.observation import suit_order

SUIT_BITS = [np.uint64(0b1111111111 << (10 * suit)) for suit in range(4)]
BULK_DEALS = 25_000  # forty plays each: a million


def union(bitboards: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    return np.bitwise_or.reduce(bitboards, axis=1)


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_a_million_random_plays(rules: Rules) -> None:
    deals = DealBatch(BULK_DEALS, rules)
    deals.reset(seed=2024)
    rng = np.random.default_rng(1)
    rows = np.arange(BULK_DEALS)
    pack = np.uint64((1 << 40) - 1)
    over = ~deals.active
    fallen = np.zeros(BULK_DEALS, np.uint64)
    drawn = np.zeros(BULK_DEALS, np.int64)
    led = np.zeros(BULK_DEALS, np.uint64)
    plays = 0
    for ply in range(40):
        hands, player, legal, declared = deals.hands, deals.player.astype(np.int64), deals.legal, deals.points
        assert ((player >= 0) == ~over).all()
        own = np.where(over, np.uint64(0), hands[rows, player])
        if ply % rules.seats == 0:
            led[:] = 0
        follow = own & led
        assert (legal == np.where(follow != 0, follow, own)).all()
        # Every card is in one hand, has fallen, or lies in the stock.
        counts = np.bitwise_count(hands).sum(axis=1)
        assert (np.bitwise_count(union(hands)) == counts).all()
        assert not (union(hands) & fallen).any()
        assert (counts == np.where(over, rules.seats * rules.hand, rules.seats * rules.hand + drawn - ply)).all()
        cards = random_cards(deals, rng)
        bits = np.where(over, np.uint64(0), np.uint64(1) << cards.astype(np.uint64))
        if ply % rules.seats == 0:
            for suit in SUIT_BITS:
                led |= np.where(bits & suit != 0, suit, np.uint64(0))
        deals.step(cards)
        plays += int((~over).sum())
        fallen |= bits
        if rules.stock and ply % 2 == 1 and ply < 20:
            drawn += 2
        assert (deals.points >= declared).all()
    assert deals.done
    assert (fallen == np.where(over, np.uint64(0), pack)).all()
    assert (deals.thirds.sum(axis=1) == np.where(over, 0, 32)).all()
    check_points(deals, over)
    assert plays >= 990_000


def check_points(deals: DealBatch, over_at_reset: npt.NDArray[np.bool_]) -> None:
    """Floored thirds, the last trick and nothing else make eleven points beside declarations and bonus."""
    declared = deals.view().declared_points
    bonus = deals.points - declared - deals.thirds // 3
    bonus = bonus[~over_at_reset]  # the last trick's point is still in
    worth = {None: 0, "strammasseta": 3, "strammassona": 6, "callada": 4, "calladona": 4, "calladondriona": 16}
    named = np.array([worth[bonus_name] for bonus_name in deals.bonus])[~over_at_reset]
    assert (bonus.sum(axis=1) == 1 + named).all()
    assert (bonus.min(axis=1) >= 0).all()
    assert ((deals.thirds // 3).sum(axis=1)[~over_at_reset] == 10).all()


def test_declared_points_of_the_modern_game_are_threes() -> None:
    for rules in (FULL_RULES[1], FULL_RULES[3]):
        deals = dealt(rules, mixed_decks(rules, 4000, 3), random_dealers(rules, 4000, 3))
        rng = np.random.default_rng(3)
        while not deals.done:
            deals.step(random_cards(deals, rng))
        declared = deals.points.sum(axis=1) - 11
        assert (declared % 3 == 0).all()
        assert 0 < declared.max() <= 12
        without = dealt(Rules(rules.variant), deals.decks, deals.dealer)
        plays = deals.view().plays
        for ply in range(40):
            without.step(plays[:, ply])
        assert (without.points == deals.points - deals.view().declared_points).all()
        assert (without.points.sum(axis=1) == 11).all()


# Symmetries.

RULES_OF_FOUR_SUITS = [rules for rules in ALL_RULES if rules.suits == SUITS]


def relabel(cards: npt.NDArray[np.int64], order: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Give each card the suit that its own becomes."""
    return np.array(order)[cards // 10] * 10 + cards % 10


def relabel_bits(bitboards: npt.NDArray[np.uint64], order: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    relabelled = np.zeros_like(bitboards)
    for suit, new in enumerate(order):
        relabelled |= ((bitboards >> np.uint64(10 * suit)) & np.uint64(1023)) << np.uint64(10 * new)
    return relabelled


@pytest.mark.parametrize("order", [(1, 0, 2, 3), (3, 2, 1, 0), (1, 2, 3, 0), (2, 0, 3, 1)])
@pytest.mark.parametrize("rules", RULES_OF_FOUR_SUITS, ids=name)
def test_relabelling_suits_is_a_symmetry(rules: Rules, order: tuple[int, ...]) -> None:
    rows = 16
    deals = dealt(rules, mixed_decks(rules, rows, 31), random_dealers(rules, rows, 31))
    other = dealt(rules, relabel(deals.decks, order), deals.dealer)
    columns = suit_order(rules.variant, "".join(SUITS[order.index(new)] for new in range(4)))
    rng = np.random.default_rng(5)
    while True:
        assert (other.player == deals.player).all()
        assert (other.legal == relabel_bits(deals.legal, order)).all()
        assert (other.thirds == deals.thirds).all()
        assert (other.points == deals.points).all()
        assert other.bonus == deals.bonus
        for seat in range(rules.seats):
            assert (other.observe(seat) == deals.observe(seat)[:, columns]).all()
        if deals.done:
            break
        cards = random_cards(deals, rng)
        deals.step(cards)
        other.step(relabel(cards, order))


def rotated_decks(rules: Rules, decks: npt.NDArray[np.int64], by: int) -> npt.NDArray[np.int64]:
    dealt_cards = rules.seats * rules.hand
    return np.concatenate([np.roll(decks[:, :dealt_cards], by * rules.hand, axis=1), decks[:, dealt_cards:]], axis=1)


@pytest.mark.parametrize(("rules", "by"), [(rules, by) for rules in ALL_RULES for by in range(1, rules.seats)], ids=str)
def test_rotating_seats_is_a_symmetry(rules: Rules, by: int) -> None:
    rows, seats = 8, rules.seats
    deals = dealt(rules, mixed_decks(rules, rows, 32), random_dealers(rules, rows, 32))
    other = dealt(rules, rotated_decks(rules, deals.decks, by), (deals.dealer + by) % seats)
    sides = [0, 1] if by % 2 == 0 else [1, 0]
    rng = np.random.default_rng(6)
    while True:
        assert (other.player == np.where(deals.active, (deals.player + by) % seats, -1)).all()
        assert (other.legal == deals.legal).all()
        assert (other.thirds == deals.thirds[:, sides]).all()
        assert (other.points == deals.points[:, sides]).all()
        assert other.bonus == deals.bonus
        assert (other.view().keys == deals.view().keys).all()
        for seat in range(seats):
            assert (other.observe((seat + by) % seats) == deals.observe(seat)).all()
        if deals.done:
            break
        cards = random_cards(deals, rng)
        deals.step(cards)
        other.step(cards)


# Any game at all, as hypothesis likes it.


@st.composite
def games(draw: Any) -> tuple[Rules, list[int], int, list[int]]:
    """Rules, a deck, a dealer, and choices: which of the legal cards is played."""
    rules = draw(st.sampled_from(ALL_RULES))
    deck = draw(st.permutations(rules.pack))
    dealer = draw(st.integers(0, rules.seats - 1))
    choices = draw(st.lists(st.integers(0, 9), max_size=rules.num_cards))
    return rules, deck, dealer, choices


@settings(max_examples=120, deadline=None, derandomize=True)
@given(games())
def test_any_game_equals_the_oracle(game: tuple[Rules, list[int], int, list[int]]) -> None:
    rules, deck, dealer, choices = game
    deals, oracle = dealt(rules, [deck], [dealer]), Oracle(rules, deck, dealer)
    for choice in choices:
        if oracle.over:
            break
        legal = sorted(oracle.legal())
        assert np.flatnonzero(deals.legal_mask()[0]).tolist() == legal
        card = legal[choice % len(legal)]
        deals.step(np.array([card]))
        oracle.play(card)
    assert deals.done == oracle.over
    assert deals.thirds[0].tolist() == oracle.thirds()
    assert deals.points[0].tolist() == oracle.points()
    view = deals.view()
    for seat in range(rules.seats):
        assert int(view.excluded[seat, 0]) == sum(1 << card for card in oracle.excluded(seat))
        if not oracle.over:
            facts = decode(deals.observe(seat)[0], rules.variant)
            assert facts["hand"] == sorted(oracle.hands[seat])
            assert [play.card for play in facts["plays"]] == [card for _, card in oracle.plays]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sets(st.integers(0, 39)))
def test_a_pile_is_worth_a_third_of_its_thirds(pile: set[int]) -> None:
    by_rank = {rank: sum(rank_of(card) == rank for card in pile) for rank in "4567FCRA23"}
    assert value_in_thirds(pile) == 3 * by_rank["A"] + sum(by_rank[rank] for rank in "FCR23")
