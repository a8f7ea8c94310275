"""The PettingZoo environment: PettingZoo's own tests, and what they leave out."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from tests.games import FULL_RULES, SMALL_RULES, name
from tressette_env import DealBatch, MatchBatch, Rules, tressette_v0
from tressette_env.cards import card_ids

ARGUMENTS: list[dict[str, Any]] = [
    {"variant": rules.variant, "napoletana": rules.napoletana, "episode": episode}
    for rules in FULL_RULES
    for episode in ("deal", "match")
]
IDS = [
    f"{arguments['variant']}{'-napoletana' * arguments['napoletana']}-{arguments['episode']}" for arguments in ARGUMENTS
]
dict_observations = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Observation numpy array is all zeros",  # at the end of a game
)


def play(env: Any, rng: np.random.Generator, plies: int | None = None) -> tuple[list[int], dict[str, float]]:
    """Play random legal cards, to the end or for some plies; return them and the sum of each agent's rewards."""
    cards: list[int] = []
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        assert info == {}
        assert truncation is False
        rewards[agent] += reward
        if termination:
            env.step(None)
            continue
        if len(cards) == plies:
            break
        cards.append(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        env.step(np.int64(cards[-1]))
    return cards, rewards


@dict_observations
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=IDS)
@pytest.mark.parametrize("maker", [tressette_v0.env, tressette_v0.raw_env])
def test_passes_the_tests_of_pettingzoo(maker: Any, arguments: dict[str, Any]) -> None:
    for seed in range(4):
        env = maker(**arguments)
        env.reset(seed=seed)  # an unseeded reset then plays game 1 of it
        api_test(env, num_cycles=200)
    seed_test(lambda: maker(**arguments), num_cycles=100)


@dict_observations
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=IDS)
def test_passes_the_parallel_tests(arguments: dict[str, Any]) -> None:
    parallel_api_test(tressette_v0.parallel_env(**arguments), num_cycles=100)
    parallel_seed_test(lambda: tressette_v0.parallel_env(**arguments), num_cycles=50)


@dict_observations
@pytest.mark.parametrize("rules", SMALL_RULES, ids=name)
def test_smaller_packs_work(rules: Rules) -> None:
    for episode in ("deal", "match") if rules.num_cards > 4 else ("deal",):
        env = tressette_v0.env(variant=rules, episode=episode, target=rules.target)
        api_test(env, num_cycles=100)


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_plays_the_deals_of_a_batch_and_pays_their_points_to_every_agent(rules: Rules) -> None:
    rng = np.random.default_rng(1)
    env = tressette_v0.env(variant=rules)
    batch = DealBatch(4, rules)
    batch.reset(seed=7)
    for game in range(4):
        env.reset(seed=7 if game == 0 else None)
        single = DealBatch(1, rules)
        single.reset(seed=7, deal_ids=[game])
        assert single.decks[0].tolist() == batch.decks[game].tolist()
        assert env.unwrapped.result() is None
        for agent in env.agent_iter():
            observation, _, over, _, _ = env.last()
            if over:
                break
            seat = env.possible_agents.index(agent)
            assert seat == single.player[0]
            for other in range(rules.seats):
                seen = env.observe(env.possible_agents[other])
                assert seen["observation"].dtype == np.float32
                assert seen["action_mask"].dtype == np.int8
                assert (seen["observation"] == single.observe(other)[0]).all()
                assert (seen["action_mask"] == single.legal_mask()[0] * (other == seat)).all()
            card = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            env.step(card)
            single.step(np.array([card]))
        points = single.points[0].tolist()
        margin = points[0] - points[1]
        assert env.terminations == dict.fromkeys(env.possible_agents, True)
        assert env.truncations == dict.fromkeys(env.possible_agents, False)
        paid = play(env, rng)[1]
        assert paid == {agent: (-margin if seat % 2 else margin) for seat, agent in enumerate(env.possible_agents)}
        assert sum(paid.values()) == 0
        assert env.agents == []
        result = env.unwrapped.result()
        assert result == {"points": points, "thirds": single.thirds[0].tolist(), "bonus": single.bonus[0]}
        assert pickle.loads(pickle.dumps(result)) == result
        assert all(type(value) is int for value in (*result["points"], *result["thirds"]))


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_a_match_is_that_of_a_match_batch(rules: Rules) -> None:
    env = tressette_v0.env(variant=rules, episode="match")
    env.reset(seed=5)
    cards, paid = play(env, np.random.default_rng(2))
    batch = MatchBatch(1, rules)
    batch.reset(seed=5)
    for card in cards:
        assert not batch.done
        batch.step(np.array([card]))
    assert batch.done
    winner, payment = int(batch.winner[0]), int(batch.payment[0])
    assert paid == {
        agent: (payment if seat % 2 == winner else -payment) for seat, agent in enumerate(env.possible_agents)
    }
    result = env.unwrapped.result()
    assert result == {
        "points": batch.last_points[0].tolist(),
        "thirds": batch.thirds[0].tolist(),
        "bonus": batch.bonus[0],
        "scores": batch.scores[0].tolist(),
        "winner": winner,
        "payment": payment,
        "next_marks": batch.next_marks[0].tolist(),
    }
    assert type(result["winner"]) is int


def test_options_set_up_the_first_deal() -> None:
    deck = list(range(40))[::-1]
    env = tressette_v0.env(variant="two_player", episode="match")
    env.reset(seed=1, options={"deck": deck, "dealer": 0, "score": [20, 3]})
    assert env.agent_selection == "player_1"
    hand = env.observe("player_0")["observation"]
    batch = MatchBatch(1, "two_player")
    batch.reset(seed=1, decks=[deck], dealers=[0], scores=[[20, 3]])
    assert (hand == batch.observe(0)[0]).all()
    env.reset(options={"score": [0, 4]})  # deck and dealer of match 1
    batch.reset(seed=1, deal_ids=[1], scores=[[0, 4]])
    assert (env.observe("player_0")["observation"] == batch.observe(0)[0]).all()


def test_e1_of_the_rules_is_worth_six_to_five() -> None:
    hands = (
        "RB CB 7B 2C RC 6C 4C 4D 3S 7S 2B 7C 3D FD 7D AS RS FS 6S 4S "
        "3B FB 4B AC CC 5C RD 6D CS 5S AB 6B 5B 3C FC 2D AD CD 5D 2S"
    )
    plays = (
        "CB 2B 3B 5B CS 2S 3S 4S 6C 7C 5C 3C AD 4D FD 6D AB 7B AS 4B 6B RB 7D FB RC RS AC FC "
        "CC CD 2C 3D 4C 6S RD 5D 7S FS 5S 2D"
    )
    env = tressette_v0.raw_env()
    env.reset(options={"deck": card_ids(hands), "dealer": 3})
    for card in card_ids(plays):
        env.step(card)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0, "player_2": 1.0, "player_3": -1.0}
    assert env.result() == {"points": [6, 5], "thirds": [19, 13], "bonus": None}


@pytest.mark.parametrize("maker", [tressette_v0.env, tressette_v0.raw_env])
def test_a_deal_won_by_declarations_is_over_at_reset(maker: Any) -> None:
    # Seat 0, dealt 3 2 A R C of denari, leads and declares five points.
    deck = card_ids("3D 2D AD RD CD 4C 5S 6B 7C 4B") + [
        card for card in range(40) if card not in card_ids("3D 2D AD RD CD 4C 5S 6B 7C 4B")
    ]
    env = maker(variant="historical")
    env.reset(seed=3, options={"deck": deck, "dealer": 3, "score": [16, 20]})
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    assert env.unwrapped.result() == {"points": [5, 0], "thirds": [0, 0], "bonus": None}
    seen = []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        assert (termination, truncation) == (True, False)
        assert not observation["observation"].any()
        assert not observation["action_mask"].any()
        seen.append((agent, reward))
        env.step(None)
    assert seen == [("player_0", 5.0), ("player_1", -5.0), ("player_2", 5.0), ("player_3", -5.0)]
    env.reset()
    assert len(play(env, np.random.default_rng(0))[0]) == 40


@pytest.mark.parametrize("maker", [tressette_v0.env, tressette_v0.raw_env])
@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("plies", [0, 17, 50])
def test_copies_continue_exactly_and_alone(maker: Any, clone: Any, plies: int) -> None:
    env = maker(variant="two_player", napoletana=True, episode="match")
    env.reset(seed=6)
    play(env, np.random.default_rng(5), plies)
    other = clone(env)
    state = env.state()
    first = play(other, np.random.default_rng(6))
    assert (env.state() == state).all()
    assert play(env, np.random.default_rng(6)) == first
    assert env.unwrapped.result() == other.unwrapped.result()
    env.reset()
    other.reset()
    assert (env.state() == other.state()).all()


def test_copies_before_reset_work() -> None:
    for clone in (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
        env = clone(tressette_v0.env())
        env.reset(seed=1)
        assert len(play(env, np.random.default_rng(0))[0]) == 40


def test_one_seed_plays_the_same_in_two_processes() -> None:
    script = (
        "import hashlib, numpy as np\n"
        "from tests.test_pettingzoo import play\n"
        "from tressette_env import tressette_v0\n"
        "env = tressette_v0.env(variant='two_player', napoletana=True); env.reset(seed=8)\n"
        "cards = play(env, np.random.default_rng(0))[0]; env.reset()\n"
        "print(cards, hashlib.sha256(env.state().tobytes()).hexdigest())\n"
    )
    outputs = {
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1


def test_without_a_seed_games_differ_and_global_state_is_not_used() -> None:
    np.random.seed(0)  # noqa: NPY002 (what the environment must not look at)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    states = []
    for _ in range(2):
        env = tressette_v0.env()
        env.reset()
        states.append(env.state())
    assert (states[0] != states[1]).any()
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize("arguments", ARGUMENTS[::2], ids=IDS[::2])
def test_spaces_are_fixed_and_hold_what_is_seen(arguments: dict[str, Any]) -> None:
    env = tressette_v0.env(**arguments)
    seats = 2 if arguments["variant"] == "two_player" else 4
    assert env.possible_agents == [f"player_{seat}" for seat in range(seats)]  # before any reset
    assert env.max_num_agents == seats
    assert env.metadata["name"] == str(env) == "tressette_v0"
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == 40
    env.reset(seed=4, options={"score": [300, 2]} if arguments["variant"] != "historical" else None)
    for _ in range(40):
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
        assert env.state_space.contains(env.state())
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert not env.state().any()


def test_observations_are_fresh_arrays() -> None:
    env = tressette_v0.env()
    env.reset(seed=1)
    for agent in env.possible_agents:
        seen = env.observe(agent)
        seen["observation"][:] = 9
        seen["action_mask"][:] = 1
        assert (env.observe(agent)["observation"] != 9).any()
        assert not env.observe(agent)["action_mask"].all()


def test_the_environment_has_no_attribute_called_seed() -> None:
    for env in (tressette_v0.env(), tressette_v0.raw_env()):
        assert not hasattr(env, "seed")


def test_three_games_left_at_any_point_begin_anew() -> None:
    env = tressette_v0.env()
    rng = np.random.default_rng(7)
    for plies in (3, 40, None):
        env.reset(seed=1)
        assert env.agents == env.possible_agents
        cards, _ = play(env, rng, plies)
        assert len(cards) == (plies or 40)
    env.reset(seed=1)
    for _ in range(40):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    env.step(None)  # one dead step, then a new game
    env.reset()
    assert len(play(env, rng)[0]) == 40


def test_registered_where_pettingzoo_has_a_registry() -> None:
    if not hasattr(pettingzoo, "register"):
        assert not hasattr(pettingzoo, "make")  # PettingZoo before 1.27: imported by hand
        return
    env = pettingzoo.make("aec", "tressette_env/tressette_v0", variant="two_player")
    assert env.unwrapped.metadata["name"] == "tressette_v0"
    assert env.possible_agents == ["player_0", "player_1"]
    assert pettingzoo.make("parallel", "tressette_env/tressette_v0").possible_agents[3] == "player_3"


def test_the_page_states_the_true_sizes() -> None:
    page = str(tressette_v0.__doc__)
    for variant in ("two_player", "partners", "historical"):
        env = tressette_v0.env(variant=variant)
        size = env.observation_space("player_0")["observation"].shape[0]
        assert f"({size},) in `{variant}`" in page
        assert f"({env.state_space.shape[0]},) in `{variant}`" in page
