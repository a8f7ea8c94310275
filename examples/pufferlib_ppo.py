"""PufferLib: PPO self-play with its emulation and vectorisation, one masked network for all seats.

    python -m examples.pufferlib_ppo --steps 40000

How PufferLib is installed stands in docs/frameworks.md; it takes more than one command.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import pufferlib.emulation
import pufferlib.pytorch
import pufferlib.vector
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from examples.measuring import report
from examples.networks import Scores, Value, greedy, masked
from tressette_env import tressette_v0

GAMES = 32
"""Played side by side."""
HORIZON = 82
"""Steps of a rollout: two deals, each with a step that begins the next."""
EPOCHS = 4
MINIBATCH = 256
CLIP = 0.2


class Decisions(NamedTuple):
    """What seats saw and did, n rows, and how their deals ended."""

    observation: Tensor
    legal: Tensor
    card: Tensor
    log_prob: Tensor
    points: Tensor


class SelfPlay:
    """Games in PufferLib's vector environment, which has a row for each seat of each game."""

    def __init__(self, variant: str, seed: int) -> None:
        def make(buf: Any = None, seed: int = 0) -> Any:
            return pufferlib.emulation.PettingZooPufferEnv(
                env_creator=tressette_v0.parallel_env, env_kwargs={"variant": variant}, buf=buf, seed=seed
            )

        self.games = pufferlib.vector.make(make, num_envs=GAMES, backend=pufferlib.vector.Serial, seed=seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.layout = pufferlib.pytorch.nativize_dtype(self.games.driver_env.emulated)
        self.flat, _ = self.games.reset(seed=seed)

    def seen(self) -> tuple[Tensor, Tensor]:
        """Return observations (rows, obs_size) and masks (rows, 40).

        What goes wrong most often: PufferLib turns a dictionary into flat bytes, in which the mask goes unnoticed, and
        its own trainer samples without one.  And all seats have a row in every step; those off turn, whose mask is all
        zero, play nothing and must not be learned from.
        """
        both = pufferlib.pytorch.nativize_tensor(torch.tensor(self.flat), self.layout)
        return both["observation"].float(), both["action_mask"]

    def rollout(self, scores: Scores) -> tuple[Decisions, int]:
        """Play `HORIZON` steps; returns the decisions of the deals that ended, and how many cards were played."""
        steps, rewards, ends = [], [], []
        for _ in range(HORIZON):
            observation, legal = self.seen()
            with torch.no_grad():
                chances = Categorical(logits=masked(scores(observation), legal))
            card = torch.multinomial(chances.probs, 1, generator=self.generator)[:, 0]
            steps.append((observation, legal, card, chances.log_prob(card)))
            self.flat, reward, end, _, _ = self.games.step(card.numpy())
            rewards.append(torch.tensor(reward))
            ends.append(torch.tensor(end))
        points, ended = torch.stack(rewards), torch.stack(ends)
        for step in reversed(range(HORIZON - 1)):  # a reward of zero, until the deal is over
            points[step] = torch.where(ended[step], points[step], points[step + 1])
            ended[step] |= ended[step + 1]
        columns = [torch.stack(column) for column in zip(*steps, strict=True)]
        acted = columns[1].any(dim=-1)
        keep = acted & ended
        return Decisions(*(column[keep] for column in [*columns, points])), int(acted.sum())


def learn(
    scores: Scores, value: Value, optimizer: torch.optim.Optimizer, played: Decisions, generator: torch.Generator
) -> None:
    """Improve policy and critic from the decisions of some deals."""
    with torch.no_grad():
        advantage = played.points - value(played.observation).squeeze(-1)
        advantage /= advantage.std() + 1e-8
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(played.card), generator=generator).split(MINIBATCH):
            batch = Decisions(*(column[rows] for column in played))
            chances = Categorical(logits=masked(scores(batch.observation), batch.legal))
            ratio = (chances.log_prob(batch.card) - batch.log_prob).exp()
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            gain = torch.minimum(ratio * advantage[rows], clipped * advantage[rows]).mean()
            error = nn.functional.mse_loss(value(batch.observation).squeeze(-1), batch.points)
            loss = error - gain - 0.01 * chances.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--variant", default="partners")
    parser.add_argument("--steps", type=int, default=40000, help="cards played in training")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    scores, value = Scores(arguments.variant, arguments.seed), Value(arguments.variant, arguments.seed)
    optimizer = torch.optim.Adam([*scores.parameters(), *value.parameters()], lr=1e-3)
    report("before", greedy(scores), arguments.variant)
    games = SelfPlay(arguments.variant, arguments.seed)
    steps = 0
    while steps < arguments.steps:
        played, cards = games.rollout(scores)
        learn(scores, value, optimizer, played, games.generator)
        steps += cards
    report("after", greedy(scores), arguments.variant)


if __name__ == "__main__":
    main()
