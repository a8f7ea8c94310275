"""Tressette for reinforcement learning: rules, batch core, observations and players; numpy alone, no torch.

`DealBatch` and `MatchBatch` play thousands of deals or matches at once, `tressette_v0.env` is the game in PettingZoo,
``gymnasium.make("tressette_env:Tressette-v0")`` and ``make_vec`` are one learner's, `make_player` returns players by
name, `network` among them.  ``python -m tressette_env`` shows versions, variants, the layout of an observation and a
sample deal.
"""

import gymnasium

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

if "Tressette-v0" not in gymnasium.registry:
    gymnasium.register(
        "Tressette-v0",
        entry_point="tressette_env.gymnasium_env:TressetteGymEnv",
        vector_entry_point="tressette_env.gymnasium_vector:TressetteVectorEnv",
    )
