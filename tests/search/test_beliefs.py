"""The weights of worlds by a belief where each card lies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from agents.search.beliefs import LEAST_SAMPLE, UNIFORM, Belief
from agents.search.worlds import draw_worlds
from tests.games import FULL_RULES, name
from tests.search.playing import scattered
from tests.search.toy_policy import Toy
from tressette_env import DealBatch, Rules
from tressette_env.cards import cards_of
from tressette_env.network import hidden_places
from tressette_env.view import View


class Fixed:
    """Believes the same of every row."""

    def __init__(self, logs: npt.NDArray[np.float32]) -> None:
        self.logs = logs

    def owner_log_probs(self, view: View) -> npt.NDArray[np.float32]:
        return np.broadcast_to(self.logs, (len(view), *self.logs.shape))


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_weights_are_the_products_of_the_chances(rules: Rules) -> None:
    """Card by card, in Python; cards that all have seen say nothing."""
    view = scattered(rules, 30, seed=3).view()
    view = view.take(np.flatnonzero(view.seat >= 0))
    policy = Toy(rules)
    worlds = draw_worlds(view, 12, seed=1)
    weights = Belief(policy, 0.3)(view, worlds.hands)
    owners = policy.owner_log_probs(view)
    for row in range(len(view)):
        seat = int(view.seat[row])
        known = {card for hand in view.known[row] for card in cards_of(hand)}
        logs = np.zeros(12)
        for world in range(12):
            places = {}
            for turn in range(1, rules.seats):
                for card in cards_of(worlds.hands[row, world, (seat + turn) % rules.seats]):
                    places[card] = turn - 1
            for card in worlds.stock[row, world]:
                if card >= 0:
                    places[int(card)] = rules.seats - 1
            logs[world] = 0.3 * sum(owners[row, card, place] for card, place in places.items() if card not in known)
        expected = np.exp(logs - logs.max())
        expected = (1 - UNIFORM) * expected / expected.sum() + UNIFORM / 12
        np.testing.assert_allclose(weights[row], expected, rtol=1e-4)


def test_a_belief_that_leaves_too_few_worlds_is_flattened() -> None:
    deals = DealBatch(3, "partners")
    deals.reset(seed=1)
    view = deals.view()
    logs = np.log(np.random.default_rng(0).dirichlet([0.05] * 3, size=40).astype(np.float32) + 1e-6)
    hands = draw_worlds(view, 200, seed=1).hands
    weights = Belief(Fixed(logs), 1.0)(view, hands)
    without_uniform = (weights - UNIFORM / 200) / (1 - UNIFORM)
    assert (1 / (without_uniform**2).sum(axis=1) >= LEAST_SAMPLE * 200 - 1e-6).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights.std() > 0


def test_worlds_follow_the_belief() -> None:
    """Who is sure that the next seat has the aces gets worlds where it has more of them."""
    deals = DealBatch(20, "partners")
    deals.reset(seed=1)
    view = deals.view()
    logs = np.zeros((40, hidden_places("partners")), np.float32)
    logs[7::10, 1:] = -3.0
    aces = np.uint64(sum(1 << card for card in range(7, 40, 10)))
    shares = []
    for belief in (None, Belief(Fixed(logs), 1.0)):
        hands = draw_worlds(view, 100, 1, belief).hands
        following = hands[np.arange(20), :, (view.seat.astype(int) + 1) % 4]
        shares.append(np.mean([len(cards_of(cards & aces)) for cards in following.reshape(-1)]))
    assert shares[1] > shares[0] + 0.3


@pytest.mark.parametrize("temper", [-1, True, float("nan"), "much"])
def test_a_wrong_exponent_is_refused(temper: object) -> None:
    with pytest.raises(ValueError, match="an exponent of at least 0"):
        Belief(Toy(), temper)  # type: ignore[arg-type]
