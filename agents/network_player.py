"""From trained networks to players: torch trains them, numpy plays them (`tressette_env.network`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor

from agents.checkpoint import CheckpointError, read_checkpoint
from tressette_env.network import NetworkPlayer, PolicyWeights

_BODY = "body."


def weights_of(variant: str, tensors: Mapping[str, Tensor]) -> PolicyWeights:
    """Return the weights of a `PolicyNetwork`'s state; ``ValueError`` if they are no such network's or not finite."""
    arrays = {name.removeprefix(_BODY): tensor.detach().cpu().float().numpy() for name, tensor in tensors.items()}
    return PolicyWeights(variant, arrays)


def load_player(path: Path, seed: int = 0, temperature: float = 0.0) -> NetworkPlayer:
    """Return the player of a checkpoint file or run directory; `CheckpointError` if it can not be read."""
    checkpoint = read_checkpoint(path)
    try:
        variant = checkpoint.config["game"]["variant"]
        weights = weights_of(variant, checkpoint.part("average"))
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path} holds no network that this program can build: {error}") from None
    return NetworkPlayer(weights, seed, temperature)
