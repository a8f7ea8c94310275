"""Faulty players, calls out of order and wrong arguments in the vector environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.test_gymnasium import ID
from tests.test_gymnasium_vector import actions_for, assert_same
from tressette_env.gymnasium_vector import TressetteVectorEnv


def test_the_loss_may_be_set() -> None:
    env = gymnasium.make_vec(ID, num_envs=3, opponent="random", autoreset_mode="SameStep")
    env.illegal_loss = 4
    env.reset(seed=1)
    cards = env.action_masks().argmax(axis=1)
    cards[1] = -1
    assert env.step(cards)[1].tolist() == [0, -4, 0]
    assert env.illegal_loss == 4


def test_the_error_of_a_player_names_the_environment() -> None:
    env = gymnasium.make_vec(ID, num_envs=5, opponent="tests.toy_players:Illegal")
    env.reset(seed=3)
    fault = r"^opponent '.*:Illegal' \(not the learner\) played \w\w in deal 0 of seed \d \(environment \d\), seat \d"
    with pytest.raises(ValueError, match=fault):  # noqa: PT012 (whichever step it is)
        for _ in range(10):
            env.step(env.action_masks().argmax(axis=1))
    with pytest.raises(RuntimeError, match="no game is being played in environment 0: call reset first"):
        env.step([0] * 5)
    env.set_opponent("random")
    env.reset()
    env.step(env.action_masks().argmax(axis=1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a whole number of at least 1, not 0"),
        ({"autoreset_mode": "never"}, r"autoreset_mode='never' is not allowed: .*\('SameStep'\)"),
        ({"render_mode": "human"}, "render_mode='human' is not allowed: None, 'ansi', 'rgb_array'"),
        ({"seat": -1}, "seat=-1 is not allowed in partners: 0, 1, 2, 3"),
        ({"opponent": "nobody"}, "unknown player 'nobody'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TressetteVectorEnv(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": -1},
        {"seed": 2**63 - 2},
        {"seed": [1, 2]},
        {"seed": [1, None]},
        {"seed": [1, 2.5, None]},
        {"seed": [None, -3, 2]},
        {"options": {"reset_mask": [True, False, True]}},
        {"options": {"reset_mask": np.ones(2, bool)}},
        {"options": {"reset_mask": np.zeros(3, bool)}},
        {"options": {"reset_mask": np.ones(3, int)}},
        {"options": {"dealer": 4}},
        {"options": [3]},
    ],
)
def test_a_wrong_reset_changes_nothing(arguments: dict[str, Any]) -> None:
    env, other = (gymnasium.make_vec(ID, num_envs=3, opponent="random") for _ in range(2))
    observation, _ = env.reset(seed=4)
    other.reset(seed=4)
    with pytest.raises(ValueError, match=r"must be|not allowed|no seat|too large"):
        env.reset(**arguments)
    actions = actions_for(observation, np.random.default_rng(0))
    assert_same(env.step(actions), other.step(actions))
    assert_same(env.reset(), other.reset())


@pytest.mark.parametrize(
    "actions", [[1, 2], 3, np.zeros((3, 1), int), np.zeros(3), [True] * 3, None, [[1], [2, 3], []]]
)
def test_actions_are_integers_one_for_each_environment(actions: Any) -> None:
    env = gymnasium.make_vec(ID, num_envs=3, opponent="random")
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions must be integers of shape \(3,\), not "):
        env.step(actions)


def test_games_must_have_begun() -> None:
    env = gymnasium.make_vec(ID, num_envs=3, opponent="random", autoreset_mode="Disabled")
    with pytest.raises(RuntimeError, match="no game is being played in environment 0: call reset first"):
        env.step([0, 0, 0])
    env.reset(options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(RuntimeError, match="no game is being played in environment 1: call reset first"):
        env.step([0, 0, 0])
    env.reset()
    env.step([-1, -1, -1])
    with pytest.raises(RuntimeError, match="no game is being played in environment 0: call reset first"):
        env.step([0, 0, 0])
