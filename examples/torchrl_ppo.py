"""TorchRL: PPO self-play with one masked policy for all seats.

    pip install -e ".[train]" torchrl
    python -m examples.torchrl_ppo --steps 12000

`PettingZooWrapper` takes some 4 ms a step, so not many deals are played in a minute.
"""

from __future__ import annotations

import argparse

import torch
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss, ValueEstimators

from examples.measuring import report
from examples.networks import Scores, Value, greedy
from examples.seeding import global_generators
from tressette_env import tressette_v0

SEATS = "players"
"""The group of all seats: tensors get a dimension for them."""
OBSERVATION = (SEATS, "observation", "observation")
EPOCHS = 12
MINIBATCH = 256


def make_env(variant: str, seed: int) -> PettingZooWrapper:
    """Return the environment with all seats in one group."""
    game = tressette_v0.env(variant)
    return PettingZooWrapper(game, use_mask=True, group_map={SEATS: game.possible_agents}, seed=seed)


def make_loss(env: PettingZooWrapper, scores: Scores, value: Value) -> ClipPPOLoss:
    """Return the loss of PPO, which holds actor and critic."""
    actor = ProbabilisticActor(
        TensorDictModule(scores, in_keys=[OBSERVATION], out_keys=[(SEATS, "logits")]),
        spec=env.full_action_spec,
        in_keys={"logits": (SEATS, "logits"), "mask": (SEATS, "action_mask")},
        out_keys=[(SEATS, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = TensorDictModule(value, in_keys=[OBSERVATION], out_keys=[(SEATS, "state_value")])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
    names = {name: (SEATS, name) for name in ("reward", "action", "done", "terminated", "advantage", "value_target")}
    loss.set_keys(value=(SEATS, "state_value"), sample_log_prob=(SEATS, "action_log_prob"), **names)
    loss.make_value_estimator(ValueEstimators.GAE, gamma=1.0, lmbda=0.98)
    return loss


def decisions(played: TensorDictBase, loss: ClipPPOLoss) -> TensorDictBase:
    """Return the rows of the seats that acted, (n, 1), with their advantages.

    What goes wrong most often: every step has a row for every seat, and the mask of a seat that is off turn is all
    True, not all False.  Its action was never played, so its row must not reach the loss; but it must reach the
    advantages, since rewards are written where a seat is off turn as well.
    """
    with torch.no_grad():
        loss.value_estimator(played, params=loss.critic_network_params, target_params=loss.target_critic_network_params)
    acted: TensorDictBase = played[SEATS][played[SEATS, "mask"]]
    return acted.unsqueeze(1)


def update(loss: ClipPPOLoss, optimizer: torch.optim.Optimizer, batch: TensorDictBase) -> None:
    """Learn from a batch in a few passes."""
    seen = TensorDict({SEATS: batch}, batch_size=batch.batch_size[:1])
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch)).split(MINIBATCH):
            found = loss(seen[rows])
            total = sum(found[name] for name in ("loss_objective", "loss_critic", "loss_entropy"))
            optimizer.zero_grad()
            total.backward()
            torch.nn.utils.clip_grad_norm_(loss.parameters(), 1.0)
            optimizer.step()


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--variant", default="partners")
    parser.add_argument("--steps", type=int, default=12000, help="cards played in training")
    parser.add_argument("--batch", type=int, default=1000, help="cards played between two updates")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the networks are small: more threads wait for each other
    with global_generators(arguments.seed):  # TorchRL samples with them
        env = make_env(arguments.variant, arguments.seed)
        scores, value = Scores(arguments.variant, arguments.seed), Value(arguments.variant, arguments.seed)
        loss = make_loss(env, scores, value)
        report("before", greedy(scores), arguments.variant)
        optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
        collector = Collector(
            env,
            loss.actor_network,
            frames_per_batch=arguments.batch,
            total_frames=arguments.steps,
            auto_register_policy_transforms=False,  # they are for policies with a memory
        )
        for played in collector:
            update(loss, optimizer, decisions(played, loss))
        collector.shutdown()
        report("after", greedy(scores), arguments.variant)


if __name__ == "__main__":
    main()
