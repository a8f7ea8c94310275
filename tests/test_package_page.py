"""``python -m tressette_env`` shows what is installed, and a deal that was played by the rules."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import tressette_env
from tests.oracle import Oracle
from tressette_env import DealBatch, Rules
from tressette_env.__main__ import main
from tressette_env.cards import card_id


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_shows_version_variants_layout_and_a_deal(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--variant", variant, "--seed", "7"]) == 0
    shown = capsys.readouterr().out
    assert f"tressette-env {tressette_env.__version__}, environment version {tressette_env.ENV_VERSION}" in shown
    for name in ("two_player", "partners", "historical", "random", "rules"):
        assert name in shown
    size = max(block.slice.stop for block in tressette_env.OBSERVATION_LAYOUT[variant].values())
    assert f"`{variant}`: {size} numbers" in shown
    deals = DealBatch(1, variant)
    deals.reset(seed=7)
    oracle = Oracle(Rules(variant), deals.decks[0], int(deals.dealer[0]), (0, 0))
    plays = re.findall(r"player_(\d) (\w\w)", "\n".join(re.findall(r"^trick .*", shown, re.MULTILINE)))
    assert len(plays) == 40
    for seat, text in plays:
        assert oracle.player == int(seat)
        oracle.play(card_id(text))
    assert oracle.over
    points = oracle.points()
    assert re.search(rf"^result +{points[0]} : {points[1]}", shown, re.MULTILINE)


def test_runs_as_a_module() -> None:
    result = subprocess.run([sys.executable, "-m", "tressette_env"], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("tressette-env ")
    assert result.stderr == ""


@pytest.mark.parametrize("arguments", [["--seed", "-1"], ["--variant", "bridge"], ["--seed", "x"]])
def test_bad_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert arguments[0] in capsys.readouterr().err
