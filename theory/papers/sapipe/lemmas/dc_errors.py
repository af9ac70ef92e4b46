"""Err_DC beside Err₀: where it is smaller, and that it never is at the least L of an objective."""

from dataclasses import dataclass
from functools import cache

import sympy

from theory.kernel import Combine, Hypothesis, Theorem, le
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import symbols
from theory.papers.sapipe.pieces import lemma

V2, Delta, L, M, eta, lambda_ = symbols.letters("V2 Delta L M eta lambda_")

own = sympy.Symbol("ell", positive=True)
"""A smoothness constant of F that is at most L and at most 2Δ."""

SHARP_DC = (
    8 * eta**4 * M**2 * V2**2
    + 8 * eta**2 * (1 - lambda_) ** 2 * L**2 * V2
    + 8 * eta**2 * lambda_**2 * Delta**2 * V2
    + 4 * eta**3 * lambda_**2 * L * V2**3
)
"""Err_DC with the constants of `sharp_thm_3`, κ = 1."""


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
    return lemma(
        "sapipe.never-better",
        f"Err_DC with the constants L and Δ of an objective is at least {ratio} times Err₀ "
        "with min(L, 2Δ), for every λ, η and M.",
        rf"\mathrm{{Err}}_{{DC}} \ge {sympy.latex(ratio)} \ell^2 \eta^2 V_2",
        le(ratio * vanilla.subs(L, own), error),
        Combine(
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
        Hypothesis("smooth", "ℓ ≤ L", le(own, L)),
        Hypothesis("consistent", "ℓ ≤ 2Δ", le(own, 2 * Delta)),
    )


_QUARTER = L**2 / 4
PREMISES = (
    Hypothesis("small M", "128η²M²V₂ ≤ L²/4", le(128 * eta**2 * M**2 * V2, _QUARTER)),
    Hypothesis("λ near 1", "32(1 − λ)² ≤ 1/4", le(32 * (1 - lambda_) ** 2, sympy.Rational(1, 4))),
    Hypothesis("small Δ", "32λ²Δ² ≤ L²/4", le(32 * lambda_**2 * Delta**2, _QUARTER)),
    Hypothesis("small η", "16ηλ²V₂² ≤ L/4", le(16 * eta * lambda_**2 * V2**2, L / 4)),
)
"""What "small enough" and "close to 1" may mean."""


@cache
def small_enough(error: Scalar, vanilla: Scalar) -> Theorem:
    """Error ≤ vanilla where everything is as small as `PREMISES` say."""
    scale = eta**2 * V2
    return lemma(
        "sapipe.remark-3-small",
        "Err_DC ≤ Err₀ where 128η²M²V₂, 32L²(1 − λ)², 32λ²Δ² and 16ηλ²LV₂² are at most "
        "L²/4, L being any constant of Assumption 1.",
        r"\mathrm{Err}_{DC} \le \mathrm{Err}_0",
        le(error, vanilla),
        Combine(
            {"small M": scale, "λ near 1": scale * L**2, "small Δ": scale, "small η": scale * L}
        ),
        *PREMISES,
    )
