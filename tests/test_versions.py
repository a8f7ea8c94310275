"""Versions of players: what plays otherwise has another, and what has none is not kept.

``python -m tests.test_versions`` writes the stored decisions anew, for a version that was raised on purpose.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import versions
from agents.checkpoint import newest_checkpoint, read_checkpoint, write_checkpoint
from agents.versions import NoVersionError, player_version
from tests import commands
from tests.commands import Capture
from tests.golden import DATA
from tests.test_training import TINY
from tests.test_training import run as train
from tests.toy_players import TOYS, Mixed
from tressette_env import DealBatch, Rules, make_player
from tressette_env.players import decide
from tressette_env.rules import VARIANTS

run = partial(commands.run, "match")
FILE = DATA / "player_versions.json"
PLAYERS = ["random", "greedy", "rules", "tuned", "pimc:worlds=5", "ismcts:iterations=50", "cheat", "rules+solver"]
SEED = 5
DEALS = dict.fromkeys(PLAYERS, 40) | {"cheat": 2, "pimc:worlds=5": 20}  # those that search take their time


def decisions(name: str, variant: str) -> str:
    """Return a hash of what a player does at every ply of some deals that others play."""
    player, others = make_player(name, variant, SEED), Mixed(variant)
    deals = DealBatch(DEALS[name], variant)
    deals.reset(seed=SEED)
    told = hashlib.sha256()
    rows = np.arange(DEALS[name])
    while not deals.done:
        view = deals.view()
        told.update(decide(player, view, name, deals=deals, rows=rows).astype("<i2").tobytes())
        deals.step(others.act(view))
    return told.hexdigest()[:16]


def known(name: str) -> dict[str, Any]:
    """Return the entry of a player: its version and its decisions by variant."""
    variants = ["two_player"] if name.endswith("+solver") else list(VARIANTS)
    return {
        "version": player_version(name, make_player(name, variants[0], SEED)),
        "decisions": {variant: decisions(name, variant) for variant in variants},
    }


@pytest.mark.parametrize("name", PLAYERS)
def test_a_player_that_plays_otherwise_has_another_version(name: str) -> None:
    stored, now = json.loads(FILE.read_text(encoding="utf-8"))[name], known(name)
    if stored["version"] == now["version"]:
        assert now["decisions"] == stored["decisions"], (
            f"{name} plays otherwise than before, but its version is still {now['version']}: raise `version` of its "
            f"class, so that kept results are played anew, and then run python -m {__name__}"
        )
    assert now == stored, f"{name} has another version: run python -m {__name__} and commit {FILE.name}"


def test_versions_of_known_players_are_numbers() -> None:
    for name in PLAYERS:
        version = player_version(name, make_player(name, "two_player"))
        assert all(part.isdigit() for part in version.split(" + ")), name


def test_a_wrapper_has_the_version_of_what_it_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {player_version("x", make_player(name, "two_player")) for name in ("rules+solver", f"{TOYS}:Mixed+solver")}
    plain = player_version("x", make_player("rules", "two_player"))
    wrapped = make_player("rules+solver", "two_player")
    before = player_version("x", wrapped)
    assert len({*seen, plain}) == 3
    monkeypatch.setattr(type(wrapped), "version", 99)
    assert player_version("x", wrapped) == f"{plain} + 99"
    monkeypatch.setattr(type(wrapped.wrapped), "version", 98)  # type: ignore[attr-defined]
    assert player_version("x", wrapped) == "98 + 99" != before


def test_checkpoints_are_told_apart_by_their_weights(tmp_path: Path) -> None:
    train(TINY, tmp_path / "run")
    path = newest_checkpoint(tmp_path / "run")
    good = read_checkpoint(path)
    same, other = tmp_path / "same.safetensors", tmp_path / "other.safetensors"
    write_checkpoint(same, good.tensors, good.config, good.progress | {"note": 1})
    bias = good.tensors["average.score.bias"].clone()
    bias[0] = torch.nextafter(bias[0], torch.tensor(torch.inf))
    write_checkpoint(other, good.tensors | {"average.score.bias": bias}, good.config, good.progress)
    first, copy, changed = (player_version(str(p), make_player(str(p))) for p in (path, same, other))
    assert first == copy != changed
    assert first.startswith("weights ")


BOT = """
class Bot:
    def __init__(self, variant, seed=0):
        pass

    def act(self, view):
        return view.legal.argmax(axis=1)
{more}
bot = Bot("partners")
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty module of the user's own, which can be imported as `own_bot`."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "own_bot", raising=False)
    return tmp_path / "own_bot.py"


def version_of(path: Path, text: str, name: str) -> str:
    """Return the version of a player of a module with this text."""
    path.write_text(text)
    sys.modules.pop("own_bot", None)
    importlib.invalidate_caches()
    return player_version(name, make_player(name))


@pytest.mark.parametrize("name", ["own_bot:Bot", "own_bot:bot"])
def test_a_player_of_your_own_is_told_apart_by_its_source(own_module: Path, name: str) -> None:
    plain = version_of(own_module, BOT.format(more=""), name)
    assert version_of(own_module, BOT.format(more=""), name) == plain
    assert version_of(own_module, BOT.format(more="        # changed"), name) != plain
    assert version_of(own_module, BOT.format(more="    version = 'mine 3'"), name) == "mine 3"


def test_a_factory_in_your_own_module_counts_too(own_module: Path) -> None:
    """What it builds may be of a class that stands elsewhere."""
    text = "from tests.toy_players import Mixed\n\ndef make(variant, seed=0):\n    return Mixed(variant, {})\n"
    found = {version_of(own_module, text.format(number), "own_bot:make") for number in (1, 2)}
    assert len(found) == 2


class Sourceless(Mixed):
    """Stands in for a player that has no source file."""


def test_without_a_version_nothing_is_kept(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_source(*_: object) -> None:
        raise OSError("source code not available")

    monkeypatch.setattr(versions.inspect, "getsourcefile", no_source)
    told = r"results of x cannot be kept: nothing tells its versions apart; give it an attribute `version`"
    with pytest.raises(NoVersionError, match=told):
        player_version("x", Sourceless("partners"))
    store = tmp_path / "results.jsonl"
    name = f"{__name__}:Sourceless"
    code, output, errors = run(capsys, "rules", name, "--variant", "partners", "--pairs", "5", "--store", str(store))
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert f"results of {name} cannot be kept" in errors
    assert not store.exists()
    code, _, _ = run(capsys, "rules", name, "--variant", "partners", "--pairs", "5")
    assert code == 0


def test_rules_and_their_options_do_not_change_versions() -> None:
    assert player_version("x", make_player("rules", Rules("partners", napoletana=True))) == player_version(
        "x", make_player("rules", "two_player")
    )


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: known(name) for name in PLAYERS}, indent=1) + "\n", encoding="utf-8")
