"""CleanRL style: masked PPO in a single file, every seat learning from its own trajectory.

    pip install -e ".[train]"
    python -m examples.cleanrl_ppo --seconds 45

Only torch, TensorBoard and the batch core: `DealBatch` plays many deals in lock-step, one network holds all seats, and
what each seat saw and did is one trajectory, paid at the end of the deal.  `tensorboard --logdir runs` shows curves.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from examples.measuring import report
from examples.networks import Scores, Value, greedy, masked
from tressette_env import DealBatch
from tressette_env.cards import NUM_CARDS
from tressette_env.observation import obs_size

LEARNING_RATE, GAE_LAMBDA, CLIP, ENTROPY, VALUE, GRADIENT_NORM = 1e-3, 0.95, 0.2, 0.01, 0.02, 0.5
EPOCHS, MINIBATCH = 4, 512


class Agent(nn.Module):
    """Policy and value of what a seat sees, two networks that share nothing."""

    def __init__(self, variant: str, seed: int) -> None:
        super().__init__()
        self.actor, self.critic = Scores(variant, seed), Value(variant, seed)

    def log_probs(self, observation: Tensor, legal: Tensor) -> Tensor:
        """Return log-probabilities of the cards, (n, 40), very negative where illegal."""
        return masked(self.actor(observation), legal).log_softmax(dim=1)

    def value(self, observation: Tensor) -> Tensor:
        """Return the expected margin of the seat's side, (n,) points."""
        return torch.squeeze(self.critic(observation), -1)


class Decisions(NamedTuple):
    """What all seats decided, one row each."""

    observation: Tensor
    legal: Tensor
    card: Tensor
    log_prob: Tensor
    value: Tensor
    advantage: Tensor


def play(agent: Agent, deals: DealBatch, generator: torch.Generator) -> Decisions:
    """Play out a batch of deals and return the decisions of all seats.

    What goes wrong most often in a card game: advantages along the plies of a deal run from seat to seat, friend to
    foe.  Here entry (t, i, k) is the t-th decision of seat k in deal i, and they run along t.
    """
    seats = deals.rules.seats
    shape = (NUM_CARDS // seats, deals.num_deals, seats)
    observations = torch.zeros(*shape, obs_size(deals.rules), dtype=torch.uint8)
    legal = torch.zeros(*shape, NUM_CARDS, dtype=torch.bool)
    cards, log_probs, values = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape), torch.zeros(shape)
    played = torch.zeros(shape, dtype=torch.bool)
    while not deals.done:
        rows = np.flatnonzero(deals.active)  # a historical deal may be over before its first card
        at = tuple(map(torch.from_numpy, (deals.ply[rows] // seats, rows, deals.player[rows].astype(np.int64))))
        seen, allowed = torch.from_numpy(deals.observe()[rows]), torch.from_numpy(deals.legal_mask()[rows])
        with torch.no_grad():
            logs = agent.log_probs(seen, allowed)
            chosen = torch.multinomial(logs.exp(), 1, generator=generator)
            values[at], log_probs[at] = agent.value(seen), logs.gather(1, chosen)[:, 0]
        observations[at], legal[at], cards[at], played[at] = seen, allowed, chosen[:, 0], True
        reply = np.zeros(deals.num_deals, np.int64)
        reply[rows] = chosen[:, 0].numpy()
        deals.step(reply)
    ahead = torch.from_numpy(deals.points[:, 0] - deals.points[:, 1]).float()
    margin = torch.stack([ahead if seat % 2 == 0 else -ahead for seat in range(seats)], dim=1)
    columns = (observations, legal, cards, log_probs, values, advantages(values, margin))
    return Decisions(*(column[played] for column in columns))


def advantages(values: Tensor, margin: Tensor) -> Tensor:
    """Return GAE without discount along the first axis of `values` (turns, …), paid `margin` (…) at the end."""
    found, advantage, following = torch.empty_like(values), torch.zeros_like(margin), margin
    for turn in reversed(range(len(values))):
        advantage = following - values[turn] + GAE_LAMBDA * advantage
        found[turn], following = advantage, values[turn]
    return found


def minibatches(decisions: Decisions, generator: torch.Generator) -> Iterator[Decisions]:
    """Yield the decisions in random order, each once an epoch."""
    for _ in range(EPOCHS):
        for rows in torch.split(torch.randperm(len(decisions.card), generator=generator), MINIBATCH):
            yield Decisions(*(column[rows] for column in decisions))


def learn(agent: Agent, optimizer: torch.optim.Optimizer, batch: Decisions) -> dict[str, float]:
    """Take one gradient step of PPO and return what to plot."""
    logs = agent.log_probs(batch.observation, batch.legal)
    log_ratio = logs.gather(1, batch.card[:, None])[:, 0] - batch.log_prob
    ratio = log_ratio.exp()
    advantage = (batch.advantage - batch.advantage.mean()) / (batch.advantage.std() + 1e-8)
    policy_loss = -torch.min(advantage * ratio, advantage * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
    value_loss = (agent.value(batch.observation) - batch.advantage - batch.value).square().mean()
    entropy = -(logs.exp() * logs).sum(dim=1).mean()
    optimizer.zero_grad()
    torch.autograd.backward(policy_loss + VALUE * value_loss - ENTROPY * entropy)
    nn.utils.clip_grad_norm_(agent.parameters(), GRADIENT_NORM)
    optimizer.step()
    kl = (ratio - 1 - log_ratio).mean()
    found = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy, "approx_kl": kl}
    return {name: value.item() for name, value in found.items()}


def train(variant: str, agent: Agent, seconds: float, seed: int, num_deals: int = 256) -> int:
    """Train for so many seconds and return the number of decisions learned from."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(agent.parameters(), LEARNING_RATE, eps=1e-5)
    deals = DealBatch(num_deals, variant)
    start, update, decisions = time.monotonic(), 0, 0
    with SummaryWriter(f"runs/cleanrl_{variant}_{seed}") as writer:
        while (spent := (time.monotonic() - start) / seconds) < 1:
            optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - spent)
            deals.reset(seed=seed, deal_ids=update * num_deals + np.arange(num_deals))
            played = play(agent, deals, generator)
            update, decisions = update + 1, decisions + len(played.card)
            for batch in minibatches(played, generator):
                plotted = learn(agent, optimizer, batch)
            for name, value in plotted.items():
                writer.add_scalar(f"losses/{name}", value, decisions)
    return decisions


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--variant", default="partners")
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    agent = Agent(arguments.variant, arguments.seed)
    report("before", greedy(agent.actor), arguments.variant)
    decisions = train(arguments.variant, agent, arguments.seconds, arguments.seed)
    print(f"learned from {decisions:,} decisions")
    report("after", greedy(agent.actor), arguments.variant)


if __name__ == "__main__":
    main()
