"""`pimc`: legal, deterministic, its values those of its worlds, and exact where nothing is hidden."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search.pimc import PimcPlayer, best_cards
from agents.search.positions import positions_of
from agents.search.solver import NO_VALUE, card_points
from agents.search.world_values import different_cards
from tests.games import ALL_RULES, FULL_RULES, name
from tests.search.endings import ENDINGS, Ending, reach
from tests.search.playing import scattered
from tressette_env import Rules
from tressette_env.baselines import RulesPlayer
from tressette_env.cards import bitboard_of, card_id, card_ids, popcount


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_plays_legal_cards_at_every_stage(rules: Rules) -> None:
    view = scattered(rules, 64, seed=1).view()
    cards = PimcPlayer(rules, worlds=3, exact=4).act(view)
    assert cards.shape == (64,)
    acting = view.seat >= 0
    assert acting.any()
    assert not acting.all()
    assert view.legal[acting, cards[acting]].all()


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_one_information_set_and_seed_one_decision(rules: Rules) -> None:
    view = scattered(rules, 40, seed=2).view()
    player = PimcPlayer(rules, seed=5, worlds=4, exact=4)
    cards, values = player.act(view), player.values(view)
    order = np.random.default_rng(3).permutation(40)
    again = PimcPlayer(rules, seed=5, worlds=4, exact=4)
    np.testing.assert_array_equal(again.act(view.take(order)), cards[order])
    np.testing.assert_array_equal(again.values(view.take(order)), values[order])
    for row in range(0, 40, 5):
        assert again.act(view.take([row])) == cards[row]


def test_the_seed_draws_the_worlds() -> None:
    view = scattered(Rules("partners"), 40, seed=2).view()
    one, other = (PimcPlayer("partners", seed=seed, worlds=4).values(view) for seed in (1, 2))
    assert not np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_values_are_there_for_legal_cards_alone(rules: Rules) -> None:
    view = scattered(rules, 40, seed=4).view()
    values = PimcPlayer(rules, worlds=3, exact=4).values(view)
    np.testing.assert_array_equal(~np.isnan(values), view.legal)


@pytest.mark.parametrize("rules", [Rules("partners"), Rules("historical")], ids=name)
def test_when_the_last_trick_alone_is_left_values_are_what_happens(rules: Rules) -> None:
    """The last player of the last trick sees everything: a roll-out, an exact value and the deal itself agree."""
    deals = scattered(rules, 200, seed=5)
    while (going := deals.active & (deals.ply < rules.num_cards - 1)).any():
        deals.step(deals.legal_mask().argmax(axis=1), rows=going)
    view = deals.view()
    rows = np.flatnonzero(view.seat >= 0)
    cards = view.legal.argmax(axis=1)
    by_method = [PimcPlayer(rules, worlds=2, exact=exact, handover=0).values(view) for exact in (0, 3)]
    deals.step(cards)
    margin = deals.points[:, 0] - deals.points[:, 1]
    for values in by_method:
        own = np.where(view.seat % 2 == 0, margin, -margin)
        np.testing.assert_array_equal(values[rows, cards[rows]], own[rows])


@pytest.mark.parametrize("ending", [e for e in ENDINGS if e.variant == "two_player"], ids=lambda e: e.right)
def test_is_exact_from_the_empty_stock_on(ending: Ending) -> None:
    view = reach(ending).view()
    player = PimcPlayer("two_player", worlds=5)
    assert player.act(view) == [card_id(ending.right)]
    values = np.sort(player.values(view)[view.legal])
    assert values[-1] == ending.value
    assert values[-2] == ending.next_best


def test_with_an_empty_stock_the_one_world_is_the_true_one() -> None:
    deals = scattered(Rules("two_player"), 300, seed=6)
    view = deals.view()
    rows = np.flatnonzero((view.seat >= 0) & (popcount(view.drawn).sum(axis=0) == 20) & (popcount(view.hand) <= 6))
    assert len(rows) > 30
    seen = view.take(rows)
    points = card_points(positions_of(seen, deals.hands[rows]), deals.rules)
    player = PimcPlayer("two_player", worlds=3)
    np.testing.assert_array_equal(np.where(seen.legal, player.values(seen), NO_VALUE), points)
    assert (points[np.arange(len(rows)), player.act(seen)] == points.max(axis=1)).all()


def test_equal_cards_are_found() -> None:
    deals = reach(ENDINGS[0]._replace(hands=["7S 6S 4S RD", "5S 3B 2B CB"], thirds=(14, 14)))
    view = deals.view()
    assert different_cards(view) == bitboard_of(card_ids("6S 4S RD"))  # the 5 lies between 6 and 4
    values = PimcPlayer("two_player", exact=0).values(view)[0]
    assert values[card_id("7S")] == values[card_id("6S")]


def test_the_base_card_stands_until_another_is_clearly_better() -> None:
    values = np.full((1, 4, 40), np.nan, np.float32)
    values[0, :, 3] = [0, 0, 0, 0]
    values[0, :, 5] = [5, -3, 5, -3]  # better by 1, standard error 2.3
    base = np.array([3])
    assert np.flatnonzero(best_cards(values, base, z=0.4)[0]).tolist() == [5]
    assert np.flatnonzero(best_cards(values, base, z=0.5)[0]).tolist() == [3]
    values[0, :, 7] = [1, 1, 1, 1]  # as good on average, and certain
    assert np.flatnonzero(best_cards(values, base, z=0.5)[0]).tolist() == [7]
    assert np.flatnonzero(best_cards(values, base, z=0.0)[0]).tolist() == [5, 7]
    assert np.flatnonzero(best_cards(values[:, :1], base, z=1.0)[0]).tolist() == [5]


def test_forced_rows_need_no_world() -> None:
    view = scattered(Rules("partners"), 200, seed=7).view()
    forced = view.take(np.flatnonzero(view.legal.sum(axis=1) == 1))
    assert len(forced)
    np.testing.assert_array_equal(PimcPlayer("partners").act(forced), RulesPlayer("partners").act(forced))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worlds": 0}, "worlds=0 is not allowed: a whole number of at least 1"),
        ({"worlds": 2.5}, "worlds=2.5 is not allowed"),
        ({"worlds": True}, "worlds=True is not allowed"),
        ({"exact": -1}, "exact=-1 is not allowed: a whole number of at least 0"),
        ({"exact": "all"}, "exact='all' is not allowed"),
        ({"exact": 3, "handover": 4}, "handover=4 must be at most exact=3"),
        ({"exact": 15, "handover": 11}, "handover=11 must be at most 10"),
        ({"z": -1}, "z=-1 is not allowed: a number of standard errors, at least 0"),
        ({"z": float("nan")}, "z=nan is not allowed"),
        ({"variant": "scopa"}, "variant='scopa' is not allowed"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PimcPlayer(**options)
