"""The vector environment: in all that it returns it equals Gymnasium's own vector of single environments."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from tests.games import SMALL_RULES, name
from tests.test_gymnasium import ID
from tests.test_pettingzoo import ARGUMENTS, IDS
from tests.toy_players import Highest, Lowest, Peeking
from tressette_env import Rules
from tressette_env.gymnasium_vector import TressetteVectorEnv

MODES = list(AutoresetMode)
COMPANY: dict[str, Any] = {"opponent": {"greedy": 2, Lowest("partners"): 1}}


def both(mode: AutoresetMode, num_envs: int, **arguments: Any) -> tuple[Any, Any]:
    """The vector environment, and Gymnasium's vector of single ones."""
    ours = gymnasium.make_vec(ID, num_envs=num_envs, autoreset_mode=mode, **arguments)
    assert isinstance(ours, TressetteVectorEnv)
    return ours, SyncVectorEnv([lambda: gymnasium.make(ID, **arguments)] * num_envs, autoreset_mode=mode)


def assert_same(ours: Any, theirs: Any) -> None:
    assert type(ours) is type(theirs)
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        for key in ours:
            assert_same(ours[key], theirs[key])
    elif isinstance(ours, tuple | list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if ours.dtype == object:
            assert_same(list(ours), list(theirs))
        else:
            assert (ours == theirs).all()
    else:
        assert ours == theirs


def actions_for(observation: dict[str, Any], rng: np.random.Generator, illegal: float = 0.0) -> np.ndarray:
    """A random legal card in each environment; now and then any number."""
    cards = (observation["action_mask"] * rng.random(observation["action_mask"].shape)).argmax(axis=1)
    wild = rng.random(len(cards)) < illegal
    return np.where(wild, rng.integers(-1, 41, len(cards)), cards)


def compare(ours: Any, theirs: Any, steps: int, illegal: float = 0.03) -> int:
    """Play both alike from where they stand; return how many episodes ended."""
    mode, rng, ended = ours.metadata["autoreset_mode"], np.random.default_rng(1), 0
    observation, over = theirs.reset()[0], np.zeros(ours.num_envs, bool)
    assert_same(ours.reset()[0], observation)
    for _ in range(steps):
        actions = actions_for(observation, rng, illegal)
        if mode is AutoresetMode.DISABLED and over.any():
            results = [env.reset(options={"reset_mask": over.copy()}) for env in (ours, theirs)]
            assert_same(*results)
            actions = actions_for(results[0][0], rng, illegal)
        result, expected = ours.step(actions), theirs.step(actions)
        assert_same(result, expected)
        observation, _, over, _, _ = result
        ended += int(over.sum())
    return ended


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=IDS)
def test_equals_the_vector_of_single_environments(arguments: dict[str, Any], mode: AutoresetMode) -> None:
    steps = 120 if arguments["episode"] == "match" else 50
    ours, theirs = both(mode, 3, **COMPANY, **arguments)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert_same(ours.reset(seed=40), theirs.reset(seed=40))
    assert compare(ours, theirs, steps) > 4


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rules", SMALL_RULES, ids=name)
def test_equals_it_with_smaller_packs(rules: Rules, mode: AutoresetMode) -> None:
    ours, theirs = both(mode, 4, variant=rules, opponent="random")
    assert_same(ours.reset(seed=1), theirs.reset(seed=1))
    assert compare(ours, theirs, 20) > 4


@pytest.mark.parametrize("mode", MODES)
def test_equals_it_with_a_partner_a_seat_and_a_change_of_players(mode: AutoresetMode) -> None:
    lowest, highest = Lowest("partners"), Highest("partners")
    ours, theirs = both(mode, 3, opponent=["random", lowest], partner=[highest, "greedy"], seat=2)
    assert_same(ours.reset(seed=[5, 5, 10**15]), theirs.reset(seed=[5, 5, 10**15]))
    compare(ours, theirs, 17)
    for opponent, partner in ((highest, None), ({"greedy": 1, "random": 2}, lowest), ("random", ["greedy", highest])):
        ours.set_opponent(opponent, partner)
        theirs.call("set_opponent", opponent, partner)
        rng = np.random.default_rng(2)
        masks = ours.action_masks()
        for _ in range(25):  # goes on where it stood: the games begun keep their players
            if mode is AutoresetMode.DISABLED and ours._ended.any():
                over = ours._ended.copy()
                assert_same(*[env.reset(options={"reset_mask": over.copy()}) for env in (ours, theirs)])
            actions = actions_for({"action_mask": ours.action_masks()}, rng, 0.02)
            assert_same(ours.step(actions), theirs.step(actions))
        assert masks.shape == (3, 40)


@pytest.mark.parametrize("mode", MODES)
def test_a_mask_resets_some(mode: AutoresetMode) -> None:
    ours, theirs = both(mode, 4, opponent="random")
    assert_same(ours.reset(seed=3), theirs.reset(seed=3))
    rng = np.random.default_rng(0)
    for step in range(40):
        actions = actions_for({"action_mask": ours.action_masks()}, rng, 0.2)
        if step % 4 == 3 or (mode is AutoresetMode.DISABLED and ours._ended.any()):
            mask = ours._ended | (rng.random(4) < 0.5)
            mask[step % 3] = True
            for seed in (None, [7, None, step, None]):
                options = {"reset_mask": mask, "dealer": step % 4}
                result = ours.reset(seed=seed, options=options)
                assert set(options) == {"reset_mask", "dealer"}
                assert_same(result, theirs.reset(seed=seed, options=dict(options)))
            actions = actions_for(result[0], rng, 0.2)
        assert_same(ours.step(actions), theirs.step(actions))
        assert_same(ours.action_masks(), np.stack(theirs.call("action_masks")))


def test_equals_it_in_games_that_begin_with_options() -> None:
    ours, theirs = both(AutoresetMode.NEXT_STEP, 3, variant="historical", opponent="greedy")
    deck = np.random.default_rng(0).permutation(40).tolist()
    options = {"deck": deck, "dealer": 1, "score": [3, 4]}
    assert_same(ours.reset(seed=3, options=options), theirs.reset(seed=3, options=dict(options)))
    compare(ours, theirs, 30)


def test_deals_over_at_reset_are_skipped_as_in_single_environments() -> None:
    ours, theirs = both(AutoresetMode.DISABLED, 12, variant="historical", opponent="random")
    for seed in (3, None, None):
        results = [env.reset(seed=seed, options={"score": [20, 20]}) for env in (ours, theirs)]
        assert_same(*results)
        assert (results[0][0]["observation"].any(axis=1)).all()


def test_an_environment_does_not_depend_on_the_others() -> None:
    many = gymnasium.make_vec(ID, num_envs=300, opponent=["random", "rules"], autoreset_mode="SameStep")
    few = gymnasium.make_vec(ID, num_envs=3, opponent=["random", "rules"], autoreset_mode="SameStep")
    observations, _ = many.reset(seed=10)
    alone, _ = few.reset(seed=[10, 150, 309])
    rows = [0, 140, 299]
    rng = np.random.default_rng(0)
    for _ in range(25):
        assert (observations["observation"][rows] == alone["observation"]).all()
        cards = actions_for(observations, rng, 0.02)
        observations, rewards, *_ = many.step(cards)
        alone, rewards_alone, *_ = few.step(cards[rows])
        assert (rewards[rows] == rewards_alone).all()


@pytest.mark.parametrize("mode", MODES)
def test_what_is_returned_is_never_changed(mode: AutoresetMode) -> None:
    env = gymnasium.make_vec(ID, num_envs=5, variant="two_player", opponent="random", autoreset_mode=mode)
    rng = np.random.default_rng(0)
    returned = [env.reset(seed=1)]
    kept = [copy.deepcopy(returned[0])]
    observation = returned[0][0]
    for _ in range(20):
        returned.append(env.step(actions_for(observation, rng)))
        kept.append(copy.deepcopy(returned[-1]))
        observation = returned[-1][0]
    for one, other in zip(returned, kept, strict=True):
        assert_same(one, other)


def test_wrappers_work() -> None:
    env = RecordEpisodeStatistics(gymnasium.make_vec(ID, num_envs=6, opponent="random"))
    observation, _ = env.reset(seed=1)
    rng = np.random.default_rng(0)
    for step in range(11):
        observation, rewards, terminated, _, info = env.step(actions_for(observation, rng))
        assert terminated.all() == (step == 9)
        if step == 9:
            assert (info["episode"]["r"] == rewards).all()
            assert info["episode"]["l"].tolist() == [10] * 6


def test_make_vec_uses_it_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec("Tressette-v0", num_envs=2)
    assert isinstance(env, TressetteVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert env.spec is not None
    assert env.spec.id == "Tressette-v0"
    observation = env.reset()[0]["observation"]  # without a seed every environment draws its own
    assert (observation[0] != observation[1]).any()


def test_one_seed_gives_one_result() -> None:
    results = []
    for _ in range(2):
        env = gymnasium.make_vec(ID, num_envs=20, opponent=["random", "greedy"], autoreset_mode="SameStep")
        observation, _ = env.reset(seed=2)
        rng = np.random.default_rng(0)
        results.append([env.step(actions_for(observation, rng, 1.0))[0]["observation"].sum() for _ in range(15)])
    assert results[0] == results[1]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue(duplicate: Any) -> None:
    env = gymnasium.make_vec(ID, num_envs=4, episode="match", opponent="random")
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=2)
    for _ in range(7):
        observation = env.step(actions_for(observation, rng))[0]
    other = duplicate(env)
    for _ in range(30):
        actions = actions_for(observation, rng)
        result = env.step(actions)
        assert_same(result, other.step(actions))
        observation = result[0]


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_draws_as_the_single_environments_do(mode: str) -> None:
    ours, theirs = both(AutoresetMode.SAME_STEP, 2, variant="two_player", opponent="random", render_mode=mode)
    assert_same(ours.reset(seed=2), theirs.reset(seed=2))
    rng = np.random.default_rng(0)
    for _ in range(3):
        for _ in range(7):
            actions = actions_for({"action_mask": ours.action_masks()}, rng, 0.1)
            assert_same(ours.step(actions), theirs.step(actions))
        assert_same(ours.render(), theirs.render())
    ours.close()
    theirs.close()


def test_seats_are_told() -> None:
    env = gymnasium.make_vec(ID, num_envs=64, opponent="random")
    env.reset(seed=1)
    assert np.bincount(env.seats).tolist() == [sum(env.seats == seat) for seat in range(4)]
    assert np.bincount(env.seats).min() > 4
    singles = [gymnasium.make(ID, opponent="random").unwrapped for _ in range(8)]
    for seed, single in enumerate(singles, start=1):
        single.reset(seed=seed)
    assert env.seats[:8].tolist() == [single.seat for single in singles]


def test_a_cheating_opponent_is_handed_the_deals() -> None:
    cheat = Peeking("partners")
    env = gymnasium.make_vec(ID, num_envs=5, opponent=cheat)
    env.reset(seed=1)
    env.step(env.action_masks().argmax(axis=1))
    assert all(deals.num_deals == 5 and len(rows) <= 5 for deals, rows in cheat.handed)
