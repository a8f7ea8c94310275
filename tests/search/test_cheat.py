"""`cheat`: it says that it cheats, plays double dummy in the pair games, and never an illegal card."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search.cheat import CheatPlayer
from agents.search.positions import positions_of
from agents.search.solver import NO_VALUE, card_points
from tests.games import ALL_RULES, FULL_RULES, name
from tests.search.endings import ENDINGS, Ending, reach
from tests.search.playing import scattered
from tressette_env import Rules
from tressette_env.cards import card_id, popcount
from tressette_env.players import decide, sees_hidden_cards


def test_it_says_that_it_cheats() -> None:
    player = CheatPlayer("partners")
    assert sees_hidden_cards(player)
    assert not hasattr(player, "act")
    assert (CheatPlayer.__doc__ or "").startswith("CHEATS")


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_plays_legal_cards_at_every_stage(rules: Rules) -> None:
    deals = scattered(rules, 64, seed=1)
    decide(CheatPlayer(rules, exact=4), deals.view(), deals=deals, rows=np.arange(64))


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_one_deal_one_decision_in_any_batch(rules: Rules) -> None:
    deals = scattered(rules, 40, seed=2)
    view, before = deals.view(), deals.hands
    cards = CheatPlayer(rules, exact=4).act_on(deals, np.arange(40), view)
    order = np.random.default_rng(3).permutation(40)[:25]
    np.testing.assert_array_equal(
        CheatPlayer(rules, seed=9, exact=4).act_on(deals, order, view.take(order)), cards[order]
    )
    np.testing.assert_array_equal(deals.hands, before)


@pytest.mark.parametrize("rules", [rules for rules in FULL_RULES if rules.seats == 4], ids=name)
def test_is_exact_in_the_pair_games(rules: Rules) -> None:
    """With six cards or fewer; the whole deal takes longer."""
    deals = scattered(rules, 300, seed=4)
    view = deals.view()
    rows = np.flatnonzero((view.seat >= 0) & (popcount(view.hand) <= 6))
    seen = view.take(rows)
    points = card_points(positions_of(seen, deals.hands[rows]), rules)
    cards = CheatPlayer(rules).act_on(deals, rows, seen)
    assert (points[np.arange(len(rows)), cards] == points.max(axis=1)).all()
    assert (points.max(axis=1) > np.where(points == NO_VALUE, 127, points).min(axis=1)).sum() > 20


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: f"{ending.variant}-{ending.right}")
def test_endings_with_one_right_move(ending: Ending) -> None:
    deals = reach(ending)
    player = CheatPlayer(ending.variant)
    assert player.act_on(deals, np.array([0]), deals.view()) == [card_id(ending.right)]
    values = np.sort(player.values_on(deals, np.array([0]), deals.view())[0, 0][deals.legal_mask()[0]])
    assert values[-1] == ending.value
    assert values[-2] == ending.next_best


def test_sees_the_hidden_cards() -> None:
    """Deals that look the same to the seat to act: only who sees the others' hands finds the right card in each.

    The partner's re holds unless the last player has the 2: the ace goes on it, or waits for the partner's 3.
    """
    views = []
    for hands, right in ((["4D", "2S", "AD 4C", "3D 5B"], "AD"), (["3D", "5B", "AD 4C", "2S 4D"], "4C")):
        deals = reach(Ending("partners", hands, "RS 4S", (13, 13), right, 0, 0))
        views.append(deals.view())
        assert CheatPlayer("partners").act_on(deals, np.array([0]), views[-1]) == [card_id(right)]
    np.testing.assert_array_equal(views[0].observation, views[1].observation)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ValueError, match="exact=-2 is not allowed: a whole number of at least 0"):
        CheatPlayer("partners", exact=-2)
    with pytest.raises(ValueError, match="handover=5 must be at most exact=4"):
        CheatPlayer("partners", exact=4, handover=5)
