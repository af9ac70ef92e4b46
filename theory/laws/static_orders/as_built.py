"""Programs that are proved things of, held against the schedules that families build."""

from __future__ import annotations

from schedules.families.family import Family
from schedules.schedule import Schedule
from theory.laws.links import Grid, Link, Place, compared
from theory.laws.static_orders.program import Program, unlike


def as_built(family: Family, program: Program, grid: Grid) -> Link:
    """Compare a program with every schedule of a grid that a family builds, messages included.

    Parameters
    ----------
    family : Family
    program : Program
    grid : Grid

    Examples
    --------
    >>> from schedules.families import get_family
    >>> from theory.laws.static_orders.gpipe import two_waves
    >>> program = two_waves("gpipe", descending=True, least_stages=2)
    >>> link = as_built(get_family("blog-gpipe"), program, Grid(least_microbatches=2))
    >>> link.verdict.name, link.sizes, link.grid.words
    ('CHECKED', 75, '2 ≤ p ≤ 7, 2 ≤ M ≤ 3p')
    """

    def place(schedule: Schedule) -> Place | None:
        stage = unlike(program, schedule, schedule.stages, schedule.microbatches)
        return None if stage is None else {"s": stage}

    says = f"{family.name}'s schedule is the program that is proved things of"
    return compared(family, says, grid, place)
