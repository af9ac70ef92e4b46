"""Appendix F: a delay that is positive at the last stage, which has no local staleness.

Problem    The last stage does a backward right after its forward, and yet its own block can have a
           delay in the global history.
Method     The derived delay matrix at i = j = p: the updates of other stages in between.
Guarantee  ⌊(p − 1)/2⌋, positive for every p ≥ 3 and 0 at p = 2; larger in other linearizations.
Source     RPD paper, appendix F, "Why can the exact delays be large?".
"""

from collections.abc import Iterator
from functools import partial

import sympy

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.delays.matrix import i_, j_
from theory.laws.delays.polynomials import in_words
from theory.papers.rpd.lemmas import laws

_PRINTED = {"delay": sympy.floor((p_ - 1) / 2)}
_SEARCHED = range(2, 9)


def _derived(linearization: str) -> dict[int, sympy.Expr]:
    """The entry at i = j = p, by the residue of p."""
    matrix = laws.closed(linearization).matrix
    stages = {p % matrix.period: (p - 1) % matrix.period for p in range(matrix.period)}
    last = {i_: p_ - 1, j_: p_ - 1}
    return {p: sympy.expand(matrix.entry(p, s, s).subs(last)) for p, s in stages.items()}


def _same(formulas: prover.Formulas, linearization: str = laws.PAPER) -> Iterator[prover.Compared]:
    derived = _derived(linearization)
    for parity, entry in derived.items():
        half = sympy.Symbol("h", integer=True, nonnegative=True)
        gap = (entry - formulas["delay"]).subs(p_, len(derived) * half + parity)
        says = f"it is the derived entry at i = j = p, p = {parity} mod {len(derived)}"
        yield prover.Compared(says, "sympy.simplify", sympy.simplify(gap) == 0)


def _known(formulas: prover.Formulas, linearization: str) -> tuple[prover.Decision, str]:
    for p in _SEARCHED:
        found = laws.replayed_entry(p, p - 1, p - 1, linearization)
        if found != formulas["delay"].subs(p_, p):
            again = partial(laws.replayed_entry, p, p - 1, p - 1, linearization)
            violation = prover.Violation(
                again, "==", formulas["delay"], {p_: p}, (prover.le(2, p_),)
            )
            witness = {"linearization": linearization, "p": p, "delay": found}
            says = f"{found} at p = {p}: there it is {in_words(_derived(linearization))}"
            return prover.Decision(fails=prover.Refutation(witness, violation)), says
    return prover.Decision(tuple(_same(formulas, linearization))), ""


def _cases(formulas: prover.Formulas) -> tuple[prover.Case, ...]:
    return laws.by_linearization(partial(_known, formulas))


CLAIM = prover.row(
    "rpd.last-stage-delay",
    "appendix F",
    "In the steady state of PipeDream the last stage's own block has the exact delay ⌊(p − 1)/2⌋, "
    "positive for every p ≥ 3, though the stage has no local staleness.",
    r"d_{p,p} = \left\lfloor \tfrac{p - 1}2 \right\rfloor > 0 \text{ for } p \ge 3",
    _PRINTED,
    _same,
    cases=_cases,
    assumes=laws.ASSUMES,
    steps=laws.our_steps,
    shares="delay laws",
)
