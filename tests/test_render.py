"""The three render modes."""

from __future__ import annotations

import builtins
import copy
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import render_test

from tests.games import FULL_RULES, name
from tressette_env import Rules, tressette_v0
from tressette_env.cards import card_ids


@pytest.fixture(autouse=True)
def _no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(tressette_v0.raw_env.metadata, "render_fps", 1000)  # do not wait between pictures


def position(mode: str, plies: int = 0, **arguments: Any) -> Any:
    """A game in which each seat holds one suit, after some plies of lowest legal cards."""
    env = tressette_v0.env(render_mode=mode, **arguments)
    env.reset(seed=1, options={"deck": list(range(40)), "dealer": 0})
    for _ in range(plies):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    return env


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_passes_the_render_test_of_pettingzoo(rules: Rules) -> None:
    render_test(lambda render_mode: tressette_v0.env(variant=rules, render_mode=render_mode))


def test_text_shows_hands_trick_turn_and_counts() -> None:
    text = position("ansi", plies=6).render()
    assert "trick 2 of 10" in text
    assert "> player_3" in text  # the dealer's left, seat 1, led both tricks
    assert "[5C]" in text
    assert "[5S]" in text
    assert "player_0 (d)" in text
    assert "3 2 A R C F 7 6 5" in text  # seat 0 has played the 4 of denari
    assert "last trick player_1 4C, player_2 4S, player_3 4B, player_0 4D -> player_1" in text
    assert "(player_1 + player_3)" in text
    assert "score" not in text


def test_text_shows_declared_and_drawn_cards_and_the_stock() -> None:
    text = position("ansi", plies=4, variant="two_player", napoletana=True).render()
    assert "declared   player_0: 3D 2D AD" in text
    assert "declared   player_1: 3C 2C AC" in text
    assert "3* 2* A* R" in text
    assert "stock      16 cards" in text
    assert text.count("points  3") == 2


def test_text_shows_the_end() -> None:
    env = position("ansi", plies=40)
    assert "finished" in env.render()
    assert "result     0 : 11" in env.render()
    env = position("ansi", plies=2)
    env.step(99)
    assert "ended by an illegal card of player_3" in env.render()
    assert "player_1 + player_3 lose" in env.render()


def test_text_shows_the_score_of_a_match_and_who_won_it() -> None:
    env = tressette_v0.env(variant="historical", episode="match", render_mode="ansi")
    env.reset(seed=1, options={"score": [9, 7]})
    assert "score before  9" in env.render()
    deck = card_ids("3D 2D AD RD CD 4C 5S 6B 7C 4B")
    deck += [card for card in range(40) if card not in deck]
    env.reset(seed=1, options={"deck": deck, "dealer": 3, "score": [16, 4]})
    text = env.render()
    assert "won by declarations" in text
    assert "player_0 + player_2 win 21 : 4, 2 chips" in text


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_pictures_are_arrays_that_follow_the_game(rules: Rules) -> None:
    env = tressette_v0.env(variant=rules, render_mode="rgb_array")
    env.reset(seed=3)
    first = env.render()
    assert first.shape == (800, 1200, 3)
    assert first.dtype == np.uint8
    assert (env.render() == first).all()
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert (env.render() != first).any()
    while not env.terminations["player_0"]:
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert (env.render() != first).any()
    env.close()


def test_a_window_opens_with_the_first_picture_only() -> None:
    import pygame

    pygame.display.quit()
    env = tressette_v0.env(render_mode="human")
    assert not pygame.display.get_init()
    env.reset(seed=1)
    assert env.render() is None
    assert pygame.display.get_init()
    for clone in (copy.deepcopy, lambda other: pickle.loads(pickle.dumps(other))):
        assert (clone(env).state() == env.state()).all()
    env.close()
    assert not pygame.display.get_init()


def test_a_window_closed_by_hand_stays_closed() -> None:
    import pygame

    env = tressette_v0.env(render_mode="human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert env.render() is None
    assert env.render() is None
    assert not pygame.display.get_init()
    env.close()


def test_without_pygame_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_pygame(module: str, *rest: Any) -> Any:
        if module == "pygame":
            raise ModuleNotFoundError("No module named 'pygame'", name="pygame")
        return real(module, *rest)

    for module in ("tressette_env.render_cards", "tressette_env.render_faces"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(builtins, "__import__", without_pygame)
    env = position("rgb_array")
    with pytest.raises(ImportError, match=r"pip install tressette-env\[render\]"):
        env.render()
    assert "tricks" in position("ansi").render()


def test_rendering_without_a_mode_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    env = tressette_v0.env()
    env.reset(seed=1)
    assert env.render() is None
    assert "render_mode" in caplog.text
