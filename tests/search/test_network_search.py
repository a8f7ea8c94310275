"""`search`: legal, deterministic, the policy's card unless another is clearly better, exact where all is known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import torch

from agents.critic import critic_of
from agents.initialization import initialize
from agents.network import Critic, CriticConfig, NetworkConfig, PolicyNetwork
from agents.network_player import weights_of
from agents.regret import points_lost
from agents.search import network_search
from agents.search.beliefs import Belief
from agents.search.network_search import SearchPlayer, clustered, first_half, numbered
from agents.search.world_values import WorldValues
from agents.search.worlds import Worlds
from tests.games import ALL_RULES, FULL_RULES, name
from tests.search.playing import scattered
from tests.search.toy_policy import Toy
from tressette_env import DealBatch, Rules, make_player
from tressette_env.cards import UInt64Array, popcount
from tressette_env.network import NetworkPlayer
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


def test_equal_items_have_one_number() -> None:
    items = np.array([[[1, 2], [3, 4], [1, 2], [5, 6], [3, 4]], [[9, 9], [9, 9], [9, 8], [9, 8], [9, 9]]], np.uint64)
    assert numbered(items).tolist() == [[0, 1, 0, 2, 1], [0, 0, 1, 1, 0]]


def test_the_halves_share_no_item_and_are_about_equal() -> None:
    generator = np.random.default_rng(0)
    items = generator.integers(0, 30, (50, 200, 1)).astype(np.uint64)
    numbers = numbered(items)
    first = first_half(numbers)
    for row in range(50):
        assert not set(numbers[row, first[row]]) & set(numbers[row, ~first[row]])
        assert 85 <= first[row].sum() <= 115
    assert first_half(np.array([[0, 0, 0, 0, 0, 1]])).tolist() == [[True] * 5 + [False]]
    assert first_half(np.zeros((1, 4), np.int64)).all()


def test_the_error_counts_copies_once() -> None:
    """Values of items a thousand times over: their copies make the error no smaller."""
    generator = np.random.default_rng(1)
    values = generator.normal(size=(1, 30))
    numbers = np.arange(30)[None]
    mean, error = clustered(values, numbers, np.ones((1, 30), bool))
    np.testing.assert_allclose([mean[0], error[0]], [values.mean(), values.std(ddof=1) / 30**0.5])
    many = clustered(np.repeat(values, 1000, axis=1), np.repeat(numbers, 1000, axis=1), np.ones((1, 30_000), bool))
    np.testing.assert_allclose([many[0][0], many[1][0]], [mean[0], error[0]])
    used = np.arange(30)[None] < 12
    mean, error = clustered(values, numbers, used)
    np.testing.assert_allclose([mean[0], error[0]], [values[0, :12].mean(), values[0, :12].std(ddof=1) / 12**0.5])
    assert clustered(values, np.zeros((1, 30), np.int64), np.ones((1, 30), bool))[0][0] == -np.inf


class Valued(SearchPlayer):
    """Searches worlds that are all of its choosing: `hands` and what its second card is ahead in each."""

    def decide(self, numbers: list[int], ahead: list[float]) -> bool:
        """Return whether the second card replaces the first."""
        deals = DealBatch(1, "partners")
        deals.reset(seed=2)
        view = deals.view()
        hands = np.array(numbers, np.uint64)[None, :, None]
        worlds = Worlds(hands, np.zeros((1, len(numbers), 0), np.int8), np.array([10**6]))
        base, other = np.flatnonzero(view.legal[0])[:2]

        def values(view: View, hands: UInt64Array, stock: object, tried: object) -> npt.NDArray[np.float32]:
            found = np.full((*hands.shape[:2], 40), np.nan, np.float32)
            found[:, :, base] = 0.0
            found[:, :, other] = np.array(ahead)[hands[:, :, 0].astype(int)]
            return found

        self._world_values = values  # type: ignore[assignment]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(network_search, "draw_worlds", lambda *given: worlds)
            found = self._better(view, np.array([base]), np.array([0], np.uint64))
        assert found[0] in (-1, other)
        return bool(found[0] == other)


def test_a_card_is_replaced_where_other_worlds_agree() -> None:
    player = Valued("partners", worlds=8, z=1.0, policy=POLICY)
    good, bad = [1.0, 1.2, 0.8, 1.1], [1.0, 1.2, -0.8, -1.1]
    assert player.decide([0, 0, 1, 1, 2, 2, 3, 3], good)
    assert not player.decide([0, 0, 1, 1, 2, 2, 3, 3], bad)  # ahead in the first half alone
    assert not player.decide([0] * 8, good)  # no other world
    # One world, many times, with another that is the same: its copies in both places do not make it certain.
    assert not player.decide([0, 0, 0, 0, 1, 1, 1, 1], good)
    # Seven copies of a world that is ahead, and one that is behind by less than the mean: the error is that of two.
    assert not player.decide([0, 1, 2, 3, 4, 4, 4, 5], [1.0, 1.0, 1.0, 1.0, 0.5, -0.7])


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_a_decision_of_a_network_does_not_depend_on_the_others_of_its_batch(variant: str) -> None:
    """With a policy and a critic of random weights, at stages where the worlds of a row differ in number."""
    policy = initialize(PolicyNetwork(variant, NetworkConfig(16, 16)), 1)
    with torch.no_grad():
        policy.score.weight.mul_(100)  # type: ignore[operator]
    critic = initialize(Critic(variant, CriticConfig(width=16, head=16)), 2)
    network = NetworkPlayer(weights_of(variant, policy.state_dict(), critic.state_dict()))
    view = scattered(Rules(variant), 24, seed=8).view()
    player = SearchPlayer(variant, seed=3, worlds=12, z=0.0, policy=POLICY)
    player.policy = network
    player._belief = Belief(network, 0.75)
    player._world_values = WorldValues(variant, 4, 4, network, critic_of(network), 1)
    together = player.act(view)
    for row in range(24):
        assert player.act(view.take([row])) == together[row]
    assert (together != network.act(view))[view.seat >= 0].any()


def test_wrong_options_are_refused() -> None:
    for options, told in (
        ({"worlds": 1}, "worlds=1"),
        ({"candidates": 0}, "candidates=0"),
        ({"pool": 0}, "pool=0"),
        ({"exact": "much"}, "exact='much'"),
        ({"temper": False}, "temper=False"),
        ({"z": -1.0}, "z=-1"),
        ({"temper": -0.5}, r"temper=-0\.5"),
        ({"policy": "rules"}, "policy=rules is not allowed"),
        ({"handover": 11}, "handover=11"),
    ):
        arguments = {"policy": POLICY} | options
        with pytest.raises(ValueError, match=told):
            SearchPlayer("partners", **arguments)  # type: ignore[arg-type]
