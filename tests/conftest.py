"""Without the extra `train` only the tests of the environment are collected."""

import importlib.util
import re
from pathlib import Path

_NEEDS_EXTRAS = re.compile(r"^\s*(from|import) (agents|torch|train|evaluate|tqdm)\b", re.MULTILINE)

if importlib.util.find_spec("torch") is None:
    collect_ignore = [
        path.name for path in Path(__file__).parent.glob("test_*.py") if _NEEDS_EXTRAS.search(path.read_text("utf-8"))
    ]
