"""From trained networks to players: torch trains them, numpy plays them (`tressette_env.network`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from torch import Tensor

from agents.checkpoint import CheckpointError, read_checkpoint
from agents.critic import CRITIC
from tressette_env.network import NetworkPlayer, PolicyWeights

_BODY = "body."


def weights_of(variant: str, policy: Mapping[str, Tensor], critic: Mapping[str, Tensor] | None = None) -> PolicyWeights:
    """Return the weights of the states of a `PolicyNetwork` and, if given, of a `Critic` that sees the hidden cards.

    ``ValueError`` if they are no such network's or not finite.
    """
    of_critic = {CRITIC + name: array for name, array in _arrays(critic or {}).items()}
    return PolicyWeights(variant, _arrays(policy) | of_critic)


def _arrays(tensors: Mapping[str, Tensor]) -> dict[str, npt.NDArray[np.float32]]:
    return {name.removeprefix(_BODY): tensor.detach().cpu().float().numpy() for name, tensor in tensors.items()}


def load_player(path: Path, seed: int = 0, temperature: float = 0.0) -> NetworkPlayer:
    """Return the player of a checkpoint file or run directory; `CheckpointError` if it can not be read."""
    checkpoint = read_checkpoint(path)
    try:
        variant = checkpoint.config["game"]["variant"]
        critic = checkpoint.part("critic") if checkpoint.config.get("critic", {}).get("hidden") else None
        weights = weights_of(variant, checkpoint.part("average"), critic)
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path} holds no network that this program can build: {error}") from None
    return NetworkPlayer(weights, seed, temperature)
