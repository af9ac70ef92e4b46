"""Free runs of E.1's rule with a slow last stage, and how stale its microbatches are there."""

from __future__ import annotations

from schedules.actions import Action, Kind
from schedules.families.pipedream import RULE
from schedules.free_running import Time, free_run
from schedules.timeline import Timeline
from schedules.versions import versions


def slow_end(stages: int, times: int) -> Time:
    """Everything takes 1, except at the last stage, where it takes `times`."""
    return lambda action: times if action.stage == stages - 1 else 1


def pile_up(stages: int, noam: int) -> Time:
    """Everything takes 1, except the last stage's first forward, which takes p + NOAM."""
    first = Action(Kind.F, stages - 1, 0)
    return lambda action: stages + noam if action == first else 1


def worst_run(stages: int, noam: int) -> Timeline:
    """A free run that attains the bound at every stage: NOAM microbatches, a pile-up.

    Examples
    --------
    >>> for row in worst_run(3, 3).rows():
    ...     print(row)
    F0 F1 F2 . . . . . . . B0 . B1 . B2
    . F0 F1 F2 . . . . . B0 . B1 . B2 .
    . . F0 F0 F0 F0 F0 F0 B0 F1 B1 F2 B2 . .
    """
    return free_run(RULE, stages, noam, noam, pile_up(stages, noam))


def stalest(p: int, noam: int) -> list[int]:
    """The largest local staleness of every stage in the worst run."""
    found: list[int] = versions(worst_run(p, noam).schedule).local_staleness.max(axis=1).tolist()
    return found


def steady(p: int, times: int) -> list[list[int]]:
    """The values of steady local staleness at every stage, NOAM = p, behind a slow last stage."""
    microbatches = 6 * p
    run = free_run(RULE, p, microbatches, p, slow_end(p, times))
    window = versions(run.schedule).local_staleness[:, p : microbatches - p]
    return [sorted(set(row.tolist())) for row in window]
