"""What delay compensation misses, by the triangle inequality: less than vanilla SAPipe's bound.

Problem    Assumptions 1 and 4: L, M and Δ bound the Hessian, Taylor's remainder and h − w below.
Method     b = (∇F(x_t) − ∇F(x_{t−1}) − h) + (1 − λ)h + λ(h − w), with h = ∇²F Δx, w = E[ggᵀ]Δx.
Guarantee  ‖b‖ ≤ M‖Δx‖² + ((1 − λ)L + λΔ)‖Δx‖ for 0 ≤ λ ≤ 1.
Source     ours; the printed proof takes twice the squares of the parts, two times over, and so
           cannot do better than 32/5 of Err₀. For λ = 1 and a small η the parts together are about
           Δη√V₂ long, less than the Lη√V₂ of vanilla SAPipe wherever Δ < L.
"""

import sympy

from theory.kernel import Combine, Hypothesis, Triangle, le, vectors
from theory.notation import theorem
from theory.papers.sapipe import setting, symbols

V2, Delta, L, M, eta, lambda_ = symbols.letters("V2 Delta L M eta lambda_")

REST, HESSIAN, MISS = vectors("r h h−w")
"""Remainder of Taylor's formula of ∇F, the Hessian times Δx, and what E[ggᵀ]Δx misses of that."""

LENGTH = sympy.Symbol("a", nonnegative=True)
"""‖Δx‖."""

_SIZE = M * LENGTH**2 + ((1 - lambda_) * L + lambda_ * Delta) * LENGTH

PARTS = (
    Hypothesis(
        "taylor",
        "the remainder of Taylor's formula of ∇F is at most M‖Δx‖² (Assumption 4)",
        le(REST**2, (M * LENGTH**2) ** 2),
    ),
    Hypothesis(
        "curvature",
        "the Hessian of an L-smooth F is at most L (Assumption 1)",
        le(HESSIAN**2, (L * LENGTH) ** 2),
    ),
    Hypothesis(
        "outer product",
        "‖∇f∇fᵀ − ∇²f‖ ≤ Δ for every drawn batch, so for its mean (Assumption 4)",
        le(MISS**2, (Delta * LENGTH) ** 2),
    ),
)

draft = setting.assuming(theorem("sapipe.dc-bias"), *PARTS)
draft.assume(lambda_ <= 1, "weight", "λ ≤ 1")
draft.have(1 - lambda_ >= 0, "part")
CLAIM = THEOREM = draft.shows(
    (REST + (1 - lambda_) * HESSIAN + lambda_ * MISS) ** 2 <= _SIZE**2,
    {"parts": _SIZE**2},
    by=Triangle(
        (
            ("taylor", sympy.S.One, REST, M * LENGTH**2),
            ("curvature", 1 - lambda_, HESSIAN, L * LENGTH),
            ("outer product", lambda_, MISS, Delta * LENGTH),
        ),
        ("part",),
    ),
    says="For 0 ≤ λ ≤ 1 the mean of the compensated gradient misses ∇F(x_t) by b with "
    "‖b‖ ≤ M‖Δx‖² + ((1 − λ)L + λΔ)‖Δx‖.",
    latex=r"\|b\| \le M\|\Delta x\|^2 + ((1 - \lambda)L + \lambda\Delta)\|\Delta x\|",
)

_KEPT = 1 - eta * V2
_STEP = eta * sympy.sqrt(V2)
_TOGETHER = M * LENGTH**2 + Delta * LENGTH
_LONGEST = _STEP / _KEPT

better = setting.assuming(theorem("sapipe.dc-better"), *PARTS)
better.assume(eta * V2 <= 1 - 1 / sympy.sqrt(2), "small", "ηV₂ ≤ 1 − 1/√2 (Theorem 3, at λ = 1)")
better.assume(
    LENGTH <= _LONGEST, "step", "‖Δx‖ is at most the geometric sum η√V₂/(1 − ηV₂) (sapipe.dc-step)"
)
better.assume(
    Delta / _KEPT + M * _STEP / _KEPT**2 <= L, "enough", "Δ/(1 − ηV₂) + Mη√V₂/(1 − ηV₂)² ≤ L"
)
better.have(_KEPT >= 1 / sympy.sqrt(2), "kept")
better.cite(THEOREM, {lambda_: sympy.S.One}, name="parts")
better.have(
    _TOGETHER <= M * _LONGEST**2 + Delta * _LONGEST,
    "longest",
    by=Combine({"step": M * (LENGTH + _LONGEST) + Delta}, domain=("kept",)),
)
better.have(
    _TOGETHER <= L * _STEP,
    "as vanilla",
    by=Combine({"longest": 1, "enough": _STEP}, domain=("kept",)),
)
BETTER = better.shows(
    (REST + MISS) ** 2 <= L**2 * eta**2 * V2,
    {"vanilla": L**2 * eta**2 * V2},
    by=Combine({"parts": 1, "as vanilla": _TOGETHER + L * _STEP}),
    says="At λ = 1 and κ = 1, with ηV₂ ≤ 1 − 1/√2, the bias of SAPipe-DC keeps within the bound of "
    "vanilla SAPipe's, ‖b‖² ≤ L²η²V₂ at every update, if Δ/(1 − ηV₂) + Mη√V₂/(1 − ηV₂)² ≤ L.",
    latex=r"\tfrac{\Delta}{1 - \eta V_2} + \tfrac{M\eta\sqrt{V_2}}{(1 - \eta V_2)^2} \le L "
    r"\implies \|b\|^2 \le L^2\eta^2V_2",
)
