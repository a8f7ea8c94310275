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
    such as ``+solver`` with that of the player it has ``wrapped``; else a hash of the source files of its class and of
    the module that its name names, where other files that it uses do not count.
    Raises `NoVersionError` if there is neither.
    """
    wrapped = getattr(player, "wrapped", None)
    version = getattr(player, "version", None)
    if wrapped is not None and version is not None:
        return f"{player_version(name, wrapped)} + {version}"
    if version is not None:
        return str(version)
    named = {type(player).__module__, name.partition(":")[0]}
    try:
        return "source " + digest(b"".join(_source(module) for module in sorted(named & sys.modules.keys())))
    except (OSError, TypeError):
        raise NoVersionError(
            f"results of {name} cannot be kept: nothing tells its versions apart; give it an attribute `version`"
        ) from None


def _source(module: str) -> bytes:
    return Path(inspect.getsourcefile(sys.modules[module]) or "").read_bytes()


def digest(data: bytes) -> str:
    """Return the first digits of a SHA-256."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]
