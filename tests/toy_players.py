"""Players for the tests, also named on command lines as ``tests.toy_players:Lowest`` and the like."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tressette_env import DealBatch
from tressette_env.view import View

TOYS = __name__
Cards = npt.NDArray[np.int64]
FLAG_VARIABLE = "TRESSETTE_TEST_FLAG"


class Lowest:
    """Plays its legal card of the lowest id."""

    def __init__(self, variant: str, seed: int = 0) -> None:
        self.variant, self.seed = variant, seed

    def act(self, view: View) -> Cards:
        return view.legal.argmax(axis=1)


class Highest(Lowest):
    """Plays its legal card of the highest id."""

    def act(self, view: View) -> Cards:
        return 39 - view.legal[:, ::-1].argmax(axis=1)


class Mixed(Lowest):
    """Plays any legal card, drawn from its seed and what it knows."""

    def act(self, view: View) -> Cards:
        count = view.legal.sum(axis=1)
        chosen = (view.keys ^ np.uint64(self.seed)) % np.maximum(count, 1).astype(np.uint64)
        return (view.legal.cumsum(axis=1) > chosen[:, None]).argmax(axis=1)


class Illegal(Lowest):
    """Plays by the rules until ply 6, then the card after its lowest legal one where that is illegal."""

    def act(self, view: View) -> Cards:
        cards = super().act(view)
        wrong = (view.ply >= 6) & ~view.legal[np.arange(len(view)), (cards + 1) % 40]
        return np.where(wrong, (cards + 1) % 40, cards)


class Failing(Lowest):
    """Raises an error: when it is built (`at` start), or at the given ply."""

    def __init__(self, variant: str, seed: int = 0, at: str | int = 6) -> None:
        super().__init__(variant, seed)
        if at == "start":
            raise ZeroDivisionError("no\nluck")
        self.at = at

    def act(self, view: View) -> Cards:
        if (view.ply == self.at).any():
            raise ZeroDivisionError("no\nluck")
        return super().act(view)


class Stopping(Lowest):
    """Is interrupted, as by Ctrl-C, when it is asked for the `after`-th time."""

    def __init__(self, variant: str, seed: int = 0, after: int = 0) -> None:
        super().__init__(variant, seed)
        self.left = after

    def act(self, view: View) -> Cards:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return super().act(view)


class Blocking(Lowest):
    """Raises a flag (a file) when it is first asked, and then never answers."""

    def act(self, view: View) -> Cards:
        Path(os.environ[FLAG_VARIABLE]).touch()
        while True:
            time.sleep(0.05)


class Dying(Lowest):
    """Takes its process down."""

    def act(self, view: View) -> Cards:
        os._exit(3)


class Peeking:
    """Sees all cards, and makes nothing of them: it plays its legal card of the lowest id."""

    sees_hidden_cards = True

    def __init__(self, variant: str, seed: int = 0) -> None:
        self.handed: list[tuple[DealBatch, Cards]] = []

    def act_on(self, deals: DealBatch, rows: Cards, view: View) -> Cards:
        self.handed.append((deals, rows))
        return view.legal.argmax(axis=1)


lowest = Lowest("partners")
"""A player that is an object."""


class Mute:
    """No player: it has no method act."""

    def __init__(self, variant: str, seed: int = 0) -> None:
        self.variant = variant


not_callable = 3
