"""Remark 4: when option 1 of weight prediction is said to beat vanilla SAPipe.

Problem    for which V₁ and ρ Err_WP-1 ≤ Err₀. Err_WP-1 itself is no bound (`sapipe.thm-4`); the
           condition for a bound that holds is beside it.
Method     Err_WP-1 ≤ Err₀ is (3 − ρ/n)V₁ ≤ (2 − ρ/n)V₂. The remark divides by 3 − ρ/n.
Guarantee  For ρ < 3n that is the printed condition, at ρ = 3n it says nothing, and for ρ > 3n it
           turns around, so that without noise the printed condition always holds while Err_WP-1 is
           over twice Err₀. "Small enough" leaves open which ρ are meant: ρ < 3n is the part in
           which the remark holds.
Source     SAPipe paper, Remark 4.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Theorem
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import assumption_3, setting
from theory.papers.sapipe.assumption_3 import ALIKE, exceeded
from theory.papers.sapipe.error_terms import ERR_WP_1
from theory.papers.sapipe.lemmas.regions import REPAIRED_WINS, WINS, equivalence
from theory.papers.sapipe.pieces import lemma, lines, weakened
from theory.papers.sapipe.witnesses.log_cosh import Workers

V1, V2, L, eta, n, rho, ERR_0 = setting.letters("V1 V2 L eta n rho ERR_0")

PRINTED = {"V1": (2 - rho / n) / (3 - rho / n) * V2, "WP-1": ERR_WP_1}

below = sympy.Symbol("delta", positive=True)
"""3 − ρ/n, where that is positive."""

_BELOW = Hypothesis("below 3n", "ρ < 3n", prover.eq(3 - rho / n, below))
_UNDER = (_BELOW.name,)
_FACTOR = L**2 * eta**2 * (3 - rho / n)


@cache
def _enough(most: Scalar, error: Scalar) -> Theorem:
    return lemma(
        "sapipe.remark-4-enough",
        "For ρ < 3n the printed condition gives Err_WP-1 ≤ Err₀.",
        r"V_1 \le \tfrac{2 - \rho/n}{3 - \rho/n} V_2 \Rightarrow "
        r"\mathrm{Err}_{WP-1} \le \mathrm{Err}_0",
        prover.le(error, ERR_0),
        Combine({"condition": _FACTOR}, domain=_UNDER),
        Hypothesis("condition", "as printed", prover.le(V1, most)),
        _BELOW,
    )


@cache
def _needed(most: Scalar, error: Scalar) -> Theorem:
    return lemma(
        "sapipe.remark-4-needed",
        "For ρ < 3n Err_WP-1 ≤ Err₀ gives the printed condition.",
        r"\mathrm{Err}_{WP-1} \le \mathrm{Err}_0 \Rightarrow "
        r"V_1 \le \tfrac{2 - \rho/n}{3 - \rho/n} V_2",
        prover.le(V1, most),
        Combine({"smaller": 1 / _FACTOR}, domain=_UNDER),
        Hypothesis("smaller", "Err_WP-1 ≤ Err₀", prover.le(error, ERR_0)),
        _BELOW,
    )


def holds(formulas: prover.Formulas) -> tuple[Theorem, Theorem]:
    """That the condition says Err_WP-1 ≤ Err₀ for every ρ < 3n, and no more than that."""
    both = formulas["V1"], formulas["WP-1"]
    return _enough(*both), _needed(*both)


APART = Workers((Fraction(5), Fraction(-3)))
"""ρ = 17/2 is more than 3n, and nothing is random."""

NEAR = Workers((Fraction(2), Fraction(-1)))
"""ρ = 5 is between 2n and 3n: small enough for the remark to hold."""


def constants(one: Workers) -> dict[Scalar, Any]:
    """Those of these workers, without noise."""
    return {
        n: len(one.weights),
        rho: one.rho,
        L: max(abs(weight) for weight in one.weights),
        V1: 0,
        V2: max(weight**2 for weight in one.weights),
        eta: Fraction(1, 10),
    }


def reversed_at(formulas: prover.Formulas, one: Workers) -> prover.Refutation | None:
    """Workers of which the condition holds while Err_WP-1 is above Err₀, or None."""
    numbers = constants(one)
    most, error, vanilla = (
        sympy.sympify(form).subs(numbers) for form in (formulas["V1"], formulas["WP-1"], ERR_0)
    )
    if not (most.is_Rational and error.is_Rational and most >= 0 and error > vanilla):
        return None
    witness = {
        "F_i": f"w_i ln cosh x, w = ({', '.join(map(str, one.weights))}), without noise",
        **{str(symbol): number for symbol, number in numbers.items()},
        "V1 at most": most,
        "Err_WP-1": error,
        "Err_0": vanilla,
    }

    def measured() -> Scalar:
        return sympy.sympify(formulas["WP-1"]).subs(constants(one))

    return prover.Refutation(
        witness, prover.Violation(measured, "<=", ERR_0, numbers, (prover.le(V1, formulas["V1"]),))
    )


def undefined_at(condition: Scalar) -> dict[str, Any] | None:
    """A ρ/n at which the condition is no number, or None."""
    ratio = sympy.Symbol("r")
    denominator = sympy.fraction(sympy.together(condition.subs(rho, ratio * n)))[1]
    roots = sympy.roots(sympy.Poly(denominator, ratio)) if denominator.has(ratio) else {}
    positive = [root for root in roots if root.is_Rational and root > 0]
    return {"ρ/n": min(positive)} if positive else None


SMALL = "ρ < 3n"


def _cases(formulas: prover.Formulas, beyond: prover.Refutation | None) -> tuple[prover.Case, ...]:
    return (
        prover.Case(SMALL, prover.Decision(holds(formulas)), "if and only if"),
        prover.Case("ρ > 3n", prover.Decision(fails=beyond)),
    )


def _findings(
    formulas: prover.Formulas, beyond: prover.Refutation | None
) -> Iterator[prover.Finding]:
    hole = undefined_at(formulas["V1"]) or {}
    printed, repaired = WINS["WP-1"], REPAIRED_WINS["WP-1"]
    if beyond is not None:
        yield prover.Finding(
            "missing-condition",
            CLAIM.where,
            "how small ρ has to be is left open: the division by 3 − ρ/n needs ρ < 3n; above it "
            "the inequality turns around"
            + (f", and at ρ = {hole['ρ/n']}n the condition is no number" if hole else ""),
            {**beyond.witness, **hole},
            repaired=prover.Repair(
                f"Err_WP-1 ≤ Err₀ if and only if {sympy.sstr(printed.condition)}, for every ρ",
                equivalence(printed),
            ),
        )
    spread = exceeded(ALIKE, assumption_3.PRINTED["factor"])
    if spread is not None:
        yield prover.Finding(
            "invalid-step",
            CLAIM.where,
            "Err_WP-1 takes ρ/n − 1 from the consequence of Assumption 3, which is false "
            "(`sapipe.assumption-3`); for the error that nρ − 1 gives, the condition is another",
            spread.witness,
            repaired=prover.Repair(
                "(1 − 1/n)V₁ + 2(nρ − 1)V₂ ≤ (1 − 2L²η²)V₂ if and only if the repaired error is at "
                "most Err₀, where 2L²η² < 1",
                equivalence(repaired),
            ),
        )


def _account(formulas: prover.Formulas) -> prover.Account:
    near, beyond = (reversed_at(formulas, one) for one in (NEAR, APART))
    return prover.Account(
        prover.Decision(fails=near) if near else prover.Readings((SMALL,)),
        cases=_cases(formulas, beyond),
        assumes=("the error terms of Theorems 2 and 4 as printed, compared one with the other",),
        steps=lines(*holds(formulas), *equivalence(REPAIRED_WINS["WP-1"])),
        findings=tuple(_findings(formulas, beyond)),
    )


CLAIM = prover.Claim(
    "sapipe.remark-4",
    "Remark 4",
    "When V₁ and ρ are small enough (i.e., V₁ ≤ (2 − ρ/n)/(3 − ρ/n) · V₂), then "
    "Err_WP-1 ≤ Err₀: SAPipe-WP with option 1 has a smaller error than vanilla SAPipe.",
    r"V_1 \le \frac{2 - \rho/n}{3 - \rho/n} V_2 \implies "
    r"\mathrm{Err}_{WP-1} \le \mathrm{Err}_0",
    account=_account,
    printed=PRINTED,
    core=PRINTED,
    holds=holds,
    weakened=weakened(*holds(PRINTED)),
)
