"""Which version of a player a result belongs to, so that results are kept for as long as they hold."""

from __future__ import annotations

import hashlib
import inspect
import sys
from pathlib import Path

from tressette_env.players import AnyPlayer

DIGITS = 12


class NoVersionError(ValueError):
    """Nothing tells one version of a player from another."""


def player_version(name: str, player: AnyPlayer) -> str:
    """Return what changes whenever the player may play otherwise.

    Its attribute ``version`` (checkpoints have a hash of their weights, foreign programs what they say), of a wrapper
    such as ``+solver`` with that of the player it has ``wrapped``; else a hash of the source file of its class, where
    other files that it uses do not count.
    Raises `NoVersionError` if there is neither.
    """
    wrapped = getattr(player, "wrapped", None)
    version = getattr(player, "version", None)
    if wrapped is not None and version is not None:
        return f"{player_version(name, wrapped)} + {version}"
    if version is not None:
        return str(version)
    module = sys.modules.get(type(player).__module__)
    try:
        source = Path(inspect.getsourcefile(module) or "") if module is not None else None
        if source is not None:
            return "source " + digest(source.read_bytes())
    except (OSError, TypeError):
        pass
    raise NoVersionError(
        f"results of {name} cannot be kept: nothing tells its versions apart; give it an attribute `version`"
    )


def digest(data: bytes) -> str:
    """Return the first digits of a SHA-256."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]
