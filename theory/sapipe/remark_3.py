"""Remark 3: SAPipe-DC is said to have the smaller error for small M, Δ and η and λ close to 1.

As numbers, L and Δ can be so that Err_DC ≤ Err₀ (`theory.sapipe.regions`). As constants of one
objective they cannot: by Assumption 4 alone its gradient is 2Δ-Lipschitz, so that Theorem 2 holds
with ℓ = min(L, 2Δ) for L, and (1 − λ)²ℓ² + λ²ℓ²/4 ≥ ℓ²/5 for every λ. To make Δ small makes Err₀
as small. All of this compares bounds, and says nothing of runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.kernel import Combine, Hypothesis, Theorem, le
from theory.kernel.vectors import Scalar
from theory.ledger import Case, Finding, Judgement, Repair
from theory.sapipe import assumption_4_gradient
from theory.sapipe.errors import ERR_0, ERR_DC
from theory.sapipe.log_cosh import LogCosh
from theory.sapipe.pieces import lines, together, weakened
from theory.sapipe.regions import WINS, equivalence
from theory.sapipe.symbols import V2, Delta, L, M, eta, lambda_
from theory.verdicts import Verdict

own: Final = sympy.Symbol("ell", positive=True)
"""A smoothness constant of F that is at most L and at most 2Δ."""

SHARP_DC: Final = (
    8 * eta**4 * M**2 * V2**2
    + 8 * eta**2 * (1 - lambda_) ** 2 * L**2 * V2
    + 8 * eta**2 * lambda_**2 * Delta**2 * V2
    + 4 * eta**3 * lambda_**2 * L * V2**3
)
"""Err_DC with the smallest constants that the proof of Theorem 3 gives, all layers being stale."""

PRINTED: Final = {"DC": ERR_DC, "0": ERR_0}
CORE: Final = {**PRINTED, "ratio": sympy.Rational(32, 5)}


@dataclass(frozen=True)
class Weights:
    """Constants of Err_DC.

    Attributes
    ----------
    taylor : int
        Of η⁴M²V₂².
    bias : int
        Of η²(1 − λ)²L²V₂ and of η²λ²Δ²V₂.
    spread : int
        Of η³λ²LV₂³.
    """

    taylor: int
    bias: int
    spread: int


@cache
def never_better(error: Scalar, vanilla: Scalar, ratio: Scalar, weights: Weights) -> Theorem:
    """Error ≥ ratio · Err₀ at ℓ, for every λ, η and M.

    Parameters
    ----------
    error, vanilla, ratio : sympy expression
    weights : Weights
        Constants of the error, by which the certificate is made.
    """
    scale = weights.bias * eta**2 * V2
    return Theorem(
        id="sapipe.never-better",
        where="ours",
        statement=(
            f"Err_DC with the constants L and Δ of an objective is at least {ratio} times Err₀ "
            "with min(L, 2Δ), for every λ, η and M."
        ),
        latex=rf"\mathrm{{Err}}_{{DC}} \ge {sympy.latex(ratio)} \ell^2 \eta^2 V_2",
        symbols=(L, own, M, V2, Delta, eta, lambda_),
        hypotheses=(
            Hypothesis("smooth", "ℓ ≤ L", le(own, L)),
            Hypothesis("consistent", "ℓ ≤ 2Δ", le(own, 2 * Delta)),
        ),
        lhs=ratio * vanilla.subs(L, own),
        terms={"DC": error},
        conclude=Combine(
            {
                "smooth": scale * (1 - lambda_) ** 2 * (L + own),
                "consistent": scale * lambda_**2 * (2 * Delta + own) / 4,
            },
            squares=((sympy.Rational(5, 4) * scale * own**2, lambda_ - sympy.Rational(4, 5)),),
            plus=(
                weights.taylor * eta**4 * M**2 * V2**2,
                weights.spread * eta**3 * lambda_**2 * L * V2**3,
            ),
        ),
    )


def _printed(formulas: Formulas) -> Theorem:
    full = {**CORE, **formulas}
    return never_better(full["DC"], full["0"], full["ratio"], Weights(128, 32, 16))


SHARP: Final = never_better(SHARP_DC, ERR_0, sympy.Rational(8, 5), Weights(8, 8, 4))


def holds(formulas: Formulas) -> Verdict:
    """Whether this Err_DC is at least so many times Err₀, whatever the objective."""
    return min(together(_printed(formulas)), assumption_4_gradient.holds())


SMALL: Final = LogCosh(Fraction(1, 1000))
"""M, Δ and L are as small as one likes."""


def least_ratio(formulas: Formulas, one: LogCosh, rate: Fraction) -> Fraction | None:
    """The least Err_DC/Err₀ over all λ and M ≥ 0, or None if that is not seen at once.

    Examples
    --------
    >>> least_ratio(PRINTED, SMALL, Fraction(1, 10)) > 16
    True
    """
    numbers = {L: one.smoothness, V2: one.largest_gradient, Delta: one.apart(), eta: rate, M: 0}
    vanilla = sympy.sympify(formulas["0"]).subs(numbers)
    error = sympy.sympify(formulas["DC"]).subs(numbers)
    if not (vanilla.is_Rational and vanilla > 0 and error.is_polynomial(lambda_)):
        return None
    quadratic = sympy.Poly(error, lambda_).all_coeffs()
    if len(quadratic) != 3 or not all(part.is_Rational for part in quadratic) or quadratic[0] <= 0:
        return None
    square, linear, constant = quadratic
    least = (constant - linear**2 / (4 * square)) / vanilla
    return Fraction(int(least.p), int(least.q))


def _witness(formulas: Formulas) -> dict[str, Any] | None:
    """An objective with constants as small as one likes, and vanilla SAPipe's error the smaller."""
    rate = Fraction(1, 10)
    ratio = least_ratio(formulas, SMALL, rate)
    if ratio is None or ratio <= 1:
        return None
    return {
        "f": f"{SMALL.scale} ln cosh x, the same for every sample",
        "L": SMALL.smoothness,
        "Delta": SMALL.apart(),
        "M": f"at most {SMALL.remainder}",
        "V2": SMALL.largest_gradient,
        "eta": rate,
        "least Err_DC/Err_0 over λ": ratio,
        "for every objective": f"Err_DC ≥ {CORE['ratio']} Err_0 at its least L, for every λ, η",
    }


def _cases(refuted: Verdict) -> tuple[Case, ...]:
    sharp = min(together(SHARP), assumption_4_gradient.holds())
    return (
        Case("L and Δ constants of one objective, L the least or min(L, 2Δ) in Err₀", refuted),
        Case(
            "the same, with the smallest constants of the printed proof (8, 8, 8, 4), κ = 1",
            Verdict.REFUTED if sharp is Verdict.PROVED else Verdict.UNKNOWN,
            "Err_DC ≥ (8/5) Err₀",
        ),
        Case(
            "L, Δ and M as letters, without an objective",
            equivalence(WINS["DC"]),
            f"Err_DC ≤ Err₀ if and only if {sympy.sstr(WINS['DC'].condition)}",
        ),
    )


def _findings(formulas: Formulas, witness: Mapping[str, Any] | None) -> tuple[Finding, ...]:
    if witness is None:
        return ()
    says = (
        "no objective has a Δ that is small beside its L: L ≤ 2Δ, so that Err_DC exceeds Err₀ for "
        "every λ, η and M"
    )
    repaired = Repair(_printed(formulas).statement, holds(formulas))
    return (Finding("false", CLAIM.where, says, witness, repaired),)


def _judge(formulas: Formulas) -> Judgement:
    shown = holds(formulas) is Verdict.PROVED
    witness = _witness(formulas) if shown else None
    verdict = Verdict.REFUTED if witness else Verdict.UNKNOWN
    return Judgement(
        verdict=verdict,
        printed_proof="none",
        cases=_cases(verdict),
        assumes=(
            "Assumptions 1 and 4 speak of the same functions: F, or every f(·; z), or batches",
            *assumption_4_gradient.ASSUMES,
        ),
        steps=lines(_printed(formulas), SHARP),
        findings=_findings(formulas, witness),
        counterexample=witness,
    )


CLAIM: Final = Claim(
    id="sapipe.remark-3",
    where="Remark 3",
    statement=(
        "With small enough M, Δ and η and λ close to 1, Err_DC ≤ Err₀: the gradient estimation "
        "error of SAPipe-DC is smaller than that of PipeSGD."
    ),
    latex=r"\mathrm{Err}_{DC} \le \mathrm{Err}_0",
    judge=_judge,
    printed=PRINTED,
    core=CORE,
    holds=holds,
    weakened=weakened(_printed(CORE)),
    depends=("sapipe.assumption-4-gradient",),
)
