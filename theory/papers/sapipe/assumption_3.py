"""Assumption 3: "it is easy to check" that it bounds how far the workers' gradients are from ∇F.

Problem    n workers, F the mean of the F_i, Σ‖∇F_i‖² ≤ ρ‖Σ∇F_i‖².
Method     the mean of ‖∇F_i‖² is at most nρ‖∇F‖², since Σ∇F_i = n∇F; the printed factor has ρ/n in
           place of nρ.
Guarantee  False: wherever Assumption 3 holds with equality, nρ − 1 is the exact factor, so that the
           printed one is too small by ρ(n − 1/n) for every n ≥ 2, and below 0 for ρ < n. It is
           right of another Assumption 3, with ‖∇F‖² in place of ‖Σ∇F_i‖².
Source     SAPipe paper, Assumption 3.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Theorem
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import diversity
from theory.papers.sapipe.lemmas.diversity import DIVERSITY, OBJECTIVE, WORKER, WORKERS
from theory.papers.sapipe.pieces import lemma, lines, weakened
from theory.papers.sapipe.witnesses.log_cosh import Workers

n, rho, X = setting.letters("n rho X")

PRINTED = {"factor": rho / n - 1}
"""Of ‖∇F‖², which the mean of ‖∇F_i − ∇F‖² is at most."""

REPAIRED = {"factor": n * rho - 1}

_EQUAL = Hypothesis(
    "attained",
    "Σ‖∇F_i(x)‖² = ρ‖Σ∇F_i(x)‖²",
    prover.eq(DIVERSITY.relation.lhs, DIVERSITY.relation.rhs),
)
_CRITICAL = Hypothesis("critical", "∇F(x) = 0", prover.eq(X.gradient**2, 0))

ATTAINED = lemma(
    "sapipe.diversity-attained",
    "Where Assumption 3 holds with equality, nρ − 1 is the factor exactly.",
    r"\tfrac1n \sum_i \|\nabla F_i - \nabla F\|^2 = (n\rho - 1)\|\nabla F\|^2",
    prover.eq(diversity.THEOREM.lhs, REPAIRED["factor"] * X.gradient**2),
    Combine({"attained": 1, "objective": -2}),
    OBJECTIVE,
    _EQUAL,
    vectors=(WORKER,),
    points=(X,),
)

CRITICAL = lemma(
    "sapipe.diversity-critical",
    "Under Assumption 3 every ∇F_i(x) is 0 wherever ∇F(x) is.",
    r"\nabla F(x) = 0 \implies \nabla F_i(x) = 0",
    prover.le(WORKERS.of(WORKER**2), sympy.S.Zero),
    Combine({"diversity": 1, "critical": n * rho}),
    DIVERSITY,
    _CRITICAL,
    vectors=(WORKER,),
    points=(X,),
)

_OF_THE_MEAN = Hypothesis(
    DIVERSITY.name,
    "Σ‖∇F_i(x)‖² ≤ ρ‖∇F(x)‖²",
    prover.le(DIVERSITY.relation.lhs, rho / n * X.gradient**2),
)

ALIKE = Workers((Fraction(1), Fraction(1)))
"""Equal workers: the printed factor is negative."""

UNLIKE = Workers((Fraction(3), Fraction(-1)))
"""One worker pulls the other way: ρ > n, and the printed factor is positive, but too small."""

SLOPE = sympy.Symbol("g", nonnegative=True)
"""‖∇F(x)‖."""

_SQUARES = sympy.Symbol("Q", nonnegative=True)
"""Σ‖∇F_i(x)‖²."""


def exceeded(one: Workers, factor: Scalar) -> prover.Refutation | None:
    """The two sides where the stated factor is too small for these workers, or None."""
    squares = sum((g**2 for g in one.gradients), Fraction(0))
    at = {n: len(one.weights), rho: one.rho, SLOPE: abs(one.mean), _SQUARES: squares}
    stated = (factor * SLOPE**2).subs(at)
    if not (stated.is_Rational and stated < sympy.Rational(*one.spread.as_integer_ratio())):
        return None
    witness = {
        "F_i": f"w_i ln cosh x, w = ({', '.join(map(str, one.weights))})",
        "n": len(one.weights),
        "tanh x": one.slope,
        "rho": one.rho,
        "mean of |F_i' − F'|²": one.spread,
        "stated bound": stated,
    }
    assumed = (prover.le(_SQUARES, rho * (n * SLOPE) ** 2),)
    spread = prover.Violation(lambda: one.spread, "<=", factor * SLOPE**2, at, assumed)
    return prover.Refutation(witness, spread)


def _theorem(factor: Scalar) -> Theorem:
    return replace(diversity.THEOREM, terms={"diversity": factor * X.gradient**2})


def holds(formulas: prover.Formulas) -> tuple[Theorem]:
    """That a factor follows from Assumption 3."""
    return (_theorem(formulas["factor"]),)


def _of_the_mean(factor: Scalar) -> Theorem:
    """The statement, if Assumption 3 is about ‖∇F‖² in place of ‖Σ∇F_i‖²."""
    return replace(_theorem(factor), hypotheses=(OBJECTIVE, _OF_THE_MEAN))


def _alone(factor: Scalar) -> Theorem:
    """The statement for one worker."""
    one = {n: sympy.S.One}
    told = tuple(
        Hypothesis(each.name, each.says, each.relation.replaced(one))
        for each in (OBJECTIVE, DIVERSITY)
    )
    stated = _theorem(sympy.expand(factor.subs(one)))
    return replace(stated, symbols=(rho,), hypotheses=told)


def _several(factor: Scalar, found: prover.Refutation | None) -> prover.Decision:
    """False if the factor is below the exact one for every n ≥ 2 and every ρ > 0."""
    short = prover.nonnegative(REPAIRED["factor"] - factor, [prover.le(2, n)], strict=True)
    return prover.Decision(fails=found and replace(found, because=(ATTAINED, short)))


def _cases(factor: Scalar, found: prover.Refutation | None) -> tuple[prover.Case, ...]:
    return (
        prover.Case("n = 1", prover.Decision((_alone(factor),)), "both sides are 0 for ρ = 1"),
        prover.Case(
            "n >= 2, and equality in Assumption 3 at some x with ∇F(x) ≠ 0",
            _several(factor, found),
            "there the factor nρ − 1 is exact",
        ),
        prover.Case(
            "Assumption 3 read with ‖∇F(x)‖² below the fraction",
            prover.Decision((_of_the_mean(factor),)),
            "Σ‖∇F_i‖² ≤ ρ‖∇F‖²: this ρ is n² times the other, nρ for ρ/n",
        ),
    )


def _refutation(factor: Scalar) -> prover.Refutation | None:
    tried = (("equal workers", ALIKE), ("unequal workers", UNLIKE))
    found = {name: one for name, workers in tried if (one := exceeded(workers, factor))}
    if not found:
        return None
    first = next(iter(found.values()))
    return replace(first, witness={name: one.witness for name, one in found.items()})


def at_critical(shifts: tuple[Fraction, ...] = (Fraction(1, 2), Fraction(-1, 2))) -> dict[str, Any]:
    """F_i = ln cosh x + s_i x at x = 0, where F has its minimum.

    Examples
    --------
    >>> at_critical()["sum of |F_i'|²"], at_critical()["|sum of F_i'|²"]
    (Fraction(1, 2), Fraction(0, 1))
    """
    total = sum(shifts, Fraction(0))
    return {
        "F_i": f"ln cosh x + s_i x, s = ({', '.join(map(str, shifts))})",
        "x": 0,
        "sum of |F_i'|²": sum((s**2 for s in shifts), Fraction(0)),
        "|sum of F_i'|²": total**2,
    }


def _findings(found: prover.Refutation | None) -> Iterator[prover.Finding]:
    sides = at_critical()
    if found is not None:
        says = "the mean of ‖∇F_i‖² is at most nρ‖∇F‖², not (ρ/n)‖∇F‖², as Σ∇F_i is n∇F"
        repaired = prover.Repair(diversity.THEOREM.statement, holds(REPAIRED))
        yield prover.Finding("false", CLAIM.where, says, found.witness, repaired=repaired)
    if sides["sum of |F_i'|²"] > sides["|sum of F_i'|²"] == 0:
        says = (
            "the ratio is not defined where ∇F(x) = 0; multiplied out, no ρ will do if the workers "
            "differ there"
        )
        repaired = prover.Repair.by(CRITICAL)
        yield prover.Finding("missing-condition", CLAIM.where, says, sides, repaired=repaired)


def _account(formulas: prover.Formulas) -> prover.Account:
    factor = formulas["factor"]
    found = _refutation(factor)
    return prover.Account(
        prover.Decision(holds(formulas), found),
        cases=_cases(factor, found),
        assumes=tuple(f"{one.name}: {one.says}" for one in (OBJECTIVE, DIVERSITY)),
        steps=lines(ATTAINED, CRITICAL),
        findings=tuple(_findings(found)),
    )


CLAIM = prover.Claim(
    "sapipe.assumption-3",
    "Assumption 3",
    "Assumption 3 implies that the mean over the n workers of ‖∇F_i(x) − ∇F(x)‖² is at most "
    "(ρ/n − 1)‖∇F(x)‖².",
    r"\tfrac1n \sum_{i} \|\nabla F_i(x) - \nabla F(x)\|^2 \le "
    r"\left(\tfrac{\rho}{n} - 1\right) \|\nabla F(x)\|^2",
    account=_account,
    printed=PRINTED,
    core=REPAIRED,
    holds=holds,
    weakened=weakened(ATTAINED, CRITICAL),
    depends=("sapipe.diversity",),
)
