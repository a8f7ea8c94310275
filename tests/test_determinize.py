"""Going on from a view with the true hidden cards is going on with the true deal; with others, with another deal."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games import ALL_RULES, FULL_RULES, dealt, mixed_decks, name, random_cards, random_dealers
from tressette_env import DealBatch, MatchBatch, Rules
from tressette_env.determinize import determinize
from tressette_env.view import View

ROWS = 24


def assert_same_views(first: View, second: View) -> None:
    assert vars(first).keys() >= {"played", "fell"}
    for field in ("seat", "hand", "legal_cards", "played", "shown", "drawn", "declared", "silent", "apart", "void"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field), field)
    for field in ("table", "suit", "led", "won", "taken", "fell", "drew", "ply", "dealer", "scores", "declared_points"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field), field)
    np.testing.assert_array_equal(first.leader[first.seat >= 0], second.leader[second.seat >= 0])
    np.testing.assert_array_equal(first.observation, second.observation)
    assert first.target == second.target


def play_both(first: DealBatch, second: DealBatch, seed: int) -> None:
    """Play both to the end with the same random cards and hold them equal at every ply."""
    rng = np.random.default_rng(seed)
    while not first.done:
        np.testing.assert_array_equal(first.legal, second.legal)
        assert_same_views(first.view(), second.view())
        for seat in range(first.rules.seats):
            np.testing.assert_array_equal(first.observe(seat), second.observe(seat))
        cards = random_cards(first, rng)
        first.step(cards)
        second.step(cards)
    assert second.done
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.thirds, second.thirds)
    assert first.bonus == second.bonus


def playing(rules: Rules, rows: int, seed: int, score: tuple[int, int] = (0, 0)) -> DealBatch:
    """A batch of deals, those left out that declarations end."""
    decks, dealers = mixed_decks(rules, 2 * rows, seed), random_dealers(rules, 2 * rows, seed)
    goes_on = np.flatnonzero(dealt(rules, decks, dealers, scores=[score] * 2 * rows).active)[:rows]
    return dealt(rules, decks[goes_on], dealers[goes_on], scores=[score] * rows)


def true_world(deals: DealBatch, view: View) -> DealBatch:
    return determinize(view, deals.hands, deals.stock)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_the_true_cards_give_the_true_game(rules: Rules) -> None:
    deals = playing(rules, ROWS, seed=3)
    rng = np.random.default_rng(4)
    plies = range(rules.num_cards) if rules.num_cards < 20 else range(0, rules.num_cards, 3)
    for ply in range(rules.num_cards):
        if ply in plies:
            play_both(deals.copy(), true_world(deals, deals.view()), seed=ply)
        deals.step(random_cards(deals, rng))


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_rows_may_stand_at_different_plies_and_be_watched_from_any_seat(rules: Rules) -> None:
    deals = playing(rules, 2 * ROWS, seed=5, score=(7, 4))
    rng = np.random.default_rng(6)
    for _ in range(rules.num_cards - 2):
        deals.step(random_cards(deals, rng), rows=rng.random(2 * ROWS) < 0.6)
    assert len(set(deals.ply)) > 5
    watched = true_world(deals, deals.view(seat=1))
    play_both(deals, watched, seed=7)


def test_the_decks_are_those_of_the_world() -> None:
    rules = Rules("two_player", napoletana=True)
    deals = playing(rules, ROWS, seed=8)
    rng = np.random.default_rng(9)
    for _ in range(17):
        deals.step(random_cards(deals, rng))
    decks = true_world(deals, deals.view()).decks
    np.testing.assert_array_equal(decks[:, 20:], deals.decks[:, 20:])
    for hand in (slice(10), slice(10, 20)):
        np.testing.assert_array_equal(decks[:, hand], np.sort(deals.decks[:, hand], axis=1))


def test_a_match_goes_on_as_a_single_deal() -> None:
    matches = MatchBatch(ROWS, "partners", target=31)
    matches.reset(seed=1)
    rng = np.random.default_rng(2)
    for _ in range(47):
        matches.step(random_cards(matches, rng))
    world = true_world(matches, matches.view())
    assert_same_views(matches.view(), world.view())


def test_swapping_hidden_cards_changes_nothing_that_the_seat_sees() -> None:
    deals = playing(Rules("partners"), ROWS, seed=10)
    view, hands = deals.view(), deals.hands
    rows, seats = np.arange(ROWS), (view.seat + np.array([[1], [3]])) % 4
    hands[rows, seats[0]], hands[rows, seats[1]] = hands[rows, seats[1]], hands[rows, seats[0]]
    world = determinize(view, hands)
    assert_same_views(view, world.view())
    np.testing.assert_array_equal(world.hands, hands)


def test_wrong_cards_are_refused() -> None:
    deals = playing(Rules("two_player"), ROWS, seed=11)
    view, hands, stock = deals.view(), deals.hands, deals.stock
    with pytest.raises(ValueError, match="hands must be uint64 of shape"):
        determinize(view, hands[:, :1], stock)
    with pytest.raises(ValueError, match="hands must be uint64 of shape"):
        determinize(view, hands.astype(np.int64), stock)
    with pytest.raises(ValueError, match="stock must be integers of shape"):
        determinize(view, hands, stock[0])
    with pytest.raises(ValueError, match="row 0: hands and stock"):
        determinize(view, hands)
    with pytest.raises(ValueError, match="row 2: hands and stock"):
        determinize(view, np.where(np.arange(ROWS)[:, None] == 2, hands[:, ::-1], hands), stock)
    twice = stock.copy()
    twice[5, 0] = twice[5, 1]
    with pytest.raises(ValueError, match="row 5: hands and stock"):
        determinize(view, hands, twice)


def test_a_row_that_does_not_act_is_refused() -> None:
    deals = playing(Rules("partners"), 2, seed=12)
    for _ in range(40):
        deals.step(deals.legal_mask().argmax(axis=1), rows=np.array([True, False]))
    with pytest.raises(ValueError, match="row 0 of the view is not to act"):
        determinize(deals.view(), deals.hands)
