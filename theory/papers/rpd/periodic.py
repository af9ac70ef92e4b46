"""Appendix F: in the steady state the updates and their exact delays repeat.

Problem    Whether the sequence of backward updates, and the delays that they need, are periodic.
Method     Start times: a microbatch does everything two slots after the one before it. Counts: the
           updates that F(s, m) and B(s, m) see are m plus a number that does not depend on m.
Guarantee  The active stages repeat after p updates, which two slots have, and so do the delays.
Source     RPD paper, appendix F, "Steady-state structure".
"""

from collections.abc import Iterator

import sympy
import z3

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.delays.domains import a_microbatch, a_stage, domain
from theory.laws.delays.symbols import Microbatch
from theory.papers.rpd.c1_slot_counts import CLAIM as SLOT_COUNTS
from theory.papers.rpd.lemmas.laws import ASSUMES, law, our_steps, times

SLOTS = SLOT_COUNTS.printed
_PRINTED = {"slots": sympy.Integer(2), "updates": p_}


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    at, m, s = times(), Microbatch.named("m"), z3.Int("s")
    size = at.size
    then, slots = size.shift(m, 1), prover.term(formulas["slots"], {p_: size.p})
    inside = (*domain(size), a_stage(size, s), a_microbatch(size, m), m.index >= size.p)
    shifted = z3.And(
        at.forward(s, then) - at.forward(s, m) == slots,
        at.backward(s, then) - at.backward(s, m) == slots,
    )
    says = "microbatch m + 1 ≥ p + 1 does everything so many slots after microbatch m"
    yield prover.decide_from(
        prover.Statement("shift", says, inside, shifted), {"p": 2, "M": 3, "m": 2, "s": 0}
    )
    p, updates = size.p, prover.term(formulas["updates"], {p_: size.p})
    both = sum(prover.term(form, {p_: p}) for form in SLOTS.values())
    says = "the backwards of an even and an odd slot together (`rpd.c1-slot-counts`)"
    yield prover.decide_from(
        prover.Statement("updates", says, (p >= 2,), updates == both), {"p": 2}
    )
    yield from (part for part in law().proof if part.name == "counts")


CLAIM = prover.row(
    "rpd.periodic",
    "appendix F, steady-state structure",
    "In the steady state of PipeDream the active stages, and the exact delays of their updates, "
    "repeat after p updates, every microbatch being two slots behind the one before it.",
    r"d^{k + p} = d^k,\quad i_{k + p} = i_k",
    _PRINTED,
    _grounds,
    assumes=ASSUMES,
    steps=our_steps,
    depends=(SLOT_COUNTS.id,),
    shares="delay laws",
)
