"""(30), line 2: one iteration of the telescoping sum, which the paper sums from t = 1 on.

Problem    f is convex and β-smooth; any fixed delay.
Method     (26) with η = 1/β and (29), using λ_t(1 − γ_t) = 2.
Guarantee  tδ_{t+1} − (t − 1)δ_t ≤ Ω_t + (u_t − u_{t+1})/2 from t = 2 on (`nesterov.eq-30-later`).
           At t = 1 λ_t(1 − γ_t) is 1, as γ_1 = 0, and the line is false: Huber's function far from
           its minimum falls by more.
Source     Nesterov paper, (30), line 2.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import sympy

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import huber
from theory.judging import prover
from theory.judging.as_claim import account, as_claim
from theory.ledger import Step
from theory.papers.nesterov.lemmas import eq_30_later
from theory.papers.nesterov.method import FIRST, MOMENTUM
from theory.papers.nesterov.runs.delayed import Delayed, run
from theory.papers.nesterov.symbols import t
from theory.papers.nesterov.witnesses.replays import at_numbers
from theory.papers.rpd.witnesses.exact_runs import rational

NOW = sympy.Symbol("u_t", real=True)
THEN = sympy.Symbol("u_next", real=True)
EXCESS = sympy.Symbol("Omega_t", real=True)

PRINTED = {"excess": EXCESS, "before": NOW / 2, "after": -THEN / 2}
"""The right-hand side of line 2, at any t."""

FAR = huber(1, 1)
"""Huber's function with β = 1: a parabola up to 1 and a line beyond."""
START = Fraction(3)
"""w_1; the minimum is at 0."""
OTHER_START = Fraction(1)
"""On the parabola itself, where γ_1 = −1 goes wrong."""

ASSUMES = tuple(
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

    def bound(self, formulas: prover.Formulas) -> Fraction:
        """The right-hand side: Ω_1 = 0 as Δ̄_1 = 0, and d_2 = γ_2(w_2 − w_1) = 0."""
        return at_numbers(sympy.Add(*formulas.values()), {}, self.numbers)

    @property
    def numbers(self) -> dict[sympy.Symbol, Fraction]:
        """Ω_1, u_1 and u_2."""
        return {EXCESS: Fraction(0), NOW: self.start**2 / 2, THEN: self.next**2 / 2}


def at_first(formulas: prover.Formulas) -> prover.Decision:
    """The run that violates the line at t = 1, with the other reading of γ_1 beside it."""
    stated = FirstIteration(Fraction(int(FIRST)), START)
    if not _agrees(stated) or stated.drop <= stated.bound(formulas):
        return prover.OPEN
    other = FirstIteration(Fraction(int(MOMENTUM.subs(t, 1))), OTHER_START)
    witness = {
        "f": "Huber's function: w²/2 for |w| ≤ 1, |w| − 1/2 beyond; β = 1",
        "t": 1,
        "tau": 0,
        **_described(stated, formulas),
        "with gamma_1 of (29)": _described(other, formulas),
    }
    right = sympy.Add(*formulas.values())
    violation = prover.Violation(lambda: rational(stated.drop), "<=", right, stated.numbers)
    return prover.Decision(fails=prover.Refutation(witness, violation))


def _described(side: FirstIteration, formulas: prover.Formulas) -> dict[str, str]:
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


def _account(formulas: prover.Formulas) -> prover.Account:
    later = account(eq_30_later.THEOREM, eq_30_later.THEOREM.terms)
    first = at_first(formulas)
    lines = (line for line in later.steps if isinstance(line, Step))
    return replace(
        later,
        decision=first,
        cases=(
            prover.Case("t = 1", first),
            prover.Case("t >= 2", prover.Decision((eq_30_later.THEOREM,))),
        ),
        assumes=ASSUMES,
        steps=(
            *(replace(line, where="ours", says=f"t >= 2: {line.says}") for line in lines),
            prover.Line("(30), line 2", "t = 1: the same inequality", "exact run", first),
        ),
        findings=() if first.fails is None else (_false_at_first(first.fails),),
    )


def _false_at_first(fails: prover.Refutation) -> prover.Finding:
    return prover.Finding(
        "false",
        "(30), line 2",
        "λ_t(1 − γ_t) is 2 from t = 2 on; at t = 1 it is 1, as γ_1 = 0. With the γ_1 = −1 of (29) "
        "it is 2, but then line B of (26) fails, and so does this line",
        fails.witness,
        repaired=prover.Repair(eq_30_later.THEOREM.statement, (eq_30_later.THEOREM,)),
    )


CLAIM = replace(
    as_claim(eq_30_later.THEOREM),
    id="nesterov.eq-30-step",
    where="(30), line 2",
    statement=(
        "With η = 1/β and λ_t = t, tδ_{t+1} − (t − 1)δ_t ≤ Ω_t + (u_t − u_{t+1})/2 for every "
        "fixed delay and every t ≥ 1."
    ),
    account=_account,
    printed=PRINTED,
    depends=(eq_30_later.THEOREM.id,),
)
