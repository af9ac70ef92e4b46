"""Start times that are proved of a rule, held against the schedules that its family builds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from schedules.actions import Action, Kind
from schedules.closed_forms.affine import PRODUCT
from schedules.closed_forms.start_times import StartTimes
from schedules.families.family import Family
from schedules.schedule import Schedule
from schedules.timeline import timeline
from theory.laws.delays.domains import LEAST_STAGES, Admission
from theory.laws.links import Grid, Link, Place, compared, one_stage_a_rank

BOUND = "noam"
"""The parameter by which a family replaces its admission bound."""


def as_built(family: Family, admission: Admission, times: StartTimes) -> Link:
    """Compare start times with those of every schedule of a grid that the family builds.

    Parameters
    ----------
    family : Family
    admission : callable or None
        The bound on active microbatches that the start times are of.
    times : StartTimes

    Examples
    --------
    >>> from schedules.closed_forms.start_times import guess_start_times, sample
    >>> from schedules.families import get_family
    >>> naive, gpipe = get_family("naive"), get_family("gpipe")
    >>> times = guess_start_times(sample(gpipe, None))
    >>> as_built(gpipe, None, times).verdict.name
    'CHECKED'
    >>> as_built(naive, None, times).differs
    {'p': 2, 'M': 2, 's': 0, 'm': 0, 'starts': 3, 'stated': 4}
    """
    says = f"{family.name}'s schedule has the start times that are proved things of"
    parameters = partial(_given, family, admission)
    return compared(
        family, says, Grid(LEAST_STAGES), partial(wrong_start, times), parameters=parameters
    )


def _given(family: Family, admission: Admission, p: int, M: int) -> Mapping[str, int]:
    """Another bound than the family's own is one of its parameters, or it has none."""
    if admission is family.admission or all(known.name != BOUND for known in family.parameters):
        return {}
    return {BOUND: M if admission is None else int(admission(p))}


def wrong_start(times: StartTimes, schedule: Schedule) -> Place | None:
    """The first action of a schedule that does not start when it is said to, or None.

    Rank r has each F and B of stage r once and nothing else, and starts them in these slots.

    Examples
    --------
    >>> from schedules.closed_forms.start_times import guess_start_times, sample
    >>> from schedules.families import get_family
    >>> pipedream, gpipe = get_family("pipedream"), get_family("gpipe")
    >>> times = guess_start_times(sample(pipedream, pipedream.admission))
    >>> wrong_start(times, pipedream.build(4, 6)) is None
    True
    >>> wrong_start(times, gpipe.build(4, 6))
    {'s': 0, 'm': 4, 'starts': 4, 'stated': 8}
    """
    elsewhere = misplaced(schedule)
    if elsewhere is not None:
        return {"s": elsewhere}
    start = timeline(schedule).start
    for at in range(len(schedule)):
        action = schedule.action(at)
        stated = _stated(times, schedule, action)
        if stated != start[at]:
            found = {"starts": int(start[at]), "stated": stated}
            return {"s": action.stage, "m": action.microbatch, **found}
    return None


def _stated(times: StartTimes, schedule: Schedule, action: Action) -> int:
    form = times.forward if action.kind is Kind.F else times.backward
    p, m = schedule.stages, action.microbatch
    values = {"s": action.stage, "m": m, "p": p, "M": schedule.microbatches, PRODUCT: p * m}
    return int(form.at(values, lambda test, yes, no: yes if test else no))


def misplaced(schedule: Schedule) -> int | None:
    """The first stage of which not just F and B of each microbatch are on the rank of its number.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> [misplaced(get_family(name).build(4, 4)) for name in ("pipedream", "chimera")]
    [None, 0]
    """
    if schedule.groups or not one_stage_a_rank(schedule, schedule.stages):
        return 0
    for stage in range(schedule.stages):
        all_of_it = {
            Action(kind, stage, m)
            for kind in (Kind.F, Kind.B)
            for m in range(schedule.microbatches)
        }
        found = list(schedule.rank(stage))
        if len(found) != len(all_of_it) or set(found) != all_of_it:
            return stage
    return None
