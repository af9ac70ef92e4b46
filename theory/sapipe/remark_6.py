"""Remark 6: when option 3 is said to beat vanilla SAPipe, and which λ is said to be best.

The first part holds: Err_WP-3 ≤ Err₀ is a condition on 8V₁/n + 4η⁴M²V₂² + 2η²V₂(…), which a large n
and a small η satisfy. The second does not: (1 − λ)²L² + λ²Δ² is least at λ* = L²/(L² + Δ²), between
the two ends, and far from 1 at the least L, since L ≤ 2Δ makes λ* ≤ 4/5. Of the two ends the remark
has the right one, and λ* is on its side of 1/2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.kernel import Combine, Hypothesis, Theorem, le
from theory.kernel.signs import nonnegative
from theory.kernel.vectors import Scalar
from theory.ledger import Case, Finding, Judgement, Repair
from theory.sapipe import assumption_4_gradient, best_lambda
from theory.sapipe.best_lambda import BEST, loss
from theory.sapipe.errors import ERR_0, ERR_WP_3
from theory.sapipe.log_cosh import LogCosh
from theory.sapipe.pieces import lines, together, weakened
from theory.sapipe.regions import SQUARE, WINS, enough, needed
from theory.sapipe.symbols import V1, V2, Delta, L, M, eta, lambda_, n
from theory.verdicts import Verdict

PRINTED: Final = {
    "L < Delta": sympy.S.Zero,
    "L >= Delta": sympy.S.One,
    "bracket": WINS["WP-3"].condition.lhs,
}
"""The λ that is preferred, and what is compared with V₂."""

CORE: Final = {"L < Delta": BEST, "L >= Delta": BEST, "bracket": PRINTED["bracket"]}

_THIRD: Final = V2 / 3

SMALL: Final = Theorem(
    id="sapipe.remark-6-small",
    where="ours",
    statement="A large n and a small η give Err_WP-3 ≤ Err₀, whatever M, L, λ and Δ are.",
    latex=r"\mathrm{Err}_{WP-3} \le \mathrm{Err}_0",
    symbols=(L, eta, V1, V2, n, M, Delta, lambda_),
    hypotheses=(
        Hypothesis("many workers", "n ≥ 24V₁/V₂", le(24 * V1 / V2, n)),
        Hypothesis("Taylor", "12η⁴M²V₂ ≤ 1", le(12 * eta**4 * M**2 * V2, 1)),
        Hypothesis("Hessian", "6η²((1 − λ)²L² + λ²Δ²) ≤ 1", le(6 * eta**2 * loss(lambda_), 1)),
    ),
    lhs=ERR_WP_3,
    terms={"vanilla": ERR_0},
    conclude=Combine(
        {
            "many workers": SQUARE * _THIRD / n,
            "Taylor": SQUARE * _THIRD,
            "Hessian": SQUARE * _THIRD,
        }
    ),
)

NOT_ONE: Final = Theorem(
    id="sapipe.best-lambda-at-most",
    where="ours",
    statement="The best λ, L²/(L² + Δ²), is at most 4/5 for Δ and the least L of an objective.",
    latex=r"\frac{L^2}{L^2 + \Delta^2} \le \tfrac45",
    symbols=(L, Delta),
    hypotheses=(Hypothesis("consistent", "L ≤ 2Δ, as the least L is", le(L, 2 * Delta)),),
    lhs=BEST,
    terms={"most": sympy.Rational(4, 5)},
    conclude=Combine({"consistent": (2 * Delta + L) / (5 * (L**2 + Delta**2))}),
)


SLOPE: Final[Scalar] = (L + Delta) / (2 * (L**2 + Delta**2))
"""By how much λ* exceeds 1/2, over L − Δ."""

HALF: Final = Theorem(
    id="sapipe.best-lambda-half",
    where="ours",
    statement="λ* − 1/2 is (L + Δ)/(2(L² + Δ²)) times L − Δ, so below 0 if and only if L < Δ.",
    latex=r"\lambda^* - \tfrac12 = \frac{(L - \Delta)(L + \Delta)}{2(L^2 + \Delta^2)}",
    kind="==",
    symbols=(L, Delta),
    lhs=BEST,
    terms={"half": sympy.S.Half, "beyond": SLOPE * (L - Delta)},
    conclude=Combine(),
)


def nearer(theorem: Theorem = HALF, slope: Scalar = SLOPE) -> Verdict:
    """Whether λ* is less than 1/2 exactly where L < Δ: by the identity and the sign of its factor.

    Examples
    --------
    >>> nearer().name
    'PROVED'
    """
    return min(together(theorem), nonnegative(slope, strict=True).verdict)


def _end(closer: Scalar, farther: Scalar, smaller: Hypothesis, multiplier: Scalar) -> Theorem:
    """One end is no worse than the other."""
    return Theorem(
        id="sapipe.ends",
        where="ours",
        statement=f"If {smaller.says}, λ = {closer} is no worse than λ = {farther}.",
        latex=sympy.latex(loss(closer)) + r" \le " + sympy.latex(loss(farther)),
        symbols=(L, Delta),
        hypotheses=(smaller,),
        lhs=loss(closer),
        terms={"other end": loss(farther)},
        conclude=Combine({smaller.name: multiplier}),
    )


ENDS: Final = (
    _end(sympy.S.Zero, sympy.S.One, Hypothesis("smooth", "L ≤ Δ", le(L, Delta)), L + Delta),
    _end(sympy.S.One, sympy.S.Zero, Hypothesis("rough", "L ≥ Δ", le(Delta, L)), L + Delta),
)


@cache
def _preferred(weight: Scalar) -> Theorem:
    """That this λ is the best one: the loss at any other is larger by (L² + Δ²) times a square."""
    return Theorem(
        id="sapipe.preferred",
        where="ours",
        statement="No λ is better than the preferred one.",
        latex=r"\lambda^* = \arg\min",
        symbols=(L, Delta, lambda_),
        lhs=loss(weight),
        terms={"any": loss(lambda_)},
        conclude=Combine(squares=((L**2 + Delta**2, lambda_ - weight),)),
    )


@cache
def _condition(bracket: Scalar) -> tuple[Theorem, Theorem]:
    stated = replace(WINS["WP-3"], condition=sympy.Le(bracket, V2, evaluate=False))
    return enough(stated), needed(stated)


def holds(formulas: Formulas) -> Verdict:
    """Whether the preferred λ are the best ones, and the condition is Err_WP-3 ≤ Err₀."""
    ends = (_preferred(formulas[name]) for name in ("L < Delta", "L >= Delta"))
    return together(*ends, *_condition(formulas["bracket"]))


OBJECTIVES: Final = {"L < Delta": LogCosh(Fraction(2)), "L >= Delta": LogCosh(Fraction(1))}


def beaten(formulas: Formulas) -> dict[str, Any] | None:
    """Objectives of which another λ is better than the preferred one, or None."""
    found = {}
    for when, one in OBJECTIVES.items():
        numbers = {L: one.smoothness, Delta: one.apart()}
        preferred = sympy.sympify(formulas[when]).subs(numbers)
        best = BEST.subs(numbers)
        stated, least = (loss(weight).subs(numbers) for weight in (preferred, best))
        if stated.is_Rational and least < stated:
            found[when] = {
                "f": f"{one.scale} ln cosh x",
                "L": one.smoothness,
                "Delta": one.apart(),
                "preferred λ": preferred,
                "(1 − λ)²L² + λ²Δ²": stated,
                "better λ": best,
                "there": least,
            }
    return found or None


def _cases(formulas: Formulas, witness: Mapping[str, Any] | None) -> tuple[Case, ...]:
    return (
        Case(
            "Err_WP-3 ≤ Err₀ for small η and large n",
            together(SMALL, *_condition(formulas["bracket"])),
            "if and only if 8V₁/n + 4η⁴M²V₂² + 2η²V₂((1 − λ)²L² + λ²Δ²) ≤ V₂",
        ),
        Case("the better λ of 0 and 1", together(*ENDS), "0 for L ≤ Δ, 1 for L ≥ Δ"),
        Case("the best λ of all", Verdict.REFUTED if witness else Verdict.UNKNOWN),
        Case("λ* < 1/2 if and only if L < Δ", nearer(), "λ* = L²/(L² + Δ²), the best one"),
    )


def _findings(witness: Mapping[str, Any] | None) -> Iterator[Finding]:
    if witness is not None:
        says = "the best λ lies between 0 and 1, for L < Δ and for L ≥ Δ"
        repaired = Repair(best_lambda.THEOREM.statement, together(best_lambda.THEOREM))
        yield Finding("false", CLAIM.where, says, witness, repaired)
        says = "λ → 1 is never best at the least L, which is at most 2Δ by Assumption 4"
        shown = min(together(NOT_ONE), assumption_4_gradient.holds())
        sides = witness.get("L >= Delta")
        yield Finding("false", CLAIM.where, says, sides, Repair(NOT_ONE.statement, shown))
    if together(SMALL) is Verdict.PROVED:
        says = "M and Δ need not be small: a small η is enough beside a large n"
        repaired = Repair(
            "n ≥ 24V₁/V₂, 12η⁴M²V₂ ≤ 1 and 6η²((1 − λ)²L² + λ²Δ²) ≤ 1 give Err_WP-3 ≤ Err₀",
            together(SMALL),
        )
        yield Finding("superfluous-condition", CLAIM.where, says, repaired=repaired)


def _judge(formulas: Formulas) -> Judgement:
    witness, shown = beaten(formulas), holds(formulas)
    return Judgement(
        verdict=Verdict.REFUTED if witness and shown is not Verdict.PROVED else shown,
        printed_proof="none",
        cases=_cases(formulas, witness),
        assumes=(
            "the error terms of Theorems 2 and 6 as printed, compared one with the other",
            *assumption_4_gradient.ASSUMES,
        ),
        steps=lines(
            *_condition(formulas["bracket"]), SMALL, *ENDS, best_lambda.THEOREM, HALF, NOT_ONE
        ),
        findings=tuple(_findings(witness)),
        counterexample=witness,
    )


CLAIM: Final = Claim(
    id="sapipe.remark-6",
    where="Remark 6",
    statement=(
        "For small enough η, M and Δ and large enough n Err_WP-3 ≤ Err₀; and λ → 0 is preferred if "
        "L < Δ, otherwise λ → 1."
    ),
    latex=(
        r"\mathrm{Err}_{WP-3} \le \mathrm{Err}_0;\; \lambda \to 0 \text{ if } L < \Delta, "
        r"\text{ else } \lambda \to 1"
    ),
    judge=_judge,
    printed=PRINTED,
    core=CORE,
    holds=holds,
    weakened=weakened(SMALL, NOT_ONE, *ENDS),
    depends=("sapipe.best-lambda", "sapipe.assumption-4-gradient"),
)
