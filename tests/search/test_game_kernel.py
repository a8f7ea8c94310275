"""The compiled twin of the play against `DealBatch`, at every ply of random games."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from agents.search import game_kernel
from tests.games import ALL_RULES, dealt, mixed_decks, name, random_cards, random_dealers
from tressette_env import DealBatch, Rules
from tressette_env.cards import card_ids

ROWS = 60


def stocks(deals: DealBatch) -> npt.NDArray[np.int8]:
    """The cards that are still to be drawn, first drawn first, then -1; every deal stands at one ply."""
    rules = deals.rules
    undrawn = deals.decks[:, rules.seats * rules.hand :].astype(np.int8)
    drawn = min(2 * (int(deals.ply.max()) // rules.seats), rules.stock)
    padding = np.full((len(undrawn), 1), -1, np.int8)
    return np.concatenate([undrawn[:, drawn:], padding], axis=1)


def started(deals: DealBatch) -> npt.NDArray[np.uint64]:
    """The state of each deal, hidden cards included."""
    states = np.zeros((deals.num_deals, game_kernel.STATE), np.uint64)
    known = game_kernel.states_of(deals.view())
    for state, row, hands in zip(states, known, deals.hands, strict=True):
        game_kernel.set_world(state, row, hands)
    return states


def begin(rules: Rules, seed: int) -> DealBatch:
    scores = np.random.default_rng(seed).integers(15, size=(ROWS, 2))
    return dealt(rules, mixed_decks(rules, ROWS, seed), random_dealers(rules, ROWS, seed), scores=scores)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_twin_equals_the_play_at_every_ply(rules: Rules) -> None:
    """States started at each ply and states played on from the first one agree with the play, points included."""
    game = game_kernel.game_of(rules)
    deals, rng = begin(rules, 5), np.random.default_rng(6)
    states, stock = started(deals), stocks(deals)
    playing = deals.active
    while not deals.done:
        here = [game_kernel.DEALT_TO_LEADER, game_kernel.NEXT_DRAW]
        anew = started(deals)
        assert (np.delete(anew, here, axis=1) == np.delete(states, here, axis=1))[playing].all()
        assert (anew[:, here[0]] == states[:, here[0]])[playing].all() or rules.stock
        legal = [game_kernel.legal_cards(state) for state in states]
        assert (np.array(legal, np.uint64) == deals.legal)[playing].all()
        assert (states[:, game_kernel.PLAYER] == deals.player)[playing].all()
        cards = random_cards(deals, rng)
        deals.step(cards)
        for row in np.flatnonzero(playing):
            game_kernel.play(states[row], stock[row], np.uint64(1 << cards[row]), game)
            assert game_kernel.is_over(states[row], game) == (not deals.active[row])
    points = [[game_kernel.side_points(state, side, game) for side in (0, 1)] for state in states]
    assert (np.array(points) == deals.points)[playing].all()


@pytest.mark.parametrize("rules", [rules for rules in ALL_RULES if rules.stock], ids=name)
def test_the_stock_may_be_given_from_any_ply_on(rules: Rules) -> None:
    """A state started after some draws takes the rest of the stock and ends with the right points."""
    game = game_kernel.game_of(rules)
    for plies in (2, 4, 7):
        deals, rng = begin(rules, plies), np.random.default_rng(plies)
        for _ in range(min(plies, rules.num_cards - 1)):
            deals.step(random_cards(deals, rng))
        states, stock = started(deals), stocks(deals)
        while not deals.done:
            cards = random_cards(deals, rng)
            deals.step(cards)
            for row in range(ROWS):
                game_kernel.play(states[row], stock[row], np.uint64(1 << cards[row]), game)
        points = [[game_kernel.side_points(state, side, game) for side in (0, 1)] for state in states]
        assert (np.array(points) == deals.points).all()


def all_tricks(first_hand: str, rules: Rules) -> DealBatch:
    """Deals in which seat 0 leads and holds `first_hand`, the others the rest in order."""
    hand = card_ids(first_hand)
    deck = hand + [card for card in rules.pack if card not in hand]
    return dealt(rules, [deck], [3])


@pytest.mark.parametrize("suit", "DCSB")
def test_calladondriona(suit: str) -> None:
    """Ten cards of one suit in the leader's hand take all ten tricks: 11 and 16 besides what was declared."""
    rules = Rules("historical")
    game = game_kernel.game_of(rules)
    deals = all_tricks(" ".join(rank + suit for rank in "4567FCRA23"), rules)
    state, stock = started(deals)[0], np.full(1, -1, np.int8)
    assert deals.points.tolist() == [[20, 20]], "every seat declares a whole suit, which wins nothing yet"
    while not game_kernel.is_over(state, game):
        legal = int(game_kernel.legal_cards(state))
        game_kernel.play(state, stock, np.uint64(legal & -legal), game)
    assert game_kernel.side_points(state, 0, game) == 20 + 11 + 16
    assert game_kernel.side_points(state, 1, game) == 20
