"""Reports as JSON files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from tressette_env.files import write_whole


def write_json(path: Path, report: dict[str, Any]) -> None:
    """Write a report as JSON, what is no finite number as null; the file appears whole or not at all."""
    write_whole(path, [json.dumps(_json_value(report), indent=2), "\n"])


def _json_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _json_value(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_json_value(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
