"""Baseline players in batched numpy: `random`, `greedy`, `rules` and `tuned` (CONTRACT §6)."""

from tressette_env.baselines.greedy import GreedyPlayer
from tressette_env.baselines.random_player import RandomPlayer
from tressette_env.baselines.rules_player import RulesPlayer, TunedPlayer

__all__ = ["GreedyPlayer", "RandomPlayer", "RulesPlayer", "TunedPlayer"]
