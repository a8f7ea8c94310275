"""Checkpoints: safetensors files, so data and never programs, written whole or not at all.

A file holds every tensor of the training state (``policy.…``, ``average.…``, ``critic.…``, ``adam.…``) and,
as JSON in its metadata, the versions, the configuration and the progress.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from tressette_env import ENV_VERSION

FORMAT = "tressette-checkpoint"
FORMAT_VERSION = 1
FOLDER = "checkpoints"
SUFFIX = ".safetensors"


class CheckpointError(ValueError):
    """A file that is no checkpoint, is damaged, or belongs to another version."""


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint file holds: tensors by name (on CPU), configuration and progress as plain values."""

    tensors: dict[str, Tensor]
    config: dict[str, Any]
    progress: dict[str, Any]

    def part(self, name: str) -> dict[str, Tensor]:
        """Return the tensors below `name`, without it."""
        prefix = name + "."
        return {key[len(prefix) :]: tensor for key, tensor in self.tensors.items() if key.startswith(prefix)}


def write_checkpoint(
    path: Path, tensors: Mapping[str, Tensor], config: Mapping[str, Any], progress: Mapping[str, Any]
) -> None:
    """Write a checkpoint; a reader sees the old file or the whole new one, never a part."""
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "env_version": str(ENV_VERSION),
        "config": json.dumps(config),
        "progress": json.dumps(progress),
    }
    data = save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, metadata)
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def read_checkpoint(path: Path) -> Checkpoint:
    """Return the checkpoint in a file, or the newest one of a run directory; `CheckpointError` if there is none."""
    file = newest_checkpoint(path) if path.is_dir() else path
    try:
        with safe_open(file, framework="pt", device="cpu") as opened:
            metadata = opened.metadata() or {}
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 (no mapping)
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint {file}") from None
    except (SafetensorError, OSError, ValueError) as error:
        raise CheckpointError(f"{file} is no checkpoint, or is damaged: {error}") from None
    if metadata.get("format") != FORMAT:
        raise CheckpointError(f"{file} is a safetensors file, but no checkpoint of this project")
    for key, expected in (("format_version", FORMAT_VERSION), ("env_version", ENV_VERSION)):
        if metadata.get(key) != str(expected):
            raise CheckpointError(f"{file} has {key} {metadata.get(key)}, this program needs {expected}")
    try:
        config, progress = json.loads(metadata["config"]), json.loads(metadata["progress"])
    except (KeyError, json.JSONDecodeError, RecursionError) as error:
        raise CheckpointError(f"{file} has broken metadata: {error}") from None
    return Checkpoint(tensors, config, progress)


def newest_checkpoint(run_dir: Path) -> Path:
    """Return the newest checkpoint of a run directory (or of its checkpoint folder)."""
    folder = run_dir / FOLDER if (run_dir / FOLDER).is_dir() else run_dir
    files = sorted(folder.glob(f"*{SUFFIX}"))
    if not files:
        raise CheckpointError(f"there is no checkpoint in {run_dir}")
    return files[-1]


def checkpoint_path(run_dir: Path, update: int) -> Path:
    """Return the file of the checkpoint after so many updates; names sort by age."""
    return run_dir / FOLDER / f"update_{update:07d}{SUFFIX}"
