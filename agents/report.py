"""The table at the end of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console
from rich.table import Table

from agents.checkpoint import newest_checkpoint
from agents.config import TrainConfig
from agents.deal_ranges import RANGES, REPORT
from agents.measuring import measure
from agents.statistics import Summary
from agents.trainer import Trainer
from tressette_env.players import Player, make_player


def make_opponents(config: TrainConfig) -> dict[str, Player]:
    """Return the opponents of the table by name; ``ValueError`` if one is unknown."""
    return {name: make_player(name, config.game.variant) for name in config.evaluation.opponents}


def show_table(trainer: Trainer, opponents: Mapping[str, Player]) -> None:
    """Print how the trained agent does against each opponent, in duplicate deals; interrupted, those finished."""
    config, pairs = trainer.config, trainer.config.evaluation.final_pairs
    if not pairs:
        return
    title = f"{config.game.variant}: points a deal over {pairs:,} duplicate pairs"
    table = Table(title=title, min_width=len(title))
    for heading in ("opponent", "mean", "95 % interval", "deals won"):
        table.add_column(heading, justify="left" if heading == "opponent" else "right")
    player = trainer.player()
    executor = ThreadPoolExecutor(config.selfplay.threads)
    try:
        for name, opponent in opponents.items():
            _add(table, name, measure(player, opponent, trainer.rules, RANGES[REPORT].seed, pairs, executor))
    finally:
        executor.shutdown(cancel_futures=True)
        console = Console()
        console.print(table)
        console.print(f"agent: {newest_checkpoint(trainer.run_dir)}", soft_wrap=True)


def _add(table: Table, name: str, result: Summary) -> None:
    low, high = result["ci95"]
    table.add_row(name, f"{result['mean']:+.3f}", f"{low:+.3f} … {high:+.3f}", f"{100 * result['win_rate']:.1f} %")
