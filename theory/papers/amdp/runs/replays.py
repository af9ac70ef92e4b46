"""Runs of one pipeline, and what is read off them: start times, mismatches, extremes.

The runs are the family's; mismatches are counted in program order, one update a backward, without
the formulas that they are compared with.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from schedules.actions import Kind
from schedules.families import amdp
from schedules.families.pipedream import RULE
from schedules.families.sharing import run_sharing
from schedules.policies import WeightPolicy
from schedules.rules import run_greedy
from schedules.schedule import Schedule
from schedules.timeline import timeline
from theory.account import Compared
from theory.ledger import Evidence
from theory.papers.amdp.lemmas.minibatches import Pipeline
from theory.papers.amdp.lemmas.start_times import CAPPED, LAWS, TWO, Law
from theory.smt.queries import remembered

SIZES: Final = (
    *((p, admission) for p in range(1, 6) for admission in range(1, p + 1)),
    *((p, admission) for p in range(1, 5) for admission in range(p + 1, 7)),
)
"""(d, n) of the runs, those with n ≤ d first."""


def one_pipeline(stages: int, admission: int, minibatches: int, *, stage_cap: bool) -> Schedule:
    """The family's schedule; without the cap also for n > d, where the family has no use for it.

    Examples
    --------
    >>> print(*one_pipeline(3, 4, 4, stage_cap=False).rank(1))
    1F0 1F1 1F2 1B0 1F3 1B1 1B2 1B3
    """
    if admission <= stages:
        return amdp.build(
            stages, minibatches, admission=admission, pipelines=1, stage_cap=int(stage_cap)
        )
    if stage_cap:
        return one_pipeline(stages, stages, minibatches, stage_cap=True)
    orders = run_greedy(RULE, stages, minibatches, admission).orders
    return Schedule.from_orders("amdp", orders, minibatches, WeightPolicy("latest"))


def by_order(schedule: Schedule, stage: int, copy: int = 0) -> dict[int, int]:
    """Mismatch of every minibatch of a weight copy, one update a backward, read off the program.

    Examples
    --------
    >>> by_order(one_pipeline(4, 2, 4, stage_cap=False), 1)
    {0: 0, 1: 1, 2: 0, 3: 1}
    """
    copies = schedule.placement.copies
    order = [
        (action.kind, action.microbatch)
        for rank in range(schedule.ranks)
        for action in schedule.rank(rank)
        if action.stage == stage and copies[action.pipeline][stage] == copy
    ]
    found = {}
    for m in sorted({m for _, m in order}):
        ahead, back = order.index((Kind.F, m)), order.index((Kind.B, m))
        found[m] = sum(kind is Kind.B for kind, _ in order[ahead:back])
    return found


def runs(law: Law) -> Iterator[tuple[int, int, Schedule, dict[Kind, int]]]:
    """Runs of the rule of a law, with the durations for which it is made, and d and n."""
    equal = {Kind.F: 1, Kind.B: 1}
    for p, admission in SIZES:
        if not all(law.allows(Pipeline.of(p, admission))):
            continue
        minibatches = 2 * admission + 1
        stage_cap = law is CAPPED
        yield p, admission, one_pipeline(p, admission, minibatches, stage_cap=stage_cap), equal
        if law in (CAPPED, TWO):
            limits = amdp.caps(p, minibatches, admission, int(stage_cap))
            for taken in ({Kind.F: 5, Kind.B: 2}, {Kind.F: 3, Kind.B: 7}):
                placement = amdp.directions(p, 1)
                orders = run_sharing(RULE, placement, minibatches, limits, taken)
                policy = WeightPolicy("latest")
                yield p, admission, Schedule.from_orders("amdp", orders, minibatches, policy), taken


@remembered
def difference() -> dict[str, Any] | None:
    """The first action of a run that does not start when its law says, or None.

    Examples
    --------
    >>> difference() is None
    True
    """
    for law in LAWS:
        for p, admission, schedule, taken in runs(law):
            line = Pipeline.of(p, admission, law.rounds)
            actions = zip(schedule.kind, schedule.stage, schedule.microbatch, strict=True)
            starts = timeline(schedule, taken).start
            for (kind, stage, m), found in zip(actions, starts.tolist(), strict=True):
                at = law.start(Kind(kind), line, int(stage), line.minibatch(int(m))).at(taken)
                if found != at:
                    where = {"d": p, "n": admission, "i": int(stage), "m": int(m)}
                    return {"law": law.name, **where, "kind": Kind(kind).name, "found": found}
    return None


_AGREE: Final = "runs of d ≤ 5 and n ≤ 6 start every action when the proved formulas say"


def agreement() -> Compared:
    """That no run contradicts the start times that are proved."""
    return Compared(_AGREE, "theory.papers.amdp.runs.replays.difference", difference() is None)


def compared() -> tuple[Evidence, ...]:
    """What the family's runs say of the start times that are proved."""
    differs = difference()
    if differs is not None:
        return (Evidence("against", "an action that starts at another time", differs),)
    return (Evidence("for", _AGREE, {"laws": [law.name for law in LAWS]}),)
