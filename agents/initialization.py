"""First weights from a seed of their own, without touching torch's global generator."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn

from agents.network import PolicyNetwork, UnsharedLinear

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
