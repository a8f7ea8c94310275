"""The search players by name (CONTRACT §6)."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import search_players
from agents.pairs import join_results
from agents.search.cheat import CheatPlayer
from agents.search.ismcts import IsmctsPlayer
from agents.search.network_search import SearchPlayer
from agents.search.pimc import PimcPlayer
from agents.search.solver_player import SolverPlayer
from agents.workers import Meeting, any_slow, play_chunks
from tressette_env import DealBatch, Rules
from tressette_env.baselines import RulesPlayer
from tressette_env.players import PlayerError, decide, known_players, make_player, sees_hidden_cards

VARIANTS = ("two_player", "partners", "historical")
FACTORIES: list[tuple[Callable[..., Any], type]] = [
    (search_players.pimc, PimcPlayer),
    (search_players.ismcts, IsmctsPlayer),
    (search_players.cheat, CheatPlayer),
    (search_players.search, SearchPlayer),
    (search_players.solver, SolverPlayer),
]


@pytest.mark.parametrize(("factory", "kind"), FACTORIES, ids=[kind.__name__ for _, kind in FACTORIES])
def test_a_name_has_all_options_of_its_player(factory: Callable[..., Any], kind: type) -> None:
    assert list(inspect.signature(factory).parameters) == list(inspect.signature(kind).parameters)


def test_the_defaults_are_those_of_the_player() -> None:
    plain, named = IsmctsPlayer("partners"), make_player("ismcts", "partners")
    assert isinstance(named, IsmctsPlayer)
    assert (named.iterations, named.exploration, named.pool) == (plain.iterations, plain.exploration, plain.pool)
    assert named.iterations == 1000
    pimc = make_player("pimc", "partners")
    assert isinstance(pimc, PimcPlayer)
    assert (pimc.worlds, pimc.z) == (20, PimcPlayer("partners").z)


@pytest.mark.parametrize("variant", VARIANTS)
def test_names_make_players(variant: str) -> None:
    assert {"pimc", "ismcts", "cheat"} <= set(known_players())
    pimc = make_player("pimc:worlds=3,seed=8", variant, seed=1)
    assert isinstance(pimc, PimcPlayer)
    assert (pimc.worlds, pimc.seed) == (3, 8)
    assert isinstance(make_player("ismcts:iterations=10", variant), IsmctsPlayer)
    cheat = make_player("cheat", variant)
    assert isinstance(cheat, CheatPlayer)
    assert sees_hidden_cards(cheat)
    assert not any(map(sees_hidden_cards, (pimc, make_player("ismcts:iterations=10", variant))))


def test_the_solver_wraps_any_player_of_two_player() -> None:
    player = make_player("rules+solver", "two_player")
    assert isinstance(player, SolverPlayer)
    assert isinstance(player.wrapped, RulesPlayer)
    wrapped = make_player("pimc+solver:worlds=2", "two_player")
    assert isinstance(wrapped, SolverPlayer)
    assert isinstance(wrapped.wrapped, PimcPlayer)
    assert isinstance(
        make_player("tests.toy_players:Lowest+solver", Rules("two_player", napoletana=True)), SolverPlayer
    )


@pytest.mark.parametrize(
    ("spec", "variant", "told"),
    [
        ("rules+solver", "partners", r"^player 'rules\+solver': \+solver plays exactly .*; partners has none$"),
        ("rules+solver", "historical", "historical has none"),
        ("cheat+solver", "two_player", r"\+solver is for players that do not see all cards"),
        ("rules+magic", "two_player", r"\+magic is unknown; what may follow a name: \+solver"),
        ("pimc:depth=1", "partners", "its options are: seed, worlds, exact"),
        ("pimc:worlds=0", "partners", "player 'pimc:worlds=0': .*worlds"),
        ("pimc:worlds=x", "partners", "player 'pimc:worlds=x': .*worlds"),
        ("ismcts:iterations=0", "partners", "player 'ismcts:iterations=0': .*iterations"),
        ("nobody", "partners", "use one of cheat, greedy, ismcts, network, pimc, random, rules, search, tuned"),
    ],
)
def test_wrong_names_are_refused(spec: str, variant: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make_player(spec, variant)


def test_search_players_say_that_they_are_slow() -> None:
    fast = make_player("rules+solver", "two_player")
    assert not any_slow((fast, make_player("rules", "two_player")))
    for spec in ("pimc:worlds=2", "ismcts:iterations=10", "cheat", "pimc+solver:worlds=2"):
        assert any_slow((fast, make_player(spec, "two_player"))), spec


@pytest.mark.parametrize("variant", VARIANTS)
def test_cheating_needs_the_deals(variant: str) -> None:
    deals = DealBatch(3, variant)
    deals.reset(seed=1)
    cheat = make_player("cheat:exact=2", variant)
    with pytest.raises(PlayerError, match="must be handed the deals"):
        decide(cheat, deals.view(), "cheat")
    rows = np.arange(3)
    cards = decide(cheat, deals.view(), "cheat", deals=deals, rows=rows)
    assert deals.legal_mask()[rows, cards].all()


@pytest.mark.parametrize("names", [("pimc:worlds=3", "ismcts:iterations=30"), ("cheat", "pimc+solver:worlds=2")])
def test_a_match_is_the_same_with_one_worker_and_two(names: tuple[str, str]) -> None:
    meeting = Meeting(*names, Rules("two_player"), seed=5)
    alone, shared = (join_results(play_chunks(meeting, 4, workers)) for workers in (1, 2))
    assert alone.margin.tolist() == shared.margin.tolist()
    assert alone.wins.tolist() == shared.wins.tolist()
    assert (alone.effort.decisions, alone.effort.choices) == (shared.effort.decisions, shared.effort.choices)


def test_commands_load_torch_and_numba_only_when_a_player_needs_them() -> None:
    modules = "agents, agents.match_command, agents.regret_command, evaluate"
    code = f"import sys, {modules}; print(*{{'torch', 'numba'}} & set(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split() == []
