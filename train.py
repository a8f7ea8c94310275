"""Train an agent by self-play: ``python train.py --help``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import torch

from agents.config import CONFIG_FILE, TrainConfig, parse_arguments, write_config
from agents.network import emulates_bfloat16
from agents.report import make_opponents, show_seeds, show_table
from agents.run_log import RunLog, make_run_dir
from agents.statistics import Summary
from agents.stopping import stopping_cleanly
from agents.trainer import Trainer, pick_device
from tressette_env.players import Player

DONE, FAILED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 bad usage, 130 interrupted."""
    config, resume, seeds = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the program as Ctrl-C does
    torch.set_num_threads(1)  # the shards share the cores among themselves
    results = {}
    for seed in range(config.seed, config.seed + seeds):
        one = config if seeds == 1 else replace(config, seed=seed, name=f"{config.run_name}_seed{seed}")
        code, results[seed] = run(one, resume)
        if code != DONE:
            return code
    if seeds > 1 and config.evaluation.final_pairs:
        show_seeds(results)
    return DONE


def run(config: TrainConfig, resume: Path | None) -> tuple[int, dict[str, Summary]]:
    """Do one run; return its exit code, and its results against each opponent."""
    try:
        device = pick_device(config.device)
        if config.precision == "bfloat16" and emulates_bfloat16(device):
            print(
                "this processor has no units for bfloat16: --precision float32 is several times faster", file=sys.stderr
            )
        opponents = make_opponents(config)
        run_dir = make_run_dir(config) if resume is None else resume
        trainer = Trainer(config, run_dir, resume is not None)
        if resume is not None:
            write_config(config, resume / CONFIG_FILE)  # what the command line changed holds for the next --resume too
    except ValueError as error:
        print(f"train.py: error: {error}", file=sys.stderr)
        return BAD_USAGE, {}
    try:
        return train(trainer, run_dir, opponents)
    except (ValueError, RuntimeError, OSError) as error:
        print(f"train.py: failed after {trainer.updates_done} updates: {error}", file=sys.stderr)
        return FAILED, {}


def train(trainer: Trainer, run_dir: Path, opponents: Mapping[str, Player]) -> tuple[int, dict[str, Summary]]:
    """Train to the end, then show how the agent does against the baselines."""
    with stopping_cleanly(trainer), RunLog(run_dir, trainer.config.updates, trainer.updates_done) as log:
        for metrics in trainer.run():
            log.write(metrics)
    if trainer.stopping:
        print(f"stopped; go on with: python train.py --resume {run_dir}", file=sys.stderr)
        return INTERRUPTED, {}
    return DONE, show_table(trainer, opponents)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
