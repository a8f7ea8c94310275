"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
