"""The abstract: asynchronous pipelines offer 100 % utilization by construction.

Problem    PipeDream's order, which the method runs on: which part of the time a stage works.
Method     The proved start times of equal stages (`rpd.idle`); a run with one slow stage.
Guarantee  All of the time between the forward of microbatch p and the last forward, if stages take
           equally long; of a whole run M/(M + p − 1), which tends to 1; with one slower stage the
           others wait in the steady state too.
Source     Nesterov paper, abstract, sections 1 and 5.5.
"""

from functools import cache

import sympy

from schedules.actions import Kind
from schedules.closed_forms.floor_sums import p_
from schedules.dependencies import tables
from schedules.families import build
from schedules.timeline import Timeline, timeline
from theory.judging import prover
from theory.laws.static_orders.symbols import M
from theory.papers.rpd import idle
from theory.papers.rpd.lemmas.laws import start_time_steps

_EQUAL = "equal stages, from the forward of microbatch p to the last one"
_SIZE = (2, 8)


@cache
def _run(slow: bool) -> Timeline:
    """Two stages and eight microbatches; the last stage may take twice as long."""
    p, microbatches = _SIZE
    longer = {(kind, p - 1): 2 for kind in (Kind.F, Kind.B)} if slow else {}
    return timeline(build("pipedream", p, microbatches), longer)


def _idle_between() -> int:
    """Slots in which stage 0 waits for the slow stage, between two forwards of the steady state."""
    line = _run(slow=True)
    p, microbatches = _SIZE
    forwards = tables(line.schedule).forward[0]
    first, last = (int(line.start[forwards[m]]) for m in (p, microbatches - 1))
    done = 2 * (microbatches - 1 - p)
    return last - first - done


def _waits(measured: str) -> prover.Refutation | None:
    p, microbatches = _SIZE
    if measured == "whole run":
        at, found = {"p": p, "M": microbatches}, _run(slow=False).idle
        again = prover.Violation(
            lambda: found, "==", sympy.S.Zero, {p_: p, M: microbatches}, (prover.le(2, p_),)
        )
    else:
        found, at = _idle_between(), {"p": p, "M": microbatches, "F and B of stage 1 take": 2}
        again = prover.Violation(_idle_between, "==", sympy.S.Zero, {p_: p, M: microbatches})
    return prover.Refutation({**at, "idle slots": found}, again) if found else None


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    return (
        prover.Case(_EQUAL, prover.Decision(tuple(idle.shown(formulas)))),
        prover.Case(
            "equal stages, a whole run",
            prover.Decision(fails=_waits("whole run")),
            "M/(M + p − 1), which tends to 1 as M grows",
        ),
        prover.Case(
            "a stage that takes longer, steady state", prover.Decision(fails=_waits("slow"))
        ),
    )


CLAIM = prover.row(
    "nesterov.utilization",
    "abstract; sections 1 and 5.5",
    "An asynchronous pipeline is utilized to 100 % by construction: no stage is ever idle.",
    r"\frac{\text{slots at work}}{\text{slots}} = 1",
    idle.CLAIM.core,
    idle.shown,
    cases=_cases,
    holding=(_EQUAL,),
    assumes=("PipeDream's scheduler, with one slot for every forward and backward",),
    depends=(idle.CLAIM.id,),
    steps=start_time_steps,
    shares="delay laws",
)
