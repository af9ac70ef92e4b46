"""What runs of small sizes say of a family: the numbers that a law would have to give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from schedules.closed_forms.start_times import build_from_rule
from schedules.delays import Unsteady, delays, steady
from schedules.errors import ScheduleError
from schedules.families.family import Family
from schedules.schedule import Schedule
from schedules.timeline import timeline
from schedules.versions import versions
from theory.laws.delays.domains import Admission

RANKS: Final = range(2, 6)
PER_RANK: Final = 8
"""Sizes of the table: p = 2 … 5, each with M = 8p microbatches."""


def table(family: Family, linearization: str, admission: Admission) -> list[dict[str, Any]]:
    """Delays, staleness and length of every size of the table, exactly, as plain data.

    Parameters
    ----------
    family : Family
    linearization : str
    admission : callable or None
        The bound on active microbatches; of a family without a rule `build` alone counts.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> family = get_family("pipedream")
    >>> table(family, "ascending", family.admission)[2]["mean"]
    '15/2'
    """
    return list(_rows(family, linearization, admission))


def _rows(family: Family, linearization: str, admission: Admission) -> Iterator[dict[str, Any]]:
    for p in RANKS:
        M = PER_RANK * p
        try:
            yield {
                "p": p,
                "M": M,
                **_numbers(build_from_rule(family, p, M, admission), linearization),
            }
        except ScheduleError as error:
            yield {"p": p, "M": M, "refused": error.what}


def _numbers(schedule: Schedule, linearization: str) -> dict[str, Any]:
    line = timeline(schedule)
    found = delays(line, linearization)
    part = steady(found)
    stale = versions(schedule).local_staleness.max(axis=1).tolist()
    rest = {
        "whole_run_max": int(found.matrix.max(initial=0)),
        "local_staleness_whole_run": stale,
        "makespan": line.length,
    }
    if isinstance(part, Unsteady):
        return {"max": None, "min": None, "mean": None, "steady_why": part.why, **rest}
    return {"max": part.max, "min": part.min, "mean": str(part.mean), "from": part.first, **rest}
