"""Numbers from outside, checked: the one place that says what is wrong with an array of integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env.cards import IntArray

LARGEST_COUNT = 2**63 - 1
"""The largest seed, deal id and score: what an int64 holds."""
_LARGEST_TEXT = "2**63 - 1"

Shape = tuple[int, ...]


def integer_array(name: str, values: Any, *shapes: Shape) -> npt.NDArray[Any]:
    """Return `values` as an array of their own integer dtype and of one of `shapes`; ``()`` is a single number.

    Raises ``ValueError`` naming the argument, what it must be and what it is.
    """
    array = as_array(values)
    if array is None or array.dtype.kind not in "iu" or array.shape not in shapes:
        wanted = " or ".join(_wanted(shape) for shape in shapes)
        raise ValueError(f"{name} must be {wanted}, not {described(values)}")
    return array


def count_array(name: str, values: Any, *shapes: Shape) -> IntArray:
    """Return `values` as int64 of one of `shapes`; ``ValueError`` unless they are from 0 to `LARGEST_COUNT`."""
    if () in shapes and isinstance(values, int) and not 0 <= values <= LARGEST_COUNT:  # too large for an array, perhaps
        raise ValueError(f"{name} must be from 0 to {_LARGEST_TEXT}, not {values}")
    array = integer_array(name, values, *shapes)
    wrong = array[(array < 0) | (array > LARGEST_COUNT)]
    if wrong.size:
        raise ValueError(f"{name} must be from 0 to {_LARGEST_TEXT}, not {wrong[0]}")
    return array.astype(np.int64)


def batch_size(name: str, value: Any) -> int:
    """Return how many games a batch is to hold; ``ValueError`` unless it is a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
    return int(value)


def as_array(values: Any) -> npt.NDArray[Any] | None:
    """Return `values` as an array, None where they make none (lists of different lengths)."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, RuntimeError):
        return None


def described(values: Any) -> str:
    """Return what `values` are, for an error: a single one itself, of an array dtype and shape."""
    array = as_array(values)
    if array is None:
        return "lists of different lengths" if isinstance(values, list | tuple) else type(values).__name__
    return repr(values) if array.ndim == 0 else f"{array.dtype} of shape {array.shape}"


def _wanted(shape: Shape) -> str:
    return f"integers of shape {shape}" if shape else "a whole number"
