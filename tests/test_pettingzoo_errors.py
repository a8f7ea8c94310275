"""Illegal cards, calls out of order and wrong arguments in the PettingZoo environment."""

from __future__ import annotations

import logging
import pickle
from typing import Any

import numpy as np
import pytest

from tests.test_pettingzoo import ARGUMENTS, IDS, play
from tressette_env import IllegalCardError, tressette_v0

LOSSES = {"two_player": 11, "partners": 11, "historical": 60}


def illegal_card(env: Any) -> int:
    mask = env.observe(env.agent_selection)["action_mask"]
    return int(np.flatnonzero(mask == 0)[0])


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=IDS)
@pytest.mark.parametrize("outside", [None, -1, 40])
def test_an_illegal_card_loses(arguments: dict[str, Any], outside: int | None, caplog: Any) -> None:
    loss = LOSSES[arguments["variant"]]
    if arguments["napoletana"]:
        loss = 23
    if arguments["episode"] == "match":
        loss = 2 if arguments["variant"] == "historical" else 1
    env = tressette_v0.env(**arguments)
    rng = np.random.default_rng(3)
    env.reset(seed=2)
    play(env, rng, plies=5)
    offender = env.possible_agents.index(env.agent_selection)
    assert env.unwrapped.illegal_loss == loss
    with caplog.at_level(logging.WARNING):
        env.step(illegal_card(env) if outside is None else outside)
    assert f"seat {offender} may not play" in caplog.text
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.truncations == dict.fromkeys(env.possible_agents, False)
    assert not env.observe("player_0")["observation"].any()
    paid = play(env, rng)[1]
    assert paid == {
        agent: float(-loss if (seat - offender) % 2 == 0 else loss) for seat, agent in enumerate(env.possible_agents)
    }
    result = env.unwrapped.result()
    assert result["forfeited_by"] == offender
    if arguments["episode"] == "match":
        assert (result["winner"], result["payment"]) == (1 - offender % 2, loss)
    for _ in range(3):
        env.reset()
        assert sum(play(env, rng)[1].values()) == 0
        assert "forfeited_by" not in env.unwrapped.result()


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_the_loss_may_be_set(episode: str) -> None:
    env = tressette_v0.env("partners", episode=episode)
    env.unwrapped.illegal_loss = np.float64(2.5)
    env.reset(seed=2)
    env = pickle.loads(pickle.dumps(env))
    assert env.unwrapped.illegal_loss == 2.5
    offender = env.possible_agents.index(env.agent_selection)
    env.step(illegal_card(env))
    env.unwrapped.illegal_loss = 7  # holds from the next game on
    paid = play(env, np.random.default_rng(0))[1]
    assert sorted(paid.values()) == [-2.5, -2.5, 2.5, 2.5]
    assert paid[f"player_{offender}"] == -2.5
    if episode == "match":
        assert env.unwrapped.result()["payment"] == 2.5
    env.reset()
    env.step(illegal_card(env))
    assert set(play(env, np.random.default_rng(0))[1].values()) == {-7.0, 7.0}


@pytest.mark.parametrize("loss", [-1, True, "11", None, float("inf"), float("nan")])
def test_what_is_no_loss_is_refused(loss: Any) -> None:
    env = tressette_v0.raw_env()
    with pytest.raises(ValueError, match=r"illegal_loss=.* is not allowed: a number of at least 0"):
        env.illegal_loss = loss
    assert env.illegal_loss == 11


@pytest.mark.parametrize("maker", [tressette_v0.raw_env, lambda: tressette_v0.env(illegal="raise")])
def test_a_refused_card_changes_nothing(maker: Any) -> None:
    env = maker()
    env.reset(seed=2)
    rng = np.random.default_rng(4)
    for game in range(3):
        play(env, rng, plies=6 + game)
        before = pickle.dumps(env.unwrapped)
        seat = env.possible_agents.index(env.agent_selection)
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        for card in (illegal_card(env), 40, -1, 10**6):
            with pytest.raises(IllegalCardError) as caught:
                env.step(card)
            assert (caught.value.card, caught.value.seat, caught.value.legal) == (card, seat, legal)
        for action in (None, True, 3.0, "3D", [3], np.array([3])):
            with pytest.raises(ValueError, match="integer card id"):
                env.step(action)
        assert pickle.dumps(env.unwrapped) == before
        env.step(legal[0])
        play(env, rng)
        assert env.unwrapped.result() is not None
        env.reset()


def test_calls_before_reset_are_refused() -> None:
    env = tressette_v0.env()
    for attribute in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos"):
        with pytest.raises(AttributeError, match="before reset"):
            getattr(env, attribute)
    calls = [lambda: env.step(0), lambda: env.observe("player_0"), env.last, env.state, env.render, env.agent_iter]
    for call in calls:
        with pytest.raises((AttributeError, AssertionError), match="reset"):
            call()
    assert env.result() is None
    raw = tressette_v0.raw_env()
    assert raw.agents == []
    for call in (lambda: raw.step(0), lambda: raw.observe("player_0"), raw.state):
        with pytest.raises(RuntimeError, match="reset"):
            call()


def test_unknown_options_are_ignored_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    env = tressette_v0.env()
    env.reset(seed=1, options={"decks": list(range(40)), "dealer": 2})
    assert env.agent_selection == "player_3"
    assert "'decks'" in caplog.text


def test_a_loop_that_does_not_step_is_refused() -> None:
    env = tressette_v0.env()
    env.reset(seed=1)
    loop = iter(env.agent_iter())
    next(loop)
    with pytest.raises(AssertionError, match="step"):
        next(loop)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"variant": "scopa"}, "variant='scopa'"),
        ({"napoletana": 1}, "napoletana=1"),
        ({"variant": "historical", "napoletana": True}, "napoletana=True"),
        ({"target": 22}, "target=22"),
        ({"episode": "party"}, "episode='party'.*'deal', 'match'"),
        ({"render_mode": "svg"}, "render_mode='svg'.*'ansi'"),
        ({"illegal": "ignore"}, "illegal='ignore'.*'lose', 'raise'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tressette_v0.env(**arguments)


@pytest.mark.parametrize(
    ("seed", "options", "words"),
    [
        (-1, None, "seed"),
        (1.5, None, "seed"),
        (2**63, None, "seed"),
        (1, {"deck": list(range(39))}, r"'deck'.*integers of shape \(40,\)"),
        (1, {"deck": [0] * 40}, "permutation"),
        (1, {"deck": "3D"}, "'deck'"),
        (1, {"deck": [[1], [2, 3]]}, "'deck'.*not lists of different lengths"),
        (1, {"dealer": 4}, "dealer 4"),
        (1, {"dealer": 1.0}, "'dealer'.*a whole number, not 1.0"),
        (1, {"score": [1]}, r"'score'.*integers of shape \(2,\)"),
        (1, {"score": [-1, 0]}, "scores must be from 0"),
        (1, [1], "options"),
    ],
)
def test_wrong_resets_are_named_and_change_nothing(seed: Any, options: Any, words: str) -> None:
    env = tressette_v0.raw_env()
    env.reset(seed=9)
    play(env, np.random.default_rng(0), plies=7)
    before = pickle.dumps(env)
    with pytest.raises(ValueError, match=words):
        env.reset(seed=seed, options=options)
    assert pickle.dumps(env) == before
