"""The suit-equivariant policy network and the critic that also sees the hidden cards.

One tower, with the same weights for each suit, reads the suit's block of the observation together with the
numbers that concern no suit; towers talk through their mean, and all hear the tower of the suit that was led; each
suit's head scores its ten cards.
Relabelling suits permutes the logits and changes nothing else (Zaheer et al., "Deep Sets", 2017), to the last bit:
the mean is taken of numbers rounded to a grid, whose sum does not depend on their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.utils import skip_init

from agents.critic import POINTS_SCALE
from agents.ranges import check_range
from tressette_env.card_facts import facts_size
from tressette_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS
from tressette_env.rules import VARIANTS
from tressette_env.towers import GRID, follow_column, hidden_places, input_scales

_NEGATIVE = -1e9


@dataclass(frozen=True)
class NetworkConfig:
    """The size of a network."""

    width: int = 128
    """Units of the tower of a suit."""
    head: int = 128
    """Units of the head of a suit."""
    shared: bool = True
    """Whether the suits share their weights; if not, relabelling suits changes what is played."""
    rounds: int = 1
    """How often the suits exchange their mean."""
    led: bool = True
    """Whether each suit is also told what the suit that was led says."""
    facts: bool = True
    """Whether the suits read how cards stand to the trick and to the unseen ones (`tressette_env.card_facts`)."""

    def __post_init__(self) -> None:
        """Refuse what can not be built."""
        check_range("network", self, ("width", "head", "rounds"), 1)


def linear(inputs: int, outputs: int, bias: bool = True) -> nn.Linear:
    """Return a layer without values, which `agents.initialization` or a checkpoint fills.

    So building a network draws nothing from torch's global generator.
    """
    return cast(nn.Linear, skip_init(nn.Linear, inputs, outputs, bias=bias))  # type: ignore[no-untyped-call]


class UnsharedLinear(nn.Module):
    """A layer with weights of its own for each suit: (n, 4, inputs) to (n, 4, outputs); see `linear`."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(NUM_SUITS, outputs, inputs))
        self.bias = nn.Parameter(torch.empty(NUM_SUITS, outputs))

    def forward(self, features: Tensor) -> Tensor:
        """Return the outputs of each suit."""
        return torch.einsum("nsi,soi->nso", features, self.weight) + self.bias


def suit_linear(inputs: int, outputs: int, shared: bool) -> nn.Module:
    """Return a layer for the features of each suit, (n, 4, inputs)."""
    return linear(inputs, outputs) if shared else UnsharedLinear(inputs, outputs)


@dataclass(frozen=True)
class CriticConfig(NetworkConfig):
    """The size of the critic, and what it sees."""

    width: int = 64
    head: int = 64
    hidden: bool = True
    """Whether it sees the hidden cards."""


class SuitTowers(nn.Module):
    """The shared body: inputs (`tressette_env.card_facts.with_facts`) to features of each suit, (n, 4, head)."""

    suit_scale: Tensor
    shared_scale: Tensor

    def __init__(self, variant: str, config: NetworkConfig, extra: int = 0) -> None:
        super().__init__()
        if variant not in VARIANTS:
            raise ValueError(f"variant={variant!r} is not allowed: {', '.join(VARIANTS)}")
        suit_scale, shared_scale = map(torch.from_numpy, input_scales(variant))
        self.block_size, self.facts_size = len(suit_scale), facts_size(variant)
        self.read_size = self.block_size + (self.facts_size if config.facts else 0)
        size = self.read_size + extra
        suit_scale = torch.cat([suit_scale, torch.ones(size - self.block_size)])
        self.register_buffer("suit_scale", suit_scale, persistent=False)
        self.register_buffer("shared_scale", shared_scale, persistent=False)
        self.read_suit = suit_linear(size, config.width, config.shared)
        self.read_shared = linear(len(shared_scale), config.width, bias=False)
        self.tower = suit_linear(config.width, config.width, config.shared)
        self.own = suit_linear(config.width, config.head, config.shared)
        self.pooled = linear(config.width, config.head, bias=False)
        self.led = linear(config.width, config.head, bias=False) if config.led else None
        self.follow = follow_column(variant)
        self.again = nn.ModuleList(Exchange(config) for _ in range(config.rounds - 1))

    def forward(self, inputs: Tensor, hidden: Tensor | None = None) -> Tensor:
        """Return (n, 4, head); `inputs` (n, inputs), `hidden` (n, 4, extra) more of each suit, both uint8 or float32.

        Without `NetworkConfig.facts` observations will do.  Raises ``ValueError`` for a wrong number of columns.
        """
        blocks, shared = self._cut(inputs)
        led = blocks[:, :, self.follow].float()
        # In this order, so that a network that reads no facts yet can grow: see `agents.initialization.grow`.
        parts = [blocks[:, :, : self.block_size], hidden, blocks[:, :, self.block_size : self.read_size]]
        suits = torch.cat([part for part in parts if part is not None], dim=2) * self.suit_scale
        features = torch.relu(self.read_suit(suits) + self.read_shared(shared * self.shared_scale)[:, None])
        features = torch.relu(self.tower(features))
        features = torch.relu(self.own(features) + heard(features, led, self.pooled, self.led)[:, None])
        for exchange in self.again:
            features = exchange(features, led)
        return features

    def _cut(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return the suit blocks (n, 4, block) of the inputs, and what concerns no suit."""
        columns, shared = inputs.shape[1], len(self.shared_scale)
        sizes = [block for block in (self.block_size, self.block_size + self.facts_size) if block >= self.read_size]
        for block in sizes:
            if columns == NUM_SUITS * block + shared:
                return inputs[:, : NUM_SUITS * block].reshape(-1, NUM_SUITS, block), inputs[:, NUM_SUITS * block :]
        wanted = " or ".join(str(NUM_SUITS * block + shared) for block in sizes)
        raise ValueError(f"inputs have {columns} columns, not {wanted}: see tressette_env.card_facts.with_facts")


class Exchange(nn.Module):
    """One more exchange between the suits, added to their features; with weights of 0 it changes nothing."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.own = suit_linear(config.head, config.head, config.shared)
        self.pooled = linear(config.head, config.head, bias=False)
        self.led = linear(config.head, config.head, bias=False) if config.led else None

    def forward(self, features: Tensor, led: Tensor) -> Tensor:
        """Return the features after the exchange, both (n, 4, head), none below 0; for `led` see `heard`."""
        return torch.relu(features + self.own(features) + heard(features, led, self.pooled, self.led)[:, None])


def heard(features: Tensor, led: Tensor, pooled: nn.Module, of_led: nn.Module | None) -> Tensor:
    """Return what all suits are told, (n, out), of features (n, 4, in): their mean, and those of the suit that was led.

    `led` (n, 4): 1 for that suit, which is one of four or none.
    """
    told: Tensor = pooled(suit_mean(features))
    if of_led is None:
        return told
    only: Tensor = of_led(torch.bmm(led[:, None].to(features.dtype), features)[:, 0])
    return told + only


class _SuitMean(torch.autograd.Function):
    """See `suit_mean`."""

    generate_vmap_rule = True  # for libraries that batch networks with `torch.func`

    @staticmethod
    def forward(features: Tensor) -> Tensor:
        """Return the mean of features rounded to the grid."""
        return (features.float() * GRID).round_().sum(dim=1).div_(NUM_SUITS * GRID).to(features.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        """Keep nothing: the gradient depends on no value."""

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        """Return the gradient of the plain mean."""
        return (gradient / NUM_SUITS)[:, None].expand(-1, NUM_SUITS, -1)


def suit_mean(features: Tensor) -> Tensor:
    """Return the mean over the suits of (n, 4, width), exactly the same in any order of them.

    The gradient is that of the plain mean.
    """
    return cast(Tensor, _SuitMean.apply(features))  # type: ignore[no-untyped-call]


class PolicyNetwork(nn.Module):
    """Scores the cards: inputs (n, inputs) uint8 (`tressette_env.card_facts.with_facts`) to logits (n, 40), not masked.

    Besides it says who holds each unseen card: see `with_owners`.
    """

    def __init__(self, variant: str, config: NetworkConfig) -> None:
        super().__init__()
        self.body = SuitTowers(variant, config)
        self.score = suit_linear(config.head, NUM_RANKS, config.shared)
        self.places = hidden_places(variant)
        self.owner = suit_linear(config.head, NUM_RANKS * self.places, config.shared)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the logits."""
        return _in_float32(self.score, self.body(inputs)).reshape(-1, NUM_CARDS)

    def with_owners(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits, and (n, 40, places) scores of where each card is: the other seats, next first, the stock.

        They are meant for cards that the observer has not seen.
        """
        body = self.body(inputs)
        scores, owners = _in_float32(self.score, body), self.owner(body)
        return scores.reshape(-1, NUM_CARDS), owners.reshape(-1, NUM_CARDS, self.places)


class Critic(nn.Module):
    """Values a position for the side to act, history and hidden cards known; it guides training, and search.

    Returns the expected points still to come (own side minus the other), (n,).
    """

    def __init__(self, variant: str, config: CriticConfig) -> None:
        super().__init__()
        self._sees_hidden = config.hidden
        self.body = SuitTowers(variant, config, hidden_size(variant))
        self.value = nn.Sequential(linear(config.head, config.head), nn.ReLU(), linear(config.head, 1))

    def forward(self, inputs: Tensor, hidden: Tensor) -> Tensor:
        """Return the values; `inputs` as for the policy, `hidden` (n, 4, `hidden_size`) is of `hidden_planes`."""
        pooled = self.body(inputs, hidden if self._sees_hidden else torch.zeros_like(hidden)).mean(dim=1)
        return _in_float32(self.value, pooled).squeeze(1) * POINTS_SCALE


def hidden_size(variant: str) -> int:
    """Return how many inputs a suit the hidden cards take: ten for each other seat, ten for the stock's order."""
    return NUM_RANKS * hidden_places(variant)


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Return the context in which networks compute in `precision`: ``"float32"`` or ``"bfloat16"``."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16")


def emulates_bfloat16(device: torch.device) -> bool:
    """Say whether `device` is a processor that emulates bfloat16 (no AVX-512), much slower than float32."""
    return device.type == "cpu" and torch.backends.cpu.get_cpu_capability() in ("AVX2", "NO AVX")


def _in_float32(head: nn.Module, features: Tensor) -> Tensor:
    """Return what a head says in float32 whatever the rest computes in: bfloat16 has steps of 0.06 at 8."""
    with torch.autocast(features.device.type, enabled=False):
        return cast(Tensor, head(features.float()))


def masked_log_probs(logits: Tensor, legal: Tensor) -> Tensor:
    """Return log-probabilities over the legal cards, (n, 40) float32; very negative where illegal.

    `legal` (n, 40) bool, True = may be played; every row needs one.
    """
    return torch.log_softmax(torch.where(legal, logits.float(), _NEGATIVE), dim=1)


def entropy_of(log_probs: Tensor) -> Tensor:
    """Return the entropy in nats of each row of `masked_log_probs`, (n,)."""
    return -(log_probs.exp() * log_probs.clamp(min=_NEGATIVE / 2)).sum(dim=1)
