"""Self-play, advantages and updates: by hand, and by what must not matter."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

import agents  # noqa: F401  registers +solver
from agents.checkpoint import CheckpointError
from agents.config import (
    EvaluationConfig,
    GameConfig,
    SelfPlayConfig,
    TrainConfig,
    from_plain,
    parse_arguments,
    plain,
    read_config,
)
from agents.initialization import grow, initialize
from agents.network import Critic, CriticConfig, NetworkConfig, PolicyNetwork, hidden_size
from agents.ppo import (
    NumericalError,
    PPOConfig,
    generalized_advantages,
    make_shards,
    minibatch_gradients,
    owner_loss,
    split,
)
from agents.selfplay import Decisions, play_deals
from agents.trainer import Trainer
from tressette_env import DealBatch, Rules
from tressette_env.card_facts import with_facts
from tressette_env.rules import VARIANTS

CPU = torch.device("cpu")
TINY = TrainConfig(
    network=NetworkConfig(width=16, head=16),
    critic=CriticConfig(width=16, head=16),
    selfplay=SelfPlayConfig(plays=4 * 16 * 40, deals=16, shards=2, threads=2, average=0.5),
    ppo=PPOConfig(epochs=1, minibatches=2),
    evaluation=EvaluationConfig(every=0, final_pairs=0),
    checkpoint_every=1000,
)
ALL_PARTS = replace(
    TINY,
    selfplay=replace(TINY.selfplay, past=0.25, snapshot_every=1, snapshots=2, opponents={"greedy": 0.25}),
    ppo=replace(TINY.ppo, keep=0.4, owner=0.1),
    network=NetworkConfig(width=16, head=16, shared=False),
)


def run(config: TrainConfig, folder: Path, updates: int | None = None, resume: bool = False) -> Trainer:
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    trainer = Trainer(config, folder, resume)
    for metrics in trainer.run():
        if metrics["update"] == updates:
            trainer.save()
            break
    return trainer


def weights(trainer: Trainer) -> list[torch.Tensor]:
    modules = (trainer.policy, trainer.critic, trainer.average)
    return [parameter.detach() for module in modules for parameter in module.parameters()]


def same(a: Trainer, b: Trainer) -> bool:
    return all(torch.equal(x, y) for x, y in zip(weights(a), weights(b), strict=True))


@pytest.mark.parametrize("variant", VARIANTS)
def test_self_play_keeps_unforced_legal_decisions_with_their_outcome(variant: str) -> None:
    policy = initialize(PolicyNetwork(variant, TINY.network), 0)
    kept = play_deals(policy, Rules(variant), 3, np.arange(20), CPU)
    assert (kept.legal.sum(axis=1) > 1).all()
    assert kept.legal[np.arange(len(kept)), kept.card].all()
    replayed = DealBatch(20, variant)
    replayed.reset(seed=3)
    cards_at = {(d, p): c for d, p, c in zip(kept.deal, kept.ply, kept.card, strict=True)}
    while not replayed.done:
        rows = range(20)
        forced = replayed.legal_mask().argmax(axis=1)
        replayed.step(np.array([cards_at.get((row, replayed.ply[row]), forced[row]) for row in rows]))
    assert (replayed.points == kept.points).all()
    for row in range(0, len(kept), 17):
        own = int(kept.seat[row]) & 1
        points = kept.points[kept.deal[row]]
        assert kept.final[row] == points[own] - points[1 - own]
    last = kept.ply.max()
    assert (kept.ply[kept.ply == last] >= 30).all()


def test_self_play_does_not_depend_on_how_deals_are_spread() -> None:
    policy = initialize(PolicyNetwork("partners", NetworkConfig(width=16, head=16)), 0)
    with torch.no_grad():
        policy.score.weight.zero_()  # equal logits: rounding differs between batch sizes, the choice must not
    together = play_deals(policy, Rules("partners"), 3, np.arange(12), CPU)
    alone = play_deals(policy, Rules("partners"), 3, np.array([7]), CPU)
    assert (together.card[together.deal == 7] == alone.card).all()


def test_sampling_follows_the_probabilities() -> None:
    policy = initialize(PolicyNetwork("partners", TINY.network), 0)
    kept = play_deals(policy, Rules("partners"), 1, np.arange(4000), CPU)
    first = kept.ply == 0  # ten legal cards, chosen almost uniformly by fresh weights
    place = (np.cumsum(kept.legal[first], axis=1) - 1)[np.arange(first.sum()), kept.card[first]]
    counts = np.bincount(place, minlength=10)
    assert ((counts - 400) ** 2 / 400).sum() < 27.9  # chi-square with 9 degrees of freedom, p = 0.001


def decisions(deal: list[int], seat: list[int], ply: list[int], points: list[list[int]]) -> Decisions:
    n = len(deal)
    return Decisions(
        inputs=np.zeros((n, 1), np.uint8),
        hidden=np.zeros((n, 4, 1), np.uint8),
        legal=np.ones((n, 40), bool),
        card=np.zeros(n, np.int64),
        log_prob=np.zeros(n, np.float32),
        deal=np.array(deal),
        seat=np.array(seat),
        ply=np.array(ply),
        taken=np.zeros(n, np.float32),
        best=np.zeros((n, 40), bool),
        value=np.full(n, np.nan, np.float32),
        taught=np.ones(n, bool),
        points=np.array(points),
        plays=40,
    )


def test_advantages_by_hand() -> None:
    # In deal 0, which side 0 wins by 3, seats 0, 1, 0, 0 decide at plies 0, 1, 4, 8; side 0 expects 1, 2, 2, 5.
    kept = decisions([0, 0, 0, 0, 1], [0, 1, 0, 0, 0], [0, 1, 4, 8, 2], [[7, 4], [5, 6]])
    values = np.array([1, -2, 2, 5, 0.5], np.float32)
    advantages = generalized_advantages(values, kept, 0.5)
    fourth = 3 - 5
    third = (5 - 2) + 0.5 * fourth
    second = (2 - 2) + 0.5 * third
    first = (2 - 1) + 0.5 * second
    assert advantages.tolist() == pytest.approx([first, -second, third, fourth, -1 - 0.5])


def test_lambda_one_gives_the_outcome_minus_the_value() -> None:
    rng = np.random.default_rng(0)
    kept = play_deals(
        initialize(PolicyNetwork("two_player", TINY.network), 0), Rules("two_player"), 1, np.arange(9), CPU
    )
    values = rng.normal(size=len(kept)).astype(np.float32)
    np.testing.assert_allclose(generalized_advantages(values, kept, 1.0), kept.final - values, atol=1e-5)


def test_threads_do_not_matter_and_seeds_do(tmp_path: Path) -> None:
    one = run(replace(TINY, selfplay=replace(TINY.selfplay, threads=1)), tmp_path / "one")
    two = run(TINY, tmp_path / "two")
    other = run(replace(TINY, seed=1), tmp_path / "other")
    assert same(one, two)
    assert not same(one, other)


def test_global_generators_do_not_matter(tmp_path: Path) -> None:
    first = run(TINY, tmp_path / "a")
    torch.rand(3)
    np.random.rand(3)  # noqa: NPY002 (burnt on purpose)
    assert same(first, run(TINY, tmp_path / "b"))


@pytest.mark.parametrize("config", [TINY, ALL_PARTS], ids=["plain", "all parts"])
def test_stopping_and_resuming_equals_never_stopping(config: TrainConfig, tmp_path: Path) -> None:
    whole = run(config, tmp_path / "whole")
    run(config, tmp_path / "parts", updates=2)
    resumed = run(config, tmp_path / "parts", resume=True)
    assert resumed.updates_done == whole.updates_done == 4
    assert same(whole, resumed)
    assert resumed.pool.updates == whole.pool.updates == ([1, 4] if config.selfplay.past else [])
    assert all(torch.equal(kept, whole.pool.tensors()[name]) for name, kept in resumed.pool.tensors().items())


def test_training_can_start_from_a_checkpoint(tmp_path: Path) -> None:
    first = run(TINY, tmp_path / "first")
    second = Trainer(replace(TINY, start=str(tmp_path / "first"), seed=9), tmp_path)
    for name, tensor in first.average.state_dict().items():
        assert torch.equal(second.policy.state_dict()[name], tensor)
    assert second.updates_done == 0
    second = run(second.config, tmp_path / "second", updates=1)
    shutil.rmtree(tmp_path / "first")
    assert same(second, Trainer(second.config, tmp_path / "second", resume=True))  # goes on without the first


def test_what_does_not_fit_can_not_be_started_from(tmp_path: Path) -> None:
    run(TINY, tmp_path / "first", updates=1)
    with pytest.raises(CheckpointError, match=r"start=.* does not fit this configuration"):
        Trainer(replace(TINY, start=str(tmp_path / "first"), network=NetworkConfig(width=8, head=8)), tmp_path)
    with pytest.raises(CheckpointError, match="trained for partners, not historical"):
        Trainer(replace(TINY, start=str(tmp_path / "first"), game=GameConfig("historical")), tmp_path)


def test_what_was_stored_before_networks_heard_and_read_more_stays_as_it_was(tmp_path: Path) -> None:
    plain_one = replace(
        TINY, network=replace(TINY.network, led=False, facts=False), critic=replace(TINY.critic, led=False, facts=False)
    )
    stored = plain(plain_one)
    for section in ("network", "critic"):
        del stored[section]["led"], stored[section]["facts"]
    assert from_plain(stored) == plain_one
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(stored), encoding="utf-8")
    assert parse_arguments(["--resume", str(tmp_path)])[0] == plain_one
    assert read_config(tmp_path / "config.yaml") == plain_one
    assert parse_arguments(["--resume", str(tmp_path), "--network.led", "true"])[0].network.led


def test_a_network_does_not_grow_from_what_lacks_a_layer() -> None:
    network = PolicyNetwork("partners", TINY.network)
    state = network.state_dict()
    for lacking in set(state) - {"body.led.weight"}:
        with pytest.raises(ValueError, match=f"{lacking} is missing"):
            grow(network, {name: tensor for name, tensor in state.items() if name != lacking})
    with pytest.raises(ValueError, match=r"more of shape .* has no place"):
        grow(network, state | {"more": torch.zeros(3)})


@pytest.mark.parametrize(
    ("shared", "led", "facts"),
    [(True, True, True), (True, False, False), (True, False, True), (False, True, False), (False, False, False)],
)
def test_a_larger_network_starts_as_the_smaller_one_and_learns_more(
    shared: bool, led: bool, facts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Near the middle of two steps of the grid a mean rounds to either: what is compared is the rest, and more exactly.
    monkeypatch.setattr("agents.network.suit_mean", lambda features: features.mean(dim=1))
    network = replace(TINY.network, shared=shared)
    smaller = replace(network, led=led, facts=facts)
    critic = replace(TINY.critic, led=led, facts=facts)
    first = run(replace(TINY, network=smaller, critic=critic), tmp_path / "first")
    larger = replace(
        TINY,
        ppo=replace(TINY.ppo, owner=0.1),
        start=str(tmp_path / "first"),
        network=replace(network, width=network.width + 8, head=network.head + 4, rounds=3),
        critic=replace(TINY.critic, width=TINY.critic.width + 8, head=TINY.critic.head + 4, rounds=2),
    )
    trainer = Trainer(larger, tmp_path / "larger")
    batch = DealBatch(50, "partners")
    batch.reset(seed=5)
    for _ in range(13):
        batch.step(batch.legal_mask().argmax(axis=1))
    inputs = torch.from_numpy(with_facts("partners", batch.observe()))
    hidden = torch.ones(len(inputs), 4, hidden_size("partners"))
    with torch.inference_mode():
        for old, new in zip(first.average.with_owners(inputs), trainer.policy.with_owners(inputs), strict=True):
            assert torch.allclose(old, new, atol=1e-5)
        assert torch.allclose(first.critic(inputs, hidden), trainer.critic(inputs, hidden), atol=1e-4)
    (tmp_path / "larger" / "checkpoints").mkdir(parents=True)
    before = {name: tensor.clone() for name, tensor in trainer.policy.state_dict().items()}
    for _ in trainer.run():
        pass
    assert all(not torch.equal(before[name], tensor) for name, tensor in trainer.policy.state_dict().items())


def test_the_policy_learns_from_the_largest_advantages_and_the_critic_from_everything() -> None:
    policy = initialize(PolicyNetwork("partners", TINY.network), 0)
    critic = initialize(Critic("partners", TINY.critic), 1)
    played = play_deals(policy, Rules("partners"), 3, np.arange(20), CPU)
    values = np.random.default_rng(0).normal(size=len(played)).astype(np.float32)
    everything = make_shards([played], [values], PPOConfig(keep=1.0), CPU)[0]
    few = make_shards([played], [values], PPOConfig(keep=0.3), CPU)[0]
    assert everything.kept.tolist() == list(range(len(played)))
    assert len(few.kept) == pytest.approx(0.3 * len(played), abs=1)
    by_size = few.advantage.abs().sort(descending=True).values
    assert torch.equal(few.advantage[few.kept].abs().sort(descending=True).values, by_size[: len(few.kept)])
    parts = split(few, 4, np.random.default_rng(2))
    assert sorted(torch.cat([rows for rows, _ in parts]).tolist()) == few.kept.tolist()
    assert sorted(torch.cat([valued for _, valued in parts]).tolist()) == list(range(len(played)))
    size = len(list(policy.parameters()))
    same_rows, other_rows = few.kept[:9], few.kept[9:18]
    config = PPOConfig(owner=0.1)
    first, _ = minibatch_gradients(policy, critic, few, same_rows, torch.arange(30), config, 0.01)
    second, _ = minibatch_gradients(policy, critic, few, same_rows, torch.arange(30, 60), config, 0.01)
    third, _ = minibatch_gradients(policy, critic, few, other_rows, torch.arange(30), config, 0.01)
    assert all(map(torch.equal, first[:size], second[:size]))
    assert not all(map(torch.equal, first[size:], second[size:]))
    assert not all(map(torch.equal, first[:size], third[:size]))
    assert all(map(torch.equal, first[size:], third[size:]))


def test_the_owner_loss_is_zero_for_who_knows_and_log_places_for_who_does_not() -> None:
    hidden = torch.zeros(2, 4, 30, dtype=torch.uint8)
    hidden[0, 1, 10 + 3] = 1  # CF is with the partner
    hidden[1, 3, 20 + 9] = 1  # 3B is with the last seat
    assert owner_loss(torch.zeros(2, 40, 3), hidden).item() == pytest.approx(np.log(3))
    knowing = torch.zeros(2, 40, 3)
    knowing[0, 13, 1] = knowing[1, 39, 2] = 50.0
    assert owner_loss(knowing, hidden).item() == pytest.approx(0)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_trains(variant: str, precision: Any, tmp_path: Path) -> None:
    config = replace(TINY, precision=precision, ppo=replace(TINY.ppo, owner=0.1))
    config = replace(config, game=GameConfig(variant=variant, napoletana=variant != "historical"))  # type: ignore[arg-type]
    before = [parameter.clone() for parameter in Trainer(config, tmp_path).policy.parameters()]
    trainer = run(config, tmp_path)
    assert any(not torch.equal(a, b) for a, b in zip(before, trainer.policy.parameters(), strict=True))
    assert all(torch.isfinite(parameter).all() for parameter in weights(trainer))


def test_numbers_that_are_not_finite_end_the_run(tmp_path: Path) -> None:
    trainer = Trainer(TINY, tmp_path)
    with torch.no_grad():
        trainer.critic.value[0].weight.fill_(float("nan"))
    with pytest.raises(NumericalError, match="not finite"):
        next(trainer.run())


def test_a_short_training_learns_to_beat_chance(tmp_path: Path) -> None:
    # 120,000 plays lift the points against random play far above what fresh weights score (about 0 ± 0.35).
    from agents.measuring import measure
    from tressette_env.players import make_player

    config = replace(
        TINY,
        network=NetworkConfig(width=48, head=48),
        selfplay=replace(TINY.selfplay, plays=120_000, deals=100, average=0.9),
        ppo=PPOConfig(epochs=2, minibatches=4, learning_rate=3e-3),
    )
    trainer = run(config, tmp_path)
    with ThreadPoolExecutor(2) as executor:
        result = measure(trainer.player(), make_player("random"), Rules("partners"), 1, 500, executor)
    assert result["ci95"][0] > 0.5
