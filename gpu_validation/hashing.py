"""Content hashes of weights: what two versions that claim to be the same are compared by.

They are made of the fingerprints that the recorder takes, where the weights are: on a device
nothing is copied but sums of rows, nothing waits, and the hash is read when the run is over. Bits
of different kinds of device are not comparable, hence the prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def content_hash(weights: Mapping[str, Tensor]) -> str | Callable[[], str]:
    """Hash a set of weights.

    Returns
    -------
    str or callable
        The hash, or, for weights on a device, a function that reads it later.
    """
    from gpu_validation.recorder import Fingerprint, together

    prints = {name: Fingerprint(tensor) for name, tensor in weights.items()}
    kinds = {tensor.device.type for tensor in weights.values()}

    def read() -> str:
        found = together({name: entry.digest() for name, entry in prints.items()})
        return found if kinds <= {"cpu"} else f"{'-'.join(sorted(kinds))}-{found}"

    return read() if kinds <= {"cpu"} else read
