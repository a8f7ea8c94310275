"""What holds for any batch of matches: its deals from seeds, any order of play, exact copies, bad input."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.games import FULL_RULES, name, random_cards
from tests.test_matches import E1_DEALER, E1_DECK, HISTORICAL, PARTNERS, UNDECIDED, after_e1
from tests.test_worked_examples import E1_TRICKS
from tressette_env import DealBatch, MatchBatch, Rules
from tressette_env.cards import card_ids


def play_out(batch: MatchBatch) -> list[npt.NDArray[np.int64]]:
    """Play every match by a rule that looks at the deal's own legal cards alone; return scores step by step."""
    history = []
    while not batch.done:
        lowest = batch.legal_mask().argmax(axis=1)
        batch.step(lowest)
        history.append(batch.scores)
    return history


def end_of(batch: MatchBatch, row: int = 0) -> tuple[object, ...]:
    """Everything that the end of a match shows."""
    parts = (batch.scores, batch.winner, batch.payment, batch.next_marks, batch.last_points, batch.decks)
    return tuple(part[row].tolist() for part in (*parts, batch.dealer, batch.deal_number, batch.hands, batch.thirds))


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_a_match_depends_on_seed_and_id_alone(rules: Rules) -> None:
    batch = MatchBatch(20, rules)
    batch.reset(seed=7)
    play_out(batch)
    for match_id in (0, 5, 19):
        alone = MatchBatch(1, rules)
        alone.reset(seed=7, deal_ids=[match_id])
        play_out(alone)
        assert end_of(alone) == end_of(batch, match_id)
    shuffled = MatchBatch(3, rules)
    shuffled.reset(seed=[7, 8, 7], deal_ids=[19, 5, 0])
    play_out(shuffled)
    assert end_of(shuffled, 0) == end_of(batch, 19)
    assert end_of(shuffled, 2) == end_of(batch, 0)
    assert end_of(shuffled, 1) != end_of(batch, 5)


def test_every_deal_of_a_seed_is_another_one() -> None:
    batch = MatchBatch(30, PARTNERS)
    seen: set[tuple[int, ...]] = set()
    dealt = 0
    for seed in (1, 2):
        batch.reset(seed=seed)
        number = np.full(30, -1)
        while not batch.done:
            new = np.flatnonzero(batch.active & (batch.deal_number != number))
            seen |= {tuple(deck) for deck in batch.decks[new].tolist()}
            dealt += len(new)
            number = batch.deal_number
            batch.step(batch.legal_mask().argmax(axis=1))
    assert len(seen) == dealt > 100


def test_the_deals_do_not_depend_on_how_they_are_played() -> None:
    """Deal k of match i is the same after any plays."""
    one, other = MatchBatch(8, PARTNERS), MatchBatch(8, PARTNERS)
    for batch in (one, other):
        batch.reset(seed=9)
    rng = np.random.default_rng(3)
    for _ in range(PARTNERS.num_cards):
        one.step(random_cards(one, rng))
        other.step(other.legal_mask().argmax(axis=1))
    assert one.deal_number.tolist() == [1] * 8
    assert one.decks.tolist() == other.decks.tolist()
    assert one.dealer.tolist() == other.dealer.tolist()


def test_the_first_dealer_is_drawn_and_then_moves_on() -> None:
    batch = MatchBatch(64, PARTNERS)
    batch.reset(seed=1)
    first = batch.dealer
    assert set(first.tolist()) == {0, 1, 2, 3}
    for deal in (1, 2):
        for _ in range(PARTNERS.num_cards):
            batch.step(batch.legal_mask().argmax(axis=1))
        going = batch.active
        assert (batch.dealer[going] == (first[going] + deal) % 4).all()
        assert (batch.player[going] == (first[going] + deal + 1) % 4).all()


def test_given_decks_and_dealers_hold_for_the_first_deal() -> None:
    given, drawn = after_e1(PARTNERS, (0, 0)), MatchBatch(1, PARTNERS)
    drawn.reset(seed=3)
    assert drawn.decks.tolist() != E1_DECK
    for _ in range(PARTNERS.num_cards):
        drawn.step(drawn.legal_mask().argmax(axis=1))
    assert given.decks.tolist() == drawn.decks.tolist() != E1_DECK
    assert given.dealer.tolist() == [0]  # one seat on from the given dealer, 3


@pytest.mark.parametrize("how", ["rows", "one by one"])
def test_matches_may_be_played_in_any_order(how: str) -> None:
    together, apart = MatchBatch(6, HISTORICAL), MatchBatch(6, HISTORICAL)
    together.reset(seed=5)
    play_out(together)
    apart.reset(seed=5)
    rng = np.random.default_rng(8)
    while not apart.done:
        rows = apart.active & (rng.random(6) < 0.5) if how == "rows" else np.arange(6) == apart.active.argmax()
        if rows.any():
            apart.step(apart.legal_mask().argmax(axis=1), rows=rows)
    assert [end_of(apart, row) for row in range(6)] == [end_of(together, row) for row in range(6)]


@pytest.mark.parametrize("plies", [0, 1, 40, 57])
@pytest.mark.parametrize("rules", [Rules("two_player", napoletana=True), HISTORICAL], ids=name)
def test_copies_and_pickles_go_on_alike(rules: Rules, plies: int) -> None:
    batch = MatchBatch(5, rules)
    batch.reset(seed=2)
    for _ in range(plies):
        batch.step(batch.legal_mask().argmax(axis=1))
    twins = [batch.copy(), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    expected = play_out(batch)
    for twin in twins:
        assert type(twin) is MatchBatch
        assert np.array_equal(play_out(twin), expected)
        assert [end_of(twin, row) for row in range(5)] == [end_of(batch, row) for row in range(5)]


def test_a_reset_forgets_the_matches_before() -> None:
    used, fresh = after_e1(PARTNERS, (18, 5)), MatchBatch(1, PARTNERS)
    assert used.done
    for batch in (used, fresh):
        batch.reset(seed=21)
    assert end_of(used) == end_of(fresh)
    assert (used.winner.tolist(), used.payment.tolist(), used.last_points.tolist()) == ([-1], [0], [[0, 0]])


def test_what_a_seat_knows_of_the_match() -> None:
    """Scores and target stand in the view; in a single deal the target is 0."""
    match = after_e1(Rules("partners", target=31), (3, 4))
    view = match.view()
    assert view.scores.tolist() == [[9, 9]]
    assert view.target == 31
    deal = DealBatch(1, Rules("partners", target=31))
    deal.reset(seed=1)
    assert deal.view().target == 0


@pytest.mark.parametrize("scores", [None, [(3, 4)]])
def test_without_a_seed_the_later_deals_are_those_of_seed_0(scores: list[tuple[int, int]] | None) -> None:
    unseeded, seeded = MatchBatch(1, PARTNERS), MatchBatch(1, PARTNERS)
    unseeded.reset(decks=E1_DECK, dealers=E1_DEALER, scores=scores)
    seeded.reset(seed=0, decks=E1_DECK, dealers=E1_DEALER, scores=scores)
    assert unseeded.decks.tolist() == E1_DECK
    assert np.array_equal(play_out(unseeded), play_out(seeded))
    assert end_of(unseeded) == end_of(seeded)
    assert unseeded.deal_number[0] > 0


@pytest.mark.parametrize("given", [{}, {"decks": E1_DECK}, {"dealers": E1_DEALER}, {"scores": [(0, 0)]}])
def test_a_match_needs_a_seed_or_both_decks_and_dealers(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="give a seed, or both decks and dealers"):
        MatchBatch(1, PARTNERS).reset(**given)


def test_the_matches_are_named_one_by_one() -> None:
    batch = MatchBatch(2, PARTNERS)
    batch.reset(seed=1)
    before = [end_of(batch, row) for row in range(2)]
    for wrong in (5, [5], [[1], [2, 3]]):
        with pytest.raises(ValueError, match=r"deal_ids must be integers of shape \(2,\)"):
            batch.reset(seed=2, deal_ids=wrong)
    assert [end_of(batch, row) for row in range(2)] == before


def test_rows_of_matches_that_are_over_are_not_played() -> None:
    batch = MatchBatch(2, PARTNERS)
    batch.reset(seed=2, decks=E1_DECK * 2, dealers=E1_DEALER * 2, scores=[(18, 5), (0, 0)])
    for card in card_ids(" ".join(E1_TRICKS)):
        batch.step([card, card])
    assert batch.active.tolist() == [False, True]
    lowest = batch.legal_mask().argmax(axis=1)
    batch.step(lowest, rows=[True, False])
    assert batch.ply.tolist() == [40, 0]
    batch.step(lowest, rows=[True, True])
    assert batch.ply.tolist() == [40, 1]
    assert batch.winner.tolist() == [0, UNDECIDED]


@pytest.mark.parametrize("scores", [(21, 0), (4, 30), (26, 25)])
def test_scores_that_have_decided_the_match_are_refused(scores: tuple[int, int]) -> None:
    batch = MatchBatch(2, PARTNERS)
    batch.reset(seed=1)
    before = [end_of(batch, row) for row in range(2)]
    with pytest.raises(ValueError, match="match 1"):
        batch.reset(seed=2, scores=[(25, 25), scores])
    assert [end_of(batch, row) for row in range(2)] == before


@pytest.mark.parametrize(
    ("variant", "options"),
    [("partners", {"target": 22}), ("historical", {"target": 31}), ("historical", {"napoletana": True}), ("pairs", {})],
)
def test_wrong_options_are_refused(variant: str, options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="is not allowed"):
        MatchBatch(1, variant, **options)


def test_a_finished_match_takes_no_card() -> None:
    with pytest.raises(RuntimeError, match="no deal is active"):
        after_e1(PARTNERS, (18, 5)).step([0])
