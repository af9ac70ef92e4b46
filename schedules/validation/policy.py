"""Policy: the weight policy asks for no version that does not exist yet."""

from __future__ import annotations

from schedules.errors import InvalidScheduleError
from schedules.schedule import Schedule
from schedules.validation.violation import Violation
from schedules.versions import versions


def policy(schedule: Schedule) -> list[Violation]:
    r"""The first version that is asked for before it exists; of a complete, causal schedule.

    Examples
    --------
    >>> from schedules import WeightPolicy
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> late = parse_csv(
    ...     "0F0,0B0,0F1,0B1\n1F0,1I0,1F1,1W0,1B1", "a.csv", policy=WeightPolicy("vertical-sync")
    ... )
    >>> [found.invariant for found in policy(late)]
    ['policy']
    """
    try:
        versions(schedule)
    except InvalidScheduleError as error:
        witness: dict[str, object] = {
            "policy": schedule.policy.name,
            "interval": schedule.policy.interval,
        }
        return [Violation("policy", str(error), error.where, witness)]
    return []
