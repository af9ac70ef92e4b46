"""What a log has to show, one check a file.

Checks see the log and the prediction, not how the run was made; the last two also see what the
run left behind.

================== ==============================================================================
check              holds if
================== ==============================================================================
`order`            every rank did what the schedule declares, in that order
`versions`         predicted versions were used, and one update each came where predicted
`local_staleness`  every gradient is exactly as stale as predicted
`stash`            a backward used the version, and the content, that its forward read
`hash`             a version has one content, whenever it is looked at
`lamport`          the unit Lamport clock and the global delays in it are the slot model's
`real_time`        global delays by the clock lie in their range over all timings
`causality`        nothing started before what it needs had ended
`messages`         what crosses ranks was sent once and received once, by those it concerns
`losses`           every loss is finite (needs the run's result)
`final_weights`    the run ended with the weights of a single-threaded replay (needs both)
================== ==============================================================================
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
