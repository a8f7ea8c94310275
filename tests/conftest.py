"""Without the extra `train` only the tests of the environment are collected."""

import importlib.util
import re
from pathlib import Path

_NEEDS_EXTRAS = re.compile(r"^\s*(from|import) (agents|torch|numba|train|evaluate|benchmarks|tqdm)\b", re.MULTILINE)
_HERE = Path(__file__).parent

if any(importlib.util.find_spec(name) is None for name in ("torch", "numba")):
    collect_ignore = [
        str(path.relative_to(_HERE))
        for path in _HERE.rglob("test_*.py")
        if _NEEDS_EXTRAS.search(path.read_text("utf-8"))
    ]
