"""``+solver``: no point is lost from the empty stock on, and before it the player decides."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search.positions import positions_of
from agents.search.solver import card_points
from agents.search.solver_player import SolverPlayer, all_hands
from tests.games import ALL_RULES, name
from tests.search.endings import ENDINGS, Ending, reach
from tests.search.playing import scattered
from tests.toy_players import Highest, Lowest, Mixed
from tressette_env import Rules
from tressette_env.cards import card_id, popcount
from tressette_env.players import Player
from tressette_env.view import View

TWO_PLAYER = [rules for rules in ALL_RULES if rules.variant == "two_player"]


def is_open(view: View) -> np.ndarray:
    return (view.seat >= 0) & (popcount(view.drawn).sum(axis=0) == view.rules.stock)


@pytest.mark.parametrize("rules", TWO_PLAYER, ids=name)
@pytest.mark.parametrize("toy", [Lowest, Mixed])
def test_loses_nothing_once_the_stock_is_empty(rules: Rules, toy: type[Lowest]) -> None:
    deals = scattered(rules, 200, seed=1)
    view = deals.view()
    player = toy("two_player", seed=3)
    cards, own = SolverPlayer(player, rules).act(view), player.act(view)
    rows = np.flatnonzero(is_open(view))
    seen = view.take(rows)
    np.testing.assert_array_equal(all_hands(seen), deals.hands[rows])
    points = card_points(positions_of(seen, deals.hands[rows]), rules)
    at = np.arange(len(rows))
    assert (points[at, cards[rows]] == points.max(axis=1)).all()
    kept = points[at, own[rows]] == points.max(axis=1)
    np.testing.assert_array_equal(cards[rows][kept], own[rows][kept])
    assert kept.any()
    np.testing.assert_array_equal(np.delete(cards, rows), np.delete(own, rows))


@pytest.mark.parametrize("ending", [e for e in ENDINGS if e.variant == "two_player"], ids=lambda e: e.right)
@pytest.mark.parametrize("toy", [Lowest, Highest])
def test_endings_with_one_right_move(ending: Ending, toy: type[Lowest]) -> None:
    assert SolverPlayer(toy("two_player"), "two_player").act(reach(ending).view()) == [card_id(ending.right)]


def test_the_batch_does_not_matter() -> None:
    view = scattered(Rules("two_player"), 100, seed=2).view()
    player = SolverPlayer(Mixed("two_player", seed=1), "two_player")
    order = np.random.default_rng(3).permutation(100)[:60]
    np.testing.assert_array_equal(player.act(view.take(order)), player.act(view)[order])


def test_another_variant_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\+solver .*two_player.* not 'partners'"):
        SolverPlayer(Lowest("partners"), "partners")


class Wrong:
    """Replies with no cards at all."""

    def __init__(self, reply: object) -> None:
        self.reply = reply

    def act(self, view: View) -> object:
        return self.reply


@pytest.mark.parametrize("reply", [None, [1, 2], [0.5]])
def test_a_reply_that_is_none_is_passed_on(reply: object) -> None:
    player: Player = Wrong(reply)
    assert SolverPlayer(player, "two_player").act(reach(ENDINGS[0]).view()) is reply


def test_an_illegal_card_of_the_player_is_not_played() -> None:
    view = reach(ENDINGS[0]).view()
    for card in (-1, 40, card_id("3B")):
        assert SolverPlayer(Wrong([card]), "two_player").act(view) == [card_id("RB")]
