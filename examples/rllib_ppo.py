"""Ray RLlib: PPO self-play with one masked network for all seats, on the new API stack.

    pip install -e ".[train]" "ray[rllib]"
    python -m examples.rllib_ppo --seconds 45

Ray holds Gymnasium at one version, older than the newest; any from 1.1 on will do here.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

# Ray reads these when it is imported: nothing is reported to its makers, no token is written to the home folder, and
# it listens on this machine alone.
os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled", RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from examples.measuring import report
from examples.networks import Scores, Value, greedy, masked
from tressette_env import tressette_v0

SHARED = "shared"


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A policy and a critic for observations with a mask.

    What goes wrong most often: RLlib masks nothing by itself.  Its own example of a masked module reads
    ``obs["observations"]``, with an s, while PettingZoo's key is ``obs["observation"]``; so one writes a module.
    """

    def setup(self) -> None:
        """Build the networks."""
        self.policy = Scores(self.model_config["variant"], self.model_config["seed"])
        self.critic = Value(self.model_config["variant"], self.model_config["seed"])

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        return {Columns.ACTION_DIST_INPUTS: masked(self.policy(seen["observation"]), seen["action_mask"])}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the value of each observation, (n,)."""
        return self.critic(batch[Columns.OBS]["observation"]).squeeze(-1)


def configured(variant: str, steps: int, seed: int) -> PPOConfig:
    """Return PPO that samples in this process, so that Ray starts no worker."""
    game = tressette_v0.env(variant)
    seat = game.possible_agents[0]
    module = RLModuleSpec(
        module_class=MaskedModule,
        observation_space=game.observation_space(seat),
        action_space=game.action_space(seat),
        model_config={"variant": variant, "seed": seed},
    )
    return (
        PPOConfig()
        # The check of environments plays a card without looking at the mask.
        .environment("tressette", env_config={"variant": variant}, disable_env_checking=True)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=8)
        .learners(num_learners=0)
        .multi_agent(policies={SHARED}, policy_mapping_fn=lambda agent, episode, **_: SHARED)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={SHARED: module}))
        .training(
            train_batch_size_per_learner=steps,
            minibatch_size=256,
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,  # the reward comes once, with the last card
            lambda_=0.95,
            entropy_coeff=0.01,
            vf_clip_param=100.0,  # the default cuts off losses of values that are points
        )
        .debugging(seed=seed)
    )


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--variant", default="partners")
    parser.add_argument("--seconds", type=float, default=45, help="of training; at least one iteration is made")
    parser.add_argument("--batch", type=int, default=2000, help="cards played in an iteration")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    register_env("tressette", lambda config: PettingZooEnv(tressette_v0.env(**config)))
    store = 100 * 2**20
    try:
        # "local": never join a cluster that someone has left running.
        ray.init(address="local", num_cpus=1, include_dashboard=False, object_store_memory=store, log_to_driver=False)
        algorithm = configured(arguments.variant, arguments.batch, arguments.seed).build_algo()
        policy = algorithm.get_module(SHARED).policy
        report("before", greedy(policy), arguments.variant)
        end = time.monotonic() + arguments.seconds
        steps = 0
        while not steps or time.monotonic() < end:
            steps = algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"]
        print(f"played {steps:,.0f} cards", flush=True)
        report("after", greedy(policy), arguments.variant)
        algorithm.stop()
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
