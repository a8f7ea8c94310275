"""Shipping an agent: the averaged weights of a run as the player `network` of its variant.

``python -m agents.export runs/NAME`` writes ``tressette_env/weights/VARIANT.npz``: half precision, numpy arrays and no
code, with the hash by which results are kept.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from agents.checkpoint import CheckpointError
from agents.network_player import load_player
from tressette_env.network import PolicyWeights

FOLDER = Path("tressette_env") / "weights"
DONE, FAILED = 0, 1


def export(run: Path, folder: Path) -> tuple[Path, PolicyWeights]:
    """Write the weights of a checkpoint, or of the newest one of a run; return the file and what it holds.

    Raises `CheckpointError` if there is none.
    """
    weights = load_player(run).weights
    halves = {name: array.astype(np.float16) for name, array in weights.arrays.items()}
    path = folder / f"{weights.variant}.npz"
    folder.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **halves)
    return path, PolicyWeights(weights.variant, halves)


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m agents.export", description=__doc__.split("\n\n")[0])
    parser.add_argument("run", type=Path, help="a run directory or checkpoint file")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"where to (default {FOLDER})")
    options = parser.parse_args(arguments)
    try:
        path, weights = export(options.run, options.folder)
    except (CheckpointError, OSError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return FAILED
    print(f"{path}: {path.stat().st_size:,} bytes, weights {weights.digest}")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
