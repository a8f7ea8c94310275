"""The training loop: play, learn, measure, save; a run can be stopped and resumed at any update.

Everything random is a function of (seed, update), so that the state of a run is its tensors and the number
of updates done.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from agents.checkpoint import CheckpointError, checkpoint_path, read_checkpoint, write_checkpoint
from agents.config import TrainConfig, plain
from agents.deal_ranges import DEVELOPMENT, RANGES
from agents.initialization import grow, initialize
from agents.measuring import measure
from agents.network import Critic, PolicyNetwork
from agents.network_player import weights_of
from agents.open_cards import FloatArray
from agents.pool import SnapshotPool
from agents.ppo import LossStatistics, NumericalError, critic_values, make_shards, update
from agents.run_log import MEASURED
from agents.selfplay import Decisions, Guest, Opponent, PlayerOpponent, PolicyOpponent, play_deals
from tressette_env.network import NetworkPlayer
from tressette_env.players import make_player
from tressette_env.shuffling import stream_keys

_POOL = 1
_TRAINING = 0x7472  # keeps the deals of training apart from those of every evaluation
Metrics = dict[str, float]


class Trainer:
    """One run: networks, optimisers and how far it has come.

    With `resume` it goes on from the newest checkpoint in `run_dir`, and what it once started from need not be there.
    Setting `stopping` ends it, with a checkpoint, after the update in progress.
    Raises `CheckpointError` if that checkpoint, or the one to start from, does not fit.
    """

    def __init__(self, config: TrainConfig, run_dir: Path, resume: bool = False) -> None:
        self.config = config
        self.run_dir = run_dir
        self.rules = config.game.rules
        self.device = pick_device(config.device)
        self.updates_done = 0
        self.stopping = False
        self._saved_update = 0
        variant = self.rules.variant
        self.policy = initialize(PolicyNetwork(variant, config.network), config.seed).to(self.device)
        self.critic = initialize(Critic(variant, config.critic), config.seed + 1).to(self.device)
        self.average = PolicyNetwork(variant, config.network)
        self.average.load_state_dict(self.policy.state_dict())
        self._adams = {
            "policy": torch.optim.Adam(self.policy.parameters(), eps=1e-5),
            "critic": torch.optim.Adam(self.critic.parameters(), eps=1e-5),
        }
        self.pool = SnapshotPool(variant, config.network, config.selfplay.snapshots)
        # Each shard has its own, since some players, such as foreign programs, can not be asked from two threads.
        self._opponents = [
            {name: PlayerOpponent(make_player(name, self.rules, config.seed)) for name in config.selfplay.opponents}
            for _ in range(config.selfplay.shards)
        ]
        if resume:
            self._restore()
        elif config.start:
            self._start_from(Path(config.start))
        self._deal_seed = int(stream_keys(config.seed, _TRAINING)[0] >> np.uint64(1))

    def run(self) -> Generator[Metrics, None, None]:
        """Do the updates that are left, or those until `stopping` is set, and yield the metrics of each.

        Raises `NumericalError` when the numbers go wrong; whatever fails in a worker is raised here.
        """
        with ThreadPoolExecutor(self.config.selfplay.threads) as executor:
            while self.updates_done < self.config.updates and not self.stopping:
                metrics = self._update(executor)
                if self._due(self.config.evaluation.every):
                    metrics |= self._measure(executor)
                if self._due(self.config.checkpoint_every):
                    self.save()
                yield metrics
            if self._saved_update != self.updates_done:
                self.save()

    def _due(self, every: int) -> bool:
        return every > 0 and self.updates_done % every == 0

    def _update(self, executor: ThreadPoolExecutor) -> Metrics:
        start = time.perf_counter()
        decisions = self._play(executor)
        played = time.perf_counter()
        values = self._value(executor, decisions)
        tensors = make_shards(decisions, values, self.config.ppo, self.device)
        entropy_weight = self._set_schedules()
        losses = update(
            self.policy,
            self.critic,
            list(self._adams.values()),
            tensors,
            self.config.ppo,
            entropy_weight,
            np.random.default_rng([self.config.seed, self.updates_done]),
            executor,
            self.config.precision,
            self._follow,
        )
        self.updates_done += 1
        if self.config.selfplay.past and self._due(self.config.selfplay.snapshot_every):
            self.pool.add(self.updates_done, self.policy)
        seconds = time.perf_counter() - start
        return _metrics(losses) | {
            "update": self.updates_done,
            "plays": self.updates_done * self.config.selfplay.deals * self.rules.num_cards,
            "train/decisions": sum(len(part) for part in decisions),
            "train/explained_variance": _explained_variance(decisions, values),
            "train/entropy_weight": entropy_weight,
            "train/learning_rate": self._adams["policy"].param_groups[0]["lr"],
            "speed/plays_per_second": sum(part.plays for part in decisions) / seconds,
            "speed/decisions_per_second": sum(len(part) for part in decisions) / seconds,
            "speed/share_playing": (played - start) / seconds,
        }

    def _play(self, executor: ThreadPoolExecutor) -> list[Decisions]:
        """Return the decisions of this update's deals, by shard."""
        precision = self.config.precision
        jobs = [
            executor.submit(
                play_deals,
                self.policy,
                self.rules,
                self._deal_seed,
                ids,
                self.device,
                precision,
                self._guests(shard, len(ids)),
                self.config.selfplay.solved,
            )
            for shard, ids in enumerate(self._deal_ids())
        ]
        return [job.result() for job in jobs]

    def _guests(self, shard: int, deals: int) -> list[Guest]:
        """Return who plays against the learner in a shard of this update: past selves and players by name."""
        settings = self.config.selfplay
        shares: list[tuple[Opponent, float]] = [
            (self._opponents[shard][name], part) for name, part in settings.opponents.items()
        ]
        if settings.past and len(self.pool):
            generator = np.random.default_rng([self.config.seed, self.updates_done, shard, _POOL])
            past = self.pool.draw(generator, self.device)
            shares.append((PolicyOpponent(past, self.device, self.config.precision), settings.past))
        guests, first = [], 0
        for opponent, part in shares:
            last = first + round(part * deals)
            guests.append(Guest(opponent, slice(first, last)))
            first = last
        return guests

    def _value(self, executor: ThreadPoolExecutor, decisions: list[Decisions]) -> list[FloatArray]:
        """Return what the critic expects at each decision, by shard."""
        precision = self.config.precision
        jobs = [executor.submit(critic_values, self.critic, part, self.device, precision) for part in decisions]
        values = [job.result() for job in jobs]
        if not all(np.isfinite(value).all() for value in values):
            raise NumericalError(f"update {self.updates_done}: the critic's values are not finite")
        return values

    def _deal_ids(self) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """Return the ids of this update's deals, by shard."""
        settings = self.config.selfplay
        ids = np.arange(settings.deals) + self.updates_done * settings.deals
        return list(ids.reshape(settings.shards, -1))

    def _set_schedules(self) -> float:
        """Set the learning rates of this update and return its entropy weight."""
        ppo = self.config.ppo
        left = 1 - self.updates_done / self.config.updates
        rate = ppo.final_learning_rate + (ppo.learning_rate - ppo.final_learning_rate) * left
        rates = {"policy": rate, "critic": ppo.critic_learning_rate * rate / ppo.learning_rate}
        for name, adam in self._adams.items():
            for group in adam.param_groups:
                group["lr"] = rates[name]
        return ppo.final_entropy + (ppo.entropy - ppo.final_entropy) * left

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the average of the weights after a gradient step."""
        weight = 1 - self.config.selfplay.average
        for kept, new in zip(self.average.parameters(), self.policy.parameters(), strict=True):
            kept.lerp_(new.to(kept.device), weight)

    def player(self) -> NetworkPlayer:
        """Return the player of the averaged weights."""
        return NetworkPlayer(weights_of(self.rules.variant, self.average.state_dict()))

    def _measure(self, executor: ThreadPoolExecutor) -> Metrics:
        opponent = make_player("rules", self.rules.variant)
        seed, pairs = RANGES[DEVELOPMENT].seed, self.config.evaluation.pairs
        summary = measure(self.player(), opponent, self.rules, seed, pairs, executor)
        return {
            MEASURED: summary["mean"],
            f"{MEASURED}_low": summary["ci95"][0],
            f"{MEASURED}_high": summary["ci95"][1],
        }

    def save(self) -> Path:
        """Write a checkpoint and return its path."""
        path = checkpoint_path(self.run_dir, self.updates_done)
        tensors = {f"average.{name}": tensor for name, tensor in self.average.state_dict().items()}
        for part, module in self._modules().items():
            tensors |= {f"{part}.{name}": tensor for name, tensor in module.state_dict().items()}
            for name, parameter in module.named_parameters():
                state = self._adams[part].state.get(parameter, {})
                tensors |= {f"adam.{part}.{name}.{key}": torch.as_tensor(value) for key, value in state.items()}
        tensors |= {f"pool.{name}": tensor for name, tensor in self.pool.tensors().items()}
        write_checkpoint(path, tensors, plain(self.config), {"updates": self.updates_done})
        self._saved_update = self.updates_done
        return path

    def _start_from(self, path: Path) -> None:
        """Take the weights of a checkpoint, or of the newest one of a run; `CheckpointError` if they do not fit."""
        checkpoint = read_checkpoint(path)
        try:
            if (variant := checkpoint.config["game"]["variant"]) != self.rules.variant:
                raise ValueError(f"it was trained for {variant}, not {self.rules.variant}")
            grow(self.policy, checkpoint.part("average"))
            grow(self.critic, checkpoint.part("critic"))
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"start={path} does not fit this configuration: {error}") from None
        self.average.load_state_dict(self.policy.state_dict())

    def _restore(self) -> None:
        """Go on from the newest checkpoint of the run; `CheckpointError` if it does not fit."""
        checkpoint = read_checkpoint(self.run_dir)
        try:
            self.average.load_state_dict(checkpoint.part("average"))
            self.pool.restore(checkpoint.part("pool"))
            for part, module in self._modules().items():
                module.load_state_dict(checkpoint.part(part))
                for name, parameter in module.named_parameters():
                    self._adams[part].state[parameter] = self._adam_state(checkpoint.part(f"adam.{part}.{name}"))
            self.updates_done = self._saved_update = int(checkpoint.progress["updates"])
        except (KeyError, RuntimeError) as error:
            raise CheckpointError(f"the checkpoint in {self.run_dir} does not fit its configuration: {error}") from None

    def _adam_state(self, state: dict[str, Tensor]) -> dict[str, Tensor]:
        # Adam counts its steps on the CPU whatever the device of the weights.
        return {key: value if key == "step" else value.to(self.device) for key, value in state.items()}

    def _modules(self) -> dict[str, nn.Module]:
        return {"policy": self.policy, "critic": self.critic}


def _explained_variance(decisions: list[Decisions], values: list[FloatArray]) -> float:
    """Return the share of the variance of the final points that the values explain."""
    final = np.concatenate([part.final for part in decisions])
    residual = final - np.concatenate(values)
    return float(1 - residual.var() / (final.var() + 1e-8))


def _metrics(losses: LossStatistics) -> Metrics:
    return {f"train/{name}": value for name, value in asdict(losses).items()}


def pick_device(name: str) -> torch.device:
    """Return the device that a configuration names; ``ValueError`` if there is none here."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device=cuda: there is no CUDA device here; use cpu or auto")
    return torch.device(name)
