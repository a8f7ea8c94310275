"""The game of OpenSpiel: its conformance test, the same deals as the core, information sets, chance, CFR, Shimmy."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.games import FULL_RULES, SMALL_RULES, dealt, mixed_decks, name, random_dealers
from tressette_env import IllegalCardError, Rules
from tressette_env.cards import card_ids

pytestmark = pytest.mark.frameworks
pyspiel = pytest.importorskip("pyspiel")

from examples.openspiel_game import NAME, chance_actions  # noqa: E402

TINY = Rules("two_player", suits="DC", ranks="A23", hand=2)
SMALL = [rules for rules in SMALL_RULES if not rules.ranks.isdigit()]  # OpenSpiel takes "3" for a number
SPEAKING = [rules for rules in SMALL if rules.num_cards <= 12 and (rules.napoletana or rules.seats == 4)]


def load(rules: Rules, dealer: int | None = None) -> Any:
    fields = ("variant", "napoletana", "suits", "ranks", "hand")
    parameters = {field: getattr(rules, field) for field in fields}
    return pyspiel.load_game(NAME, parameters | ({} if dealer is None else {"dealer": dealer}))


def deal(rules: Rules, deck: Any, dealer: int) -> Any:
    state = load(rules).new_initial_state()
    for outcome in chance_actions(rules, list(deck), dealer):
        state.apply_action(outcome)
    return state


def random_game(game: Any, rng: np.random.Generator) -> Iterator[Any]:
    """Play one game, and show every state that is not chance's."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        else:
            yield state
            state.apply_action(int(rng.choice(state.legal_actions())))
    yield state


def every_state(state: Any) -> Iterator[Any]:
    yield state
    for action in state.legal_actions():
        yield from every_state(state.child(action))


@pytest.mark.parametrize("rules", FULL_RULES + SMALL, ids=name)
def test_passes_the_conformance_test(rules: Rules) -> None:
    pyspiel.random_sim_test(load(rules), num_sims=2, serialize=True, verbose=False)
    pyspiel.random_sim_test(load(rules, dealer=1), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("rules", FULL_RULES + SMALL, ids=name)
def test_is_the_deal_of_the_core_at_every_ply(rules: Rules) -> None:
    rng = np.random.default_rng(4)
    decks, dealers = mixed_decks(rules, 4, 31), random_dealers(rules, 4, 31)
    for deck, dealer in zip(decks, dealers.tolist(), strict=True):
        state, deals = deal(rules, deck.tolist(), dealer), dealt(rules, [deck], [dealer])
        while not state.is_terminal():
            assert state.current_player() == deals.player[0]
            assert state.legal_actions() == np.flatnonzero(deals.legal_mask()[0]).tolist()
            assert state.returns() == [0] * rules.seats
            for seat in range(rules.seats):
                observation = deals.observe(seat)[0].tolist()
                assert state.information_state_tensor(seat) == state.observation_tensor(seat) == observation
                assert (state.legal_actions(seat) != []) == (seat == state.current_player())
            card = int(rng.choice(state.legal_actions()))
            state.apply_action(card)
            deals.step(np.array([card]))
        assert deals.done
        margin = int(deals.points[0, 0] - deals.points[0, 1])
        assert state.returns() == [margin, -margin] * (rules.seats // 2)
        assert abs(margin) <= state.get_game().max_utility()


def test_a_deal_won_by_declarations_ends_before_the_first_card() -> None:
    hands = (
        "3B 3C 3D 3S 2B 2C 2D 2S AB AC",  # 14
        "RD CD 5D 4D FC 5C RS FS 4S CB",
        "7D 7C 7S 7B 6D 6C 6S 6B 4C 4B",  # 8
        "AD AS RC CC CS 5S RB FB FD 5B",
    )
    state = deal(Rules("historical"), [card for hand in hands for card in card_ids(hand)], dealer=3)
    assert state.is_terminal()
    assert state.returns() == [22, -22, 22, -22]
    assert "declared 0:2D 3D AC 2C 3C 2S 3S AB 2B 3B, 2:6D 7D" in state.information_state_string(1)


@pytest.mark.parametrize(
    ("rules", "deals"),
    [
        (TINY, 2 * 15 * 6 * 2),  # dealers; two of six cards, two of the four left; orders of the stock
        (Rules("two_player", suits="D", ranks="RA23", hand=1), 2 * 4 * 3 * 2),
        (Rules("partners", ranks="A", hand=1), 4 * 24),
    ],
    ids=str,
)
def test_every_deal_is_as_likely(rules: Rules, deals: int) -> None:
    chances: dict[str, float] = {}

    def dealing(state: Any, chance: float) -> None:
        if not state.is_chance_node():
            assert str(state) not in chances
            chances[str(state)] = chance
            return
        for outcome, probability in state.chance_outcomes():
            dealing(state.child(outcome), chance * probability)

    dealing(load(rules).new_initial_state(), 1.0)
    assert len(chances) == deals
    assert np.allclose(list(chances.values()), 1 / deals)


def test_an_information_set_is_all_that_a_seat_knows_and_no_more() -> None:
    sets: dict[str, Any] = {}
    strings: dict[Any, str] = {}
    for state in every_state(load(TINY, dealer=1).new_initial_state()):
        if state.is_chance_node() or state.is_terminal():
            continue
        history = state.history()
        deck, plays = history[: TINY.num_cards], history[TINY.num_cards :]
        drawn = deck[4 : 4 + len(plays) // 2 * 2]
        for seat in range(2):
            hand = deck[2 * seat : 2 * seat + 2]
            known = (seat, *hand, "plays", *plays, "drawn", *drawn)
            text = state.information_state_string(seat)
            tensor = np.array(state.information_state_tensor(seat), np.uint8).tobytes()
            assert sets.setdefault(text, (known, tensor)) == (known, tensor)
            assert strings.setdefault((seat, tensor), text) == text
            assert strings.setdefault(known, text) == text
            assert state.observation_string(seat) == text
    assert len(sets) > 4000


@pytest.mark.parametrize("dealer", [0, 1])
def test_no_seat_forgets_what_it_saw_and_did(dealer: int) -> None:
    pasts: dict[str, Any] = {}

    def walk(state: Any, past: tuple[Any, ...]) -> None:
        player = state.current_player()
        if player >= 0:
            text = state.information_state_string(player)
            assert pasts.setdefault(text, past[player]) == past[player]
        for action in state.legal_actions():
            longer = past
            if player >= 0:
                own = (*past[player], (text, action))
                longer = (own, past[1]) if player == 0 else (past[0], own)
            walk(state.child(action), longer)

    walk(load(TINY, dealer).new_initial_state(), ((), ()))
    assert any(len(past) == 2 for past in pasts.values())


@pytest.mark.parametrize("rules", SPEAKING, ids=name)
def test_text_and_numbers_tell_the_same(rules: Rules) -> None:
    rng, game = np.random.default_rng(5), load(rules)
    texts: dict[Any, str] = {}
    tensors: dict[str, Any] = {}
    seen = 0
    for _ in range(80):
        for state in random_game(game, rng):
            if state.is_terminal():
                break
            for seat in range(rules.seats):
                text = state.information_state_string(seat)
                key = (seat, np.array(state.information_state_tensor(seat), np.uint8).tobytes())
                assert texts.setdefault(key, text) == text
                assert tensors.setdefault(text, key) == key
                seen += 1
    assert len(texts) < seen  # some information set was met twice


def test_the_hands_of_others_are_hidden_and_the_own_is_not() -> None:
    rng, rules = np.random.default_rng(6), Rules("partners")
    deck = rng.permutation(40)
    other = np.concatenate([deck[:10], rng.permutation(deck[10:])])
    one, two = deal(rules, deck.tolist(), dealer=3), deal(rules, other.tolist(), dealer=3)
    assert one.information_state_string(0) == two.information_state_string(0)
    assert one.information_state_tensor(0) == two.information_state_tensor(0)
    for seat in (1, 2, 3):
        assert one.information_state_string(seat) != two.information_state_string(seat)
        assert one.information_state_tensor(seat) != two.information_state_tensor(seat)


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_clones_and_pickles_go_on_alike_and_alone(rules: Rules) -> None:
    rng = np.random.default_rng(7)
    for ply, state in enumerate(random_game(load(rules), rng)):
        if ply not in (0, 9, 21, 39):
            continue
        before = str(state)
        copies = [state.clone(), pickle.loads(pickle.dumps(state))]
        game, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
        assert game.get_parameters() == state.get_game().get_parameters()
        copies.append(again)
        while not copies[0].is_terminal():
            card = int(rng.choice(copies[0].legal_actions()))
            for twin in copies:
                twin.apply_action(card)
            assert len({str(twin) for twin in copies}) == 1
        assert copies[0].returns() == copies[1].returns() == copies[2].returns()
        assert str(state) == before


def test_a_pickled_deal_that_is_being_dealt_goes_on() -> None:
    state = load(TINY).new_initial_state()
    for outcome in chance_actions(TINY, TINY.pack, 0)[:4]:
        state.apply_action(outcome)
    again = pickle.loads(pickle.dumps(state))
    assert str(again) == str(state)
    assert again.chance_outcomes() == state.chance_outcomes()
    assert again.information_state_tensor(0) == [0] * len(again.information_state_tensor(0))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"variant": "whist"}, "variant='whist'"),
        ({"hand": 9}, "hand=9"),
        ({"variant": "historical", "napoletana": True}, "napoletana=True"),
        ({"dealer": 4}, "dealer=4 is not allowed: -1 or a seat below 4"),
        ({"variant": "two_player", "ranks": "4567", "hand": 4}, "OpenSpiel takes it for a number"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game(NAME, parameters)


def test_what_chance_or_a_player_may_not_do_is_refused() -> None:
    state = load(TINY, dealer=1).new_initial_state()
    state.apply_action(card_ids("3D")[0])
    with pytest.raises(ValueError, match="chance can not have deal 2D here"):
        state.apply_action(card_ids("2D")[0])  # a hand is dealt in rising order
    state = deal(TINY, card_ids("3D 2D AD 3C AC 2C"), dealer=1)
    before = str(state)
    with pytest.raises(IllegalCardError, match="seat 0 may not play AD"):
        state.apply_action(card_ids("AD")[0])
    assert str(state) == before


def test_no_observer_shows_all_hands() -> None:
    kind = pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="shows what one seat may know"):
        load(TINY).make_py_observer(kind)


def test_cfr_solves_the_small_pack() -> None:
    pytest.importorskip("torch")
    from examples.openspiel_train import solve

    before, after = solve(30)
    assert before > 0.5  # points a deal that a best response gains from the uniform policy
    assert 0 <= after < before / 50


def test_self_play_notes_one_legal_decision_of_each_seat_a_trick() -> None:
    torch = pytest.importorskip("torch")
    from examples import openspiel_train

    training = openspiel_train.SelfPlay("two_player", seed=1)
    training.update()
    learner = training.learner
    assert (learner.steps_per_batch, learner.num_envs) == (20, 2 * openspiel_train.GAMES)
    assert learner.legal_actions_mask.gather(2, learner.actions.long()[..., None]).all()
    held = learner.legal_actions_mask.sum(dim=2)
    assert (held[-1] == 1).all()  # the last card of each
    assert torch.equal(learner.rewards[-1, 0::2], -learner.rewards[-1, 1::2])
    assert not learner.rewards[:-1].any()


@pytest.mark.parametrize("rules", [*FULL_RULES, TINY], ids=name)
def test_shimmy_gives_the_deals_of_our_own_environment(rules: Rules) -> None:
    pytest.importorskip("shimmy")
    from examples.shimmy_pettingzoo import TressetteCompatibility, compare
    from tressette_env import tressette_v0

    rng = np.random.default_rng(8)
    env, own = TressetteCompatibility(rules), tressette_v0.env(variant=rules, illegal="raise")
    paid = []
    for seed in range(4):
        env.reset(seed=seed)
        own.reset(seed=0, options=env.cards_dealt())
        rewards = compare(env, own, rng)
        assert sorted(rewards) == own.possible_agents
        assert sum(rewards.values()) == 0
        paid.append(rewards["player_0"])
    assert any(paid)
