"""Repeated measurements and the tables that show them."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

REPEATS, QUICK_REPEATS = 7, 3


@dataclass(frozen=True)
class Row:
    """One line of a table: what was measured, what each repetition gave, and in which unit."""

    name: str
    values: Sequence[float]
    unit: str


def rates(count: int, repetition: Callable[[], float], quick: bool) -> list[float]:
    """Return how much is done in a second, by repetition.

    `repetition` does `count` units of work and returns the seconds they took; one more goes before, to warm up.
    """
    repetition()
    return [count / repetition() for _ in range(QUICK_REPEATS if quick else REPEATS)]


def seconds_of(work: Callable[[], object]) -> float:
    """Return how many seconds some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def table(title: str, rows: Sequence[Row]) -> str:
    """Return rows as text: the median of the repetitions, and the lowest and highest in brackets."""
    cells = [(row.name, _number(statistics.median(row.values)), row.unit, _range(row.values)) for row in rows]
    name, middle, unit = (max(len(cell[column]) for cell in cells) for column in range(3))
    lines = [f"{first:{name}}  {value:>{middle}} {of:{unit}}  {spread}".rstrip() for first, value, of, spread in cells]
    return "\n".join([title, *(f"  {line}" for line in lines)])


def _range(values: Sequence[float]) -> str:
    return f"({_number(min(values))} to {_number(max(values))})" if len(values) > 1 else ""


def _number(value: float) -> str:
    """Return a number with three significant digits, large ones in thousands (k) and millions (M)."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}" if abs(value) < 1e3 * size else f"{value / size:,.0f}{letter}"
    return f"{value:.3g}"


def machine() -> str:
    """Return in a line what the figures were taken on."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()};"
        f" Python {platform.python_version()}, numpy {np.__version__}"
    )


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
