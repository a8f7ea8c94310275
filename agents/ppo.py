"""Proximal policy optimisation (Schulman et al., 2017) with a separate critic that sees the hidden cards.

An update's decisions are split into fixed shards; each shard's gradient is computed by itself, in one thread,
and the gradients are averaged in the shards' order.  So the result is the same however many threads work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from agents.critic import POINTS_SCALE
from agents.network import Critic, PolicyNetwork, autocast, entropy_of, masked_log_probs
from agents.open_cards import FloatArray
from agents.ranges import check_range
from agents.selfplay import Decisions
from tressette_env.cards import NUM_SUITS, IntArray


@dataclass(frozen=True)
class PPOConfig:
    """How the policy learns from an update's decisions."""

    learning_rate: float = 3e-3
    """Step size of the policy (Adam) at the start; falls linearly to `final_learning_rate`."""
    final_learning_rate: float = 2e-4
    """Step size of the policy at the end of the run."""
    critic_learning_rate: float = 3e-3
    """Step size of the critic at the start; falls in the same proportion as the policy's."""
    epochs: int = 1
    """Passes over an update's decisions."""
    minibatches: int = 16
    """Gradient steps in a pass."""
    clip: float = 0.2
    """How far the probability ratio may move before its gradient is cut."""
    entropy: float = 0.06
    """Weight of the entropy bonus, on normalised advantages, at the start."""
    final_entropy: float = 0.01
    """Weight of the entropy bonus at the end of the run."""
    gae_lambda: float = 0.8
    """λ of generalised advantage estimation over the decisions of all seats of a deal; the discount is 1."""
    max_grad_norm: float = 0.5
    """Longest gradient of either network; longer ones are scaled down."""
    keep: float = 1.0
    """Share of the unsolved decisions that the policy learns from: those of the largest advantages, of either sign."""
    owner: float = 0.0
    """Weight of the loss of the policy's guess who holds each unseen card."""

    def __post_init__(self) -> None:
        """Refuse what can not be run."""
        check_range("ppo", self, ("epochs", "minibatches"), 1)
        check_range("ppo", self, ("gae_lambda",), 0, 1)
        check_range("ppo", self, ("entropy", "final_entropy", "final_learning_rate", "owner"), 0)
        check_range("ppo", self, ("learning_rate", "critic_learning_rate", "clip", "max_grad_norm"), 1e-12)
        check_range("ppo", self, ("keep",), 1e-12, 1)


@dataclass(frozen=True)
class LossStatistics:
    """Means over an update's gradient steps."""

    policy_loss: float
    value_loss: float
    entropy: float
    approx_kl: float
    clip_fraction: float
    owner_loss: float
    solved_loss: float


class NumericalError(RuntimeError):
    """A loss or a gradient is no finite number; training can not go on."""


def generalized_advantages(values: FloatArray, decisions: Decisions, gae_lambda: float) -> FloatArray:
    """Return the advantage of each decision in points, (n,).

    `values` (n,): expected final points, own side minus the other; of solved decisions the exact ones are taken, and
    what is played from there on is left out of all advantages.  A trajectory is all unforced decisions of
    one deal, whoever's they are, undiscounted, seen from the side whose advantage it is; its only reward is the deal's
    points, after the last of them (Schulman et al., "High-dimensional continuous control using generalized advantage
    estimation", 2016).  Since the values know the hidden cards, what changes from one decision to the next is the
    effect of the one card: the luck of later cards, of any seat, weighs the less the smaller `gae_lambda` is.
    """
    order = np.lexsort((decisions.ply, decisions.deal))
    deal = decisions.deal[order]
    sign = np.where(decisions.seat[order] & 1, -1, 1).astype(np.float32)
    solved = decisions.solved[order]
    of_side_0 = np.where(solved, decisions.value[order], values[order]) * sign
    last = np.append(deal[1:] != deal[:-1], True)
    following = np.where(last, decisions.final[order] * sign, np.append(of_side_0[1:], 0))
    advantages = np.where(solved, 0, following - of_side_0).astype(np.float32)
    steps_left = _steps_to_end(last)
    for step in range(1, int(steps_left.max()) + 1):
        here = np.flatnonzero(steps_left == step)
        advantages[here] += gae_lambda * advantages[here + 1]
    result: FloatArray = np.empty_like(advantages)
    result[order] = advantages * sign
    return result


def _steps_to_end(last: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IntArray:
    """Return how many decisions of the same trajectory follow each one."""
    ends = np.flatnonzero(last)
    index = np.arange(len(last))
    return ends[np.searchsorted(ends, index)] - index


@dataclass(frozen=True)
class Shard:
    """Decisions as tensors, with what the losses need.

    The critic learns from all of them: those with large advantages are the ones whose luck it did not foresee.
    """

    inputs: Tensor
    hidden: Tensor
    legal: Tensor
    card: Tensor
    log_prob: Tensor
    advantage: Tensor
    to_come: Tensor
    """Points still to come when the decision was made: what the critic predicts."""
    best: Tensor
    """Of solved decisions the best cards, which the policy learns instead of an advantage."""
    kept: Tensor
    """Indices of the decisions that the policy learns from."""


def critic_values(
    critic: Critic, decisions: Decisions, device: torch.device, precision: str = "float32", block: int = 1024
) -> FloatArray:
    """Return the expected final points of the decider's side for each decision, (n,)."""
    parts = []
    with torch.inference_mode(), autocast(device, precision):
        for start in range(0, len(decisions), block):
            rows = slice(start, start + block)
            inputs = torch.from_numpy(decisions.inputs[rows]).to(device)
            hidden = torch.from_numpy(decisions.hidden[rows]).to(device)
            parts.append(critic(inputs, hidden).float().cpu().numpy())
    values: FloatArray = np.concatenate(parts) + decisions.taken
    return values


def make_shards(
    decisions: Sequence[Decisions], values: Sequence[FloatArray], config: PPOConfig, device: torch.device
) -> list[Shard]:
    """Return the shards of an update; advantages are normalised over all of them together.

    The policy learns from all solved decisions in them, and of the others that are `taught` from the `PPOConfig.keep`
    share with the largest advantages.
    """
    advantages = [
        generalized_advantages(value, part, config.gae_lambda) for value, part in zip(values, decisions, strict=True)
    ]
    by_advantage = [part.taught & ~part.solved for part in decisions]
    everything = np.concatenate([advantage[rows] for advantage, rows in zip(advantages, by_advantage, strict=True)])
    mean, deviation = everything.mean(), everything.std() + 1e-8
    least = np.quantile(np.abs(everything - mean), 1 - config.keep) if config.keep < 1 else 0.0
    return [
        _shard(part, (advantage - mean) / deviation, part.solved | (rows & (np.abs(advantage - mean) >= least)), device)
        for part, advantage, rows in zip(decisions, advantages, by_advantage, strict=True)
    ]


def _shard(decisions: Decisions, advantage: FloatArray, kept: npt.NDArray[np.bool_], device: torch.device) -> Shard:
    """Return the shard of the decisions, of which some, (n,), are kept for the policy."""
    columns = (
        decisions.inputs,
        decisions.hidden,
        decisions.legal,
        decisions.card,
        decisions.log_prob,
        advantage,
        decisions.final - decisions.taken,
        decisions.best,
        np.flatnonzero(kept),
    )
    return Shard(*(torch.from_numpy(column).to(device) for column in columns))


def owner_loss(owners: Tensor, hidden: Tensor) -> Tensor:
    """Return the mean cross-entropy, in nats, of where the unseen cards are said to be.

    `owners` (n, 40, places) scores, see `PolicyNetwork.with_owners`; `hidden` (n, 4, hidden) the truth.
    """
    rows, places = hidden.shape[0], owners.shape[2]
    there = hidden.reshape(rows, NUM_SUITS, places, -1).transpose(2, 3).reshape(owners.shape) > 0
    log_probs = torch.log_softmax(owners.float(), dim=2)
    return -(log_probs * there).sum() / there.sum().clamp(min=1)


def minibatch_gradients(
    policy: PolicyNetwork,
    critic: Critic,
    shard: Shard,
    rows: Tensor,
    valued: Tensor,
    config: PPOConfig,
    entropy_weight: float,
    precision: str = "float32",
) -> tuple[list[Tensor], Tensor]:
    """Return the gradients of both networks (policy's parameters first) and the `LossStatistics` as a tensor.

    The policy learns from the decisions `rows`, the critic from `valued`.
    """
    inputs, legal = shard.inputs[rows], shard.legal[rows]
    with autocast(inputs.device, precision):
        logits, owners = policy.with_owners(inputs) if config.owner else (policy(inputs), None)
        to_come = critic(shard.inputs[valued], shard.hidden[valued])
    log_probs = masked_log_probs(logits, legal)
    log_prob = log_probs.gather(1, shard.card[rows][:, None])[:, 0]
    log_ratio = log_prob - shard.log_prob[rows]
    ratio = log_ratio.exp()
    advantage = shard.advantage[rows]
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    best = shard.best[rows]
    solved = best.any(dim=1)
    policy_loss = -(torch.minimum(ratio * advantage, clipped * advantage) * ~solved).mean()
    entropies = entropy_of(log_probs) * ~solved
    of_best = torch.logsumexp(torch.where(best | ~solved[:, None], log_probs, -torch.inf), dim=1)
    solved_loss = -torch.where(solved, of_best, 0).mean()
    error = (to_come.float() - shard.to_come[valued]) / POINTS_SCALE
    value_loss = error.square().mean()
    of_owners = torch.zeros(()) if owners is None else owner_loss(owners, shard.hidden[rows])
    loss = policy_loss - entropy_weight * entropies.mean() + value_loss + config.owner * of_owners + solved_loss
    parameters = [*policy.parameters(), *critic.parameters()]
    gradients = list(torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True))
    with torch.no_grad():
        others = (~solved).sum().clamp(min=1)
        approx_kl = ((ratio - 1 - log_ratio) * ~solved).sum() / others
        clip_fraction = (((ratio - 1).abs() > config.clip) & ~solved).sum() / others
        entropy = entropies.sum() / others
        value_error = value_loss * POINTS_SCALE**2
        statistics = torch.stack([policy_loss, value_error, entropy, approx_kl, clip_fraction, of_owners, solved_loss])
    return gradients, statistics


def update(
    policy: PolicyNetwork,
    critic: Critic,
    optimizers: Sequence[torch.optim.Optimizer],
    shards: Sequence[Shard],
    config: PPOConfig,
    entropy_weight: float,
    generator: np.random.Generator,
    executor: Executor,
    precision: str,
    after_step: Callable[[], None],
) -> LossStatistics:
    """Do an update's gradient steps, calling `after_step` after each.

    Raises `NumericalError` when a gradient is not finite.
    """
    parameters = [list(policy.parameters()), list(critic.parameters())]
    flat = [parameter for group in parameters for parameter in group]
    totals = []
    for _ in range(config.epochs):
        parts = [split(shard, config.minibatches, generator) for shard in shards]
        for step in range(config.minibatches):
            jobs = [
                executor.submit(
                    minibatch_gradients,
                    policy,
                    critic,
                    shard,
                    *steps[step],
                    config,
                    entropy_weight,
                    precision,
                )
                for shard, steps in zip(shards, parts, strict=True)
            ]
            results = [job.result() for job in jobs]
            for index, parameter in enumerate(flat):
                parameter.grad = sum((gradients[index] for gradients, _ in results[1:]), results[0][0][index])
                parameter.grad /= len(results)
            norms = [torch.nn.utils.clip_grad_norm_(group, config.max_grad_norm) for group in parameters]
            if not all(torch.isfinite(norm) for norm in norms):
                raise NumericalError("a gradient is not finite: lower ppo.learning_rate, or look at the data")
            for optimizer in optimizers:
                optimizer.step()
            after_step()
            totals.append(torch.stack([statistics for _, statistics in results]).mean(dim=0))
    return LossStatistics(*torch.stack(totals).mean(dim=0).tolist())


def split(shard: Shard, parts: int, generator: np.random.Generator) -> list[tuple[Tensor, Tensor]]:
    """Return the decisions of each of almost equal parts, in random order: those of the policy, and of the critic."""
    of_policy, of_critic = (
        torch.from_numpy(generator.permutation(size)).to(shard.kept.device)
        for size in (len(shard.kept), len(shard.card))
    )
    return list(zip(shard.kept[of_policy].tensor_split(parts), of_critic.tensor_split(parts), strict=True))
