"""OpenSpiel: counterfactual regret minimisation on a small pack, then PPO in every seat of the full one.

    pip install -e ".[train]" open-spiel
    python -m examples.openspiel_train --steps 128000

The small pack, two suits of three ranks, is solved for two players: its exploitability, in points a deal, falls to 0.
The full pack is learned by OpenSpiel's PPO against itself, one network in every seat.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pyspiel
import torch
from open_spiel.python.pytorch.ppo import PPO, PPOAgent, legal_actions_to_mask
from open_spiel.python.rl_environment import StepType, TimeStep

from examples.measuring import report
from examples.networks import Scores, Value, greedy
from examples.openspiel_game import NAME
from examples.seeding import global_generators
from tressette_env.rules import VARIANTS

SMALL = f"{NAME}(variant=two_player,suits=DC,ranks=A23,hand=2,dealer=1)"
GAMES = 64
"""Deals played at once, and between two updates."""


def solve(iterations: int) -> tuple[float, float]:
    """Return the exploitability of the uniform policy on the small pack, and of the one that CFR+ finds."""
    # What goes wrong most often here: a game written in Python is slow in algorithms that copy states, as CFR does at
    # every node.  `cached_tree` visits each state once and keeps the tree, which makes it a hundred times as fast.
    game = pyspiel.load_game(f"cached_tree(game={SMALL})")
    before = pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game))
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return before, pyspiel.exploitability(game, solver.average_policy())


def network(variant: str, seed: int, *arguments: Any) -> PPOAgent:
    """Return an agent of OpenSpiel's PPO, which masks, with the networks of the other examples."""
    agent = PPOAgent(*arguments)
    agent.actor, agent.critic = Scores(variant, seed), Value(variant, seed)
    return agent


class SelfPlay:
    """PPO in every seat of the full pack.

    OpenSpiel's PPO knows rows of environments with one player each.  Here a row is one seat of one game: in every
    trick each seat plays one card, so all rows take equally many steps, although not in the same order.
    """

    def __init__(self, variant: str, seed: int) -> None:
        self.game = pyspiel.load_game(NAME, {"variant": variant})
        self.seats = self.game.num_players()
        self._rng = np.random.default_rng(seed)
        self.learner = PPO(
            input_shape=(self.game.information_state_tensor_size(),),
            num_actions=self.game.num_distinct_actions(),
            num_players=self.seats,
            num_envs=GAMES * self.seats,
            steps_per_batch=self.game.max_game_length() // self.seats,
            learning_rate=1e-3,
            gamma=1.0,  # a deal is short, and paid at its end
            clip_vloss=False,
            agent_fn=lambda *arguments: network(variant, seed, *arguments),
        )

    def _deal(self) -> Any:
        """Return a game before its first card; one that declarations have won is dealt again."""
        state = self.game.new_initial_state()
        while state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(self._rng.choice(outcomes, p=chances))
        return self._deal() if state.is_terminal() else state

    def _play(self, states: list[Any], trick: int) -> None:
        """Play one card in every game, and note the decisions."""
        learner, players = self.learner, [state.current_player() for state in states]
        rows = np.arange(GAMES) * self.seats + players
        seen = [state.information_state_tensor(player) for state, player in zip(states, players, strict=True)]
        observations = torch.tensor(seen)
        legal = legal_actions_to_mask([state.legal_actions() for state in states], learner.num_actions)
        with torch.no_grad():
            cards, logprobs, _, values, _ = learner.get_action_and_value(observations, legal)
        learner.obs[trick, rows], learner.legal_actions_mask[trick, rows] = observations, legal
        learner.actions[trick, rows], learner.logprobs[trick, rows] = cards.float(), logprobs
        learner.values[trick, rows] = values.flatten()
        for state, card in zip(states, cards.tolist(), strict=True):
            state.apply_action(card)

    def update(self) -> None:
        """Play `GAMES` deals and learn from them."""
        learner, states = self.learner, [self._deal() for _ in range(GAMES)]
        for play in range(self.game.max_game_length()):
            self._play(states, play // self.seats)
        returns = [state.returns() for state in states]
        learner.rewards[-1] = torch.tensor(returns).flatten() / self.game.max_utility()
        learner.dones[-1] = 1  # of all rows, so what follows is worth nothing
        blank = {"info_state": [states[0].information_state_tensor(0)]}
        learner.learn([TimeStep(blank, returns[0], [0.0] * self.seats, StepType.LAST)])


def main() -> None:
    """Solve the small pack, then train on the full one and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--variant", choices=VARIANTS, default="partners")
    parser.add_argument("--steps", type=int, default=128_000, help="decisions on the full pack, of all seats")
    parser.add_argument("--iterations", type=int, default=100, help="iterations of CFR+ on the small pack")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    before, after = solve(arguments.iterations)
    print(f"small pack: exploitability {before:.4f}, after {arguments.iterations} iterations {after:.4f}", flush=True)
    with global_generators(arguments.seed):  # OpenSpiel's PPO samples and shuffles with them
        training = SelfPlay(arguments.variant, arguments.seed)
        choose = greedy(training.learner.network.actor)
        report("before", choose, arguments.variant)
        for _ in range(-(-arguments.steps // training.learner.batch_size)):
            training.update()
        report("after", choose, arguments.variant)


if __name__ == "__main__":
    main()
