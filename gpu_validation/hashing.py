"""Content hashes of weights: what two versions that claim to be the same are compared by.

On a CPU it is blake2b over names, types, shapes and bytes. On a device it is a weighted sum of
32-bit words, computed there: nothing is copied and nothing waits, and the number is read when the
run is over. Hashes of different devices are not comparable, hence the prefix.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from torch import Tensor

DIGEST_BYTES: Final = 16

WORDS_AT_A_TIME: Final = 1 << 22
"""Words that are weighted together; bounds the memory that a hash takes."""


def content_hash(weights: Mapping[str, Tensor]) -> str | Callable[[], str]:
    """Hash a set of weights.

    Returns
    -------
    str or callable
        The hash, or, for weights on a device, a function that reads it later.

    Examples
    --------
    >>> import torch
    >>> content_hash({"w": torch.zeros(2)})
    'blake2b:...'
    """
    if all(tensor.device.type == "cpu" for tensor in weights.values()):
        return _blake2b(weights)
    total = _word_sum(weights)
    return lambda: f"words:{int(total.item()) & 0xFFFFFFFFFFFFFFFF:016x}"


def _blake2b(weights: Mapping[str, Tensor]) -> str:
    found = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for name in sorted(weights):
        tensor = weights[name].detach().contiguous()
        found.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        found.update(_bytes(tensor).numpy().data)
    return f"blake2b:{found.hexdigest()}"


def _bytes(tensor: Tensor) -> Tensor:
    """The same memory as bytes."""
    import torch

    return tensor.reshape(-1).view(torch.uint8)


def _word_sum(weights: Mapping[str, Tensor]) -> Tensor:
    """Σ (2k + 1)·w_k modulo 2⁶⁴ over all words, in order of the names.

    Odd factors that differ from word to word: a change of one word, or an exchange of two that
    differ, changes the sum.
    """
    import torch

    parts, place = [], 0
    for name in sorted(weights):
        data = _bytes(weights[name].detach().contiguous())
        words = torch.nn.functional.pad(data, (0, -len(data) % 4)).view(torch.int32)
        for chunk in torch.split(words, WORDS_AT_A_TIME):
            factor = torch.arange(place, place + len(chunk), device=chunk.device)
            parts.append((chunk.to(torch.int64) * (2 * factor + 1)).sum())
            place += len(chunk)
    return torch.stack(parts).sum()
