"""Commands of ``evaluate.py`` run in this process, and the reports they write."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate

Capture = pytest.CaptureFixture[str]


def run(command: str, capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Run a command: exit code, standard output, standard error (but for what a first run says while it compiles)."""
    try:
        code = evaluate.main([command, *arguments])
    except SystemExit as end:  # how argparse ends
        code = int(end.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, re.sub(r"^compiling .*\n", "", captured.err, flags=re.MULTILINE)


def run_json(command: str, capsys: Capture, path: Path, *arguments: str) -> dict[str, Any]:
    """Run a command, which must succeed, and return its JSON without the time it took."""
    code, _, errors = run(command, capsys, *arguments, "--json", str(path))
    assert (code, errors) == (0, "")
    return without_times(path)


def without_times(path: Path) -> dict[str, Any]:
    """Read a report and take out the times, which differ from run to run."""
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert report.pop("seconds") > 0
    assert np.min(report.pop("ms_per_decision")) > 0  # one number, or one a player
    return report
