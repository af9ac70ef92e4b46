"""Check ``losses``: every loss of the run is a finite number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from gpu_validation.checks.finding import Finding, fails, holds, undecided

NAME: Final = "losses"


def check(losses: Sequence[float | None]) -> Finding:
    """Look at every loss; None stands for a microbatch that was not reached.

    Weights that are no numbers any more would agree with every replay.
    """
    for microbatch, loss in enumerate(losses):
        if loss is not None and not math.isfinite(loss):
            return fails(
                NAME,
                f"the loss of microbatch {microbatch} is {loss}: lower the learning rate, or look "
                "for the first stage whose output is not finite",
                len(losses),
                microbatch=microbatch,
                loss=str(loss),
            )
    known = sum(loss is not None for loss in losses)
    if known < len(losses):
        return undecided(NAME, f"{len(losses) - known} of {len(losses)} losses are missing")
    return holds(NAME, known, f"{known} losses are finite")
