"""The scalar deal plays and shows exactly what a batch of one does, at every ply."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.games import ALL_RULES, FULL_RULES, name, rich_decks
from tressette_env import DealBatch, IllegalCardError, MatchBatch, Rules
from tressette_env.cards import cards_of
from tressette_env.scalar import ScalarDeal
from tressette_env.state import state_columns


def check_equal(deal: ScalarDeal, batch: DealBatch) -> None:
    assert deal.player == batch.player[0]
    assert deal.legal == batch.legal[0]
    assert deal.thirds == batch.thirds[0].tolist()
    assert deal.hands == batch.hands[0].tolist()
    view = batch.view(0)
    assert deal.declared == view.declared[:, 0].tolist()
    assert deal.drawn == view.drawn[:, 0].tolist()
    for seat in range(batch.rules.seats):
        row = deal.observe(seat)
        assert row.dtype == np.float32
        assert (row == batch.observe(seat)[0]).all()
        assert deal.known(seat) == view.known[0, seat]
    if not deal.over:
        assert deal.points == batch.points[0].tolist()
        assert deal.ply == batch.ply[0]
        assert [card for _, card in deal.plays] == view.plays[0, : deal.ply].tolist()
        assert [seat for seat, _ in deal.plays] == view.play_seats[0, : deal.ply].tolist()
        assert deal.leads[-1] == view.leader[0]


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_equals_a_batch_of_one_at_every_ply(rules: Rules) -> None:
    rng = np.random.default_rng(5)
    played = DealBatch(1, rules)  # plays every card
    start = DealBatch(1, rules)  # only deals and counts
    rich = rich_decks(rules, 20, seed=9)
    for game in range(20):
        decks = rich[game : game + 1] if game % 2 else None
        scores = [rng.integers(0, 21, 2)] if game % 3 == 0 else None
        for batch in (played, start):
            batch.reset(seed=11, deal_ids=[game], decks=decks, scores=scores)
        deal = ScalarDeal(start)
        check_equal(deal, played)
        while not deal.over:
            card = int(rng.choice(cards_of(deal.legal)))
            deal.play(card)
            played.step(np.array([card]))
            check_equal(deal, played)
        if deal.ply:
            deal.hand_back(start)
        assert start.done
        assert start.points.tolist() == played.points.tolist()
        assert start.thirds.tolist() == played.thirds.tolist()
        assert start.bonus == played.bonus


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_whole_matches_equal_a_match_batch(rules: Rules) -> None:
    rng = np.random.default_rng(6)
    played, start = MatchBatch(1, rules), MatchBatch(1, rules)
    for match in range(2):
        for batch in (played, start):
            batch.reset(seed=3, deal_ids=[match])
        while not start.done:
            deal = ScalarDeal(start)
            check_equal(deal, played)
            while not deal.over:
                card = int(rng.choice(cards_of(deal.legal)))
                deal.play(card)
                played.step(np.array([card]))
                if not deal.over:
                    check_equal(deal, played)
            deal.hand_back(start)
            for fact in ("scores", "winner", "payment", "next_marks", "last_points", "points", "thirds", "dealer"):
                assert getattr(start, fact).tolist() == getattr(played, fact).tolist(), fact
        assert played.done


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_state_shows_all_hands_and_the_stock(rules: Rules) -> None:
    batch = DealBatch(1, rules)
    batch.reset(seed=1)
    deal = ScalarDeal(batch)
    columns = state_columns(rules.variant)
    while not deal.over:
        state = deal.state()
        assert state.shape == (columns.size,)
        for seat in range(rules.seats):
            assert np.flatnonzero(state[columns.hand[seat]]).tolist() == cards_of(deal.hands[seat])
        if rules.variant == "two_player":
            places = state[columns.stock_order.start : columns.stock_order.stop]
            left = [card for card in np.argsort(places, kind="stable").tolist() if places[card]]
            assert left == deal.deck[deal.next_draw :]
        deal.play(cards_of(deal.legal)[-1])
    assert not deal.state().any()


@pytest.mark.parametrize("card", [-1, 40, 1000, None])
def test_illegal_card_changes_nothing(card: int | None) -> None:
    batch = DealBatch(1, "partners")
    batch.reset(seed=2)
    deal = ScalarDeal(batch)
    deal.play(cards_of(deal.legal)[0])
    before = pickle.dumps(deal)
    if card is None:
        card = next(c for c in range(40) if not deal.legal >> c & 1)
    with pytest.raises(IllegalCardError, match="may not play") as caught:
        deal.play(card)
    assert caught.value.legal == cards_of(deal.legal)
    assert caught.value.seat == deal.player
    assert pickle.dumps(deal) == before


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda deal: pickle.loads(pickle.dumps(deal))])
def test_copies_are_independent_and_continue(clone) -> None:
    batch = DealBatch(1, "two_player", napoletana=True)
    batch.reset(seed=4)
    deal = ScalarDeal(batch)
    for _ in range(13):
        deal.play(cards_of(deal.legal)[0])
    other = clone(deal)
    assert (other.observe(1) == deal.observe(1)).all()
    before = deal.observe(0)
    while not other.over:
        other.play(cards_of(other.legal)[-1])
    assert (deal.observe(0) == before).all()
    while not deal.over:
        deal.play(cards_of(deal.legal)[-1])
    assert deal.plays == other.plays
    assert deal.thirds == other.thirds


def test_starts_and_ends_are_checked() -> None:
    batch = DealBatch(1)
    batch.reset(seed=1)
    deal = ScalarDeal(batch)
    with pytest.raises(ValueError, match="played to its end"):
        deal.hand_back(batch)
    while not deal.over:
        deal.play(cards_of(deal.legal)[0])
    batch.step(np.array([cards_of(batch.legal[0])[0]]))
    with pytest.raises(ValueError, match="deal 0 is not before its first card"):
        deal.hand_back(batch)
    with pytest.raises(ValueError, match="before its first card"):
        ScalarDeal(batch)
    with pytest.raises(ValueError, match="one deal"):
        ScalarDeal(DealBatch(2))
