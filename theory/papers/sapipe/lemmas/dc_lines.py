"""The lines of the proof of Theorem 3 about one update: its variance and its bias."""

from theory.kernel import Combine, Expect, Step, le, square
from theory.papers.sapipe import dc_method, setting

V1, V2, Delta, L, M, lambda_, n = setting.letters("V1 V2 Delta L M lambda_ n")
OFF = setting.letters("OFF")
AIM, COMPENSATED, CURVED, E_T = dc_method.letters("AIM COMPENSATED CURVED E_T")
HESSIAN, MOVED, OUTER, OUTER_MEAN = dc_method.letters("HESSIAN MOVED OUTER OUTER_MEAN")
STALE, STALE_MEAN = dc_method.letters("STALE STALE_MEAN")


PROOF = "appendix A, proof of Theorem 3"
_VARIANCE = f"{PROOF}, the variance"
_BIAS = f"{PROOF}, the error of the gradient estimation"

_FAR = STALE - STALE_MEAN
_OUTER_FAR = OUTER - OUTER_MEAN
_DEVIATION = E_T.of(square(COMPENSATED - AIM))
_LENGTH = square(MOVED)
_REST = OFF + lambda_ * OUTER_MEAN - HESSIAN
_MISS = HESSIAN - OUTER_MEAN

VARIANCE = (
    Step(
        "two parts",
        le(square(COMPENSATED - AIM), 2 * square(_FAR) + 2 * lambda_**2 * square(_OUTER_FAR)),
        Combine(squares=((1, _FAR - lambda_ * _OUTER_FAR),)),
    ),
    Step(
        "two parts, mean",
        le(
            _DEVIATION,
            2 * E_T.of(square(_FAR)) + 2 * lambda_**2 * E_T.of(square(_OUTER_FAR)),
        ),
        Expect("two parts", E_T),
        "E‖g^DC − E g^DC‖² ≤ 2E‖g − E g‖² + 2E‖λggᵀΔx − E λggᵀΔx‖²",
        f"{_VARIANCE}, third line",
    ),
    Step(
        "with V₁",
        le(_DEVIATION, 2 * V1 / n + 2 * lambda_**2 * E_T.of(square(_OUTER_FAR))),
        Combine({"two parts, mean": 1, "stale variance": 2}),
        "… ≤ 2V₁/n + 2E‖λggᵀΔx − E λggᵀΔx‖²",
        f"{_VARIANCE}, fourth line",
    ),
    Step(
        "second moment of ggᵀΔx",
        le(_DEVIATION, 2 * V1 / n + 2 * lambda_**2 * E_T.of(square(OUTER))),
        Combine(
            {"with V₁": 1, "outer mean": -4 * lambda_**2},
            squares=((2 * lambda_**2, OUTER_MEAN),),
        ),
        "… ≤ 2V₁/n + 2λ²E‖ggᵀΔx‖²",
        f"{_VARIANCE}, fifth line",
    ),
    Step(
        "outer, mean",
        le(E_T.of(square(OUTER)), V2**2 * _LENGTH),
        Expect("outer", E_T),
    ),
    Step(
        "variance",
        le(_DEVIATION, 2 * V1 / n + 2 * lambda_**2 * V2**2 * _LENGTH),
        Combine({"second moment of ggᵀΔx": 1, "outer, mean": 2 * lambda_**2}),
        "… ≤ 2V₁/n + 2λ²V₂²‖Δx‖²",
        f"{_VARIANCE}, last line",
    ),
)
"""From the facts of `dc_sizes.COMPENSATION`."""

_WITH_TAYLOR = 2 * M**2 * _LENGTH**2
BIAS = (
    Step(
        "with the Hessian",
        le(square(OFF), 2 * square(_REST) + 2 * square(HESSIAN - lambda_ * OUTER_MEAN)),
        Combine(squares=((1, _REST - HESSIAN + lambda_ * OUTER_MEAN),)),
        "‖b‖² ≤ 2‖∇F(x_t) − E[g + ∇²f Δx]‖² + 2‖E[g + ∇²f Δx] − E[g + λggᵀΔx]‖²",
        f"{_BIAS}, third line",
    ),
    Step(
        "with M",
        le(square(OFF), _WITH_TAYLOR + 2 * square(HESSIAN - lambda_ * OUTER_MEAN)),
        Combine({"with the Hessian": 1, "taylor": 2}),
        "… ≤ 2M²‖Δx‖⁴ + 2‖E[∇²f Δx] − E[λggᵀΔx]‖²",
        f"{_BIAS}, fourth line",
    ),
    Step(
        "with λ",
        le(
            square(OFF),
            _WITH_TAYLOR + 2 * square((1 - lambda_) * HESSIAN + lambda_ * _MISS),
        ),
        Combine({"with M": 1}),
        "… = 2M²‖Δx‖⁴ + 2‖E[(1 − λ)∇²f Δx + λ(∇²f Δx − ggᵀΔx)]‖²",
        f"{_BIAS}, fifth line",
    ),
    Step(
        "split",
        le(
            square(OFF),
            _WITH_TAYLOR
            + 4 * (1 - lambda_) ** 2 * square(HESSIAN)
            + 4 * lambda_**2 * square(_MISS),
        ),
        Combine({"with λ": 1}, squares=((2, (1 - lambda_) * HESSIAN - lambda_ * _MISS),)),
        "… ≤ 2M²‖Δx‖⁴ + 4(1 − λ)²‖E[∇²f Δx]‖² + 4λ²‖E[∇²f Δx − ggᵀΔx]‖²",
        f"{_BIAS}, sixth line",
    ),
    Step(
        "with L",
        le(
            square(OFF),
            _WITH_TAYLOR + 4 * (1 - lambda_) ** 2 * L**2 * _LENGTH + 4 * lambda_**2 * square(_MISS),
        ),
        Combine({"split": 1, "curvature": 4 * (1 - lambda_) ** 2}),
        "… ≤ 2M²‖Δx‖⁴ + 4(1 − λ)²L²‖Δx‖² + 4λ²‖E[∇²f Δx − ggᵀΔx]‖²",
        f"{_BIAS}, seventh line",
    ),
    Step(
        "spread",
        le(0, square(CURVED - OUTER - _MISS)),
        Combine(squares=((1, CURVED - OUTER - _MISS),)),
    ),
    Step(
        "spread, mean",
        le(0, E_T.of(square(CURVED - OUTER - _MISS))),
        Expect("spread", E_T),
        "the square of a mean is at most the mean of the square",
    ),
    Step(
        "outer product, mean",
        le(E_T.of(square(CURVED - OUTER)), Delta**2 * _LENGTH),
        Expect("outer product", E_T),
    ),
    Step(
        "bias",
        le(
            square(OFF),
            _WITH_TAYLOR
            + 4 * (1 - lambda_) ** 2 * L**2 * _LENGTH
            + 4 * lambda_**2 * Delta**2 * _LENGTH,
        ),
        Combine(
            {
                "with L": 1,
                **dict.fromkeys(("spread, mean", "outer product, mean"), 4 * lambda_**2),
                "mean outer product": -8 * lambda_**2,
            }
        ),
        "… ≤ 2M²‖Δx‖⁴ + 4(1 − λ)²L²‖Δx‖² + 4λ²Δ²‖Δx‖²",
        f"{_BIAS}, last line",
    ),
)
