"""Baseline players in batched numpy: `random`, `greedy` and `rules` (CONTRACT §6)."""

from tressette_env.baselines.greedy import GreedyPlayer
from tressette_env.baselines.random_player import RandomPlayer
from tressette_env.baselines.rules_player import RULE_NAMES, RulesPlayer

__all__ = ["RULE_NAMES", "GreedyPlayer", "RandomPlayer", "RulesPlayer"]
