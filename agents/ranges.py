"""Checks of numbers in configurations."""

from __future__ import annotations

from collections.abc import Sequence


def check_range(section: str, settings: object, names: Sequence[str], low: float, high: float | None = None) -> None:
    """Raise ``ValueError`` that names the field unless each is at least `low` and at most `high`."""
    for name in names:
        value = getattr(settings, name)
        if not (low <= value and (high is None or value <= high)):
            allowed = f"at least {low}" if high is None else f"from {low} to {high}"
            raise ValueError(f"{section}.{name} must be {allowed}, not {value}")
