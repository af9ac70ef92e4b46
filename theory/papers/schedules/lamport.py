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

from theory.judging import prover

slot = sympy.Symbol("slot", integer=True, nonnegative=True)
_PRINTED = {"clock": slot + 1}


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


CLAIM = prover.row(
    "schedules.lamport-slots",
    "ours",
    "In every run of a static order the Lamport clock of an action is its slot plus one, the slot "
    "in which it starts where all actions take one slot and messages none.",
    r"L(a) = \mathrm{slot}(a) + 1",
    _PRINTED,
    _grounds,
    origin="ours",
)
