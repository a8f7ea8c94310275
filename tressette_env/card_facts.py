"""How the cards of an observation stand to the trick and to the unseen cards, as further inputs of a network.

All of it follows from the observation.  But it takes products of its columns, which a small network is slow to find:
who played which card of the trick, which card takes it so far and whose it is, which of the observer's cards would take
it, and which cards no unseen card of their suit can beat.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tressette_env.cards import NUM_RANKS, SUITS
from tressette_env.observation import OBSERVATION_LAYOUT

STRONGER: npt.NDArray[np.float32] = np.tri(NUM_RANKS, k=-1, dtype=np.float32)
"""[a, b] is 1 where rank a is stronger than rank b: flags of cards times this count the stronger ones."""


class CardFacts:
    """The facts of one variant; `size` numbers, 0 or 1, for each suit."""

    def __init__(self, variant: str) -> None:
        self._fields = {name: block.slice for name, block in OBSERVATION_LAYOUT[variant][SUITS[0]].fields.items()}
        played = self._fields["played"]
        self._seats = (played.stop - played.start) // NUM_RANKS
        self.size = self._seats * (NUM_RANKS + 1) + 4 * NUM_RANKS + 1

    def __call__(self, suits: Any, stronger: Any) -> list[Any]:
        """Return the facts, arrays (n, 4, …) that make `size` numbers a suit together.

        `suits` (n, 4, inputs) float32, the suit blocks, and `stronger` (`STRONGER`): both numpy arrays or both tensors.
        In order: the cards of the trick by the seat that played them; the card that takes it so far; whose it is (told
        to all suits); the observer's cards that would take it; his cards that no unseen card can beat, and the unseen
        ones; whether none can beat the card that takes the trick so far.
        """
        hand, table, follow = (suits[:, :, self._fields[name]] for name in ("hand", "table", "follow"))
        rows = suits.shape[0]
        played = suits[:, :, self._fields["played"]].reshape(rows, suits.shape[1], self._seats, NUM_RANKS)
        above_table = (table @ stronger) == 0
        takes = table * follow * above_table
        taker = (played * takes[:, :, None]).sum(3).sum(1)[:, None] * (follow * 0 + 1)
        unseen = 1 - hand - played.sum(2)
        unbeaten = (unseen @ stronger) == 0
        return [
            (table[:, :, None] * played).reshape(rows, suits.shape[1], -1),
            takes,
            taker,
            hand * follow * above_table,
            hand * unbeaten,
            unseen * unbeaten,
            (takes * unbeaten).sum(2)[:, :, None],
        ]
