"""First weights from a seed of their own, without touching torch's global generator, or from a smaller network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import torch
from torch import Tensor, nn

from agents.network import Exchange, PolicyNetwork, UnsharedLinear

Module = TypeVar("Module", bound=nn.Module)
_SMALL = 0.01


def initialize(module: Module, seed: int) -> Module:
    """Fill every linear layer from `seed`: He-uniform weights, zero biases; returns the module.

    A policy's last layer is made small, so that play starts close to uniform over the legal cards.
    """
    generator = torch.Generator().manual_seed(seed)
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu", generator=generator)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
        elif isinstance(layer, UnsharedLinear):
            for weight in layer.weight:
                nn.init.kaiming_uniform_(weight, nonlinearity="relu", generator=generator)
            nn.init.zeros_(layer.bias)
    if isinstance(module, PolicyNetwork):
        with torch.no_grad():
            for weight in module.score.parameters():
                weight.mul_(_SMALL)
    return module


@torch.no_grad()
def grow(module: nn.Module, smaller: Mapping[str, Tensor]) -> None:
    """Give an initialised network the weights of a smaller one, so that it computes the same.

    Units of its own keep their first weights, but nothing listens to them yet; further exchanges, and what the smaller
    one did not read or hear (`NetworkConfig.facts`, `NetworkConfig.led`), do nothing yet
    (Chen et al., "Net2Net", 2016, with zeros for copies).  Raises ``ValueError`` for a weight that is larger than
    the network's, that it does not have, or that is missing.
    """
    own = module.state_dict()
    exchanges = tuple(f"{name}." for name, part in module.named_modules() if isinstance(part, Exchange))
    further = [name for name in own if name not in smaller]
    for name in further:
        if not name.startswith(exchanges) and not name.endswith(".led.weight"):
            raise ValueError(f"{name} is missing")
    for name, tensor in smaller.items():
        room = own[name].shape if name in own else ()
        if len(room) != tensor.ndim or any(size > most for size, most in zip(tensor.shape, room, strict=True)):
            raise ValueError(f"{name} of shape {tuple(tensor.shape)} has no place in this network")
        if name.endswith("weight"):
            own[name][..., : tensor.shape[-2], tensor.shape[-1] :] = 0
        own[name][tuple(slice(size) for size in tensor.shape)] = tensor
    for name in further:
        own[name].zero_()
