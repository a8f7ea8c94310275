"""The weights of worlds by how well a policy explains the play."""

from __future__ import annotations

import numpy as np
import pytest

import agents.search.beliefs
from agents.search.beliefs import LEAST_SAMPLE, UNIFORM, UNLIKELY, Belief
from agents.search.worlds import draw_worlds
from tests.games import ALL_RULES, FULL_RULES, name
from tests.search.toy_policy import Floats, Toy
from tressette_env import DealBatch, MatchBatch, Rules
from tressette_env.cards import IntArray, popcount
from tressette_env.determinize import determinize
from tressette_env.view import View

DEALS = 8


def played(
    rules: Rules, plies: int, seed: int = 3, kind: type[DealBatch] = DealBatch
) -> tuple[DealBatch, IntArray, Floats]:
    """Return deals after random plays, and who played what chance: seats and log-probabilities of the toy, (plies, n).

    A forced play has the chance 1.
    """
    deals = kind(DEALS, rules)
    deals.reset(seed=seed)
    generator = np.random.default_rng(seed)
    seats, logs = [], []
    for _ in range(plies):
        view = deals.view()
        cards = generator.random(view.legal.shape)
        cards = np.where(view.legal, cards, -1.0).argmax(axis=1)
        chances = Toy(rules).log_probs(view)[np.arange(DEALS), cards]
        seats.append(view.seat)
        logs.append(np.where(popcount(view.legal_cards) > 1, np.maximum(chances, np.log(UNLIKELY)), 0.0))
        deals.step(np.where(view.seat >= 0, cards, 0))
    return deals, np.array(seats), np.array(logs)


@pytest.mark.parametrize("kind", [DealBatch, MatchBatch])
@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_the_true_world_is_explained_by_what_the_others_did(rules: Rules, kind: type[DealBatch]) -> None:
    """The chances as they were when the cards were played, the observer's own left out; in deals and in matches."""
    for plies in range(1, rules.num_cards, max(rules.num_cards // 5, 1)):
        deals, seats, logs = played(rules, plies, kind=kind)
        view = deals.view()
        for row in np.flatnonzero(view.seat >= 0):
            found = Belief(Toy(rules), 1.0).explained(view.take([row]), deals.hands[[row]])
            others = seats[:, row] != view.seat[row]
            np.testing.assert_allclose(found, logs[others, row].sum(), rtol=1e-5)


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_every_world_is_explained_as_if_it_were_played(rules: Rules) -> None:
    """World by world, each replayed by itself from its own deal."""
    toy = Toy(rules)
    deals, _, _ = played(rules, 13)
    view = deals.view()
    worlds = draw_worlds(view, 6, seed=1)
    for row in np.flatnonzero(view.seat >= 0)[:3]:
        one = view.take([row])
        expected = []
        for world in range(6):
            hands, stock = worlds.hands[[row], world], worlds.stock[[row], world]
            now = determinize(one, hands, stock if stock.shape[1] else None)
            again = DealBatch(1, rules)
            again.reset(decks=now.decks, dealers=now.dealer, scores=now.scores)
            total = 0.0
            for card in one.plays[0, : one.ply[0]]:
                seen = again.view()
                if seen.seat[0] != one.seat[0] and popcount(seen.legal_cards)[0] > 1:
                    total += max(float(toy.log_probs(seen)[0, card]), np.log(UNLIKELY))
                again.step([card])
            assert again.hands.tolist() == hands.tolist()
            expected.append(total)
        np.testing.assert_allclose(Belief(toy, 1.0).explained(one, worlds.hands[row]), expected, rtol=1e-5)
        assert np.std(expected) > 0


def test_weights_are_tempered_and_mixed_with_equal_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents.search.beliefs, "LEAST_SAMPLE", 1.0)
    deals, _, _ = played(Rules("partners"), 9)
    view = deals.view()
    hands = draw_worlds(view, 20, seed=1).hands
    belief = Belief(Toy(), 0.5)
    weights = belief(view, hands)
    for row in range(len(view)):
        product = np.exp(0.5 * belief.explained(view.take([row]), hands[row]))
        np.testing.assert_allclose(weights[row], (1 - UNIFORM) * product / product.sum() + UNIFORM / 20, rtol=1e-6)


def test_before_the_first_card_all_worlds_are_alike() -> None:
    deals = DealBatch(3, "partners")
    deals.reset(seed=1)
    hands = draw_worlds(deals.view(), 10, seed=1).hands
    np.testing.assert_allclose(Belief(Toy(), 1.0)(deals.view(), hands), 0.1)


class Likes(Toy):
    """Plays its strongest card, and every other nearly never."""

    def log_probs(self, view: View) -> Floats:
        """Return -20 for all but the strongest legal card."""
        strongest = 39 - view.legal[:, ::-1].argmax(axis=1)
        return np.where(np.arange(40) == strongest[:, None], 0.0, -20.0).astype(np.float32)


def test_a_belief_that_leaves_too_few_worlds_is_flattened() -> None:
    deals, _, _ = played(Rules("partners"), 12)
    view = deals.view()
    hands = draw_worlds(view, 200, seed=1).hands
    weights = Belief(Likes(), 3.0)(view, hands)
    without_uniform = (weights - UNIFORM / 200) / (1 - UNIFORM)
    assert (1 / (without_uniform**2).sum(axis=1) >= LEAST_SAMPLE - 1e-6).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights.std() > 0


def test_worlds_follow_the_belief() -> None:
    """Who plays its strongest card holds none that is stronger: seen in the worlds drawn, not in uniform ones."""
    deals = DealBatch(30, "partners")
    deals.reset(seed=1)
    for _ in range(3):
        view = deals.view()
        deals.step(39 - view.legal[:, ::-1].argmax(axis=1))
    view = deals.view()
    first = view.plays[:, 0].astype(np.uint64)
    stronger = np.uint64((1 << 40) - 1) << (first + np.uint64(1))
    shares = []
    for belief in (None, Belief(Likes(), 1.0)):
        leader = (view.seat.astype(int) + 1) % 4
        hands = draw_worlds(view, 50, 1, belief).hands[np.arange(30), :, leader]
        shares.append(np.mean(hands & stronger[:, None] != 0))
    assert shares[0] > 0.15
    assert shares[1] < 0.5 * shares[0]


@pytest.mark.parametrize("temper", [-1, True, float("nan"), "much"])
def test_a_wrong_exponent_is_refused(temper: object) -> None:
    with pytest.raises(ValueError, match="an exponent of at least 0"):
        Belief(Toy(), temper)  # type: ignore[arg-type]
