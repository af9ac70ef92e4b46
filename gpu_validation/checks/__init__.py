"""What a log has to show, one check a file; docs/how-to/measuring.md says when each holds.

Checks see the log and the prediction, not how the run was made; `losses` and `final_weights` also
see what the run left behind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gpu_validation.checks import (
    causality,
    hash,
    lamport,
    local_staleness,
    messages,
    order,
    real_time,
    stash,
    versions,
)
from gpu_validation.checks.finding import Finding, Outcome
from gpu_validation.checks.observed import Observed, observed
from gpu_validation.prediction import Prediction

Check = Callable[[Observed, Prediction], Finding]

CHECKS: Final[dict[str, Check]] = {
    module.NAME: module.check
    for module in (
        order,
        versions,
        local_staleness,
        stash,
        hash,
        lamport,
        real_time,
        causality,
        messages,
    )
}
"""The checks that need nothing but the log and the prediction."""

__all__ = ["CHECKS", "Check", "Finding", "Observed", "Outcome", "examine", "observed"]


def examine(seen: Observed, predicted: Prediction) -> list[Finding]:
    """All checks of a log, in a fixed order."""
    return [check(seen, predicted) for check in CHECKS.values()]
