"""Results of pairs, compared but for the time they took."""

from __future__ import annotations

import numpy as np

from agents.pairs import PairResults


def same(one: PairResults, other: PairResults) -> bool:
    """Return whether all games, and the decisions in them, were the same."""
    return (
        all(np.array_equal(*columns) for columns in zip(one.columns, other.columns, strict=True))
        and one.effort.decisions == other.effort.decisions
        and one.effort.choices == other.effort.choices
    )
