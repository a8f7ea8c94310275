"""Players by name (CONTRACT §6)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.toy_players import TOYS, Highest, Lowest, Peeking, lowest
from tressette_env import DealBatch, players
from tressette_env.baselines import GreedyPlayer, RandomPlayer, RulesPlayer
from tressette_env.players import (
    Player,
    PlayerError,
    decide,
    known_players,
    make_player,
    register_checkpoint_loader,
    register_player,
    register_wrapper,
    sees_hidden_cards,
    shown_name,
)


class Recorder(Lowest):
    """Keeps the options it was built with."""

    def __init__(self, variant: str, seed: int = 0, depth: int = 1, name: str = "", exact: bool = False) -> None:
        super().__init__(variant, seed)
        self.options = (depth, name, exact)


class Loaded(Lowest):
    """Stands for the player of a checkpoint."""

    def __init__(self, path: Path, variant: str, seed: int = 0, temperature: float = 0.0) -> None:
        super().__init__(variant, seed)
        self.path, self.temperature = path, temperature


@pytest.fixture(autouse=True)
def _registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test finds what is registered without `agents`, and leaves nothing behind."""
    baselines = {name: players._FACTORIES[name] for name in ("random", "greedy", "rules", "tuned")}
    monkeypatch.setattr(players, "_FACTORIES", baselines)
    monkeypatch.setattr(players, "_CHECKPOINT_LOADERS", [])
    monkeypatch.setattr(players, "_WRAPPERS", {})


def test_the_baselines_are_known() -> None:
    assert {"random", "greedy", "rules"} <= set(known_players())
    for name, kind in (("random", RandomPlayer), ("greedy", GreedyPlayer), ("rules", RulesPlayer)):
        for variant in ("two_player", "partners", "historical"):
            assert isinstance(make_player(name, variant, seed=1), kind)


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
@pytest.mark.parametrize("name", ["random", "greedy", "rules", f"{TOYS}:Lowest"])
def test_players_by_name_play_whole_deals(name: str, variant: str) -> None:
    deals = DealBatch(30, variant)
    deals.reset(seed=1)
    player = make_player(name, variant, seed=2)
    assert isinstance(player, Player)
    while not deals.done:
        deals.step(decide(player, deals.view(), name))


def test_options_reach_the_factory_as_values() -> None:
    register_player("recorder", Recorder)
    player = make_player("recorder:depth=3,name=a.b,exact=true", "partners", seed=4)
    assert isinstance(player, Recorder)
    assert player.options == (3, "a.b", True)
    assert (player.variant, player.seed) == ("partners", 4)


def test_a_seed_option_wins_over_the_argument() -> None:
    register_player("recorder", Recorder)
    assert make_player("recorder:seed=9", "partners", seed=4).seed == 9  # type: ignore[attr-defined]
    assert make_player(f"{TOYS}:Lowest:seed=8", "partners", seed=4).seed == 8  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("nobody", r"unknown player 'nobody': use one of greedy, random, rules"),
        ("", "unknown player ''"),
        (":seed=1", "unknown player"),
        ("x" * 5000, "unknown player"),
        ("nobody:depth=1", "unknown player 'nobody:depth=1'"),
        ("no_such_module:player", "'no_such_module:player': there is no module 'no_such_module'; use one of"),
        (f"{TOYS}:Missing", f"module '{TOYS}' has no attribute 'Missing'"),
        (f"{TOYS}:not_callable", "no method act and is no factory"),
        (f"{TOYS}:Mute", "Mute has no method act"),
        (f"{TOYS}:lowest:seed=1", "is an object and takes no options"),
        ("random:depth=1", "depth.*its options are: seed"),
        ("random:depth", "option 'depth' must read name=value"),
        ("random:seed=abc", "player 'random:seed=abc': seed must be a whole number, not 'abc'"),
        ("random:seed=1.5", "seed must be a whole number, not 1.5"),
        ("random:seed=-1", "player 'random:seed=-1': seed must be from 0 to"),
        (f"{TOYS}:Lowest:seed=true", "seed must be a whole number, not True"),
        ("builtins:int", "player 'builtins:int'"),
        ("math:hypot", "player 'math:hypot'"),
        (f"{TOYS}:Failing:at=start", r"player '.*': ZeroDivisionError: no luck \(toy_players.py, line \d+\)"),
        ("rules:without=luck", "player 'rules:without=luck': .*luck"),
        (5, "a player is named by a text, not 5: use one of greedy, random"),  # type: ignore[list-item]
        (None, "a player is named by a text, not None"),  # type: ignore[list-item]
        ("random:=1", "must read name=value"),
        ("random:seed=", "must read name=value"),
        ("random:variant=two_player", "variant is no option"),
        (f"{TOYS}:Lowest:depth=1", "depth.*its options are: seed"),
        ("a checkpoint.safetensors", "unknown player"),
    ],
)
def test_what_names_no_player_is_refused(spec: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make_player(spec, "partners")


@pytest.mark.parametrize("variant", ["pairs", None, 4])
def test_the_variant_is_checked_for_every_player(variant: Any) -> None:
    for spec in ("random", f"{TOYS}:Lowest"):
        with pytest.raises(ValueError, match=r"^variant=.* is not allowed: 'two_player'"):
            make_player(spec, variant)


def test_modules_name_classes_functions_and_objects(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert isinstance(make_player(f"{TOYS}:Highest", "partners"), Highest)
    assert make_player(f"{TOYS}:lowest", "partners") is lowest
    (tmp_path / "my_player_file.py").write_text(
        "from tests.toy_players import Highest\n"
        "def build(variant, seed, strength=1):\n"
        "    player = Highest(variant, seed)\n"
        "    player.strength = strength\n"
        "    return player\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    player = make_player("my_player_file:build:strength=5", "partners", seed=6)
    assert (type(player), player.seed, player.strength) == (Highest, 6, 5)  # type: ignore[attr-defined]


def test_a_module_of_the_current_folder_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "my_folder_player.py").write_text("from tests.toy_players import lowest as mine\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != ""])
    assert make_player("my_folder_player:mine", "partners") is lowest


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("import a_package_that_is_missing", "ModuleNotFoundError: .*a_package_that_is_missing.*line 1"),
        ("from math import a_name_that_is_missing", "ImportError: .*a_name_that_is_missing"),
        ("def build(:", r"SyntaxError: .*my_broken_player_2.py, line 1"),
        ("\n1 / 0", r"ZeroDivisionError: division by zero \(my_broken_player_3.py, line 2\)"),
        ("import sys; sys.exit('bye')", "SystemExit: bye"),
    ],
)
def test_an_error_inside_a_module_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, cause: str, request: pytest.FixtureRequest
) -> None:
    number = request.node.callspec.indices["text"]
    name = f"my_broken_player_{number}"  # a module is imported only once
    (tmp_path / f"{name}.py").write_text(text + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PlayerError, match=f"^player '{name}:build': {cause}") as raised:
        make_player(f"{name}:build", "partners")
    assert "\n" not in str(raised.value)


def test_paths_name_checkpoints(tmp_path: Path) -> None:
    path = tmp_path / "agent.safetensors"
    path.touch()
    with pytest.raises(ValueError, match="import agents"):
        make_player(str(path), "partners")
    register_checkpoint_loader(Loaded)
    player = make_player(str(path), "partners", seed=3)
    assert isinstance(player, Loaded)
    assert (player.path, player.variant, player.seed, player.temperature) == (path, "partners", 3, 0)
    warm = make_player(f"{path}:temperature=0.5,seed=1", "partners", seed=3)
    assert isinstance(warm, Loaded)
    assert (warm.path, warm.seed, warm.temperature) == (path, 1, 0.5)
    with pytest.raises(ValueError, match="its options are: seed, temperature"):
        make_player(f"{path}:heat=1", "partners")


def test_known_names_come_before_paths_and_paths_before_modules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    register_checkpoint_loader(Loaded)
    for name in ("random", TOYS):
        (tmp_path / name).touch()
    assert isinstance(make_player("random", "partners"), RandomPlayer)
    assert isinstance(make_player("./random", "partners"), Loaded)
    assert isinstance(make_player(f"{TOYS}:seed=1", "partners"), Loaded)


class Wrapped(Lowest):
    """Stands for a wrapper."""

    def __init__(self, player: Player, *, variant: str, seed: int = 0) -> None:
        super().__init__(variant, seed)
        if variant == "historical":
            raise ValueError("+twice is of no use in historical")
        self.player = player


@pytest.fixture
def _wrapper() -> None:
    register_wrapper("twice", Wrapped)


@pytest.mark.usefixtures("_wrapper")
def test_a_wrapper_follows_a_known_name() -> None:
    register_player("recorder", Recorder)
    plain = make_player("rules+twice", "partners", seed=3)
    assert isinstance(plain, Wrapped)
    assert isinstance(plain.player, RulesPlayer)
    assert (plain.variant, plain.seed) == ("partners", 3)
    player = make_player("recorder+twice:depth=3,seed=7", "partners", seed=3)
    assert isinstance(player, Wrapped)
    assert isinstance(player.player, Recorder)
    assert player.player.options == (3, "", False)  # options are those of the player named
    assert (player.player.seed, player.seed) == (7, 7)


@pytest.mark.usefixtures("_wrapper")
def test_a_wrapper_follows_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    register_checkpoint_loader(Loaded)
    path = tmp_path / "run:2"  # the options begin after the last colon
    path.touch()
    for spec, temperature in ((f"{path}+twice", 0.0), (f"{path}+twice:temperature=0.5", 0.5)):
        player = make_player(spec, "partners", seed=3)
        assert isinstance(player, Wrapped)
        assert isinstance(player.player, Loaded)
        assert (player.player.path, player.player.temperature) == (path, temperature)
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "mine+twice", "rules+twice"):
        (tmp_path / name).touch()
    assert isinstance(make_player("mine+twice", "partners"), Loaded)  # a path of that very name exists
    assert isinstance(make_player("rules+twice", "partners"), Wrapped)  # known names come first
    assert isinstance(make_player("./rules+twice", "partners"), Loaded)


@pytest.mark.usefixtures("_wrapper")
def test_a_wrapper_follows_a_module_and_attribute() -> None:
    player = make_player(f"{TOYS}:Highest+twice:seed=5", "partners")
    assert isinstance(player, Wrapped)
    assert isinstance(player.player, Highest)
    assert (player.player.seed, player.seed) == (5, 5)
    held = make_player(f"{TOYS}:lowest+twice", "partners")
    assert isinstance(held, Wrapped)
    assert held.player is lowest


@pytest.mark.usefixtures("_wrapper")
@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("rules+magic", r"^player 'rules\+magic': \+magic is unknown; what may follow a name: \+twice$"),
        ("rules+", r"^player 'rules\+': \+ is unknown; what may follow a name: \+twice$"),
        (f"{TOYS}:Lowest+magic:seed=1", r"\+magic is unknown; .*: \+twice$"),
        ("nobody+twice", r"^unknown player 'nobody\+twice': use one of greedy, random, rules"),
        ("+twice", "unknown player"),
        ("rules+twice+twice", "unknown player"),
        ("twice", "unknown player 'twice'"),
        ("random+twice:depth=1", r"^player 'random\+twice:depth=1': .*depth.*its options are: seed$"),
        ("random+twice:seed=x", "seed must be a whole number"),
    ],
)
def test_wrong_wrappers_are_refused(spec: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make_player(spec, "partners")


@pytest.mark.usefixtures("_wrapper")
def test_a_wrapper_may_refuse_a_variant() -> None:
    with pytest.raises(PlayerError, match=r"^player 'rules\+twice': \+twice is of no use in historical$"):
        make_player("rules+twice", "historical")


def test_wrappers_have_names_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\+twice is unknown; what may follow a name: none \(`import agents`"):
        make_player("rules+twice", "partners")
    register_wrapper("twice", Wrapped)
    register_wrapper("twice", Wrapped)
    with pytest.raises(ValueError, match="'twice' is registered already"):
        register_wrapper("twice", Loaded)
    assert "twice" not in known_players()


def test_a_cheating_player_is_named_as_one() -> None:
    register_player("peeking", Peeking)
    for name, cheats in (("peeking", True), ("rules", False)):
        player = make_player(name, "partners")
        assert sees_hidden_cards(player) == cheats
        assert shown_name(name, player) == name + " (cheats: sees all cards)" * cheats


def test_a_name_belongs_to_one_factory() -> None:
    register_player("mine", Lowest)
    register_player("mine", Lowest)
    with pytest.raises(ValueError, match="'mine' is registered already"):
        register_player("mine", Highest)
    assert "mine" in known_players()
