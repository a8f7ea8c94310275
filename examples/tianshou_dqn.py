"""Tianshou: masked DQN self-play, one network for all seats.

    pip install -e ".[train]" tianshou
    python -m examples.tianshou_dqn --steps 20000

The first update compiles for some 10 s (numba), before anything is learned.
"""

from __future__ import annotations

import argparse
import logging
from typing import Any

import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from torch import Tensor, nn

from examples.measuring import report
from examples.networks import Scores, greedy
from examples.seeding import global_generators
from tressette_env import tressette_v0
from tressette_env.cards import NUM_CARDS

GAMES = 16
"""Played side by side."""
EXPLORATION = 0.2


class ActionValues(nn.Module):
    """A network as Tianshou calls it: with a state and infos, which it hands back or passes over."""

    def __init__(self, variant: str, seed: int) -> None:
        super().__init__()
        self.scores = Scores(variant, seed)

    def forward(self, observation: Any, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Return the value of every card, (n, 40), legal or not: the policy applies `obs.mask`."""
        return self.scores(torch.as_tensor(observation)), state


def learner(network: ActionValues, env: PettingZooEnv) -> MultiAgentOffPolicyAlgorithm:
    """Return one DQN that sits in every seat.

    What goes wrong most often: Tianshou takes the next observation *in the buffer* to bootstrap from, which here is
    that of another seat, an opponent's as a rule.  With a horizon as long as the game, returns need none.  Also, only
    the DQN family reads the mask; its PPO would play illegal cards.
    """
    policy = DiscreteQLearningPolicy(
        model=network,
        action_space=env.action_space,
        # A policy within a multi-agent one is never told that it trains, so `eps_training` would do nothing.
        eps_inference=EXPLORATION,
    )
    dqn = DQN(
        policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=NUM_CARDS, is_double=False
    )
    return MultiAgentOffPolicyAlgorithm(algorithms=[dqn] * len(env.agents), env=env)


def train(network: ActionValues, variant: str, steps: int, seed: int) -> None:
    """Play `steps` cards and learn from them."""
    games = DummyVectorEnv([lambda: PettingZooEnv(tressette_v0.env(variant))] * GAMES)
    games.seed([seed + game for game in range(GAMES)])
    algorithm = learner(network, PettingZooEnv(tressette_v0.env(variant)))
    collector = Collector(algorithm, games, VectorReplayBuffer(steps, GAMES), exploration_noise=True)
    collector.reset()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=None,
            collection_step_num_episodes=GAMES,  # whole games, so that all cards have their return
            batch_size=512,
            update_step_num_gradient_steps_per_sample=0.03,
            multi_agent_return_reduction=lambda rewards: rewards[:, 0],  # rewards are a vector, one for each seat
            show_progress=False,
            verbose=False,
        )
    )


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--variant", default="partners")
    parser.add_argument("--steps", type=int, default=20000, help="cards played in training")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    with global_generators(arguments.seed):  # Tianshou explores with them
        logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns of every reward that is a vector
        network = ActionValues(arguments.variant, arguments.seed)
        report("before", greedy(network.scores), arguments.variant)
        train(network, arguments.variant, arguments.steps, arguments.seed)
        report("after", greedy(network.scores), arguments.variant)


if __name__ == "__main__":
    main()
