"""The facts that a network reads besides the observation, against the same read off the deal card by card."""

import numpy as np
import pytest

from tressette_env import DealBatch, make_player
from tressette_env.card_facts import facts_size, with_facts
from tressette_env.cards import NUM_RANKS, NUM_SUITS, cards_of
from tressette_env.rules import SEATS, VARIANTS
from tressette_env.towers import input_scales


def expected(deals: DealBatch, row: int) -> np.ndarray:
    """Return the facts (4, size) of the seat to act; the strongest card of the led suit takes the trick."""
    view = deals.view().take([row])
    rules, seat, ply = view.rules, int(view.seat[0]), int(view.ply[0])
    hand = set(cards_of(int(view.hand[0])))
    fallen = [int(card) for card in view.plays[0, :ply]]
    on_table = ply % rules.seats
    trick = [(int(view.play_seats[0, place]), fallen[place]) for place in range(ply - on_table, ply)]
    unseen = set(range(NUM_SUITS * NUM_RANKS)) - hand - set(fallen)
    found = np.zeros((NUM_SUITS, rules.seats * NUM_RANKS + NUM_RANKS + rules.seats + 3 * NUM_RANKS + 1))
    by_seat, takes, taker, would, mine, others, sure = np.split(
        found, np.cumsum([rules.seats * NUM_RANKS, NUM_RANKS, rules.seats, NUM_RANKS, NUM_RANKS, NUM_RANKS]), axis=1
    )
    for player, card in trick:
        by_seat[card // NUM_RANKS, (player - seat) % rules.seats * NUM_RANKS + card % NUM_RANKS] = 1
    unbeaten = {
        card
        for card in range(NUM_SUITS * NUM_RANKS)
        if not any(other // NUM_RANKS == card // NUM_RANKS and other > card for other in unseen)
    }
    if trick:
        led = trick[0][1] // NUM_RANKS
        player, best = max((pair for pair in trick if pair[1] // NUM_RANKS == led), key=lambda pair: pair[1])
        takes[led, best % NUM_RANKS] = 1
        taker[:, (player - seat) % rules.seats] = 1
        for card in hand:
            would[led, card % NUM_RANKS] += card // NUM_RANKS == led and card > best
        sure[led] = best in unbeaten
    for card in unbeaten:
        mine[card // NUM_RANKS, card % NUM_RANKS] = card in hand
        others[card // NUM_RANKS, card % NUM_RANKS] = card in unseen
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_facts_are_what_the_rules_say(variant: str) -> None:
    facts, suit_size = facts_size(variant), len(input_scales(variant)[0])
    times, blocks = np.zeros(facts), NUM_SUITS * suit_size
    deals, player = DealBatch(12, variant), make_player("random", variant)
    deals.reset(seed=3)
    while not deals.done:
        view = deals.view()
        inputs = with_facts(variant, view.observation)
        suits = inputs[:, : blocks + NUM_SUITS * facts].reshape(12, NUM_SUITS, -1)
        assert (suits[:, :, :suit_size].reshape(12, -1) == view.observation[:, :blocks]).all()
        assert (inputs[:, blocks + NUM_SUITS * facts :] == view.observation[:, blocks:]).all()
        found = suits[:, :, suit_size:]
        assert found.dtype == np.uint8
        assert found.shape == (12, NUM_SUITS, facts)
        for row in range(12):
            np.testing.assert_array_equal(found[row], expected(deals, row))
        times += found.sum(axis=(0, 1))
        deals.step(player.act(view))
    own_cards, takes = range(NUM_RANKS), NUM_RANKS * SEATS[variant]
    own_taker = takes + NUM_RANKS
    four_takes = own_taker + SEATS[variant]
    assert np.flatnonzero(times == 0).tolist() == [*own_cards, own_taker, four_takes], "who acts has not played yet"


@pytest.mark.parametrize("variant", VARIANTS)
def test_facts_of_no_rows_and_of_columns_in_another_order(variant: str) -> None:
    deals = DealBatch(5, variant)
    deals.reset(seed=1)
    observation = deals.observe()
    inputs = with_facts(variant, observation)
    assert with_facts(variant, observation[:0]).shape == (0, inputs.shape[1])
    assert np.array_equal(with_facts(variant, np.asfortranarray(observation)), inputs)
