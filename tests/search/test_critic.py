"""The critic at play time: as trained, for the right side, asked at the end of a trick."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.checkpoint import write_checkpoint
from agents.critic import CriticWeights, critic_of
from agents.export import export
from agents.initialization import initialize
from agents.network import Critic, CriticConfig, NetworkConfig, PolicyNetwork
from agents.network_player import load_player, weights_of
from agents.open_cards import FloatArray, hidden_planes
from agents.search.network_search import SearchPlayer
from agents.search.world_values import WorldValues, different_cards
from tests.games import FULL_RULES, dealt, mixed_decks, name, random_dealers
from tests.search.playing import scattered
from tests.search.toy_policy import Toy
from tressette_env import DealBatch, Rules
from tressette_env.card_facts import with_facts
from tressette_env.cards import IntArray
from tressette_env.network import PolicyWeights

SMALL, SMALL_CRITIC = NetworkConfig(16, 16), CriticConfig(16, 16)


def checkpoint(folder: Path, variant: str, hidden: bool = True) -> Path:
    parts = {
        "average": initialize(PolicyNetwork(variant, SMALL), 1),
        "critic": initialize(Critic(variant, SMALL_CRITIC), 2),
    }
    tensors = {f"{part}.{key}": value for part, module in parts.items() for key, value in module.state_dict().items()}
    path = folder / "run.safetensors"
    write_checkpoint(path, tensors, {"game": {"variant": variant}, "critic": {"hidden": hidden}}, {})
    return path


@pytest.mark.parametrize(
    "config",
    [
        CriticConfig(),
        CriticConfig(facts=False, led=False),
        CriticConfig(led=False, rounds=2),
        CriticConfig(shared=False),
    ],
    ids=str,
)
@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_the_critic_says_what_it_was_trained_to_for_side_0(rules: Rules, config: CriticConfig) -> None:
    critic = initialize(Critic(rules.variant, config), 4)
    soften_exchanges(critic)
    policy = initialize(PolicyNetwork(rules.variant, SMALL), 1)
    found = critic_of_weights(weights_of(rules.variant, policy.state_dict(), critic.state_dict()))
    deals = scattered(rules, 600, seed=3)
    rows = np.flatnonzero(deals.active)
    view = deals.view().take(rows)
    with torch.inference_mode():
        inputs = torch.from_numpy(with_facts(rules.variant, view.observation))
        to_come = critic(inputs, torch.from_numpy(hidden_planes(deals, view, rows))).numpy()
    sides = np.arange(2) == (view.seat & 1)[:, None]
    taken = view.thirds / 3 + view.declared_points
    own, other = taken[sides], taken[~sides]
    expected = np.where(view.seat & 1, -1, 1) * (to_come + own - other)
    np.testing.assert_allclose(found(deals, rows), expected, atol=1e-3)
    assert np.array_equal(found(deals, rows[7:9]), found(deals, rows)[7:9])  # whatever the batch


def soften_exchanges(critic: Critic) -> None:
    """Make a step of the grid that the means are rounded to count little: torch and numpy may round to two of them."""
    with torch.no_grad():
        for name, parameter in critic.named_parameters():
            if "pooled.weight" in name:
                parameter /= 16


def critic_of_weights(weights: PolicyWeights) -> CriticWeights:
    class Holder:
        def __init__(self) -> None:
            self.weights = weights

    critic = critic_of(Holder())
    assert critic is not None
    return critic


@pytest.mark.parametrize("variant", ["two_player", "partners"])
def test_roll_outs_end_with_a_trick(variant: str) -> None:
    rules = Rules(variant)
    asked: list[IntArray] = []

    def critic(deals: DealBatch, rows: IntArray) -> FloatArray:
        asked.append(deals.ply[rows])
        return deals.ply[rows].astype(np.float32)

    deals = dealt(rules, mixed_decks(rules, 8, 1), random_dealers(rules, 8, 1))
    for _ in range(rules.seats + 1):
        deals.step(deals.legal_mask().argmax(axis=1))
    view = deals.view()
    rest = deals.decks[:, None, deals.rules.seats * deals.rules.hand + 2 :] if rules.stock else np.zeros((8, 1, 0), int)
    for tricks in (0, 2):
        asked.clear()
        values = WorldValues(rules, 2, 2, Toy(variant), critic, tricks)
        found = values(view, deals.hands[:, None], rest, different_cards(view))
        end = (2 + tricks) * rules.seats
        assert set(np.concatenate(asked).tolist()) == {end}
        assert set(np.abs(found[~np.isnan(found)]).tolist()) == {end}
    asked.clear()
    WorldValues(rules, 2, 2, Toy(variant), critic, rules.num_tricks)(view, deals.hands[:, None], rest)
    assert asked == []  # exact values come first


def test_only_a_critic_that_saw_the_hidden_cards_is_used(tmp_path: Path) -> None:
    assert critic_of(load_player(checkpoint(tmp_path, "partners"))) is not None
    assert critic_of(load_player(checkpoint(tmp_path, "partners", hidden=False))) is None
    assert critic_of(Toy("partners")) is None


def test_a_critic_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    weights = load_player(checkpoint(tmp_path, "partners")).weights
    arrays = {key.removeprefix("critic."): array for key, array in weights.arrays.items() if key.startswith("critic.")}
    CriticWeights("partners", arrays)
    with pytest.raises(ValueError, match=r"the critic has no value\.2\.weight"):
        CriticWeights("partners", {key: array for key, array in arrays.items() if key != "value.2.weight"})


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_search_with_a_critic_decides_by_what_it_knows(rules: Rules, tmp_path: Path) -> None:
    path = str(checkpoint(tmp_path, rules.variant))
    view = scattered(rules, 40, seed=2).view()
    player = SearchPlayer(rules, seed=5, worlds=6, z=0.0, policy=path)
    cards = player.act(view)
    order = np.random.default_rng(3).permutation(40)
    np.testing.assert_array_equal(
        SearchPlayer(rules, seed=5, worlds=6, z=0.0, policy=path).act(view.take(order)), cards[order]
    )
    acting = view.seat >= 0
    assert view.legal[acting, cards[acting]].all()
    assert (cards != load_player(Path(path)).act(view))[acting].any()


def test_the_critic_is_shipped_with_its_network(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, "partners")
    file, weights = export(path, tmp_path / "weights")
    with np.load(file) as arrays:
        assert {name.split(".")[0] for name in arrays} >= {"critic", "score", "owner"}
    critic = critic_of_weights(weights)
    deals = scattered(Rules("partners"), 50, seed=1)
    rows = np.flatnonzero(deals.active)
    full = critic_of(load_player(path))
    assert full is not None
    np.testing.assert_allclose(critic(deals, rows), full(deals, rows), atol=0.05)
