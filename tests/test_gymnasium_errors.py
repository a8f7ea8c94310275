"""Illegal cards, faulty players and wrong arguments in the single-agent environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.test_gymnasium import as_lists, make, play
from tests.test_pettingzoo import ARGUMENTS, IDS
from tests.test_pettingzoo_errors import LOSSES
from tests.toy_players import Lowest
from tressette_env.gymnasium_env import TressetteGymEnv


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=IDS)
@pytest.mark.parametrize("outside", [None, -1, 40, 10**30])
def test_an_illegal_card_loses(arguments: dict[str, Any], outside: int | None) -> None:
    loss = LOSSES[arguments["variant"]]
    if arguments["napoletana"]:
        loss = 23
    if arguments["episode"] == "match":
        loss = 2 if arguments["variant"] == "historical" else 1
    env = make(opponent="random", **arguments)
    observation, _ = env.reset(seed=2)
    observation = play(env, observation, np.random.default_rng(0), 3)[-1][0]
    assert env.illegal_loss == loss
    illegal = int(observation["action_mask"].argmin()) if outside is None else outside
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-loss, True, False)
    assert not observation["observation"].any()
    assert observation["action_mask"].all()
    assert info["action_mask"].all()
    with pytest.raises(RuntimeError, match="call reset first"):
        env.step(0)
    env.illegal_loss = 2.5
    observation, _ = env.reset()
    assert env.step(int(observation["action_mask"].argmin()))[1] == -2.5
    with pytest.raises(ValueError, match="illegal_loss=-1 is not allowed"):
        env.illegal_loss = -1


def test_a_deal_without_a_card_to_play_can_not_be_set_up() -> None:
    env = make(variant="historical", opponent="random")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="there is none to play"):
        env.reset(options={"score": [30, 20]})
    with pytest.raises(RuntimeError, match="call reset first"):
        env.step(0)
    env.reset()
    env.step(0)


FAULTS = {
    "tests.toy_players:Illegal": r" played \w\w in deal 0 of seed 3, seat \d at ply \d+; legal cards: ",
    "tests.toy_players:Failing:at=0": r" failed in deal 0 of seed 3, seat \d at ply 0: ZeroDivisionError",
}


@pytest.mark.parametrize("player", FAULTS)
@pytest.mark.parametrize("role", ["opponent", "partner"])
def test_the_error_of_a_player_names_it(player: str, role: str) -> None:
    env = make(**{"opponent": "random", role: player}, seat=0)
    observation, message = None, f"^{role} '{player}' \\(not the learner\\){FAULTS[player]}"
    leader = {"dealer": 0 if role == "opponent" else 1}
    if "Failing" in player:
        with pytest.raises(ValueError, match=message):
            env.reset(seed=3, options=leader)
    else:
        observation, _ = env.reset(seed=3, options=leader)
        with pytest.raises(ValueError, match=message):
            play(env, observation, np.random.default_rng(0))
    with pytest.raises(RuntimeError, match="call reset first"):
        env.step(0)
    env.set_opponent("random")
    assert play(env, env.reset()[0], np.random.default_rng(0))[-1][2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seat": 4}, "seat=4 is not allowed in partners: 0, 1, 2, 3, or None"),
        ({"seat": True}, "seat=True is not allowed in partners"),
        ({"variant": "two_player", "seat": 2}, "seat=2 is not allowed in two_player: 0, 1, or None"),
        ({"seat": "0"}, "seat='0' is not allowed"),
        ({"variant": "two_player", "partner": "random"}, "partner='random' is not allowed in two_player"),
        ({"opponent": "nobody"}, "unknown player 'nobody': use one of "),
        ({"opponent": Lowest}, "opponent=<class 'tests.toy_players.Lowest'> is no player"),
        ({"opponent": None}, "opponent=None is no player: give a name, or an object with a method act"),
        ({"partner": 3}, "partner=3 is no player"),
        ({"opponent": []}, r"opponent=\[\] names no player"),
        ({"opponent": {"random": -1}}, "opponent: the weight of 'random' must be a number of at least 0, not -1"),
        ({"opponent": {"random": "1"}}, "the weight of 'random' must be a number of at least 0, not '1'"),
        ({"partner": {"random": 0}}, r"partner: the weights \[0\] sum to 0.0"),
        ({"variant": "bridge"}, "variant='bridge' is not allowed"),
        ({"episode": "game"}, "episode='game' is not allowed"),
        ({"variant": "historical", "target": 31}, "target=31 is not allowed"),
        ({"render_mode": "svg"}, "render_mode='svg' is not allowed: None, 'ansi', 'rgb_array', 'human'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):  # not through `make`, which judges render modes itself
        TressetteGymEnv(**arguments)


@pytest.mark.parametrize("action", [None, 1.0, "3D", True, [3]])
def test_an_action_is_an_integer(action: Any) -> None:
    env = make()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="an action must be an integer card id"):
        env.step(action)


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": -1},
        {"seed": 2**63},
        {"seed": 1.5},
        {"seed": True},
        {"options": 3},
        {"options": {"deck": [1, 2]}},
        {"seed": 2, "options": {"dealer": 4}},
    ],
)
def test_a_wrong_reset_changes_nothing(arguments: dict[str, Any]) -> None:
    env, other = make(opponent="random"), make(opponent="random")
    observation, _ = env.reset(seed=4)
    other.reset(seed=4)
    with pytest.raises(ValueError, match=r"must be|not allowed|no seat"):
        env.reset(**arguments)
    assert as_lists(play(env, observation, np.random.default_rng(0))) == as_lists(
        play(other, observation, np.random.default_rng(0))
    )
    assert (env.reset()[0]["observation"] == other.reset()[0]["observation"]).all()


def test_a_game_must_have_begun() -> None:
    with pytest.raises(RuntimeError, match="no game is being played: call reset first"):
        make().step(0)
