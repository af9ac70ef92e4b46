"""Proof of Lemma C.1: how many stages do a backward in one slot of the steady state.

Problem    The proof counts updates slot by slot: p/2 in every slot for even p, (p ± 1)/2 in turns
           for odd p.
Method     A stage does a backward exactly in the slots t with t − s odd, from the proved start
           times; that many s < p are counted by induction on p.
Guarantee  As printed: ⌊p/2⌋ in even slots and ⌊(p + 1)/2⌋ in odd ones, from slot 3p − 1 on.
Source     RPD paper, appendix C, proof of Lemma C.1, cases 1 and 2.
"""

from collections.abc import Iterator

import sympy
import z3

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.papers.rpd.lemmas.busy import busy
from theory.papers.rpd.lemmas.laws import ASSUMES, start_time_steps

_PRINTED = {"even slots": sympy.floor(p_ / 2), "odd slots": sympy.floor((p_ + 1) / 2)}


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    yield from busy()
    p, t = z3.Ints("p t")

    def count(stages: z3.ArithRef) -> z3.ArithRef:
        even, odd = (prover.term(formulas[f"{one} slots"], {p_: stages}) for one in ("even", "odd"))
        return z3.If(t % 2 == 0, even, odd)

    one_more = count(p + 1) - count(p) == z3.If((t - p) % 2 == 1, 1, 0)
    says = "the number of s < p with t − s odd, by induction on p"
    goal = z3.And(count(z3.IntVal(0)) == 0, one_more)
    yield prover.decide_from(
        prover.Statement("stages that work backwards", says, (p >= 0,), goal), {"p": 0}
    )


CLAIM = prover.row(
    "rpd.c1-slot-counts",
    "appendix C, proof of Lemma C.1",
    "In every slot of the steady state ⌊p/2⌋ stages do a backward and the others a forward if the "
    "slot is even, ⌊(p + 1)/2⌋ if it is odd: half of them for even p, (p ± 1)/2 in turns for odd.",
    r"B_t = \tfrac p2 \text{ for even } p, \quad \tfrac{p \pm 1}2 \text{ in turns for odd } p",
    _PRINTED,
    _grounds,
    assumes=ASSUMES[1:],
    steps=start_time_steps,
    shares="delay laws",
)
