"""What asynchronous families share: PipeDream's static order, and updates at an interval.

With L = p − 1 − s forwards ahead and an update after every K backwards, stage s has had
⌊max(0, m − L)/K⌋ updates when F of microbatch m starts, and ⌊m/K⌋ when its B starts or its gradient
is applied. So mismatch and local staleness are ⌊m/K⌋ − ⌊max(0, m − L)/K⌋, in start-up, steady state
and drain, for all durations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from schedules.errors import ParameterError
from schedules.families.figures import Figures
from schedules.families.one_f_one_b import ORDER
from schedules.stamps import StampedOrder

FIGURES: Final = Figures(
    makespan="2*(M + p - 1)",
    work="2*M",
    peak="Min(p - r, M)",
    staleness="Min(ceiling((p - 1 - s)/update_interval), floor(M/update_interval) - 1)",
)
"""Of PipeDream's static order, at every interval."""


def updated_every(interval: str) -> StampedOrder:
    """The order of ``1f1b``, run on without a flush, with a parameter that is 1 by default.

    Examples
    --------
    >>> updated_every("K").accept("example", 2, 2, {"K": 3})
    Traceback (most recent call last):
    schedules.errors.ParameterError: family example: an update follows K = 3 microbatches of a ...
    """

    def accept(family: str, p: int, M: int, values: Mapping[str, int]) -> Mapping[str, int]:
        require_updates(family, interval, values[interval], M)
        return {}

    return replace(ORDER, accept=accept, defaults={interval: 1})


def require_updates(family: str, name: str, interval: int, microbatches: int) -> None:
    """Refuse a run in which no update happens.

    Parameters
    ----------
    family, name : str
        Of the family, and of its parameter.
    interval : int
        Microbatches an update follows.
    microbatches : int
        Microbatches whose gradients one weight copy gets.

    Raises
    ------
    ParameterError
        More than there are.
    """
    if interval > microbatches:
        raise ParameterError(
            f"an update follows {name} = {interval} microbatches of a weight copy, found "
            f"{microbatches}: its weights would never change",
            f"family {family}",
            f"take {name} ≤ {microbatches}, or more microbatches",
        )
