"""Lamport clocks of a static order are its slots.

Problem    Each action adds one to the largest clock seen so far, on its own rank or by a message.
Method     An action starts when the last of what it waits for has ended, if all take one slot and
           messages none: both numbers obey the same recursion along the dependencies.
Guarantee  The clock of an action is the slot in which it starts, plus one, whatever took how long
           in the run that the clocks were recorded in.
Source     ours; RPD paper, appendix G.4, records slots and versions of a replayed timeline.
"""

from collections.abc import Iterator

import sympy
import z3

from schedules.dependencies import edges
from schedules.families import build
from schedules.schedule import Schedule
from schedules.timeline import timeline
from theory.judging import prover

slot = sympy.Symbol("slot", integer=True, nonnegative=True)
_PRINTED = {"clock": slot + 1}
_FAMILIES = ("pipedream", "pipedream-runtime", "1f1b", "gpipe", "asyncpp")


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    one, other, clock_one, clock_other = z3.Ints("x y Lx Ly")

    def clock(of: z3.ArithRef) -> z3.ArithRef:
        return prover.term(formulas["clock"], {slot: of})

    def later(a: z3.ArithRef, b: z3.ArithRef) -> z3.ArithRef:
        return z3.If(a > b, a, b)

    known = (one >= 0, other >= 0, clock_one == clock(one), clock_other == clock(other))
    step = clock(later(one, other) + 1) == later(clock_one, clock_other) + 1
    says = "the first action has slot 0 and clock 1; one that waits for two others has one more"
    goal = z3.And(clock(z3.IntVal(0)) == 1, step)
    yield prover.decide_from(prover.Statement("recursion", says, known, goal), {"x": 0, "y": 0})


def clocks(schedule: Schedule) -> list[int]:
    """The Lamport clock of every action: the longest chain of actions that ends with it.

    Examples
    --------
    >>> clocks(build("pipedream", 2, 1))
    [1, 4, 2, 3]
    """
    before: list[list[int]] = [[] for _ in range(len(schedule))]
    starts = set(schedule.offsets.tolist())
    for action in range(len(schedule)):
        if action not in starts:
            before[action].append(action - 1)
    found = edges(schedule)
    for source, target in zip(found.source.tolist(), found.target.tolist(), strict=True):
        before[target].append(source)
    known: dict[int, int] = {}
    while len(known) < len(schedule):
        for action, needs in enumerate(before):
            if action not in known and all(one in known for one in needs):
                known[action] = 1 + max((known[one] for one in needs), default=0)
    return [known[action] for action in range(len(schedule))]


def _runs() -> tuple[prover.Line]:
    sizes = [(name, p, m) for name in _FAMILIES for p in (2, 3, 4) for m in (1, 4, 7)]
    same = True
    for name, p, m in sizes:
        made = build(name, p, m)
        same &= [start + 1 for start in timeline(made).start.tolist()] == clocks(made)
    found = prover.Exhausted(
        "clocks beside the slots of built schedules, p ≤ 4, M ≤ 7", len(sizes), same
    )
    return (prover.Line("ours", found.says, ", ".join(_FAMILIES), prover.Decision((found,))),)


CLAIM = prover.row(
    "schedules.lamport-slots",
    "ours",
    "In every run of a static order the Lamport clock of an action is its slot plus one, the slot "
    "in which it starts where all actions take one slot and messages none.",
    r"L(a) = \mathrm{slot}(a) + 1",
    _PRINTED,
    _grounds,
    steps=_runs,
    origin="ours",
)
