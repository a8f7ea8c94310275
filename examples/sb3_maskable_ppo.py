"""Stable-Baselines3: MaskablePPO against itself, on the vector environment of `Tressette-v0`.

    pip install -e ".[train]" sb3-contrib
    python -m examples.sb3_maskable_ppo --steps 150000

One network learns every seat: the seat is drawn for each deal, and the others are held by the network itself, so that
it always meets what it is at that moment (`--opponent rules` trains against a fixed player instead).  The model is
saved, and `examples/sb3_policy.py` plays it in `evaluate.py`.

What goes wrong most often: `PPO`, the plain `evaluate_policy`, and `predict` without ``action_masks=`` never look at
the mask, and do not say so; `examples/sb3_vec_env.py` does.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import gymnasium
import torch
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from examples.measuring import Choose, PolicyPlayer, report
from examples.networks import Scores, Value
from examples.sb3_vec_env import TressetteVecEnv

ID = "tressette_env:Tressette-v0"


class SuitPolicy(MaskableActorCriticPolicy):
    """The policy of the library with networks that read the observation suit by suit."""

    def __init__(self, *args: Any, variant: str, seed: int, **kwargs: Any) -> None:
        self.networks: Any = (Scores(variant, seed), Value(variant, seed))
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net, self.value_net = self.networks
        make: Any = self.optimizer_class
        self.optimizer = make(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def chooser(model: MaskablePPO, deterministic: bool = True) -> Choose:
    """Return the policy of a model: the most probable card, or one drawn."""
    return lambda observation, legal: model.predict(observation, action_masks=legal, deterministic=deterministic)[0]


def model_path(variant: str) -> Path:
    """Return where the model of a variant is saved."""
    return Path("runs") / f"sb3_{variant}.zip"


def make_model(variant: str, seed: int, opponent: str, num_envs: int = 128) -> MaskablePPO:
    """Return a model to train against a player by name, or against ``"self"``, the model itself."""
    env: Any = gymnasium.make_vec(ID, num_envs=num_envs, variant=variant, autoreset_mode=AutoresetMode.SAME_STEP)
    model = MaskablePPO(
        SuitPolicy,
        TressetteVecEnv(env),
        learning_rate=lambda left: 1e-3 * max(left, 0.1),  # `left` ends below 0: whole roll-outs are played
        n_steps=64,
        batch_size=512,
        n_epochs=6,
        gamma=1.0,  # a deal is short, and paid at its end
        ent_coef=0.01,
        vf_coef=0.02,  # squared points are large numbers
        policy_kwargs={"net_arch": [], "variant": variant, "seed": seed},
        seed=seed,
        device="cpu",
    )
    env.unwrapped.set_opponent(PolicyPlayer(chooser(model, deterministic=False)) if opponent == "self" else opponent)
    return model


def main() -> None:
    """Train, measure before and after, and save."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--variant", default="partners")
    parser.add_argument("--steps", type=int, default=150_000, help="decisions of the learner")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--opponent", default="self", help="'self', or a player by name")
    parser.add_argument("--model", type=Path, help="file to save (runs/sb3_VARIANT.zip)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    variant, path = arguments.variant, arguments.model or model_path(arguments.variant)
    model = make_model(variant, arguments.seed, arguments.opponent)
    report("before", chooser(model), variant)
    model.learn(arguments.steps)
    report("after", chooser(model), variant)
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)
    print(f"saved {path}")


if __name__ == "__main__":
    main()
