"""One update of SAPipe-DC: the descent lemma with the variance and the bias of its proof.

Problem    F is L-smooth, Assumption 4 holds with M and Δ; n workers, V₁ and V₂ of Assumption 2.
Method     SAPipe-DC with samples of their own for stale elements and a compensation that sees all
           of Δx.
Guarantee  E F(x_t) ≤ F(x_{t−1}) − (η/2)‖∇F(x_{t−1})‖² + (κη/2)(2M²‖Δx‖⁴ + 4(1 − λ)²L²‖Δx‖² +
           4λ²Δ²‖Δx‖²) + (Lη²/2)((1 + κ)V₁/n + 2κλ²V₂²‖Δx‖²) for η ≤ 1/L.
Source     SAPipe paper, appendix A, proof of Theorem 3.
"""

from theory.kernel import Combine
from theory.notation import function, theorem
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas import dc_sizes

V1, V2, Delta, L, M, eta, kappa, lambda_, n = setting.letters("V1 V2 Delta L M eta kappa lambda_ n")
NEXT, OFF, G, X = setting.letters("NEXT OFF G X")
AIM, ALONG, COMPENSATED, E_T, CURVED = dc_method.letters("AIM ALONG COMPENSATED E_T CURVED")
HESSIAN, MOVED, OUTER, OUTER_MEAN = dc_method.letters("HESSIAN MOVED OUTER OUTER_MEAN")
STALE, STALE_MEAN = dc_method.letters("STALE STALE_MEAN")

PROOF = "appendix A, proof of Theorem 3"
_BIAS = f"{PROOF}, the error of the gradient estimation"
_SPREAD = E_T.of((OUTER - OUTER_MEAN) ** 2)
_LENGTH = MOVED**2
_TAYLOR = 2 * M**2 * _LENGTH**2
_BENT = 4 * (1 - lambda_) ** 2
_MISS = HESSIAN - OUTER_MEAN

BENT = _BENT * L**2 + 4 * lambda_**2 * Delta**2
NOISE = 2 * lambda_**2 * V2**2
VARIED = (1 + kappa) * V1 / n

VARIANCE = (
    (
        2 * E_T.of((STALE - STALE_MEAN) ** 2) + 2 * lambda_**2 * _SPREAD,
        "E‖g^DC − E g^DC‖² ≤ 2E‖g − E g‖² + 2E‖λggᵀΔx − E λggᵀΔx‖²",
        "third line",
    ),
    (2 * V1 / n + 2 * lambda_**2 * _SPREAD, "… ≤ 2V₁/n + 2E‖λggᵀΔx − E λggᵀΔx‖²", "fourth line"),
    (2 * V1 / n + 2 * lambda_**2 * E_T.of(OUTER**2), "… ≤ 2V₁/n + 2λ²E‖ggᵀΔx‖²", "fifth line"),
    (2 * V1 / n + NOISE * _LENGTH, "… ≤ 2V₁/n + 2λ²V₂²‖Δx‖²", "last line"),
)
"""What bounds the variance of the compensated gradient, line by line."""

BIAS = (
    (
        2 * (OFF + lambda_ * OUTER_MEAN - HESSIAN) ** 2 + 2 * (HESSIAN - lambda_ * OUTER_MEAN) ** 2,
        "‖b‖² ≤ 2‖∇F(x_t) − E[g + ∇²f Δx]‖² + 2‖E[g + ∇²f Δx] − E[g + λggᵀΔx]‖²",
        "third line",
    ),
    (
        _TAYLOR + 2 * (HESSIAN - lambda_ * OUTER_MEAN) ** 2,
        "… ≤ 2M²‖Δx‖⁴ + 2‖E[∇²f Δx] − E[λggᵀΔx]‖²",
        "fourth line",
    ),
    (
        _TAYLOR + 2 * ((1 - lambda_) * HESSIAN + lambda_ * _MISS) ** 2,
        "… = 2M²‖Δx‖⁴ + 2‖E[(1 − λ)∇²f Δx + λ(∇²f Δx − ggᵀΔx)]‖²",
        "fifth line",
    ),
    (
        _TAYLOR + _BENT * HESSIAN**2 + 4 * lambda_**2 * _MISS**2,
        "… ≤ 2M²‖Δx‖⁴ + 4(1 − λ)²‖E[∇²f Δx]‖² + 4λ²‖E[∇²f Δx − ggᵀΔx]‖²",
        "sixth line",
    ),
    (
        _TAYLOR + _BENT * L**2 * _LENGTH + 4 * lambda_**2 * _MISS**2,
        "… ≤ 2M²‖Δx‖⁴ + 4(1 − λ)²L²‖Δx‖² + 4λ²‖E[∇²f Δx − ggᵀΔx]‖²",
        "seventh line",
    ),
    (_TAYLOR + BENT * _LENGTH, "… ≤ 2M²‖Δx‖⁴ + 4(1 − λ)²L²‖Δx‖² + 4λ²Δ²‖Δx‖²", "last line"),
)
"""What bounds its bias, ‖b‖²."""

draft = theorem(
    "sapipe.dc-update", f"{PROOF}, all ingredients together, first line", function("F", X, NEXT)
)
draft.varying(ALONG)
setting.assuming(draft, setting.SMOOTH, *dc_method.STALE_SIZE, dc_method.MIXED_MEAN)
setting.assuming(draft, dc_method.MIXED_SLOPE, *dc_method.MEANS, *dc_method.CURVATURE)
setting.assuming(draft, setting.STEPSIZE, setting.SHARE)
dc_sizes.compensating(draft)
draft.have(
    (COMPENSATED - AIM) ** 2
    <= 2 * (STALE - STALE_MEAN) ** 2 + 2 * lambda_**2 * (OUTER - OUTER_MEAN) ** 2
)
for most, says, line in VARIANCE:
    draft.have(
        E_T.of((COMPENSATED - AIM) ** 2) <= most, says=says, where=f"{PROOF}, the variance, {line}"
    )
draft.have((CURVED - OUTER - _MISS) ** 2 >= 0)
last = ""
for most, says, line in BIAS:
    same = Combine({last: 1}) if line == "fifth line" else None  # the fourth one, written otherwise
    last = draft.have(OFF**2 <= most, by=same, says=says, where=f"{_BIAS}, {line}")
draft.have(1 - L * eta >= 0)
draft.have(1 - kappa >= 0)
draft.have(
    E_T.of(G**2) <= (1 - kappa) * X.gradient**2 + kappa * AIM**2 + VARIED + kappa * NOISE * _LENGTH,
    "second moment",
    says="fresh elements have the variance V₁/n, stale ones that of the compensated gradient",
)
TERMS = {
    "value": X.value,
    "progress": -eta / 2 * X.gradient**2,
    "bias": eta / 2 * kappa * (_TAYLOR + BENT * _LENGTH),
    "variance": L * eta**2 / 2 * (VARIED + kappa * NOISE * _LENGTH),
}
CLAIM = THEOREM = draft.shows(
    E_T.of(NEXT.value) <= sum(TERMS.values()),
    TERMS,
    says="With η ≤ 1/L one update of SAPipe-DC, with samples of their own for stale elements and a "
    "compensation that sees all of Δx, has E F(x_t) ≤ F(x_{t−1}) − (η/2)‖∇F(x_{t−1})‖² + "
    "(κη/2)(2M²‖Δx‖⁴ + 4(1 − λ)²L²‖Δx‖² + 4λ²Δ²‖Δx‖²) + (Lη²/2)((1 + κ)V₁/n + 2κλ²V₂²‖Δx‖²).",
    latex=r"\mathbb{E} F(x_t) \le F(x_{t-1}) - \tfrac\eta2\|\nabla F(x_{t-1})\|^2 + "
    r"\tfrac{\kappa\eta}{2}\bigl[2M^2\|\Delta x\|^4 + 4(1-\lambda)^2L^2\|\Delta x\|^2 + "
    r"4\lambda^2\Delta^2\|\Delta x\|^2\bigr] + \tfrac{L\eta^2}{2}\bigl[(1+\kappa)"
    r"\tfrac{V_1}{n} + 2\kappa\lambda^2V_2^2\|\Delta x\|^2\bigr]",
)
