"""Tressette for reinforcement learning: rules, batch core, observations and baselines."""

from tressette_env import tressette_v0
from tressette_env.deals import DealBatch
from tressette_env.decoding import decode
from tressette_env.errors import IllegalCardError
from tressette_env.matches import MatchBatch
from tressette_env.observation import OBSERVATION_LAYOUT
from tressette_env.players import make_player
from tressette_env.rules import Rules

__all__ = [
    "OBSERVATION_LAYOUT",
    "DealBatch",
    "IllegalCardError",
    "MatchBatch",
    "Rules",
    "decode",
    "make_player",
    "tressette_v0",
]

__version__ = "0.1.0"
ENV_VERSION = 1
"""Raised by every change of rules, encoding or rewards; shown in results and records."""
