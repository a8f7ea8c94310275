"""Learning curves: read from runs, kept, drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.curves import Curve, curve_of, draw, main, read_lines
from agents.run_log import MEASURED
from tests.commands import Capture


def write_run(folder: Path, means: list[float | None]) -> Path:
    folder.mkdir()
    lines = []
    for number, mean in enumerate(means):
        measured = (
            {} if mean is None else {MEASURED: mean, f"{MEASURED}_low": mean - 0.5, f"{MEASURED}_high": mean + 0.25}
        )
        lines.append(json.dumps({"update": number + 1, "plays": 2_000_000 * (number + 1), **measured}))
    (folder / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def read_curve(run: Path) -> Curve:
    return curve_of(run, read_lines(run))


def test_a_curve_is_the_measured_updates(tmp_path: Path) -> None:
    run = write_run(tmp_path / "first", [None, -1.0, None, 2.0])
    assert read_curve(run) == Curve("first", [4, 8], [-1, 2], [-1.5, 1.5], [-0.75, 2.25])
    assert read_curve(run / "metrics.jsonl").mean == [-1, 2]


def test_the_picture_shows_what_was_measured(tmp_path: Path) -> None:
    curves = [read_curve(write_run(tmp_path / name, means)) for name, means in (("a", [1.0, 2.0]), ("b", [0.0, 3.0]))]
    axes = draw(curves).axes[0]
    lines = {str(line.get_label()): line for line in axes.lines}
    assert lines["a"].get_xydata().tolist() == [[2, 1], [4, 2]]
    assert lines["b"].get_xydata().tolist() == [[2, 0], [4, 3]]
    assert axes.get_xlabel().startswith("million plays")


def test_the_command_writes_the_picture_and_keeps_the_measurements(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [1.0, None, 2.0])
    picture, kept = tmp_path / "curves.png", tmp_path / "kept"
    assert main([str(run), "--out", str(picture), "--keep", str(kept)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len((kept / "run.jsonl").read_text().splitlines()) == 2
    assert read_curve(kept / "run.jsonl") == read_curve(run)
    again = tmp_path / "again.png"
    assert main([str(kept / "run.jsonl"), "--out", str(again)]) == 0
    assert again.read_bytes() == picture.read_bytes()


@pytest.mark.parametrize("text", ["", "nonsense\n", '{"update": 1}\n', "[1]\n"])
def test_what_is_no_measured_run_is_told_in_one_line(text: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "metrics.jsonl").write_text(text)
    picture = tmp_path / "curves.png"
    for wrong in (tmp_path, tmp_path / "missing.jsonl"):
        assert main([str(wrong), "--out", str(picture)]) == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert str(tmp_path) in error
    assert not picture.exists()
