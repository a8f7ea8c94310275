"""The batch core against the naive oracle, on every ply of random games."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games import (
    ALL_RULES,
    FULL_RULES,
    dealt,
    mixed_decks,
    name,
    oracles,
    play_oracles,
    random_cards,
    random_dealers,
)
from tests.oracle import SUITS, Oracle
from tressette_env import DealBatch, Rules
from tressette_env.cards import cards_of
from tressette_env.shuffling import mix64, mix64_in_place
from tressette_env.view import View


def suits_of(bitboard: int) -> set[str]:
    """The suits of a bitboard of whole suits, or of their lowest bits."""
    return {SUITS[card // 10] for card in cards_of(bitboard)}


def check_row(deals: DealBatch, view: View, row: int, deal: Oracle) -> None:
    """Compare everything one row of the batch and its view say with the oracle."""
    assert deals.active[row] != deal.over
    assert deals.player[row] == (-1 if deal.over else deal.player)
    assert set(cards_of(deals.legal[row])) == deal.legal()
    assert [set(cards_of(hand)) for hand in deals.hands[row]] == deal.hands
    assert deals.ply[row] == len(deal.plays)
    for side in (0, 1):
        assert set(cards_of(view.taken[side, row])) == set(deal.taken(side))
    for seat in range(deal.seats):
        assert set(cards_of(view.known[row, seat])) == deal.known(seat)
        assert set(cards_of(view.played[seat, row])) == deal.fallen(seat)
        assert set(cards_of(view.declared[seat, row])) == deal.declared[seat]
        assert set(cards_of(view.drawn[seat, row])) == set(deal.drawn[seat])
        assert suits_of(view.void[seat, row]) == deal.voids[seat]
        assert suits_of(view.silent[seat, row]) == deal.silent[seat]
        assert set(cards_of(view.excluded[seat, row])) == deal.excluded(seat), (row, seat, deal.plays)
    assert view.plays[row].tolist()[: len(deal.plays)] == [card for _, card in deal.plays]
    assert view.play_seats[row].tolist()[: len(deal.plays)] == [seat for seat, _ in deal.plays]
    assert set(view.plays[row].tolist()[len(deal.plays) :]) <= {-1}
    if not deal.over:
        assert view.leader[row] == deal.leader
        assert set(cards_of(view.hand[row])) == deal.hands[deal.player]
        assert set(np.flatnonzero(view.legal[row])) == deal.legal()


def check_scores(deals: DealBatch, games: list[Oracle]) -> None:
    assert deals.thirds.tolist() == [deal.thirds() for deal in games]
    assert deals.points.tolist() == [deal.points() for deal in games]
    named = [bonus[0] if bonus else None for bonus in (deal.bonus() for deal in games)]
    assert deals.bonus == named


def check_game(deals: DealBatch, rules: Rules, seed: int) -> list[Oracle]:
    """Play a batch to its end with random cards beside the oracle."""
    rng = np.random.default_rng(seed)
    games = oracles(rules, deals)
    while True:
        view = deals.view()
        for row, deal in enumerate(games):
            check_row(deals, view, row, deal)
        check_scores(deals, games)
        if deals.done:
            return games
        cards = random_cards(deals, rng)
        deals.step(cards)
        play_oracles(games, cards)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_every_ply_equals_the_oracle(rules: Rules) -> None:
    rows = 12 if rules in FULL_RULES else 40
    deals = dealt(rules, mixed_decks(rules, rows, 1), random_dealers(rules, rows, 1))
    check_game(deals, rules, seed=2)


def test_numbers_are_mixed_in_place_as_anywhere() -> None:
    numbers = np.random.default_rng(0).integers(2**64, size=(5, 7), dtype=np.uint64)
    mixed = numbers.copy()
    mix64_in_place(mixed, np.empty_like(mixed))
    assert (mixed == mix64(numbers)).all()
