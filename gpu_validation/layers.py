"""The layers of the built-in models.

Attention is written with matrix products, so that the same kernels run in every process and, on a
GPU, deterministic ones exist. Shapes: B batch, L length, D width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

CLASSES: Final = 10
"""Classes that ``mlp`` tells apart."""

VOCABULARY: Final = 64
"""Tokens that ``transformer`` knows."""


class Residual(nn.Module):
    """x + tanh(linear(x)), (B, D) → (B, D)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the block."""
        return x + torch.tanh(self.linear(x))


class Block(nn.Module):
    """Causal attention and a feed-forward layer, each behind a norm, (B, L, D) → (B, L, D)."""

    def __init__(self, width: int, length: int) -> None:
        super().__init__()
        self.before_attention, self.before_mixing = nn.LayerNorm(width), nn.LayerNorm(width)
        self.projections, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mixing = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        # A plain attribute would stay on the CPU when the stage moves to a device.
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        self.register_buffer("future", future, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the block."""
        query, key, value = self.projections(self.before_attention(x)).chunk(3, dim=-1)
        scores = query @ key.transpose(-2, -1) / math.sqrt(x.shape[-1])
        weights = scores.masked_fill(self.future, -math.inf).softmax(dim=-1)
        x = x + self.out(weights @ value)
        mixed: Tensor = self.mixing(self.before_mixing(x))
        return x + mixed


class Embedding(nn.Module):
    """Tokens and their places, (B, L) → (B, L, D)."""

    def __init__(self, width: int, length: int) -> None:
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width)
        self.place = nn.Parameter(0.02 * torch.randn(length, width))

    def forward(self, tokens: Tensor) -> Tensor:
        """Look the tokens up."""
        found: Tensor = self.token(tokens)
        return found + self.place


class WithLoss(nn.Module):
    """The last stage: its layers, then the loss, (input, labels) → a scalar."""

    def __init__(self, body: nn.Module, loss: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.body, self.loss = body, loss

    def forward(self, x: Tensor, labels: Tensor) -> Tensor:
        """Compute the loss of a microbatch."""
        return self.loss(self.body(x), labels)


def mlp_stage(width: int, depth: int, stage: int, stages: int) -> nn.Module:
    """Build a stage of the ``mlp``; `depth` blocks and, at the ends, what belongs there."""
    parts: list[nn.Module] = [Residual(width) for _ in range(depth)]
    if stage == 0:
        parts.insert(0, nn.Linear(width, width))
    if stage < stages - 1:
        return nn.Sequential(*parts)
    parts.append(nn.Linear(width, CLASSES))
    return WithLoss(nn.Sequential(*parts), functional.cross_entropy)


def transformer_stage(width: int, depth: int, length: int, stage: int, stages: int) -> nn.Module:
    """Build a stage of the ``transformer``."""
    parts: list[nn.Module] = [Block(width, length) for _ in range(depth)]
    if stage == 0:
        parts.insert(0, Embedding(width, length))
    if stage < stages - 1:
        return nn.Sequential(*parts)
    parts += [nn.LayerNorm(width), nn.Linear(width, VOCABULARY)]
    return WithLoss(nn.Sequential(*parts), _next_token_loss)


def _next_token_loss(scores: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy of (B, L, vocabulary) against (B, L)."""
    return functional.cross_entropy(scores.flatten(0, 1), labels.flatten())
