"""Tables for the terminal, and how numbers are written in them and in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDER_THAN_ANY_TABLE = 10_000


def table_text(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Return a table as wide as its contents, whatever the terminal; the first `left` columns are set to the left."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for index, heading in enumerate(headings):
        table.add_column(Text(heading), justify="left" if index < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))  # plain: names may hold what rich takes for markup
    console = Console(width=_WIDER_THAN_ANY_TABLE)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines() if line.strip())


def number_text(value: float, form: str) -> str:
    """Return a number, or a dash where it is NaN."""
    return "–" if np.isnan(value) else format(value, form)


def interval_text(ends: Sequence[float], form: str) -> str:
    """Return an interval, or a dash where it is NaN."""
    return "–" if np.isnan(ends[0]) else f"{ends[0]:{form}} to {ends[1]:{form}}"


def ms_text(ms: float) -> str:
    """Return milliseconds to the precision that repeats."""
    if np.isnan(ms):
        return "–"
    if ms < 0.1:
        return "<0.1"
    return f"{ms:.1f}" if ms < 10 else f"{ms:,.0f}"
