"""Programs that are proved things of, held against the schedules that families build."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from schedules.families.family import Family
from schedules.lowering import lower
from schedules.schedule import Schedule
from theory.laws.delays.as_built import misplaced
from theory.laws.links import Grid, Link, Place, compared
from theory.laws.static_orders.program import Program, unlike


def as_built(family: Family, program: Program, grid: Grid, *, lowered: bool) -> Link:
    """Compare a program with every schedule of a grid that a family builds.

    Parameters
    ----------
    family : Family
    program : Program
    grid : Grid
    lowered : bool
        Whether messages are first placed as `schedules.lowering.lower` does, in a schedule that has
        just F and B; else the family's schedules have messages of their own.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> from theory.laws.static_orders.gpipe import GPIPE
    >>> link = as_built(get_family("gpipe"), GPIPE, Grid(1), lowered=True)
    >>> link.verdict.name, link.sizes, link.grid.words
    ('CHECKED', 84, '1 ≤ p ≤ 7, 1 ≤ M ≤ 3p')
    >>> as_built(get_family("1f1b"), GPIPE, Grid(1), lowered=True).differs
    {'p': 1, 'M': 2, 's': 0}
    """
    which = "lowered schedule" if lowered else "schedule"
    says = f"{family.name}'s {which} is the program that is proved things of"
    return compared(family, says, grid, _lowered(program) if lowered else partial(_place, program))


def _place(program: Program, schedule: Schedule) -> Place | None:
    stage = unlike(program, schedule, schedule.stages, schedule.microbatches)
    return None if stage is None else {"s": stage}


def _lowered(program: Program) -> Callable[[Schedule], Place | None]:
    """Orders that are the same at several intervals K are lowered once."""
    last: dict[object, Place | None] = {}

    def place(schedule: Schedule) -> Place | None:
        key = _order(schedule)
        if key not in last:
            last.clear()
            elsewhere = misplaced(schedule)
            found = _place(program, lower(schedule)) if elsewhere is None else {"s": elsewhere}
            last[key] = found
        return last[key]

    return place


def _order(schedule: Schedule) -> tuple[object, ...]:
    """All that lowering reads of a schedule."""
    columns = (schedule.kind, schedule.stage, schedule.microbatch, schedule.pipeline)
    arrays = tuple(column.tobytes() for column in (*columns, schedule.offsets))
    return (*arrays, schedule.microbatches, schedule.placement, schedule.groups)
