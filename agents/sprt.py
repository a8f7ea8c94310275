"""A sequential test of two hypotheses about the mean margin of a pair, which stops as soon as it can tell.

The generalised sequential probability ratio test: Wald's test (1945) with the likelihood ratio of a normal
distribution whose variance is the one seen so far, as engine-testing frameworks use it (Michel Van den Bergh, "The
GSPRT approximation").  The unit is the pair, so the luck of the cards cancels here as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np

from agents.arena import FloatArray

ERROR = 0.05
"""The chance of either wrong decision, α = β."""
FEWEST_PAIRS = 100
"""Before these the variance is too uncertain to decide anything."""
UNDECIDED = "undecided"


class Decision(NamedTuple):
    """``accepted``: ``"low"``, ``"high"`` or `UNDECIDED`; after ``pairs``, with the log likelihood ratio there."""

    accepted: str
    pairs: int
    llr: float


@dataclass(frozen=True)
class Sprt:
    """Is the mean `low` or less, or `high` or more?  Both in points a deal (payments a match).

    Raises ``ValueError`` unless low is below high and both are finite.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        """Check the hypotheses."""
        if not -np.inf < self.low < self.high < np.inf:
            raise ValueError(f"{self.low:g},{self.high:g} is not allowed: two numbers LOW,HIGH, the first the smaller")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Return the test that ``"LOW,HIGH"`` names; ``ValueError`` if it names none."""
        try:
            low, high = (float(part) for part in text.split(","))
        except ValueError:
            raise ValueError(f"{text!r} is not allowed: two numbers LOW,HIGH, as in 0,0.05") from None
        return cls(low, high)

    @property
    def bound(self) -> float:
        """The log likelihood ratio that decides for high; its negative decides for low."""
        return log((1 - ERROR) / ERROR)

    def ratios(self, margin: FloatArray) -> FloatArray:
        """Return the log likelihood ratio after each pair, (pairs,); infinite where all margins were the same."""
        count = np.arange(1, len(margin) + 1)
        total, squares = margin.cumsum(), (margin**2).cumsum()
        mean = total / count
        variance = np.maximum(squares / count - mean**2, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = count * (self.high - self.low) * (2 * mean - self.low - self.high) / (2 * variance)
        return np.where(np.isnan(ratio), 0.0, ratio)

    def decide(self, margin: FloatArray) -> Decision:
        """Return the decision on the first pairs that allow one, or that there is none yet."""
        ratios = self.ratios(margin)
        past = np.flatnonzero(np.abs(ratios[FEWEST_PAIRS - 1 :]) >= self.bound)
        if not len(past):
            return Decision(UNDECIDED, len(margin), float(ratios[-1]) if len(ratios) else 0.0)
        pairs = int(past[0]) + FEWEST_PAIRS
        ratio = float(ratios[pairs - 1])
        return Decision("high" if ratio > 0 else "low", pairs, ratio)
