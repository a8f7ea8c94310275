"""Shimmy: the game of OpenSpiel as an environment of PettingZoo again, and the same deals in our own one.

    pip install -e . open-spiel shimmy
    python -m examples.shimmy_pettingzoo --deals 20

Random legal cards are played in both, and every observation, mask and result is compared.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from shimmy import OpenSpielCompatibilityV0

from examples.openspiel_game import NAME
from tressette_env import Rules, tressette_v0
from tressette_env.rules import VARIANTS


class TressetteCompatibility(OpenSpielCompatibilityV0):  # type: ignore[misc]
    """The game of these rules as an environment of PettingZoo."""

    # What goes wrong most often here, in two ways.  Shimmy counts the outcomes of chance as moves, against a limit of
    # OpenSpiel that does not, so that any deal would be truncated at its first card; `reset` takes them off.  And
    # a game given as an object is loaded again by its name alone, without its parameters: give name and `config`.

    def __init__(self, rules: Rules) -> None:
        fields = ("variant", "napoletana", "suits", "ranks", "hand")
        super().__init__(game_name=NAME, config={field: getattr(rules, field) for field in fields})

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal anew."""
        super().reset(seed, options)
        self.game_length = 0

    def cards_dealt(self) -> dict[str, Any]:
        """Return the deal that was drawn, as options for the `reset` of our own environment."""
        dealer, *deck = self.game_state.history()[: self.game_state.get_game().max_chance_nodes_in_history()]
        return {"dealer": dealer, "deck": deck}


def compare(env: TressetteCompatibility, own: Any, rng: np.random.Generator) -> dict[str, float]:
    """Play random cards in a deal drawn in both environments, and return the reward of every agent.

    Raises ``RuntimeError`` when the environments differ.
    """
    rewards = {}
    for agent in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        expected, expected_reward, over, _, _ = own.last()
        reward = env.rewards[agent]  # `last` gives seat k of Shimmy's k + 1 times its reward at the end
        same = over or np.array_equal(observation, expected["observation"])  # at the end it shows the last but one
        same &= np.array_equal(info["action_mask"], expected["action_mask"])
        here, there = (agent, reward, termination, truncation), (own.agent_selection, expected_reward, over, False)
        if not same or here != there:
            raise RuntimeError(f"the environments differ for {agent} in the deal {env.cards_dealt()}")
        rewards[agent] = reward
        card = None if termination else int(rng.choice(np.flatnonzero(info["action_mask"])))
        env.step(card)
        own.step(card)
    return rewards


def main() -> None:
    """Compare deals of every variant."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--deals", type=int, default=20, help="of each variant")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    for variant in VARIANTS:
        rules, rng = Rules(variant), np.random.default_rng(arguments.seed)
        env, own = TressetteCompatibility(rules), tressette_v0.env(variant=rules, illegal="raise")
        total = 0.0
        for deal in range(arguments.deals):
            env.reset(seed=arguments.seed + deal)
            own.reset(seed=0, options=env.cards_dealt())
            total += compare(env, own, rng)["player_0"]
        print(f"{variant}: {arguments.deals} deals alike, {total / arguments.deals:+.2f} points a deal for player_0")


if __name__ == "__main__":
    main()
