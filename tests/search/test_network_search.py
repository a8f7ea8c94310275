"""`search`: legal, deterministic, the policy's card unless another is clearly better, exact where all is known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from agents.regret import points_lost
from agents.search.network_search import SearchPlayer, distinct_worlds, effective_worlds
from agents.search.worlds import Worlds, draw_worlds
from tests.games import ALL_RULES, FULL_RULES, name
from tests.search.playing import scattered
from tests.search.toy_policy import Toy
from tressette_env import Rules, make_player
from tressette_env.cards import UInt64Array, popcount
from tressette_env.view import View

POLICY = "tests.search.toy_policy:Toy"


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_plays_legal_cards_at_every_stage(rules: Rules) -> None:
    view = scattered(rules, 64, seed=1).view()
    cards = SearchPlayer(rules, worlds=4, policy=POLICY).act(view)
    acting = view.seat >= 0
    assert view.legal[acting, cards[acting]].all()


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_one_information_set_and_seed_one_decision(rules: Rules) -> None:
    view = scattered(rules, 40, seed=2).view()
    cards = SearchPlayer(rules, seed=5, worlds=6, z=0.0, policy=POLICY).act(view)
    again = SearchPlayer(rules, seed=5, worlds=6, z=0.0, policy=POLICY)
    order = np.random.default_rng(3).permutation(40)
    np.testing.assert_array_equal(again.act(view.take(order)), cards[order])
    for row in range(0, 40, 5):
        assert again.act(view.take([row])) == cards[row]
    policy_cards = Toy(rules).act(view)
    assert (cards != policy_cards)[view.seat >= 0].any()  # it does search


@pytest.mark.parametrize("options", [{"candidates": 1}, {"z": 1e9}, {"policy": f"{POLICY}:sure=true", "z": 0.0}])
def test_without_a_rival_the_policy_decides(options: dict[str, object]) -> None:
    rules = Rules("partners")
    deals = scattered(rules, 60, seed=4)
    view = deals.view()
    view = view.take(np.flatnonzero(popcount(view.hand) > 4))  # below it values are exact, and may be certain
    arguments = {"worlds": 24, "policy": POLICY} | options
    player = SearchPlayer(rules, **arguments)  # type: ignore[arg-type]
    expected = np.asarray(make_player(str(arguments["policy"]), rules).act(view))
    acting = view.seat >= 0
    np.testing.assert_array_equal(player.act(view)[acting], expected[acting])


def test_two_players_with_an_empty_stock_lose_nothing() -> None:
    rules = Rules("two_player")
    deals = scattered(rules, 300, seed=6)
    view = deals.view()
    rows = np.flatnonzero((view.seat >= 0) & (view.ply >= rules.stock) & (popcount(view.legal_cards) > 1))
    assert len(rows) > 50
    seen = view.take(rows)
    cards = SearchPlayer(rules, worlds=2, candidates=1, policy=POLICY).act(seen)
    assert points_lost(deals, rows, seen, cards).sum() == 0
    assert points_lost(deals, rows, seen, Toy(rules).act(seen)).sum() > 0


def test_a_card_that_wins_everywhere_replaces_the_policys() -> None:
    """In the last trick but one of `partners` the values are exact: what all worlds agree on is played."""
    rules = Rules("partners")
    deals = scattered(rules, 4000, seed=7)
    view = deals.view()
    rows = np.flatnonzero((popcount(view.hand) == 2) & (popcount(view.legal_cards) == 2))
    seen = view.take(rows)
    player = SearchPlayer(rules, worlds=30, z=1.0, policy=POLICY)
    lost = [points_lost(deals, rows, seen, cards).sum() for cards in (player.act(seen), Toy(rules).act(seen))]
    assert lost[0] < 0.5 * lost[1]


def test_copies_of_a_world_are_found() -> None:
    """One row without a stock and one with, whose second and third world differ in the stock alone."""
    hands = np.array([[[1, 2], [1, 2], [3, 4], [3, 4]], [[5, 6], [5, 6], [5, 6], [7, 8]]], np.uint64)
    stock = np.array([[[0], [0], [0], [0]], [[1], [1], [2], [2]]], np.int8)
    first, which = distinct_worlds(Worlds(hands, stock, np.array([9, 9])))
    assert which.tolist() == [[0, 0, 1, 1], [0, 0, 1, 2]]
    assert first.tolist() == [[0, 2, 0], [0, 2, 3]]
    np.testing.assert_allclose(effective_worlds(which), [16 / 8, 16 / 6])


def _every_seventh(view: View, hands: UInt64Array) -> npt.NDArray[np.bool_]:
    return np.broadcast_to(np.arange(hands.shape[1]) % 7 == 0, hands.shape[:2])


def test_every_world_drawn_stands_where_it_is_said_to() -> None:
    view = scattered(Rules("partners"), 30, seed=9).view()
    view = view.take(np.flatnonzero(view.seat >= 0))
    worlds = draw_worlds(view, 40, 1, _every_seventh, pool=1)
    first, which = distinct_worlds(worlds)
    rows = np.arange(len(view))[:, None]
    np.testing.assert_array_equal(worlds.hands[rows, first[rows, which]], worlds.hands)
    assert (which.max(axis=1) <= 6).all()


def test_wrong_options_are_refused() -> None:
    for options, told in (
        ({"worlds": 1}, "worlds=1"),
        ({"candidates": 0}, "candidates=0"),
        ({"pool": 0}, "pool=0"),
        ({"z": -1.0}, "z=-1"),
        ({"temper": -0.5}, r"temper=-0\.5"),
        ({"policy": "rules"}, "policy=rules is not allowed"),
        ({"handover": 11}, "handover=11"),
    ):
        arguments = {"policy": POLICY} | options
        with pytest.raises(ValueError, match=told):
            SearchPlayer("partners", **arguments)  # type: ignore[arg-type]
