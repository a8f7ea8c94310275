"""The table at the end of a training run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from rich.console import Console
from rich.table import Table

from agents.checkpoint import newest_checkpoint
from agents.measuring import REPORT_SEED, measure
from agents.trainer import Trainer
from tressette_env.players import make_player


def show_table(trainer: Trainer) -> None:
    """Print how the trained agent does against each opponent of the configuration, in duplicate deals."""
    config, settings = trainer.config, trainer.config.evaluation
    if not settings.final_pairs:
        return
    table = Table(title=f"{config.game.variant}: points a deal over {settings.final_pairs:,} duplicate pairs")
    for heading in ("opponent", "mean", "95 % interval", "deals won"):
        table.add_column(heading, justify="left" if heading == "opponent" else "right")
    player = trainer.player()
    with ThreadPoolExecutor(config.selfplay.threads) as executor:
        for name in settings.opponents:
            opponent = make_player(name, trainer.rules)
            result = measure(player, opponent, trainer.rules, REPORT_SEED, settings.final_pairs, executor)
            low, high = result["ci95"]
            table.add_row(
                name, f"{result['mean']:+.3f}", f"{low:+.3f} … {high:+.3f}", f"{100 * result['win_rate']:.1f} %"
            )
    console = Console()
    console.print(table)
    console.print(f"agent: {newest_checkpoint(trainer.run_dir)}", soft_wrap=True)
