"""Seeds for frameworks that draw from the global generators of numpy and torch and can be given no other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def global_generators(seed: int) -> Iterator[None]:
    """Let what is drawn from the global generators depend on `seed` alone; afterwards they are as they were."""
    before = np.random.get_state()  # noqa: NPY002 - the global generator is what this is about
    with torch.random.fork_rng(devices=[]):
        np.random.seed(seed)  # noqa: NPY002
        torch.manual_seed(seed)
        try:
            yield
        finally:
            np.random.set_state(before)  # noqa: NPY002
