"""The single-agent environment: Gymnasium's own checks, and what they leave out."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.games import FULL_RULES, SMALL_RULES, name
from tests.test_pettingzoo import ARGUMENTS, IDS
from tests.toy_players import Lowest, Peeking
from tressette_env import DealBatch, Rules, tressette_v0
from tressette_env.cards import card_ids
from tressette_env.view import View

ID = "tressette_env:Tressette-v0"


class Counting(Lowest):
    """Plays its lowest card and counts the decisions of each seat."""

    def __init__(self) -> None:
        super().__init__("partners")
        self.asked = [0, 0, 0, 0]

    def act(self, view: View) -> Any:
        for seat in view.seat:
            self.asked[seat] += 1
        return super().act(view)


def make(**arguments: Any) -> Any:
    return gymnasium.make(ID, **arguments).unwrapped


def legal_card(observation: dict[str, Any], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def play(env: Any, observation: dict[str, Any], rng: np.random.Generator, steps: int = 10**6) -> list[Any]:
    """Play random legal cards to the end, or for some steps; return all that came back."""
    seen: list[Any] = []
    while len(seen) < steps:
        seen.append(env.step(legal_card(observation, rng)))
        observation = seen[-1][0]
        if seen[-1][2]:
            break
    return seen


def as_lists(steps: list[Any]) -> list[Any]:
    return [(o["observation"].tolist(), o["action_mask"].tolist(), *rest) for o, *rest, _ in steps]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=IDS)
def test_passes_the_checks_of_gymnasium(arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ID, **arguments).unwrapped)


@pytest.mark.parametrize("rules", SMALL_RULES, ids=name)
def test_smaller_packs_pass_them_too(rules: Rules) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(variant=rules, opponent="random"), skip_render_check=True)


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=IDS)
@pytest.mark.parametrize("seat", [None, 1])
def test_games_are_those_of_pettingzoo(arguments: dict[str, Any], seat: int | None) -> None:
    rng = np.random.default_rng(4)
    env, table = make(opponent=Lowest("partners"), seat=seat, **arguments), tressette_v0.raw_env(**arguments)
    for game in range(3 if arguments["episode"] == "deal" else 1):
        observation, info = env.reset(seed=9 if game == 0 else None)
        table.reset(seed=9 if game == 0 else None)
        learner = table.possible_agents[env.seat]
        reward, over = 0.0, False
        while True:
            while not table.terminations[learner] and table.agent_selection != learner:
                table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
            assert over == table.terminations[learner]
            assert reward == table.rewards[learner]
            expected = table.observe(learner)
            assert observation["observation"].dtype == np.float32
            assert (observation["observation"] == expected["observation"]).all()
            if over:
                break
            assert (observation["action_mask"] == expected["action_mask"]).all()
            assert (info["action_mask"] == expected["action_mask"]).all()
            card = legal_card(observation, rng)
            observation, reward, over, truncated, info = env.step(np.int64(card))
            assert truncated is False
            table.step(card)
        assert type(reward) is float
        if seat is not None:
            assert env.seat == seat


@pytest.mark.parametrize("variant", ["two_player", "partners"])
def test_every_seat_is_drawn(variant: str) -> None:
    env = make(variant=variant, opponent=Lowest(variant))
    seats = []
    for game in range(200):
        env.reset(seed=1 if game == 0 else None)
        seats.append(env.seat)
    counts = np.bincount(seats)
    assert len(counts) == (2 if variant == "two_player" else 4)
    assert counts.min() > 100 / len(counts)


def test_the_mask_stands_in_three_places() -> None:
    env = gymnasium.make(ID, opponent="random")
    observation, info = env.reset(seed=2)
    rng = np.random.default_rng(0)
    over = False
    while True:
        masks = observation["action_mask"], info["action_mask"], env.get_wrapper_attr("action_masks")()
        assert [mask.dtype for mask in masks] == [np.int8, np.int8, np.bool_]
        assert (masks[0] == masks[1]).all()
        assert (masks[0] == masks[2]).all()
        for one, other in ((0, 1), (0, 2), (1, 2)):
            assert not np.shares_memory(masks[one], masks[other])
        if over:
            break
        assert masks[0].sum() <= 10
        observation, _, over, _, info = env.step(legal_card(observation, rng))
    assert masks[0].all()
    assert not observation["observation"].any()


def test_deals_over_at_reset_are_skipped() -> None:
    scores = [[20, 20]] * 60
    batch = DealBatch(60, "historical")
    batch.reset(seed=3, scores=scores)
    playable = np.flatnonzero(batch.active)
    assert 0 < len(playable) < 59
    env = make(variant="historical", opponent="random", seat=0)
    env.reset(seed=3, options={"score": [20, 20]})
    for number in playable[:5]:
        single = DealBatch(1, "historical")
        single.reset(seed=3, deal_ids=[number], scores=[[20, 20]])
        while single.player[0] != 0:
            view = single.view()
            single.step(env._games._companions[0].player.act(view))
        observation = env._observe()[0]
        assert (observation["observation"] == single.observe()[0]).all()
        env.reset(options={"score": [20, 20]})


def test_options_set_up_the_deal() -> None:
    deck = list(range(40))[::-1]
    env = make(variant="partners", opponent=Lowest("partners"), seat=0)
    observation, _ = env.reset(seed=5, options={"deck": deck, "dealer": 3, "score": [3, 7]})
    batch = DealBatch(1, "partners")
    batch.reset(decks=[deck], dealers=[3], scores=[[3, 7]])
    assert (observation["observation"] == batch.observe(0)[0]).all()
    again, _ = env.reset(seed=5)
    assert (again["observation"] != observation["observation"]).any()


def test_companions_are_asked_for_their_own_seats() -> None:
    opponent, partner = Counting(), Counting()
    env = make(opponent=opponent, partner=partner, seat=1)
    rng = np.random.default_rng(0)
    for game in range(5):
        play(env, env.reset(seed=7 if game == 0 else None)[0], rng)
    assert opponent.asked[0] > 20
    assert opponent.asked[2] > 20
    assert opponent.asked[1] == opponent.asked[3] == 0
    assert partner.asked[3] > 20
    assert sum(partner.asked) == partner.asked[3]
    alone = Counting()
    env.set_opponent(alone)
    play(env, env.reset()[0], rng)
    assert all(alone.asked[seat] for seat in (0, 2, 3))
    assert alone.asked[1] == 0


def mixed(given: Any, players: dict[str, Counting], episodes: int, **arguments: Any) -> list[str]:
    """The players of each episode, which must be one in each."""
    env = make(opponent=given, seat=0, **arguments)
    names = []
    for game in range(episodes):
        observation, _ = env.reset(seed=11 if game == 0 else None)
        play(env, observation, np.random.default_rng(game), 2)
        asked = [key for key, player in players.items() if sum(player.asked)]
        assert len(asked) == 1
        names += asked
        for player in players.values():
            player.asked = [0, 0, 0, 0]
    return names


def test_opponents_are_mixed_by_weight() -> None:
    players = {key: Counting() for key in "abc"}
    given = {players["a"]: 3, players["b"]: 1.0, players["c"]: 0}
    names = mixed(given, players, 120)
    assert set(names) == {"a", "b"}
    assert 75 <= names.count("a") <= 105  # 90 expected, three standard deviations
    assert mixed(given, players, 120) == names
    equal = mixed(list(players.values()), players, 120)
    assert all(25 <= equal.count(key) <= 55 for key in "abc")


def test_the_partner_is_the_opponent_of_the_episode_unless_given() -> None:
    env = make(opponent=["random", "greedy"])
    other = make(opponent=["random", "greedy"], partner=["random", "greedy"])
    same, both = [], []
    for game in range(40):
        for tried, found in ((env, same), (other, both)):
            tried.reset(seed=1 if game == 0 else None)
            games = tried._games
            found.append(tuple(games._companions[int(one[0])].name for one in (games._opponent, games._partner)))
    assert {len(set(pair)) for pair in same} == {1}
    assert len(set(same)) == 2
    assert len(set(both)) == 4


def test_opponents_change_with_the_next_episode() -> None:
    old, new = Counting(), Counting()
    env = make(opponent=old, seat=0)
    observation, _ = env.reset(seed=3)
    observation = play(env, observation, np.random.default_rng(0), 3)[-1][0]
    env.set_opponent(new)
    before = sum(old.asked)
    play(env, observation, np.random.default_rng(0))
    assert sum(old.asked) > before
    assert sum(new.asked) == 0
    before = sum(old.asked)
    play(env, env.reset()[0], np.random.default_rng(0))
    assert sum(old.asked) == before
    assert sum(new.asked) > 0


def test_one_seed_gives_one_game() -> None:
    env, other = make(opponent=["random", "greedy"]), make(opponent=["random", "greedy"])
    steps = []
    for one in (env, other, env):
        observation, _ = one.reset(seed=5)
        steps.append(as_lists(play(one, observation, np.random.default_rng(0))))
        observation, _ = one.reset()
        steps.append(as_lists(play(one, observation, np.random.default_rng(0))))
    assert steps[0] == steps[2] == steps[4]
    assert steps[1] == steps[3] == steps[5]
    assert steps[0] != steps[1]
    assert (env.reset(seed=6)[0]["observation"] != env.reset(seed=5)[0]["observation"]).any()


def test_without_a_seed_games_differ() -> None:
    hands = {make().reset()[0]["observation"].tobytes() for _ in range(5)}
    assert len(hands) == 5


@pytest.mark.parametrize("episode", ["deal", "match"])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue(episode: str, duplicate: Any) -> None:
    env = make(variant="two_player", episode=episode, opponent="random", render_mode="ansi")
    observation, _ = env.reset(seed=8)
    observation = play(env, observation, np.random.default_rng(0), 5)[-1][0]
    other = duplicate(env)
    assert other.render() == env.render()
    rest = as_lists(play(other, observation, np.random.default_rng(1)))
    assert as_lists(play(env, observation, np.random.default_rng(1))) == rest
    assert (env.reset()[0]["observation"] == other.reset()[0]["observation"]).all()


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_draws_what_the_pettingzoo_environment_draws(mode: str) -> None:
    env = make(variant="historical", episode="match", render_mode=mode, opponent=Lowest("historical"))
    table = tressette_v0.raw_env("historical", episode="match", render_mode=mode)
    observation, _ = env.reset(seed=6)
    table.reset(seed=6)
    learner = table.possible_agents[env.seat]
    rng = np.random.default_rng(0)
    for step in range(8):
        while table.agent_selection != learner:
            table.step(int(table.observe(table.agent_selection)["action_mask"].argmax()))
        if step % 3 == 0:
            assert np.array_equal(env.render(), table.render())
        card = legal_card(observation, rng)
        observation = env.step(card)[0]
        table.step(card)
    env.step(observation["action_mask"].argmin())
    if mode == "ansi":
        assert f"ended by an illegal card of {learner}" in env.render()
    env.close()


def test_without_a_render_mode_nothing_is_drawn(caplog: pytest.LogCaptureFixture) -> None:
    env = make()
    env.reset(seed=1)
    assert env.render() is None
    assert "render() needs a render_mode" in caplog.text


def test_a_cheating_opponent_is_handed_the_deals() -> None:
    cheat = Peeking("partners")
    env = make(opponent=cheat, seat=2)
    play(env, env.reset(seed=1)[0], np.random.default_rng(0))
    assert all(isinstance(deals, DealBatch) and rows.tolist() == [0] for deals, rows in cheat.handed)


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_rules_may_be_given_as_an_object(rules: Rules) -> None:
    env = make(variant=rules, opponent="greedy")
    by_name = make(variant=rules.variant, napoletana=rules.napoletana, opponent="greedy")
    one, other = (as_lists(play(e, e.reset(seed=1)[0], np.random.default_rng(0))) for e in (env, by_name))
    assert one == other


def test_the_hand_is_the_learners() -> None:
    deck = card_ids("3D 2D AD RD CD FD 7D 6D 5D 4D") + list(range(10, 40))
    env = make(opponent="random", seat=0)
    observation, _ = env.reset(seed=1, options={"deck": deck})
    assert np.flatnonzero(env.action_masks()).max() < 10
    assert observation["action_mask"][10:].sum() == 0
