"""Plays and decisions a second of training, playing and learning together, with the default configuration."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import torch

from agents.config import GameConfig, TrainConfig
from agents.trainer import Trainer
from benchmarks.measuring import QUICK_REPEATS, REPEATS, Row
from tressette_env.rules import VARIANTS

TITLE = "Training, whole updates on the threads of the default configuration (target: partners 25 k plays/s, 2 cores)"


def run(quick: bool) -> list[Row]:
    """Return plays a second (40 a deal, forced ones counted) and unforced decisions a second, by variant."""
    torch.set_num_threads(1)
    repeats = QUICK_REPEATS if quick else REPEATS
    rows = []
    for variant in VARIANTS:
        metrics = _updates(variant, repeats + 1)[1:]  # the first one warms up
        for tag, unit in (("speed/plays_per_second", "plays/s"), ("speed/decisions_per_second", "decisions/s")):
            rows.append(Row(variant, [values[tag] for values in metrics], unit))
    return rows


def _updates(variant: str, count: int) -> list[dict[str, float]]:
    config = TrainConfig()
    config = replace(
        config,
        game=GameConfig(variant=variant),  # type: ignore[arg-type]
        evaluation=replace(config.evaluation, every=0),
        checkpoint_every=10**9,
    )
    with tempfile.TemporaryDirectory() as folder:
        updates = Trainer(config, Path(folder)).run()
        metrics = [next(updates) for _ in range(count)]
        updates.close()
    return metrics
