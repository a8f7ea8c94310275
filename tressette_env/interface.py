"""What the environments of both interfaces have in common: spaces, masks, actions, how a game is shown."""

from __future__ import annotations

import logging
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from tressette_env.cards import NUM_CARDS
from tressette_env.episode import Episode
from tressette_env.observation import LARGEST_ENTRY, obs_size
from tressette_env.render import Scene, open_card_table, render_text
from tressette_env.rules import Rules

if TYPE_CHECKING:
    from tressette_env.render_cards import CardTable

Observation = dict[str, npt.NDArray[Any]]
RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 3
_OCTETS = 8
_logger = logging.getLogger(__name__)


def observation_space(rules: Rules) -> spaces.Dict:
    """Return the space of what an agent observes."""
    return spaces.Dict(
        observation=spaces.Box(0, LARGEST_ENTRY, (obs_size(rules),), np.float32),
        action_mask=spaces.Box(0, 1, (NUM_CARDS,), np.int8),
    )


def mask_of(cards: int) -> npt.NDArray[np.int8]:
    """Return a bitboard as (40,) int8, 1 where the card is in the set."""
    octets = np.frombuffer(cards.to_bytes(_OCTETS, "little"), np.uint8)
    return np.unpackbits(octets, count=NUM_CARDS, bitorder="little").view(np.int8)


def card_of(action: Any) -> int:
    """Return an action as an int; ``ValueError`` unless it is one integer."""
    try:
        if isinstance(action, bool):
            raise TypeError
        return operator.index(action)
    except TypeError:
        raise ValueError(f"an action must be an integer card id, not {action!r}") from None


class Display:
    """Shows games in one render mode.

    `mode`: one of `modes`, or None for an environment that is not shown.  Raises ``ValueError`` for any other.
    """

    def __init__(self, mode: str | None, modes: Sequence[str] = RENDER_MODES) -> None:
        if mode is not None and mode not in modes:
            allowed = ", ".join(map(repr, (None, *modes)))
            raise ValueError(f"render_mode={mode!r} is not allowed: {allowed}")
        self.mode = mode
        self._table: CardTable | None = None

    def show(self, episode: Episode | None) -> str | npt.NDArray[np.uint8] | None:
        """Return a game as text (``"ansi"``) or as (H, W, 3) uint8, or show it in a window (``"human"``)."""
        if self.mode is None or episode is None:
            _logger.warning("render() needs a render_mode, given when the environment is made")
            return None
        scene = Scene.of(episode)
        if self.mode == "ansi":
            return render_text(scene)
        if self._table is None:
            self._table = open_card_table(window=self.mode == "human", fps=RENDER_FPS)
        return self._table.draw(scene)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._table is not None:
            self._table.close()
            self._table = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave the window out of copies and pickles: a copy opens its own."""
        return self.__dict__ | {"_table": None}
