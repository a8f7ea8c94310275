"""What tests share; without the extra `train` only those of the environment are collected."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.foreign_programs import Spec, command

_NEEDS_EXTRAS = re.compile(r"^\s*(from|import) (agents|torch|numba|train|evaluate|benchmarks|tqdm)\b", re.MULTILINE)
_HERE = Path(__file__).parent

if any(importlib.util.find_spec(name) is None for name in ("torch", "numba")):
    collect_ignore = [
        str(path.relative_to(_HERE))
        for path in _HERE.rglob("test_*.py")
        if _NEEDS_EXTRAS.search(path.read_text("utf-8"))
    ]


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    """Makes a player's name of the text of a program."""

    def make(text: str) -> str:
        path = tmp_path / "a player.py"
        path.write_text(text, encoding="utf-8")
        return "process:" + command(sys.executable, str(path))

    return make
