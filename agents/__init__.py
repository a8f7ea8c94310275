"""Everything that learns, searches or judges; importing it registers its players.

Torch is imported only when a network is built or loaded, numba only when a search player is built.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from agents import search_players
from tressette_env.players import register_checkpoint_loader
from tressette_env.rules import Rules, variant_name

if TYPE_CHECKING:
    from tressette_env.network import NetworkPlayer

__all__ = ["load"]


def load(path: str | Path, seed: int = 0, temperature: float = 0.0) -> NetworkPlayer:
    """Return the player of a checkpoint, on CPU; its file holds all that is needed.

    `path`: a checkpoint file, or a run directory (its newest checkpoint).  The player takes the most probable card,
    or above `temperature` 0 draws one from `seed`.
    Raises ``ValueError`` naming the file when it is no checkpoint of this version of the environment.
    """
    from agents.network_player import load_player

    return load_player(Path(path), seed, temperature)


def _load_for_variant(path: Path, *, variant: str | Rules, seed: int = 0, temperature: float = 0.0) -> NetworkPlayer:
    player = load(path, seed=seed, temperature=temperature)
    name = variant_name(variant)
    if player.variant != name:
        raise ValueError(f"checkpoint {path} plays {player.variant}, not {name}")
    return player


register_checkpoint_loader(_load_for_variant)
search_players.register()
