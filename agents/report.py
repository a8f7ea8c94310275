"""The table at the end of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean, stdev

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


def show_table(trainer: Trainer, opponents: Mapping[str, Player]) -> dict[str, Summary]:
    """Print how the trained agent does against each opponent, in duplicate deals; interrupted, those finished.

    Returns the results by opponent.
    """
    config, pairs = trainer.config, trainer.config.evaluation.final_pairs
    results: dict[str, Summary] = {}
    if not pairs:
        return results
    player = trainer.player()
    executor = ThreadPoolExecutor(config.selfplay.threads)
    try:
        for name, opponent in opponents.items():
            results[name] = measure(player, opponent, trainer.rules, RANGES[REPORT].seed, pairs, executor)
    finally:
        executor.shutdown(cancel_futures=True)
        table = _table(f"{config.game.variant}: points a deal over {pairs:,} duplicate pairs")
        for name, result in results.items():
            _add(table, name, result)
        console = Console()
        console.print(table)
        console.print(f"agent: {newest_checkpoint(trainer.run_dir)}", soft_wrap=True)
    return results


def show_seeds(results: Mapping[int, Mapping[str, Summary]]) -> None:
    """Print what runs of several seeds reached against each opponent, and their mean and spread."""
    seeds = list(results)
    title = f"points a deal, {len(seeds)} seeds"
    table = Table(title=title, min_width=len(title))
    table.add_column("opponent")
    for heading in (*(f"seed {seed}" for seed in seeds), "mean", "deviation"):
        table.add_column(heading, justify="right")
    for name in results[seeds[0]]:
        means = [results[seed][name]["mean"] for seed in seeds]
        table.add_row(name, *(f"{mean:+.3f}" for mean in means), f"{fmean(means):+.3f}", f"{stdev(means):.3f}")
    Console().print(table)


def _table(title: str) -> Table:
    table = Table(title=title, min_width=len(title))
    for heading in ("opponent", "mean", "95 % interval", "deals won"):
        table.add_column(heading, justify="left" if heading == "opponent" else "right")
    return table


def _add(table: Table, name: str, result: Summary) -> None:
    low, high = result["ci95"]
    table.add_row(name, f"{result['mean']:+.3f}", f"{low:+.3f} … {high:+.3f}", f"{100 * result['win_rate']:.1f} %")
