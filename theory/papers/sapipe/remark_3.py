"""Remark 3: SAPipe-DC is said to have the smaller error for small M, Δ and η and λ close to 1.

Problem    for which L, M, Δ, η and λ Err_DC ≤ Err₀. Assumption 1 lets L be larger than it need be.
Method     the two formulas compared; with the least L Theorem 2 holds with ℓ = min(L, 2Δ) for L,
           since by Assumption 4 alone the gradient is 2Δ-Lipschitz, and (1 − λ)²ℓ² + λ²ℓ²/4 ≥ ℓ²/5
           for every λ.
Guarantee  M, Δ, η and 1 − λ can be so small that it holds, and an objective with such constants
           exists. With the least L none does, and to make Δ small makes Err₀ as small. That 32/5
           and 8/5 are above 1 is due to the factors of Young's inequality in the printed proof:
           with the triangle inequality (`dc_bias`) compensation misses less than vanilla SAPipe for
           Δ < L and a small η. All of this compares bounds, and says nothing of runs.
Source     SAPipe paper, Remark 3.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy

from theory.judging import prover
from theory.kernel import Theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.error_terms import ERR_DC
from theory.papers.sapipe.lemmas import assumption_4_gradient, dc_bias
from theory.papers.sapipe.lemmas.dc_errors import (
    PREMISES,
    SHARP_DC,
    Weights,
    never_better,
    small_enough,
)
from theory.papers.sapipe.lemmas.regions import WINS, equivalence
from theory.papers.sapipe.pieces import lines, weakened
from theory.papers.sapipe.witnesses.log_cosh import LogCosh
from theory.papers.sapipe.witnesses.steep import STEEP, Steep

V2, Delta, L, M, eta, lambda_ = setting.letters("V2 Delta L M eta lambda_")
ERR_0 = setting.letters("ERR_0")

PRINTED = {"DC": ERR_DC, "0": ERR_0}
CORE = {**PRINTED, "ratio": sympy.Rational(32, 5)}


def _printed(formulas: prover.Formulas) -> Theorem:
    full = {**CORE, **formulas}
    return never_better(full["DC"], full["0"], full["ratio"], Weights(128, 32, 16))


SHARP = never_better(SHARP_DC, ERR_0, sympy.Rational(8, 5), Weights(8, 8, 4))


def never(formulas: prover.Formulas) -> tuple[Theorem, ...]:
    """That this Err_DC is at least so many times Err₀ at the least L, whatever the objective."""
    return (_printed(formulas), *assumption_4_gradient.holds())


def small(formulas: prover.Formulas) -> Theorem:
    """The remark, with a meaning for "small enough", for these error terms."""
    full = {**CORE, **formulas}
    return small_enough(full["DC"], full["0"])


def holds(formulas: prover.Formulas) -> tuple[Theorem, ...]:
    """That the remark holds for any L, and is false for the least one."""
    return (small(formulas), *never(formulas))


SMALL = LogCosh(Fraction(1, 1000))
"""M, Δ and the least L are as small as one likes."""

LOOSE = Fraction(1)
"""Another L of it, larger than need be."""


def satisfied(formulas: prover.Formulas) -> Fraction | None:
    """Err_DC/Err₀ of `SMALL` with L = `LOOSE`, λ = 1 and η = 1/10; None if not all is small there.

    Examples
    --------
    >>> str(satisfied(PRINTED))
    '50000003/1562500000000'
    """
    numbers = {L: LOOSE, V2: SMALL.largest_gradient, Delta: SMALL.apart(), M: SMALL.remainder}
    at = {key: sympy.Rational(str(one)) for key, one in numbers.items()}
    at |= {eta: sympy.Rational(1, 10), lambda_: sympy.S.One}
    premises = (one.relation.gap.subs(at) >= 0 for one in PREMISES)
    if not prover.proves(*SMALL.hold()) or not all(premises):
        return None
    error, vanilla = (sympy.sympify(formulas[name]).subs(at) for name in ("DC", "0"))
    if not (error.is_Rational and vanilla.is_Rational and vanilla > 0 and error <= vanilla):
        return None
    ratio = error / vanilla
    return Fraction(int(ratio.p), int(ratio.q))


def least_ratio(formulas: prover.Formulas, one: LogCosh, rate: Fraction) -> Fraction | None:
    """The least Err_DC/Err₀ over all λ and M ≥ 0, or None if that is not seen at once.

    Examples
    --------
    >>> least_ratio(PRINTED, SMALL, Fraction(1, 10)) > 16
    True
    """
    numbers = {L: one.smoothness, V2: one.largest_gradient, Delta: one.apart(), eta: rate, M: 0}
    vanilla = sympy.sympify(formulas["0"]).subs(numbers)
    error = sympy.sympify(formulas["DC"]).subs(numbers)
    if not prover.proves(*one.hold()):
        return None
    if not (vanilla.is_Rational and vanilla > 0 and error.is_polynomial(lambda_)):
        return None
    quadratic = sympy.Poly(error, lambda_).all_coeffs()
    if len(quadratic) != 3 or not all(part.is_Rational for part in quadratic) or quadratic[0] <= 0:
        return None
    square, linear, constant = quadratic
    least = (constant - linear**2 / (4 * square)) / vanilla
    return Fraction(int(least.p), int(least.q))


def _refutation(
    formulas: prover.Formulas, times: sympy.Expr, grounds: tuple[Theorem, ...]
) -> prover.Refutation | None:
    """An objective with constants as small as one likes, and vanilla SAPipe's error the smaller."""
    rate = Fraction(1, 10)
    ratio = least_ratio(formulas, SMALL, rate)
    if ratio is None or ratio <= 1:
        return None
    witness = {
        "f": f"{SMALL.scale} ln cosh x, the same for every sample",
        "L": SMALL.smoothness,
        "Delta": SMALL.apart(),
        "M": f"at most {SMALL.remainder}",
        "V2": SMALL.largest_gradient,
        "eta": rate,
        "least Err_DC/Err_0 over λ": ratio,
        "for every objective": f"Err_DC ≥ {times} Err_0 at its least L, for every λ, η",
    }
    return prover.Refutation(witness, grounds)


ANY = "L any constant of Assumption 1, also a loose one"


def _cases(formulas: prover.Formulas, least: prover.Refutation | None) -> tuple[prover.Case, ...]:
    sharp = {"DC": SHARP_DC, "0": ERR_0}
    young = (SHARP, *assumption_4_gradient.holds())
    loose = prover.Decision((small(formulas), *equivalence(WINS["DC"])))
    return (
        prover.Case(
            ANY,
            loose if satisfied(formulas) is not None else prover.OPEN,
            f"Err_DC ≤ Err₀ if and only if {sympy.sstr(WINS['DC'].condition)}; f = {SMALL.scale} "
            f"ln cosh x with L = {LOOSE} satisfies it",
        ),
        prover.Case(
            "L the least constant of Assumption 1, or min(L, 2Δ) in Err₀",
            prover.Decision(fails=least),
            "Err_DC ≥ (32/5) Err₀: nothing is small enough",
        ),
        prover.Case(
            "L the least constant, with the constants 8, 8, 8 and 4 for 128, 32, 32 and 16",
            prover.Decision(fails=_refutation(sharp, sympy.Rational(8, 5), young)),
            "Err_DC ≥ (8/5) Err₀",
        ),
    )


def _findings(
    formulas: prover.Formulas, least: prover.Refutation | None
) -> Iterator[prover.Finding]:
    if least is None:
        return
    says = (
        "no objective has a Δ that is small beside its least L: L ≤ 2Δ, so that Err_DC exceeds "
        "Err₀ with that L for every λ, η and M; only an L larger than need be satisfies the remark"
    )
    repaired = prover.Repair(_printed(formulas).statement, never(formulas))
    yield prover.Finding("missing-condition", CLAIM.where, says, least.witness, repaired=repaired)
    sides = compensated(STEEP, Fraction(1, 1000))
    if sides is None:
        return
    says = (
        "that Err_DC is at least 32/5 of Err₀, and 8/5 with smaller constants, comes from the "
        "factors of Young's inequality in the proof of Theorem 3; with the triangle inequality the "
        "error of λ = 1 is about Δ²η²V₂/(1 − ηV₂)², below L²η²V₂ where Δ < L ≤ 2Δ and η is small"
    )
    better = prover.Repair(dc_bias.BETTER.statement, (dc_bias.THEOREM, dc_bias.BETTER))
    yield prover.Finding("loose", CLAIM.where, says, sides, repaired=better)


def compensated(one: Steep, rate: Fraction) -> dict[str, Any] | None:
    """An objective with Δ < L that `dc_bias.BETTER` covers at this η, or None.

    Examples
    --------
    >>> compensated(STEEP, Fraction(1, 1000)) is None, compensated(STEEP, Fraction(1, 2)) is None
    (False, True)
    """
    slope = one.steepest
    kept = 1 - rate * slope**2
    if kept <= 0 or 2 * kept**2 < 1 or not prover.proves(*one.hold()):
        return None
    needed = one.apart / kept + one.remainder * rate * slope / kept**2
    if needed > one.smoothness:
        return None
    return {
        "f": f"−ln cos x up to f' = {one.bend}, then f'' falls at the rate {one.rate} to 0",
        "least L": one.smoothness,
        "Delta": one.apart,
        "M at most": one.remainder,
        "V2": slope**2,
        "eta": rate,
        "Δ/(1 − ηV₂) + Mη√V₂/(1 − ηV₂)²": needed,
    }


def _account(formulas: prover.Formulas) -> prover.Account:
    grounds = never(formulas)
    found = _refutation(formulas, CORE["ratio"], grounds)
    least = found if prover.proves(*grounds) else None
    return prover.Account(
        prover.Readings((ANY,)),
        cases=_cases(formulas, least),
        assumes=(
            "Assumptions 1 and 4 speak of the same functions: F, or every f(·; z), or batches",
            *assumption_4_gradient.ASSUMES,
        ),
        steps=lines(small(formulas), _printed(formulas), SHARP, dc_bias.THEOREM, dc_bias.BETTER),
        findings=tuple(_findings(formulas, least)),
    )


CLAIM = prover.Claim(
    "sapipe.remark-3",
    "Remark 3",
    "With small enough M, Δ and η and λ close to 1, Err_DC ≤ Err₀: the gradient estimation "
    "error of SAPipe-DC is smaller than that of PipeSGD.",
    r"\mathrm{Err}_{DC} \le \mathrm{Err}_0",
    account=_account,
    printed=PRINTED,
    core=CORE,
    holds=holds,
    weakened=weakened(small(CORE), _printed(CORE)),
    depends=("sapipe.assumption-4-gradient", dc_bias.THEOREM.id, dc_bias.BETTER.id),
)
