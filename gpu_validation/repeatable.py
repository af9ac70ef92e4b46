"""What makes runs repeatable, and leaves the process as it was: seeds, and sums of one order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

WEIGHTS, DATA, FACTORY = range(3)
"""Purposes of random numbers, so that no two of them share a seed."""

_drawing: Final = threading.RLock()
"""Torch's global generator belongs to all threads."""


@contextmanager
def seeded(seed: int, purpose: int, number: int) -> Iterator[None]:
    """Draw from torch's global generator with a seed of our own, and put it back."""
    import torch

    with _drawing, torch.random.fork_rng(devices=[]):
        torch.manual_seed(mixed(seed, purpose, number))
        yield


def mixed(*numbers: int) -> int:
    """One seed from several numbers.

    Examples
    --------
    >>> mixed(0, WEIGHTS, 3) == mixed(0, DATA, 3)
    False
    """
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Let every operation on a CPU run in the thread that calls it, so that sums have one order."""
    import torch

    before = torch.get_num_threads()
    keep_to_one_torch_thread()
    try:
        yield
    finally:
        torch.set_num_threads(before)


def keep_to_one_torch_thread() -> None:
    """Let operations run in the thread that calls them, for good.

    Every thread of a run calls it. Torch remembers one number for all threads, but OpenMP has one
    for each of them, and a new thread begins with all cores: some operations, products of matrices
    among them, go by that one.
    """
    import torch

    torch.set_num_threads(1)
