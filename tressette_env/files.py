"""Writing files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, parts: Iterable[str | bytes]) -> None:
    """Write a file from its parts, text as UTF-8; a reader sees the old file or all of the new one.

    An error, of whoever makes the parts too, leaves the old file as it was.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as file:
            file.writelines(part.encode("utf-8") if isinstance(part, str) else part for part in parts)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
