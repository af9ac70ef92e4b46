"""(30), line 2: one iteration of the telescoping sum, which the paper sums from t = 1 on.

It uses λ_t(1 − γ_t) = 2. At t = 1 that is 1, as γ_1 = 0, and the line is false: Huber's function
far from its minimum falls by more. From t = 2 on the line is proved (`nesterov.eq-30-later`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.falsifier.nesterov_runs import Delayed, run
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import huber
from theory.kernel.as_claim import judgement
from theory.ledger import Case, Finding, Judgement, Repair
from theory.ledger import Step as Line
from theory.nesterov import eq_30_later
from theory.nesterov.method import FIRST, MOMENTUM
from theory.nesterov.replays import at_numbers
from theory.nesterov.symbols import t
from theory.verdicts import Verdict

NOW: Final = sympy.Symbol("u_t", real=True)
THEN: Final = sympy.Symbol("u_next", real=True)
EXCESS: Final = sympy.Symbol("Omega_t", real=True)

PRINTED: Final[Formulas] = {"excess": EXCESS, "before": NOW / 2, "after": -THEN / 2}
"""The right-hand side of line 2, at any t."""

FAR: Final = huber(1, 1)
"""Huber's function with β = 1: a parabola up to 1 and a line beyond."""
START: Final = Fraction(3)
"""w_1; the minimum is at 0."""
OTHER_START: Final = Fraction(1)
"""On the parabola itself, where γ_1 = −1 goes wrong."""

ASSUMES: Final = tuple(
    f"{one.name}: {one.says}" for one in eq_30_later.THEOREM.hypotheses if one != eq_30_later.LATER
)
"""What both cases assume; t ≥ 2 is a case."""


@dataclass(frozen=True)
class FirstIteration:
    """Line 2 of (30) at t = 1, without delay, on a function with β = 1 and its minimum 0 at 0.

    Attributes
    ----------
    first_momentum : Fraction
        γ_1.
    start : Fraction
        w_1.
    """

    first_momentum: Fraction
    start: Fraction

    @property
    def next(self) -> Fraction:
        """w_2 = w_1 + d_1 − (1 − γ_1)∇f(w_1), where d_1 = 0."""
        return self.start - (1 - self.first_momentum) * FAR.derivative(self.start)

    @property
    def drop(self) -> Fraction:
        """1·δ_2 − 0·δ_1."""
        return FAR.value(self.next) - FAR.value(Fraction(0))

    def bound(self, formulas: Formulas) -> Fraction:
        """The right-hand side: Ω_1 = 0 as Δ̄_1 = 0, and d_2 = γ_2(w_2 − w_1) = 0."""
        numbers = {EXCESS: Fraction(0), NOW: self.start**2 / 2, THEN: self.next**2 / 2}
        return at_numbers(sympy.Add(*formulas.values()), {}, numbers)


def _witness(formulas: Formulas) -> dict[str, Any] | None:
    """The run that violates the line at t = 1, with the other reading of γ_1 beside it."""
    stated = FirstIteration(Fraction(int(FIRST)), START)
    if not _agrees(stated) or stated.drop <= stated.bound(formulas):
        return None
    other = FirstIteration(Fraction(int(MOMENTUM.subs(t, 1))), OTHER_START)
    return {
        "f": "Huber's function: w²/2 for |w| ≤ 1, |w| − 1/2 beyond; β = 1",
        "t": 1,
        "tau": 0,
        **_described(stated, formulas),
        "with gamma_1 of (29)": _described(other, formulas),
    }


def _described(side: FirstIteration, formulas: Formulas) -> dict[str, str]:
    return {
        "gamma_1": str(side.first_momentum),
        "w_1": str(side.start),
        "w_2": str(side.next),
        "left side": str(side.drop),
        "right side": str(side.bound(formulas)),
    }


def _agrees(side: FirstIteration) -> bool:
    """Whether the falsifier's own run of the method comes to the same w_2, and to Ω_1 = 0."""
    problem = Problem("huber", ((FAR,),), (side.start,), (0,))
    path = run(problem, Delayed(Fraction(1), 0, Fraction(1)), 1)
    return path.points[1] == (side.next,) and path.excess == (0,)


def _judge(formulas: Formulas) -> Judgement:
    later, witness = judgement(eq_30_later.THEOREM, eq_30_later.THEOREM.terms), _witness(formulas)
    at_first = Verdict.UNKNOWN if witness is None else Verdict.REFUTED
    return replace(
        later,
        verdict=at_first,
        printed_proof="gap" if witness is None else "invalid",
        cases=(Case("t = 1", at_first), Case("t >= 2", later.verdict)),
        assumes=ASSUMES,
        steps=(
            *(replace(line, where="ours", says=f"t >= 2: {line.says}") for line in later.steps),
            Line("(30), line 2", "t = 1: the same inequality", "exact run", at_first),
        ),
        findings=() if witness is None else (_false_at_first(witness, later.verdict),),
        counterexample=witness,
    )


def _false_at_first(witness: dict[str, Any], later: Verdict) -> Finding:
    return Finding(
        "false",
        "(30), line 2",
        "λ_t(1 − γ_t) is 2 from t = 2 on; at t = 1 it is 1, as γ_1 = 0. With the γ_1 = −1 of (29) "
        "it is 2, but then line B of (26) fails, and so does this line",
        witness,
        Repair(eq_30_later.THEOREM.statement, later),
    )


CLAIM: Final[Claim] = replace(
    eq_30_later.CLAIM,
    id="nesterov.eq-30-step",
    where="(30), line 2",
    statement=(
        "With η = 1/β and λ_t = t, tδ_{t+1} − (t − 1)δ_t ≤ Ω_t + (u_t − u_{t+1})/2 for every "
        "fixed delay and every t ≥ 1."
    ),
    judge=_judge,
    printed=PRINTED,
    depends=(eq_30_later.THEOREM.id,),
)
