"""The networks: masked probabilities, suit equivariance, fixed blocks, first weights."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.checkpoint import write_checkpoint
from agents.export import export
from agents.initialization import initialize
from agents.network import (
    Critic,
    CriticConfig,
    NetworkConfig,
    PolicyNetwork,
    autocast,
    emulates_bfloat16,
    entropy_of,
    hidden_size,
    masked_log_probs,
    suit_mean,
)
from agents.network_player import weights_of
from agents.open_cards import hidden_planes
from agents.search import sample_worlds
from tressette_env import DealBatch, make_player, network
from tressette_env.card_facts import with_facts
from tressette_env.cards import NUM_RANKS, NUM_SUITS, SUITS, cards_of
from tressette_env.network import NetworkPlayer, PolicyWeights
from tressette_env.observation import OBSERVATION_LAYOUT, obs_size, suit_order
from tressette_env.players import PlayerError
from tressette_env.rules import VARIANTS
from tressette_env.towers import BLOCK, GRID, hidden_places, product

SMALL = NetworkConfig(width=16, head=16)


def mid_deal(variant: str, plies: int, deals: int = 32) -> DealBatch:
    batch = DealBatch(deals, variant)
    batch.reset(seed=5)
    for _ in range(plies):
        batch.step(batch.legal_mask().argmax(axis=1))
    return batch


def inputs_of(variant: str, observation: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(with_facts(variant, observation))


def answers_of(weights: PolicyWeights, observation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of the cards, (n, 40), and of where each is, (n, 40, places)."""
    owners = weights.answers("owner", observation).reshape(len(observation), 40, -1)
    return weights.answers("score", observation), owners


def player_of(policy: PolicyNetwork, variant: str, seed: int = 0, temperature: float = 0.0) -> NetworkPlayer:
    return NetworkPlayer(weights_of(variant, policy.state_dict()), seed, temperature)


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_equal_logits_give_the_entropy_of_a_uniform_choice(count: int) -> None:
    legal = torch.zeros(1, 40, dtype=torch.bool)
    legal[0, :count] = True
    log_probs = masked_log_probs(torch.full((1, 40), 3.0), legal)
    assert entropy_of(log_probs).exp().item() == pytest.approx(count, rel=1e-5)
    assert log_probs[0, :count].exp().sum().item() == pytest.approx(1)
    assert (log_probs[0, count:].exp() == 0).all()


def test_gradients_of_masked_entropy_are_finite_whatever_the_logits() -> None:
    logits = torch.tensor([[60.0, -60.0, 0.0] + [0.0] * 37], requires_grad=True)
    legal = torch.zeros(1, 40, dtype=torch.bool)
    legal[0, :3] = True
    entropy_of(masked_log_probs(logits, legal)).sum().backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_relabelling_suits_permutes_the_scores_and_changes_no_bit(variant: str) -> None:
    """In torch and in numpy, of full-sized networks: so no choice flips."""
    policy = initialize(PolicyNetwork(variant, NetworkConfig(rounds=2)), 3)
    with torch.no_grad():
        policy.score.weight.mul_(100)
    weights = weights_of(variant, policy.state_dict())
    observation = mid_deal(variant, 11, deals=256).observe()
    with torch.inference_mode():
        scores, owners = policy.with_owners(inputs_of(variant, observation))
    plain, places = answers_of(weights, observation)
    for order in itertools.permutations(SUITS):
        moved = observation[:, suit_order(variant, "".join(order))]
        columns = [SUITS.index(suit) * NUM_RANKS + rank for suit in order for rank in range(NUM_RANKS)]
        with torch.inference_mode():
            moved_scores, moved_owners = policy.with_owners(inputs_of(variant, moved))
        assert torch.equal(moved_scores, scores[:, columns])
        assert torch.equal(moved_owners, owners[:, columns])
        moved_plain, moved_places = answers_of(weights, moved)
        assert np.array_equal(moved_plain, plain[:, columns])
        assert np.array_equal(moved_places, places[:, columns])


@pytest.mark.parametrize(
    "config",
    [
        NetworkConfig(),
        NetworkConfig(rounds=3),
        NetworkConfig(shared=False),
        NetworkConfig(shared=False, rounds=2, led=False),
        NetworkConfig(rounds=2, facts=False),
        NetworkConfig(led=False, facts=False),
    ],
    ids=str,
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_numpy_computes_what_torch_trained(variant: str, config: NetworkConfig) -> None:
    policy = initialize(PolicyNetwork(variant, config), 5)
    observation = mid_deal(variant, 13, deals=300).observe()
    with torch.inference_mode():
        expected = policy.with_owners(inputs_of(variant, observation))
    weights = player_of(policy, variant).weights
    found = answers_of(weights, observation)
    for torch_one, numpy_one in zip(expected, found, strict=True):
        assert torch_one.shape == numpy_one.shape
        difference = np.abs(numpy_one - torch_one.numpy()) / torch_one.numpy().std()
        # Sums in another order may round a mean to the next step of its grid, here and there.
        assert np.median(difference) < 1e-5
        assert difference.max() < 0.01
    assert found[1].shape[2] == hidden_places(variant) == (2 if variant == "two_player" else 3)


def test_scores_and_values_are_finer_than_bfloat16() -> None:
    policy, critic = initialize(PolicyNetwork("partners", SMALL), 1), initialize(Critic("partners", CriticConfig()), 2)
    inputs, hidden = inputs_of("partners", mid_deal("partners", 13).observe()), torch.ones(32, 4, 30)
    with torch.inference_mode():
        plain = policy(inputs), critic(inputs, hidden)
        with autocast(torch.device("cpu"), "bfloat16"):
            coarse = policy(inputs), critic(inputs, hidden)
    for one, other in zip(coarse, plain, strict=True):
        assert one.dtype == torch.float32
        assert (one.bfloat16().float() != one).any()
        assert not torch.equal(one, other)
        torch.testing.assert_close(one, other, rtol=0.02, atol=0.02 * float(other.abs().max()))


@pytest.mark.parametrize(("capability", "emulated"), [("AVX2", True), ("AVX512", False), ("DEFAULT", False)])
def test_processors_that_emulate_bfloat16_are_known(
    capability: str, emulated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    assert emulates_bfloat16(torch.device("cpu")) is emulated
    assert not emulates_bfloat16(torch.device("cuda"))


@pytest.mark.parametrize("rows", [BLOCK, NUM_SUITS * BLOCK])
@pytest.mark.parametrize(("reads", "writes"), [(90, 64), (128, 128), (150, 192), (64, 40), (128, 10), (64, 1)])
def test_no_bit_of_a_product_depends_on_where_a_row_stands(rows: int, reads: int, writes: int) -> None:
    generator = np.random.default_rng(1)
    row = generator.standard_normal((1, reads), np.float32)
    weight = generator.standard_normal((writes, reads), np.float32)
    found = product(np.repeat(row, rows, axis=0), weight)
    assert (found == found[0]).all()
    np.testing.assert_allclose(found[:1], row.astype(np.float64) @ weight.T, rtol=0, atol=1e-4)
    for_each_suit = product(np.repeat(row, rows, axis=0)[None], weight[None])
    assert np.array_equal(for_each_suit[0], found)


def test_weights_that_do_not_fit_are_refused() -> None:
    tensors = initialize(PolicyNetwork("partners", SMALL), 1).state_dict()
    arrays = {name.removeprefix("body."): tensor.numpy() for name, tensor in tensors.items()}
    PolicyWeights("partners", arrays)
    with pytest.raises(ValueError, match=r"have no score\.weight"):
        PolicyWeights("partners", {name: array for name, array in arrays.items() if name != "score.weight"})
    with pytest.raises(ValueError, match=r"owner\.weight has 30 rows, not 20"):
        PolicyWeights("two_player", arrays)
    with pytest.raises(ValueError, match=r"read_suit\.weight reads 200 numbers of a suit, not 155 or, with facts, 240"):
        PolicyWeights("partners", arrays | {"read_suit.weight": np.zeros((16, 200))})
    with pytest.raises(ValueError, match="not finite"):
        PolicyWeights("partners", arrays | {"tower.bias": np.full(16, np.nan)})


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_network_without_facts_reads_observations_as_they_are(variant: str) -> None:
    policy = initialize(PolicyNetwork(variant, replace(SMALL, facts=False)), 1)
    observation = mid_deal(variant, 9).observe()
    assert torch.equal(policy(torch.from_numpy(observation)), policy(inputs_of(variant, observation)))
    for reader in (policy, PolicyNetwork(variant, SMALL)):
        with pytest.raises(
            ValueError, match=f"inputs have 7 columns, not .*{inputs_of(variant, observation).shape[1]}"
        ):
            reader(torch.zeros(2, 7))


def test_the_gradient_of_the_rounded_mean_is_that_of_the_plain_one() -> None:
    features = torch.rand(50, 4, 7, generator=torch.Generator().manual_seed(0), requires_grad=True)
    weight = torch.rand(50, 7, generator=torch.Generator().manual_seed(1))
    (found,) = torch.autograd.grad((suit_mean(features) * weight).sum(), features)
    (expected,) = torch.autograd.grad((features.mean(dim=1) * weight).sum(), features)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(suit_mean(features), features.mean(dim=1), atol=1 / GRID, rtol=0)


def test_libraries_can_batch_networks_over_their_weights_or_inputs() -> None:
    policy = initialize(PolicyNetwork("partners", SMALL), 1)
    inputs = inputs_of("partners", mid_deal("partners", 13).observe()).reshape(2, 16, -1)
    many = torch.func.vmap(policy)(inputs)
    torch.testing.assert_close(many, torch.stack([policy(part) for part in inputs]))
    weights = {name: torch.stack([value, value]) for name, value in policy.state_dict().items()}
    both = torch.func.vmap(lambda own: torch.func.functional_call(policy, own, (inputs[0],)))(weights)
    torch.testing.assert_close(both[1], many[0])
    (gradient,) = torch.autograd.grad(many.square().sum(), [policy.body.pooled.weight])
    (expected,) = torch.autograd.grad(policy(inputs.flatten(0, 1)).square().sum(), [policy.body.pooled.weight])
    torch.testing.assert_close(gradient, expected)


def test_a_player_knows_its_weights() -> None:
    first, other = (player_of(initialize(PolicyNetwork("partners", SMALL), seed), "partners") for seed in (1, 2))
    assert first.version.startswith("weights ")
    assert first.version == player_of(initialize(PolicyNetwork("partners", SMALL), 1), "partners", seed=9).version
    assert first.version != other.version


@pytest.mark.parametrize("variant", VARIANTS)
def test_relabelling_suits_leaves_the_critic_alone(variant: str) -> None:
    critic = initialize(Critic(variant, CriticConfig(16, 16)), 3)
    observation = mid_deal(variant, 5).observe()
    hidden = torch.randint(0, 2, (32, 4, hidden_size(variant)), generator=torch.Generator().manual_seed(0))
    order = "SDBC"
    moved = critic(
        inputs_of(variant, observation[:, suit_order(variant, order)]), hidden[:, [SUITS.index(suit) for suit in order]]
    )
    torch.testing.assert_close(moved, critic(inputs_of(variant, observation), hidden), rtol=1e-4, atol=1e-5)


def test_a_critic_that_does_not_see_the_hidden_cards() -> None:
    inputs = inputs_of("partners", mid_deal("partners", 5).observe())
    generator = torch.Generator().manual_seed(0)
    one, other = (torch.randint(0, 2, (32, 4, 30), generator=generator) for _ in range(2))
    for sees in (True, False):
        critic = initialize(Critic("partners", CriticConfig(16, 16, hidden=sees)), 3)
        assert torch.equal(critic(inputs, one), critic(inputs, other)) is not sees


def test_weights_of_each_suit_are_no_longer_equivariant() -> None:
    policy = initialize(PolicyNetwork("partners", NetworkConfig(16, 16, shared=False)), 3)
    observation = mid_deal("partners", 11).observe()
    moved = observation[:, suit_order("partners", "CDSB")]
    columns = [*range(10, 20), *range(10), *range(20, 40)]
    scores, of_moved = (policy(inputs_of("partners", rows)) for rows in (observation, moved))
    assert not torch.allclose(scores[:, columns], of_moved)


def test_an_answer_does_not_depend_on_the_batch() -> None:
    player = player_of(initialize(PolicyNetwork("partners", SMALL), 1), "partners")
    view = mid_deal("partners", 9, deals=300).view()
    for answer in (player.scores, player.owner_log_probs):
        together = answer(view)
        for row in (0, 137, 299):
            assert np.array_equal(answer(view.take(np.array([row])))[0], together[row])


def worlds_seen(variant: str, count: int = 400) -> np.ndarray:
    """Return what the seat after the one to act would see in worlds of one deal."""
    view = mid_deal(variant, 14, deals=1).view()
    after = (view.seat + 1) % view.rules.seats
    hands = sample_worlds(view, count)[0, :, after[0]]
    worlds = view.take(np.zeros(count, np.int64))
    return replace(worlds, seat=np.repeat(after, count), hand=hands).observation


@pytest.mark.parametrize("config", [NetworkConfig(rounds=2), NetworkConfig(24, 40, shared=False, led=False)], ids=str)
@pytest.mark.parametrize("variant", VARIANTS)
def test_worlds_share_the_towers_of_equal_suits_and_no_bit_changes(variant: str, config: NetworkConfig) -> None:
    weights, seen = player_of(initialize(PolicyNetwork(variant, config), 1), variant).weights, worlds_seen(variant)
    shared = weights.answers("score", seen)
    assert np.array_equal(shared, np.concatenate([weights.answers("score", row[None]) for row in seen]))
    assert len(np.unique(shared, axis=0)) > 100
    mixed = weights._mixed(seen)
    assert mixed is not None
    assert len(mixed[0]) < 350


@pytest.mark.parametrize("variant", VARIANTS)
def test_relabelling_suits_of_worlds_changes_no_bit(variant: str) -> None:
    weights, seen = player_of(initialize(PolicyNetwork(variant, SMALL), 1), variant).weights, worlds_seen(variant)
    plain = weights.answers("score", seen)
    columns = [SUITS.index(suit) * NUM_RANKS + rank for suit in "BSDC" for rank in range(NUM_RANKS)]
    assert np.array_equal(weights.answers("score", seen[:, suit_order(variant, "BSDC")]), plain[:, columns])


@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_that_differ_in_more_than_hands_share_nothing(variant: str) -> None:
    weights, seen = player_of(initialize(PolicyNetwork(variant, SMALL), 1), variant).weights, worlds_seen(variant)
    single = np.concatenate([weights.answers("score", row[None]) for row in seen])
    layout = OBSERVATION_LAYOUT[variant]
    inner = [block.slice for name, block in layout["S"].fields.items() if name != "hand"]
    suit = layout["S"].slice.start
    columns = [suit + part.start for part in inner] + [suit + part.stop - 1 for part in inner]
    columns += [block.slice.start for name, block in layout.items() if name not in SUITS]
    for column in columns:
        for row in (0, 77, len(seen) - 1):
            other = seen.copy()
            other[row, column] ^= 1
            assert weights._mixed(other) is None
    for field in ("table", "played", "led", "fell"):  # as after another card, in half of the rows
        other = seen.copy()
        other[100:300, suit + layout["S"].fields[field].slice.start] ^= 1
        found = weights.answers("score", other)
        assert np.array_equal(
            found[100:300], np.concatenate([weights.answers("score", row[None]) for row in other[100:300]])
        )
        assert np.array_equal(found[:100], single[:100])


def test_drawn_cards_depend_on_the_seed_and_the_information_alone() -> None:
    policy = initialize(PolicyNetwork("two_player", SMALL), 1)
    view = mid_deal("two_player", 12, deals=200).view()
    player = player_of(policy, "two_player", seed=4, temperature=1.0)
    cards = player.act(view)
    assert view.legal[np.arange(200), cards].all()
    rows = np.arange(199, -1, -7)
    assert (player.act(view.take(rows)) == cards[rows]).all()
    assert (player_of(policy, "two_player", seed=5, temperature=1.0).act(view) != cards).any()


def test_weights_come_from_the_seed_alone() -> None:
    first = initialize(PolicyNetwork("partners", SMALL), 7).state_dict()
    torch.rand(10)  # the global generator must not matter
    again = initialize(PolicyNetwork("partners", SMALL), 7).state_dict()
    other = initialize(PolicyNetwork("partners", SMALL), 8).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["body.tower.weight"], other["body.tower.weight"])


def test_play_starts_close_to_uniform() -> None:
    batch = mid_deal("partners", 0)
    policy = initialize(PolicyNetwork("partners", NetworkConfig()), 0)
    legal = torch.from_numpy(batch.legal_mask())
    entropy = entropy_of(masked_log_probs(policy(inputs_of("partners", batch.observe())), legal))
    assert (entropy > np.log(10) - 0.01).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_hidden_planes_hold_the_other_hands_and_the_order_of_the_stock(variant: str) -> None:
    batch = mid_deal(variant, 6)
    rows = np.arange(batch.num_deals)
    planes = hidden_planes(batch, batch.view(), rows)
    seats = batch.rules.seats
    for row in rows:
        cards = planes[row].reshape(4, -1, NUM_RANKS)
        for turn in range(1, seats):
            seat = (int(batch.player[row]) + turn) % seats
            held = [10 * suit + rank for suit, rank in zip(*np.nonzero(cards[:, turn - 1]), strict=True)]
            assert held == cards_of(batch.hands[row, seat])
        if batch.rules.stock:
            order = cards[:, seats - 1].reshape(-1)
            stock = batch.decks[row, 20 + 2 * 3 :]
            assert order[stock].tolist() == list(range(1, len(stock) + 1))
            assert np.count_nonzero(order) == len(stock)


def test_observation_size_is_what_the_networks_read() -> None:
    for variant in VARIANTS:
        assert mid_deal(variant, 0).observe().shape[1] == obs_size(variant)


def test_a_shipped_network_is_a_player_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until one is shipped the name says so; from `agents.export` it is the checkpoint in half precision."""
    monkeypatch.setattr(network, "files", lambda package: tmp_path)
    network.shipped_weights.cache_clear()
    with pytest.raises(PlayerError, match=r"no trained network of partners is shipped yet \(of no variant\)"):
        make_player("network", "partners")
    policy = initialize(PolicyNetwork("partners", NetworkConfig()), 2)
    path = tmp_path / "run.safetensors"
    tensors = {f"average.{name}": tensor for name, tensor in policy.state_dict().items()}
    write_checkpoint(path, tensors, {"game": {"variant": "partners"}}, {})
    file, weights = export(path, tmp_path / "weights")
    assert file == tmp_path / "weights" / "partners.npz"
    assert file.stat().st_size < 2_000_000
    player = make_player("network", "partners")
    assert player.version == f"weights {weights.digest}"  # type: ignore[attr-defined]
    view = mid_deal("partners", 9, deals=300).view()
    np.testing.assert_allclose(player.scores(view), player_of(policy, "partners").scores(view), atol=0.01)  # type: ignore[attr-defined]
    with pytest.raises(PlayerError, match=r"no trained network of historical is shipped yet \(of partners\)"):
        make_player("network", "historical")
    network.shipped_weights.cache_clear()
