"""The observation as a Markdown table, made from the layout: ``python -m tressette_env.layout_table [README]``.

With a file, the tables between the file's markers are replaced.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tressette_env.cards import SUITS
from tressette_env.observation import OBSERVATION_LAYOUT, OBSERVATION_SIZES, Block
from tressette_env.rules import VARIANTS

BEGIN = "<!-- layout:{variant} (made by python -m tressette_env.layout_table README.md) -->"
END = "<!-- end of layout -->"


def layout_table(variant: str) -> str:
    """Return the table of a variant's observation: one row a block, the fields of a suit block first."""
    layout = OBSERVATION_LAYOUT[variant]
    suit = layout[SUITS[0]]
    lines = [
        f"`{variant}`: {OBSERVATION_SIZES[variant]} numbers. Suit blocks `D C S B` of {suit.shape[0]} each, all alike:",
        "",
        "| in a suit block | shape | meaning |",
        "|---|---|---|",
        *(_row(name, field) for name, field in suit.fields.items()),
        "",
        "| after the suits | shape | meaning |",
        "|---|---|---|",
        *(_row(name, block) for name, block in layout.items() if name not in SUITS),
    ]
    return "\n".join(lines)


def _row(name: str, block: Block) -> str:
    shape = " × ".join(map(str, block.shape))
    return f"| `{name}` {block.slice.start}:{block.slice.stop} | {shape} | {block.meaning} |"


def with_tables(text: str) -> str:
    """Return `text` with what stands between the markers of each variant made anew."""
    for variant in VARIANTS:
        begin = BEGIN.format(variant=variant)
        pattern = re.escape(begin) + ".*?" + re.escape(END)
        table = f"{begin}\n{layout_table(variant)}\n{END}"
        text = re.sub(pattern, lambda _, table=table: table, text, flags=re.DOTALL)  # type: ignore[misc]
    return text


def main(arguments: list[str]) -> None:
    """Print the tables, or write them into the given file."""
    if not arguments:
        print("\n\n".join(layout_table(variant) for variant in VARIANTS))
        return
    path = Path(arguments[0])
    path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
