"""The model of `examples/sb3_maskable_ppo.py` as a player, named on any command line like every other.

    pip install -e ".[train]" sb3-contrib
    python -m examples.sb3_maskable_ppo --variant partners
    python evaluate.py match examples.sb3_policy:Policy rules --variant partners --pairs 1000

It plays `runs/sb3_VARIANT.zip`; another file is an option: ``examples.sb3_policy:Policy:model=runs/mine.zip``.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from sb3_contrib import MaskablePPO

from examples.measuring import PolicyPlayer
from examples.sb3_maskable_ppo import chooser, model_path
from tressette_env import Rules
from tressette_env.observation import obs_size
from tressette_env.rules import variant_name


class Policy(PolicyPlayer):
    """Plays the most probable card, so that it has no use for the seed.

    `model`: the file, by default where the training saves that of the variant.  Raises ``ValueError`` when there is
    none, or when it was trained on the observations of another variant.
    """

    # What goes wrong most often here: predict without action_masks= returns cards that may not be played.  It is an
    # error that names this player, the deal and the legal cards.

    def __init__(self, variant: str | Rules, seed: int = 0, model: str = "") -> None:
        name = variant_name(variant)
        path = Path(model) if model else model_path(name)
        if not path.is_file():
            raise ValueError(f"there is no model {path}: python -m examples.sb3_maskable_ppo saves one")
        loaded = MaskablePPO.load(path, device="cpu")
        if loaded.observation_space.shape != (obs_size(name),):
            raise ValueError(f"the model {path} does not read observations of {name}")
        super().__init__(chooser(loaded))
        self.version = f"model {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"  # what `--store` tells it by
