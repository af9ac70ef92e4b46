"""Remark 6: when option 3 is said to beat vanilla SAPipe, and which λ is said to be best.

Problem    for which constants Err_WP-3 ≤ Err₀, and which λ is best.
Method     Err_WP-3 ≤ Err₀ is a condition on 8V₁/n + 4η⁴M²V₂² + 2η²V₂(…), which a large n and a
           small η satisfy; (1 − λ)²L² + λ²Δ² is least at λ* = L²/(L² + Δ²).
Guarantee  The first part holds. The second does not: λ* is between the two ends, and far from 1 at
           the least L, since L ≤ 2Δ makes λ* ≤ 4/5. Of the two ends the remark has the right one,
           and λ* is on its side of 1/2. "λ → 0 is preferred" leaves open which of these is meant:
           as a direction it holds, as the best λ it does not.
Source     SAPipe paper, Remark 6.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Theorem
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import setting
from theory.papers.sapipe.error_terms import ERR_WP_3
from theory.papers.sapipe.lemmas import assumption_4_gradient, best_lambda, lambda_ends
from theory.papers.sapipe.lemmas.best_lambda import BEST, loss
from theory.papers.sapipe.lemmas.regions import SQUARE, WINS, enough, needed
from theory.papers.sapipe.pieces import lemma, lines, weakened
from theory.papers.sapipe.witnesses.log_cosh import LogCosh

V1, V2, Delta, L, M, eta, lambda_ = setting.letters("V1 V2 Delta L M eta lambda_")
n, ERR_0 = setting.letters("n ERR_0")

PRINTED = {**lambda_ends.STATED, "bracket": WINS["WP-3"].condition.lhs}
"""The λ that is preferred, and what is compared with V₂."""

CORE = {"L < Delta": BEST, "L >= Delta": BEST, "bracket": PRINTED["bracket"]}

_THIRD = V2 / 3

SMALL = lemma(
    "sapipe.remark-6-small",
    "A large n and a small η give Err_WP-3 ≤ Err₀, whatever M, L, λ and Δ are.",
    r"\mathrm{Err}_{WP-3} \le \mathrm{Err}_0",
    prover.le(ERR_WP_3, ERR_0),
    Combine(
        {"many workers": SQUARE * _THIRD / n, "Taylor": SQUARE * _THIRD, "Hessian": SQUARE * _THIRD}
    ),
    Hypothesis("many workers", "n ≥ 24V₁/V₂", prover.le(24 * V1 / V2, n)),
    Hypothesis("Taylor", "12η⁴M²V₂ ≤ 1", prover.le(12 * eta**4 * M**2 * V2, 1)),
    Hypothesis("Hessian", "6η²((1 − λ)²L² + λ²Δ²) ≤ 1", prover.le(6 * eta**2 * loss(lambda_), 1)),
)


@cache
def _preferred(weight: Scalar) -> Theorem:
    """That this λ is the best one: the loss at any other is larger by (L² + Δ²) times a square."""
    return lemma(
        "sapipe.preferred",
        "No λ is better than the preferred one.",
        r"\lambda^* = \arg\min",
        prover.le(loss(weight), loss(lambda_)),
        Combine(squares=((L**2 + Delta**2, lambda_ - weight),)),
    )


@cache
def _condition(bracket: Scalar) -> tuple[Theorem, Theorem]:
    stated = replace(WINS["WP-3"], condition=sympy.Le(bracket, V2, evaluate=False))
    return enough(stated), needed(stated)


def holds(formulas: prover.Formulas) -> tuple[Theorem, ...]:
    """That the preferred λ are the best ones, and that the condition is Err_WP-3 ≤ Err₀."""
    best = (_preferred(formulas[name]) for name in lambda_ends.SIDES)
    return (*best, *_condition(formulas["bracket"]))


OBJECTIVES = {"L < Delta": LogCosh(Fraction(2)), "L >= Delta": LogCosh(Fraction(1))}


def beaten(formulas: prover.Formulas) -> prover.Refutation | None:
    """Objectives of which another λ is better than the preferred one, or None."""
    found, wrong = {}, []
    for when, one in OBJECTIVES.items():
        numbers = {L: one.smoothness, Delta: one.apart()}
        preferred = sympy.sympify(formulas[when]).subs(numbers)
        best = BEST.subs(numbers)
        stated, least = (loss(weight).subs(numbers) for weight in (preferred, best))
        if prover.proves(*one.hold()) and stated.is_Rational and least < stated:
            found[when] = {
                "f": f"{one.scale} ln cosh x",
                "L": one.smoothness,
                "Delta": one.apart(),
                "preferred λ": preferred,
                "(1 − λ)²L² + λ²Δ²": stated,
                "better λ": best,
                "there": least,
            }
            at = {**numbers, lambda_: best}
            wrong.append(
                lambda_ends.no_better(formulas[when], at, (lambda_ends.SIDES[when].relation,))
            )
    return prover.Refutation(found, wrong[0]) if wrong else None


SMALL_ENOUGH = "Err_WP-3 ≤ Err₀ for small η and large n"
BETTER_END = "λ → 0 or 1 as a direction: the better λ of 0 and 1"


def _cases(formulas: prover.Formulas, beats: prover.Refutation | None) -> tuple[prover.Case, ...]:
    return (
        prover.Case(
            SMALL_ENOUGH,
            prover.Decision((SMALL, *_condition(formulas["bracket"]))),
            "if and only if 8V₁/n + 4η⁴M²V₂² + 2η²V₂((1 − λ)²L² + λ²Δ²) ≤ V₂",
        ),
        prover.Case(
            BETTER_END,
            prover.Decision(lambda_ends.ends(formulas))
            if lambda_ends.names_ends(formulas)
            else prover.OPEN,
            "0 for L ≤ Δ, 1 for L ≥ Δ",
        ),
        prover.Case(
            "λ → 0 or 1 as the best λ of all",
            prover.Decision(fails=beats),
            "L²/(L² + Δ²) is better" if beats else "",
        ),
        prover.Case(
            "λ → 0 or 1 as a direction: λ* < 1/2 if and only if L < Δ",
            prover.Decision(lambda_ends.nearer()),
            "λ* = L²/(L² + Δ²), the best one",
        ),
    )


def _findings(beats: prover.Refutation | None) -> Iterator[prover.Finding]:
    if beats is not None:
        says = (
            "read as the best λ, and not as a direction, neither end is right: that lies between 0 "
            "and 1, for L < Δ and for L ≥ Δ"
        )
        repaired = prover.Repair.by(best_lambda.THEOREM)
        yield prover.Finding("false", CLAIM.where, says, beats.witness, repaired=repaired)
        says = "λ → 1 is never best at the least L, which is at most 2Δ by Assumption 4"
        never: tuple[prover.Ground, ...] = (lambda_ends.NOT_ONE, *assumption_4_gradient.holds())
        sides = beats.witness.get("L >= Delta")
        repaired = prover.Repair(lambda_ends.NOT_ONE.statement, never)
        yield prover.Finding("false", CLAIM.where, says, sides, never, repaired)
    says = "M and Δ need not be small: a small η is enough beside a large n"
    repaired = prover.Repair(
        "n ≥ 24V₁/V₂, 12η⁴M²V₂ ≤ 1 and 6η²((1 − λ)²L² + λ²Δ²) ≤ 1 give Err_WP-3 ≤ Err₀", (SMALL,)
    )
    yield prover.Finding(
        "superfluous-condition", CLAIM.where, says, shown=(SMALL,), repaired=repaired
    )


def _decision(
    formulas: prover.Formulas, beats: prover.Refutation | None
) -> prover.Decision | prover.Readings:
    """Where it holds as a direction only, the remark leaves open what is meant.

    A λ between 0 and 1 is no direction: it is the best one or the statement is false.
    """
    if not lambda_ends.names_ends(formulas):
        return prover.Decision(holds(formulas), beats)
    wrong = lambda_ends.reversed_ends(formulas)
    return prover.Decision(fails=wrong) if wrong else prover.Readings((SMALL_ENOUGH, BETTER_END))


def _account(formulas: prover.Formulas) -> prover.Account:
    beats = beaten(formulas)
    return prover.Account(
        _decision(formulas, beats),
        cases=_cases(formulas, beats),
        assumes=(
            "the error terms of Theorems 2 and 6 as printed, compared one with the other",
            *assumption_4_gradient.ASSUMES,
        ),
        steps=lines(
            *_condition(formulas["bracket"]),
            SMALL,
            *lambda_ends.ends(formulas),
            best_lambda.THEOREM,
            lambda_ends.HALF,
            lambda_ends.NOT_ONE,
        ),
        findings=tuple(_findings(beats)),
    )


CLAIM = prover.Claim(
    "sapipe.remark-6",
    "Remark 6",
    "For small enough η, M and Δ and large enough n Err_WP-3 ≤ Err₀; and λ → 0 is preferred if "
    "L < Δ, otherwise λ → 1.",
    r"\mathrm{Err}_{WP-3} \le \mathrm{Err}_0;\; \lambda \to 0 \text{ if } L < \Delta, "
    r"\text{ else } \lambda \to 1",
    account=_account,
    printed=PRINTED,
    core=CORE,
    holds=holds,
    weakened=weakened(SMALL, lambda_ends.NOT_ONE, *lambda_ends.ends(PRINTED)),
    depends=("sapipe.best-lambda", "sapipe.assumption-4-gradient"),
)
