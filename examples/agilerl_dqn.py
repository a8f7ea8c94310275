"""AgileRL: masked DQN self-play, one network for all seats.

    pip install -e ".[train]" agilerl peft
    python -m examples.agilerl_dqn --steps 40000

In an environment of its own, since AgileRL pins PettingZoo and tensordict.  Without peft, which it does not ask for,
its algorithms can not be imported.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components.data import Transition
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.modules.dummy import DummyEvolvable

from examples.measuring import report
from examples.networks import Scores, greedy
from examples.seeding import global_generators
from tressette_env import tressette_v0
from tressette_env.pettingzoo_env import TressetteWrapper

GAMES = 16
"""Played side by side."""
EXPLORATION = 0.2
BATCH = 512
UPDATES = 20
"""After every round of games."""


def make_learner(variant: str, seed: int) -> DQN:
    """Return a DQN with the network of this project; with `net_config` AgileRL would build, and evolve, its own."""
    game = tressette_v0.env(variant)
    seat = game.possible_agents[0]
    network = DummyEvolvable("cpu", module_fn=Scores, module_kwargs={"variant": variant, "seed": seed})
    space = game.observation_space(seat)["observation"]
    return DQN(space, game.action_space(seat), batch_size=BATCH, lr=1e-3, gamma=1.0, actor_network=network)


def play(learner: DQN, games: list[TressetteWrapper], memory: ReplayBuffer) -> int:
    """Play each game to its end and remember every card with what its side won; returns how many were played.

    What goes wrong most often: only `get_action` knows masks.  `learn` takes the best of *all* cards in the next
    observation, legal or not; and the next observation that the environment gives is another seat's.  So each card is
    remembered as the last of its game, with the result of the deal, which leaves nothing to bootstrap.
    """
    turns = []
    while playing := [game for game in games if not game.terminations[game.agent_selection]]:
        seen = [game.observe(game.agent_selection) for game in playing]
        observations = np.stack([each["observation"] for each in seen])
        masks = np.stack([each["action_mask"] for each in seen])
        cards = learner.get_action(observations, epsilon=EXPLORATION, action_mask=masks)
        for game, observation, card in zip(playing, observations, cards, strict=True):
            turns.append((game, game.agent_selection, observation, card))
            game.step(int(card))
    for game, seat, observation, card in turns:
        end = Transition(
            obs=observation[None],
            action=np.array([card]),
            reward=np.array([game.rewards[seat]], np.float32),
            next_obs=np.zeros_like(observation)[None],
            done=np.array([1.0]),
            batch_size=[1],
        )
        memory.add(end.to_tensordict())
    return len(turns)


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--variant", default="partners")
    parser.add_argument("--steps", type=int, default=40000, help="cards played in training")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    with global_generators(arguments.seed):  # AgileRL explores and samples with them
        learner = make_learner(arguments.variant, arguments.seed)
        report("before", greedy(learner.actor), arguments.variant)
        games = [tressette_v0.env(arguments.variant) for _ in range(GAMES)]
        for number, game in enumerate(games):
            game.reset(seed=arguments.seed + number)
        memory = ReplayBuffer(arguments.steps)
        steps = 0
        while steps < arguments.steps:
            steps += play(learner, games, memory)
            for game in games:
                game.reset()
            for _ in range(UPDATES if len(memory) >= BATCH else 0):
                learner.learn(memory.sample(BATCH))
        report("after", greedy(learner.actor), arguments.variant)


if __name__ == "__main__":
    main()
