"""What η = min(c/√T, b/L) makes of a bound 2R₀/(ηT) + κEη² + w·LηV₁/n + pLR₀/T.

Problem    all bounds of the paper have the form 2R₀/(ηT) + κEη² + w·LηV₁/n + pLR₀/T, with E the
           error of their method divided by η²; where powers of η are left in E, η ≤ 1/L bounds
           them.
Method     η = min(c/√T, b/L). η ∝ min(1/√T, 1/L) is b = c; with b = 1 it is the largest stepsize
           that the theorems allow, and for c > 1 the same as b = c if T ≥ c²L².
Guarantee  at most 2R₀/(c√T) + (2/b + p)LR₀/T + κEc²/T + wcLV₁/(n√T).
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Theorem
from theory.papers.sapipe import symbols

R0, V1, L, T, eta, kappa, n = symbols.letters("R0 V1 L T eta kappa n")

c = sympy.Symbol("c", positive=True)
"""The factor of 1/√T."""

b = sympy.Symbol("b", positive=True)
"""The factor of 1/L, at most 1."""

p = sympy.Symbol("p", nonnegative=True)
"""What a first iteration that passes adds, divided by LR₀/T; 0 from rest."""

E = sympy.Symbol("E", nonnegative=True)
"""The method's error, divided by η²."""

w = sympy.Symbol("w", nonnegative=True)
"""By what Var₀ is multiplied; 1 + κ for SAPipe-DC."""

MEAN = sympy.Symbol("mean", nonnegative=True)
"""The mean over t < T of E‖∇F(x_t)‖²."""

_ROOT = sympy.sqrt(T)
_FAST = c / _ROOT

CHOICE = (
    Hypothesis("at most c/√T", "η ≤ c/√T", prover.le(eta, _FAST)),
    Hypothesis(
        "one of both",
        "η is c/√T or b/L, and at most both (the smaller of the two)",
        prover.eq((eta - _FAST) * (eta - b / L), 0),
    ),
)

CLAIM = THEOREM = Theorem(
    id="sapipe.rate",
    where="ours",
    statement="Whatever is at most 2R₀/(ηT) + κEη² + wLηV₁/n + pLR₀/T with η = min(c/√T, b/L) is "
    "at most 2R₀/(c√T) + (2/b + p)LR₀/T + κEc²/T + wcLV₁/(n√T), for every T ≥ 1.",
    latex=r"\eta = \min(\tfrac{c}{\sqrt T}, \tfrac bL) \implies \tfrac{2R_0}{\eta T} + "
    r"\kappa E\eta^2 + w\tfrac{L\eta V_1}{n} + p\tfrac{LR_0}{T} \le \tfrac{2R_0}{c\sqrt T} + "
    r"(\tfrac2b + p)\tfrac{LR_0}{T} + \tfrac{\kappa E c^2}{T} + w\tfrac{cLV_1}{n\sqrt T}",
    symbols=(T, eta, L, kappa, n, V1, R0, c, b, E, w, p),
    scalars=(MEAN,),
    hypotheses=(
        Hypothesis(
            "bound",
            "the theorem of the method",
            prover.le(
                MEAN,
                2 * R0 / (eta * T) + kappa * E * eta**2 + w * L * eta * V1 / n + p * L * R0 / T,
            ),
        ),
        *CHOICE,
    ),
    lhs=MEAN,
    terms={
        "optimization": 2 * R0 / (c * _ROOT) + (2 / b + p) * L * R0 / T,
        "staleness": kappa * E * c**2 / T,
        "variance": w * c * L * V1 / (n * _ROOT),
    },
    conclude=Combine(
        {
            "bound": 1,
            "at most c/√T": w * L * V1 / n + kappa * E * (_FAST + eta),
            "one of both": 2 * R0 * L * _ROOT / (b * c * eta * T),
        },
        plus=(2 * R0 * L * _ROOT * eta / (b * c * T),),
    ),
)
