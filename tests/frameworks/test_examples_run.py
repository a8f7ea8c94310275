"""Every example runs with short settings, prints points before and after, and leaves no process behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.frameworks.example_scripts import EXAMPLES, ROOT, Example, Points, processes_left, run, unlearned

CASES = [
    pytest.param(each, id=each.script, marks=() if each.module == "torch" else pytest.mark.frameworks)
    for each in EXAMPLES
]


@pytest.mark.parametrize("example", CASES)
def test_runs(example: Example) -> None:
    pytest.importorskip(example.module)
    outcome = run(example)
    assert outcome.errors == []
    assert len(outcome.points) == (4 if example.measures else 0)


def test_every_example_is_listed() -> None:
    listed = {example.script for example in EXAMPLES}
    scripts = {path.stem for path in (ROOT / "examples").glob("*.py") if "__main__" in path.read_text("utf-8")}
    assert scripts - listed == {"foreign_player"}  # a program for `process:`, which other tests run
    assert listed <= scripts


def test_an_example_that_fails_is_told() -> None:
    outcome = run(EXAMPLES[0]._replace(script="no_such_example"))
    assert outcome.points == {}
    assert "No module named examples.no_such_example" in outcome.errors[0]


def test_a_process_left_behind_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.frameworks.example_scripts._PATIENCE", 0)
    assert processes_left(str(tmp_path)) == []
    with subprocess.Popen([sys.executable, "-c", "input()", str(tmp_path)], stdin=subprocess.PIPE) as process:
        assert any(str(tmp_path) in line for line in processes_left(str(tmp_path)))
        process.communicate(b"\n")
    assert processes_left(str(tmp_path)) == []


def test_intervals_that_meet_show_no_learning() -> None:
    before, after = Points(0.1, -0.1, 0.3), Points(0.5, 0.3, 0.7)
    assert unlearned({("before", "random"): before, ("after", "random"): after})
    assert not unlearned({("before", "random"): before, ("after", "random"): after._replace(low=0.31)})
