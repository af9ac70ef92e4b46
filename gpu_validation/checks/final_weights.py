"""Check ``final-weights``: the run ended with the weights that a single-threaded replay has.

Bit for bit, unless a tolerance is stated (for kernels that are not deterministic).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpu_validation.checks.finding import Finding, fails, holds, undecided
from gpu_validation.spec import CopyOfStage

NAME: Final = "final-weights"

Weights = Mapping[CopyOfStage, Mapping[str, NDArray[np.generic]]]
"""(stage, copy) → name → values."""


def check(found: Weights, replayed: Weights, tolerance: float = 0.0) -> Finding:
    """Compare every tensor of every weight copy.

    - `found`, `replayed`: final weights of the run and of the replay.
    - `tolerance`: largest allowed distance over the largest magnitude of the replayed tensor; 0
      asks for the same bits.
    """
    compared = 0
    for copy in sorted(found.keys() | replayed.keys()):
        ours, theirs = found.get(copy, {}), replayed.get(copy, {})
        for name in sorted(ours.keys() | theirs.keys()):
            compared += 1
            off = _distance(ours.get(name), theirs.get(name))
            if not off <= tolerance:
                return fails(
                    NAME,
                    f"{name} of stage {copy[0]}, copy {copy[1]} ends {off:.3g} (relative) away "
                    f"from the replay; {_allowed(tolerance)}",
                    compared,
                    stage=copy[0],
                    copy=copy[1],
                    tensor=name,
                    distance=str(off),
                )
    copies = len(replayed)
    says = f"{compared} tensors of {copies} weight copies end as in the replay"
    return holds(NAME, compared, f"{says}; {_allowed(tolerance)}")


def check_digests(found: Mapping[CopyOfStage, str], replayed: Mapping[CopyOfStage, str]) -> Finding:
    """The same for a log, which has hashes of the weights only.

    Whoever asks for a replay asks for this comparison, so that without hashes that can be compared
    it is undecided.
    """
    if not found.keys() >= replayed.keys():
        return undecided(NAME, "the log lacks hashes of final weights")
    kinds = {hashed.partition(":")[0] for hashed in (*found.values(), *replayed.values())}
    if len(kinds) > 1:
        return undecided(NAME, f"hashes of different kinds say nothing: {sorted(kinds)}")
    for copy in sorted(replayed):
        if found[copy] != replayed[copy]:
            return fails(
                NAME,
                f"stage {copy[0]}, copy {copy[1]} ends as {found[copy]} in the log and as "
                f"{replayed[copy]} in the replay",
                len(replayed),
                stage=copy[0],
                copy=copy[1],
            )
    return holds(NAME, len(replayed), f"{len(replayed)} weight copies end as in the replay")


def _distance(ours: NDArray[np.generic] | None, theirs: NDArray[np.generic] | None) -> float:
    """0 for the same bits, ∞ for different shapes; else the relative distance, or NaN."""
    if ours is None or theirs is None or ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return float("inf")
    if ours.tobytes() == theirs.tobytes():
        return 0.0
    one, other = ours.astype(np.float64), theirs.astype(np.float64)
    scale = np.abs(other).max(initial=0.0) or 1.0
    # Bits differ, so that the distance is above 0 even where the values are equal (0 and −0).
    return max(float(np.abs(one - other).max(initial=0.0) / scale), np.finfo(np.float64).tiny)


def _allowed(tolerance: float) -> str:
    return f"{tolerance:g} is allowed" if tolerance else "the same bits are asked for"
