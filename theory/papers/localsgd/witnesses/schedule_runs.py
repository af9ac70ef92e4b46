"""Runs of E.2's schedule: what holds its forwards back, and whether its barrier holds."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import sympy

from schedules.dependencies import tables
from schedules.families.localsgd import CONDITIONS, as_gate, played
from schedules.timeline import timeline
from theory.account import Refutation, Violation

L_ = sympy.Symbol("first", integer=True)
SIZES = tuple(product((1, 2, 3, 4), (1, 2, 3), (1, 2, 3)))
"""(p, n, H) of the runs that are searched and replayed."""

PIPELINE = "pipeline"


def holding_back() -> Iterator[tuple[dict[str, int], frozenset[str]]]:
    """For every moment of every run: which conditions hold the next forward of a stage back."""
    for p, n, h in SIZES:
        jobs = 2 * n * h + 1
        schedule = played(p, jobs, n, h)
        line, index = timeline(schedule), tables(schedule)
        forward = line.start[index.forward]
        backward = line.start[index.backward]
        gates = {condition.name: as_gate(condition, n, h) for condition in CONDITIONS}
        for stage, job in product(range(p), range(jobs)):
            waits = {PIPELINE: int(forward[stage - 1, job])} if stage else {}
            for name, gate in gates.items():
                needed = gate(stage, job)
                if needed is not None:
                    waits[name] = int(backward[needed])
            start = int(forward[stage, job - 1]) + 1 if job else 0
            for slot in range(start, int(forward[stage, job])):
                moment = {"p": p, "n": n, "H": h, "stage": stage, "job": job, "slot": slot}
                yield moment, frozenset(name for name, done in waits.items() if done >= slot)


def alone() -> dict[tuple[str, bool], dict[str, int]]:
    """The first moment at which each condition alone holds back, by whether the stage is 0."""
    found: dict[tuple[str, bool], dict[str, int]] = {}
    for moment, names in holding_back():
        if len(names) == 1:
            found.setdefault((min(names), moment["stage"] == 0), moment)
    return found


def broken_barrier(first: sympy.Expr) -> dict[str, int] | None:
    """A forward of a replayed run that starts before a backward that it should wait for."""
    for p, n, h in SIZES:
        jobs = n * h
        schedule = played(p, 2 * jobs + 1, n, h)
        line, index = timeline(schedule), tables(schedule)
        ends, starts = line.end[index.backward], line.start[index.forward]
        for start in range(jobs, 2 * jobs + 1, jobs):
            limit = min(max(int(first.subs(L_, start)), 0), 2 * jobs + 1)
            late = int(ends[:, :limit].max(initial=0))
            for s, m in np.argwhere(starts[:, start : start + jobs] < late)[:1].tolist():
                return {
                    "p": p,
                    "n": n,
                    "H": h,
                    "stage": s,
                    "job": start + m,
                    "forward at": int(starts[s, start + m]),
                    "backward ends": late,
                }
    return None


_ENDS = sympy.Symbol("T_B", integer=True)
"""The end of the last backward of the rounds before."""


def against(first: sympy.Expr) -> Refutation | None:
    """A run that breaks the barrier, if there is one: a forward starts before a backward ends."""
    found = broken_barrier(first)
    if found is None:
        return None
    ends = found["backward ends"]

    def starts() -> int:
        again = broken_barrier(first)
        return ends if again is None else again["forward at"]

    return Refutation(found, Violation(starts, ">=", _ENDS, {_ENDS: ends}))
