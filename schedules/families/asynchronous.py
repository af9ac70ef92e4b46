"""What asynchronous families share: PipeDream's static order, and updates at an interval.

With L = p − 1 − s forwards ahead and an update after every K backwards, stage s has had
⌊max(0, m − L)/K⌋ updates when F of microbatch m starts, and ⌊m/K⌋ when its B starts or its gradient
is applied. So mismatch and local staleness are ⌊m/K⌋ − ⌊max(0, m − L)/K⌋, in start-up, steady state
and drain, for all durations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schedules.errors import ParameterError
from schedules.families.family import require_room
from schedules.families.figures import Figures
from schedules.families.one_f_one_b import ORDER
from schedules.policies import WeightPolicy
from schedules.rules import run_static
from schedules.schedule import Schedule

FIGURES: Final = Figures(makespan="2*(M + p - 1)", work="2*M", peak="Min(p - r, M)")
"""Of PipeDream's static order, at every interval."""


def without_flush(
    family: str,
    stages: int,
    microbatches: int,
    policy: WeightPolicy,
    parameters: Mapping[str, int],
) -> Schedule:
    """The order of ``1f1b``, run on without a flush.

    Parameters
    ----------
    family : str
        Name of the family.
    stages, microbatches : int
    policy : WeightPolicy
        Its interval is at most M: see `require_updates`.
    parameters : mapping
        The family's parameters, checked.

    Raises
    ------
    SizeError
        More actions than this package agrees to build.

    Examples
    --------
    >>> print(*without_flush("example", 2, 3, WeightPolicy("stash"), {}).rank(0))
    0F0 0F1 0B0 0F2 0B1 0B2
    """
    require_room(family, stages, microbatches)
    orders = run_static(ORDER, stages, microbatches)
    return Schedule.from_orders(family, orders, microbatches, policy, parameters=parameters)


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
