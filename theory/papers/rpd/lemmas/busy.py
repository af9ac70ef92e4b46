"""When the stages of PipeDream are busy, from its proved start times.

In the steady state F(s, m) = 2m + s and B(s, m) = 2m + 2p − 1 − s, so that a stage's forwards take
the slots of one parity and its backwards those of the other.
"""

from collections.abc import Iterator

import sympy
import z3

from schedules.closed_forms.floor_sums import p_
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.symbols import Microbatch
from theory.laws.static_orders.symbols import M, term
from theory.papers.rpd.lemmas.laws import times
from theory.smt.instances import decide_from
from theory.smt.solver import Outcome, Statement, Term

SMALLEST = {"p": 2, "M": 4, "s": 0}


def works(kind: str) -> Statement:
    """In a slot between F(s, p) and F(s, M − 1) stage s does the forward or backward that is due.

    Forwards are due in the slots t with t − s even, backwards in the others.
    """
    at, m, t, s = times(), Microbatch.named("m"), z3.Int("t"), z3.Int("s")
    size, forward = at.size, kind == "F"
    slot = (at.forward if forward else at.backward)(s, m)
    due = 2 * m.index + s if forward else 2 * m.index + 2 * size.p - 1 - s
    return Statement(
        f"busy with {kind}",
        f"in every slot t from 2p + s to 2(M − 1) + s with t − s {'even' if forward else 'odd'} "
        f"stage s does a {'forward' if forward else 'backward'}, of a microbatch of the run",
        (
            *domain(size),
            a_stage(size, s),
            t >= 2 * size.p + s,
            t <= 2 * (size.microbatches - 1) + s,
            t == due,
            z3.Implies(m.index >= 0, a_microbatch(size, m)),
        ),
        z3.And(m.index >= 0, m.index < size.microbatches, slot == t),
    )


def busy() -> Iterator[Outcome]:
    """No slot is idle between F(s, p) and F(s, M − 1)."""
    yield decide_from(works("F"), SMALLEST)
    yield decide_from(works("B"), SMALLEST)


def ends(length: sympy.Expr) -> Iterator[Outcome]:
    """The run takes so many slots: B(0, M − 1) is the last to end."""
    at, m, last, s = times(), Microbatch.named("m"), Microbatch.named("n"), z3.Int("s")
    size = at.size
    claimed = term(length, {p_: size.p, M: size.microbatches})
    run = (*domain(size), a_stage(size, s), a_microbatch(size, m), a_microbatch(size, last))
    end: Term = at.backward(z3.IntVal(0), last) + 1
    within = z3.And(at.backward(s, m) + 1 <= claimed, at.forward(s, m) + 1 <= claimed)
    attained = (*run, last.index == size.microbatches - 1)
    says = "no forward or backward ends later"
    yield decide_from(Statement("within", says, attained, within), {"p": 2, "M": 1, "s": 0})
    yield decide_from(Statement("attained", "one ends then", attained, end == claimed), {"p": 2})
