"""The player of a trained policy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from agents.checkpoint import CheckpointError, read_checkpoint
from agents.network import NetworkConfig, PolicyNetwork, masked_log_probs
from agents.selfplay import unit_interval
from agents.versions import digest
from tressette_env.cards import IntArray, lowest_cards, popcount
from tressette_env.shuffling import random_bits, stream_keys
from tressette_env.view import View

BLOCK = 256
"""Rows the network always answers at once: a fixed size makes rounding independent of the batch."""


class NetworkPlayer:
    """Plays the most probable card, or draws one at a temperature above 0.

    `policy`: the network, on CPU.  Draws depend on `seed` and the view's keys alone.
    """

    def __init__(self, policy: PolicyNetwork, variant: str, seed: int = 0, temperature: float = 0.0) -> None:
        if not isinstance(temperature, int | float) or not temperature >= 0:
            raise ValueError(f"temperature must be a number of at least 0, not {temperature!r}")
        self.policy = policy.eval()
        self.variant = variant
        self._seed = seed
        self._temperature = temperature

    @property
    def version(self) -> str:
        """A hash of the weights, by which results are kept."""
        weights = b"".join(tensor.numpy().tobytes() for tensor in self.policy.state_dict().values())
        return f"weights {digest(weights)}"

    def act(self, view: View) -> IntArray:
        """Return the cards to play, (n,)."""
        if view.variant != self.variant:
            raise ValueError(f"this network plays {self.variant}, not {view.variant}")
        cards = lowest_cards(view.legal_cards)
        rows = np.flatnonzero(popcount(view.legal_cards) > 1)
        if len(rows):
            cards[rows] = self._choose(view.take(rows))
        return np.where(view.seat >= 0, cards, 0)

    def logits(self, view: View) -> torch.Tensor:
        """Return the network's scores, (n, 40) float32, computed in blocks of `BLOCK` rows."""
        observation = view.observation
        padded = np.zeros((-(-len(view) // BLOCK) * BLOCK, observation.shape[1]), np.uint8)
        padded[: len(view)] = observation
        with torch.inference_mode():
            blocks = torch.from_numpy(padded).reshape(-1, BLOCK, padded.shape[1])
            parts = [self.policy(block) for block in blocks]
        return torch.cat(parts)[: len(view)].float()

    def _choose(self, view: View) -> IntArray:
        legal = torch.from_numpy(view.legal)
        if not self._temperature:
            best: IntArray = masked_log_probs(self.logits(view), legal).argmax(dim=1).numpy()
            return best
        log_probs = masked_log_probs(self.logits(view) / self._temperature, legal).numpy()
        bits = random_bits(stream_keys(self._seed, view.keys), log_probs.shape[1])
        gumbel = -np.log(-np.log(unit_interval(bits) + 2.0**-54))
        noisy = np.where(view.legal, log_probs + gumbel, -np.inf)  # its largest entry is a draw from the policy
        drawn: IntArray = noisy.argmax(axis=1)
        return drawn


def load_player(path: Path, seed: int = 0, temperature: float = 0.0) -> NetworkPlayer:
    """Return the player of a checkpoint file or run directory; `CheckpointError` if it can not be read."""
    checkpoint = read_checkpoint(path)
    try:
        variant = checkpoint.config["game"]["variant"]
        policy = PolicyNetwork(variant, NetworkConfig(**checkpoint.config["network"]))
        policy.load_state_dict(checkpoint.part("average"))
        if not all(torch.isfinite(weights).all() for weights in policy.parameters()):
            raise ValueError("some weights are not finite")
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"{path} holds no network that this program can build: {error}") from None
    return NetworkPlayer(policy, variant, seed, temperature)
