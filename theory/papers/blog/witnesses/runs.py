"""What single runs of the families show: idle slots, waits, and forwards before a backward."""

from fractions import Fraction

from schedules.actions import Kind
from schedules.families import blog_naive
from schedules.families.family import Family
from schedules.schedule import Schedule
from schedules.timeline import timeline


def idle(family: Family, stages: int, size: int) -> Fraction:
    """Bubble of one run.

    Examples
    --------
    >>> from schedules.families import blog_1f1b
    >>> str(idle(blog_1f1b.FAMILY, 4, 8))
    '5/9'
    """
    return timeline(family.build(stages, 1 if family is blog_naive.FAMILY else size)).idle_fraction


def waits(family: Family, stages: int, size: int) -> list[int]:
    """Slots between its first computation and its last in which the last stage computes nothing.

    Examples
    --------
    >>> from schedules.families import blog_1f1b, one_f_one_b
    >>> waits(blog_1f1b.FAMILY, 2, 3), waits(one_f_one_b.FAMILY, 2, 3)
    ([3, 4, 7, 8], [])
    """
    line = timeline(family.build(stages, size))
    own = (line.schedule.stage == stages - 1) & (line.end > line.start)  # messages take no time
    busy = set(line.start[own].tolist())
    return [slot for slot in range(min(busy), max(busy)) if slot not in busy]


def forwards_first(schedule: Schedule, stage: int) -> int:
    """Forwards of a stage before its first backward.

    Examples
    --------
    >>> from schedules.families import blog_1f1b
    >>> [forwards_first(blog_1f1b.build(4, 8), s) for s in range(4)]
    [3, 2, 1, 1]
    """
    kinds = [action.kind for action in schedule.rank(stage)]
    return kinds[: kinds.index(Kind.B)].count(Kind.F)
