"""Past selves: snapshots of a policy, taken now and then, that the learner plays against."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from agents.network import NetworkConfig, PolicyNetwork


class SnapshotPool:
    """At most `most` snapshots in half precision, spread over the updates of a run, the newest among them.

    What plays is what is kept: the weights after rounding, so that a resumed run goes on exactly.
    """

    def __init__(self, variant: str, config: NetworkConfig, most: int) -> None:
        self._variant, self._config, self._most = variant, config, most
        self._weights: dict[int, dict[str, Tensor]] = {}

    def __len__(self) -> int:
        """Return the number of snapshots."""
        return len(self._weights)

    @property
    def updates(self) -> list[int]:
        """After how many updates each snapshot was taken, in order."""
        return list(self._weights)

    def add(self, update: int, policy: PolicyNetwork) -> None:
        """Keep the policy as it is after so many updates, more than those of every other snapshot."""
        self._weights[update] = {
            name: tensor.detach().to("cpu", torch.float16, copy=True) for name, tensor in policy.state_dict().items()
        }
        if len(self._weights) > self._most:
            del self._weights[self._crowded()]

    def _crowded(self) -> int:
        """Return the snapshot whose neighbours are closest to each other; the first and the newest have none."""
        updates = self.updates
        if len(updates) < 3:
            return updates[0]
        gaps = [after - before for before, after in zip(updates[:-2], updates[2:], strict=True)]
        return updates[1 + int(np.argmin(gaps))]

    def draw(self, generator: np.random.Generator, device: torch.device) -> PolicyNetwork:
        """Return a network with the weights of one snapshot, each as likely as another."""
        chosen = self._weights[self.updates[int(generator.integers(len(self)))]]
        policy = PolicyNetwork(self._variant, self._config)
        policy.load_state_dict({name: tensor.float() for name, tensor in chosen.items()})
        return policy.to(device).eval()

    def tensors(self) -> dict[str, Tensor]:
        """Return all weights by ``UPDATE.NAME``, for a checkpoint."""
        return {f"{update}.{name}": tensor for update, kept in self._weights.items() for name, tensor in kept.items()}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Take the snapshots of a checkpoint, as `tensors` returned them."""
        self._weights = {}
        for key in sorted(tensors, key=lambda key: int(key.partition(".")[0])):
            update, _, name = key.partition(".")
            self._weights.setdefault(int(update), {})[name] = tensors[key]
