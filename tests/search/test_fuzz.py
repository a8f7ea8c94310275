"""Search players at any moment of any deal: they answer, with a legal card, forced decisions and ended deals too."""

from __future__ import annotations

import numpy as np
import pytest

import agents  # noqa: F401  registers the players
from tests.games import ALL_RULES, name
from tests.search.playing import scattered
from tressette_env import Rules, make_player
from tressette_env.players import decide

PLAYERS = ["pimc:worlds=3", "pimc:worlds=2,exact=3,handover=0,z=0", "ismcts:iterations=20,pool=5", "cheat:exact=4"]
ROWS, ROUNDS, FEW_ROUNDS = 500, 7, 1


def play(spec: str, rules: Rules, rows: int, rounds: int) -> int:
    """Let a player decide in `rows` deals of each round; return how many decisions it took."""
    player = make_player(spec, rules, seed=1)
    decisions = 0
    for seed in range(rounds):
        deals = scattered(rules, rows, seed)
        view = deals.view()
        cards = decide(player, view, spec, deals=deals, rows=np.arange(rows))  # raises for what is no legal card
        assert view.legal[view.seat >= 0, cards[view.seat >= 0]].all()
        decisions += int((view.seat >= 0).sum())
    return decisions


def specs(rules: Rules) -> list[str]:
    extra = ["rules+solver", "ismcts+solver:iterations=20,pool=5"] if rules.variant == "two_player" else []
    return PLAYERS + extra


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_legal_cards_always(rules: Rules) -> None:
    for spec in specs(rules):
        play(spec, rules, 60, FEW_ROUNDS)


@pytest.mark.slow
def test_legal_cards_in_more_than_a_hundred_thousand_decisions() -> None:
    assert sum(play(spec, rules, ROWS, ROUNDS) for rules in ALL_RULES for spec in specs(rules)) > 100_000
