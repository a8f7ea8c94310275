"""Train an agent by self-play: ``python train.py --help``."""

from __future__ import annotations

import sys
from pathlib import Path

from agents.checkpoint import CheckpointError
from agents.config import TrainConfig, parse_arguments
from agents.ppo import NumericalError
from agents.report import show_table
from agents.run_log import RunLog, make_run_dir
from agents.trainer import Trainer

INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 bad usage, 130 interrupted."""
    config, resume = parse_arguments(arguments)
    try:
        run_dir = make_run_dir(config) if resume is None else resume
        trainer = Trainer(config, run_dir)
        if resume is not None:
            trainer.restore()
    except (CheckpointError, ValueError) as error:
        print(f"train.py: error: {error}", file=sys.stderr)
        return 2
    return train(trainer, config, run_dir)


def train(trainer: Trainer, config: TrainConfig, run_dir: Path) -> int:
    """Train to the end, then show how the agent does against the baselines."""
    try:
        with RunLog(run_dir, config.updates, trainer.updates_done) as log:
            for metrics in trainer.run():
                log.write(metrics)
        show_table(trainer, config)
    except KeyboardInterrupt:
        path = trainer.save()
        print(f"interrupted; go on with: python train.py --resume {run_dir}  (saved {path})", file=sys.stderr)
        return INTERRUPTED
    except (NumericalError, CheckpointError, RuntimeError, OSError) as error:
        print(f"train.py: failed after {trainer.updates_done} updates: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
