"""The lines of the proof of Theorem 6 that hold, as small theorems of the kernel.

Those about the variance and about smoothness are steps of `wp_1_average`. What is false is in
`wp_3_flaws`.
"""

import sympy

from theory.kernel import (
    Average,
    Combine,
    Expect,
    Hypothesis,
    Step,
    Theorem,
    dot,
    eq,
    le,
    square,
    vectors,
)
from theory.papers.sapipe import symbols
from theory.papers.sapipe.wp_3_method import PROOF

V1, V2, Delta, L, M, eta, lambda_ = symbols.letters("V1 V2 Delta L M eta lambda_")
n = symbols.letters("n")


_ERROR = f"{PROOF}, the error of the gradient estimation"
_X, _SUM, _OWN, _BEFORE, _OWN_BEFORE, _CHANGED, _MOVED, _G = vectors(
    "x⁻ g g_i g⁻ g_i⁻ ∇²Ĝ_iΔx Δx g_last"
)
_A, _B, _TAYLOR, _EACH, _ANY, _CURVED, _MISS = vectors("A B r̄ r_j v H H−pp")
_C = sympy.Symbol("c_i", real=True)
"""⟨p_i, Δx⟩."""
_SQUARED = eta**2 * L**2

_KNOWN = _BEFORE - _OWN_BEFORE / n
_DC = _KNOWN + lambda_ * _C * _KNOWN
_OTHERS = _SUM - _OWN / n
_FIRST = _OTHERS - _KNOWN - _CHANGED
_SECOND = _CHANGED - lambda_ * _C * _KNOWN

PREDICTION = Theorem(
    id="sapipe.wp-3-line-prediction",
    where=f"{_ERROR}, lines 6 to 9",
    statement=(
        "x_{t−1} − x̃_{i,t−1} is −η(g − g_i/n − DC(g⁻ − g_i⁻/n, Δx)): what a worker knows of g "
        "cancels (taken with any vector)."
    ),
    latex=(
        r"x - \tilde x_i = -\eta\bigl(g - \tfrac1n g_i - DC_\lambda(g^- - \tfrac1n g_i^-)\bigr)"
    ),
    symbols=(eta, n, lambda_),
    scalars=(_C,),
    vectors=(_X, _SUM, _OWN, _BEFORE, _OWN_BEFORE, _ANY),
    kind="==",
    lhs=dot((_X - eta * _SUM) - (_X - eta * (_DC + _OWN / n)), _ANY),
    terms={"others": -eta * dot(_OTHERS, _ANY), "compensated": eta * dot(_DC, _ANY)},
    conclude=Combine(),
)
ALONE = Theorem(
    id="sapipe.wp-3-line-alone",
    where="ours",
    statement="With one worker x̃ = x for every λ (taken with any vector).",
    latex=r"n = 1 \Rightarrow \tilde x_1 = x",
    symbols=(eta, lambda_),
    scalars=(_C,),
    vectors=(_X, _SUM, _BEFORE, _ANY),
    kind="==",
    lhs=dot(
        (_X - eta * _SUM) - (_X - eta * ((1 + lambda_ * _C) * (_BEFORE - _BEFORE) + _SUM)),
        _ANY,
    ),
    terms={"nothing": sympy.S.Zero},
    conclude=Combine(),
)
SPLIT = Theorem(
    id="sapipe.wp-3-line-split",
    where=f"{_ERROR}, line 10",
    statement="η²L²‖q − DC(p)‖² ≤ 2η²L²‖q − p − HΔx‖² + 2η²L²‖HΔx − λppᵀΔx‖².",
    latex=(
        r"\|q - DC_\lambda(p)\|^2 \le 2\|q - p - H\Delta x\|^2 + "
        r"2\|H\Delta x - \lambda pp^\top\Delta x\|^2"
    ),
    symbols=(eta, L, lambda_, n),
    scalars=(_C,),
    vectors=(_SUM, _OWN, _BEFORE, _OWN_BEFORE, _CHANGED),
    lhs=_SQUARED * square(_OTHERS - _DC),
    terms={
        "first": 2 * _SQUARED * square(_FIRST),
        "second": 2 * _SQUARED * square(_SECOND),
    },
    conclude=Combine(squares=((_SQUARED, _FIRST - _SECOND),)),
)
SAMPLES = Theorem(
    id="sapipe.wp-3-line-samples",
    where=f"{PROOF}, ①, third line",
    statement="2η²L²‖A + B‖² ≤ 4η²L²‖A‖² + 4η²L²‖B‖²: other samples, and Taylor's remainder.",
    latex=r"2\eta^2L^2\|A + B\|^2 \le 4\eta^2L^2\|A\|^2 + 4\eta^2L^2\|B\|^2",
    symbols=(eta, L),
    vectors=(_A, _B),
    lhs=2 * _SQUARED * square(_A + _B),
    terms={"samples": 4 * _SQUARED * square(_A), "remainder": 4 * _SQUARED * square(_B)},
    conclude=Combine(squares=((2 * _SQUARED, _A - _B),)),
)

_OTHER_WORKERS = Average("avg_j", ("r_j",))
_REMAINDER = M**2 * square(_MOVED) ** 2
REMAINDER = Theorem(
    id="sapipe.wp-3-line-remainder",
    where=f"{PROOF}, ①, fourth line",
    statement=(
        "1/n times the sum of n − 1 of Taylor's remainders has a squared norm of at most M²‖Δx‖⁴."
    ),
    latex=r"\|\tfrac1n\sum_{j\ne i} r_j\|^2 \le M^2\|\Delta x\|^4",
    symbols=(n, M),
    vectors=(_TAYLOR, _EACH, _MOVED),
    hypotheses=(
        Hypothesis(
            "mean remainder",
            "r̄ is the mean of the r_j, j ≠ i",
            eq(_OTHER_WORKERS.of(dot(_EACH, _TAYLOR)), square(_TAYLOR)),
        ),
        Hypothesis("taylor", "‖r_j‖ ≤ M‖Δx‖² (Assumption 4)", le(square(_EACH), _REMAINDER)),
    ),
    steps=(
        Step("square", le(0, square(_EACH - _TAYLOR)), Combine(squares=((1, _EACH - _TAYLOR),))),
        Step(
            "jensen",
            le(0, _OTHER_WORKERS.of(square(_EACH - _TAYLOR))),
            Expect("square", _OTHER_WORKERS),
        ),
        Step(
            "each",
            le(_OTHER_WORKERS.of(square(_EACH)), _REMAINDER),
            Expect("taylor", _OTHER_WORKERS),
        ),
        Step(
            "mean",
            le(square(_TAYLOR), _REMAINDER),
            Combine({"jensen": 1, "each": 1, "mean remainder": -2}),
        ),
    ),
    lhs=square((1 - 1 / n) * _TAYLOR),
    terms={"remainder": _REMAINDER},
    conclude=Combine({"mean": 1}, squares=(((2 - 1 / n) / n, _TAYLOR),)),
)

STEP_LENGTH = Theorem(
    id="sapipe.wp-3-line-length",
    where=f"{PROOF}, ①, last two lines",
    statement="‖Δx‖⁴ = ‖ηg‖⁴ ≤ η⁴V₂², so 4η²L²M²‖Δx‖⁴ ≤ 4η⁶L²M²V₂².",
    latex=r"4\eta^2L^2M^2\|\eta g\|^4 \le 4\eta^6L^2M^2V_2^2",
    symbols=(eta, L, M, V2),
    vectors=(_G,),
    hypotheses=(Hypothesis("size", "‖g‖² ≤ V₂ (Assumption 2)", le(square(_G), V2)),),
    lhs=4 * _SQUARED * M**2 * square(eta * _G) ** 2,
    terms={"remainder": 4 * eta**6 * L**2 * M**2 * V2**2},
    conclude=Combine({"size": 4 * eta**6 * L**2 * M**2 * (square(_G) + V2)}),
)
CURVED = Theorem(
    id="sapipe.wp-3-line-curved",
    where=f"{PROOF}, ②, second line with Young's factor 2",
    statement=("‖HΔx − λppᵀΔx‖² ≤ 2(1 − λ)²‖HΔx‖² + 2λ²‖HΔx − ppᵀΔx‖²: twice what is printed."),
    latex=(
        r"\|H\Delta x - \lambda pp^\top\Delta x\|^2 \le 2(1-\lambda)^2\|H\Delta x\|^2 + "
        r"2\lambda^2\|H\Delta x - pp^\top\Delta x\|^2"
    ),
    symbols=(lambda_,),
    vectors=(_CURVED, _MISS),
    lhs=square((1 - lambda_) * _CURVED + lambda_ * _MISS),
    terms={
        "Hessian": 2 * (1 - lambda_) ** 2 * square(_CURVED),
        "outer product": 2 * lambda_**2 * square(_MISS),
    },
    conclude=Combine(squares=((1, (1 - lambda_) * _CURVED - lambda_ * _MISS),)),
)
SIZES = Theorem(
    id="sapipe.wp-3-line-sizes",
    where=f"{PROOF}, ②, last three lines",
    statement=(
        "If ‖HΔx‖ ≤ L‖Δx‖ and ‖HΔx − ppᵀΔx‖ ≤ Δ‖Δx‖, then 2η²L²(1 − λ)²‖HΔx‖² + "
        "2η²L²λ²‖HΔx − ppᵀΔx‖² ≤ 2η⁴L²V₂(L²(1 − λ)² + λ²Δ²)."
    ),
    latex=r"\dots \le 2\eta^4L^2V_2(L^2(1-\lambda)^2 + \lambda^2\Delta^2)",
    symbols=(eta, L, V2, lambda_, Delta),
    vectors=(_CURVED, _MISS, _G),
    hypotheses=(
        Hypothesis("size", "‖g‖² ≤ V₂ (Assumption 2)", le(square(_G), V2)),
        Hypothesis(
            "curvature",
            "‖HΔx‖ ≤ L‖Δx‖ (Assumption 1)",
            le(square(_CURVED), L**2 * square(eta * _G)),
        ),
        Hypothesis(
            "outer product",
            "‖HΔx − ppᵀΔx‖ ≤ Δ‖Δx‖ (Assumption 4, as the line reads it)",
            le(square(_MISS), Delta**2 * square(eta * _G)),
        ),
    ),
    lhs=2 * _SQUARED * (1 - lambda_) ** 2 * square(_CURVED)
    + 2 * _SQUARED * lambda_**2 * square(_MISS),
    terms={
        "Hessian": 2 * eta**4 * L**4 * V2 * (1 - lambda_) ** 2,
        "outer product": 2 * eta**4 * L**2 * V2 * lambda_**2 * Delta**2,
    },
    conclude=Combine(
        {
            "curvature": 2 * _SQUARED * (1 - lambda_) ** 2,
            "outer product": 2 * _SQUARED * lambda_**2,
            "size": 2 * eta**4 * L**2 * (L**2 * (1 - lambda_) ** 2 + lambda_**2 * Delta**2),
        }
    ),
)
NOISES = Theorem(
    id="sapipe.wp-3-line-noises",
    where=f"{PROOF}, ①, sixth line",
    statement="4η²L²‖A − E A‖² + 4η²L²‖B − E B‖² ≤ 8η²L²V₁/n, if both are at most V₁/n.",
    latex=r"4\eta^2L^2\|A\|^2 + 4\eta^2L^2\|B\|^2 \le 8\eta^2L^2\tfrac{V_1}{n}",
    symbols=(eta, L, V1, n),
    vectors=(_A, _B),
    hypotheses=(
        Hypothesis("now", "the variance of A is at most V₁/n", le(square(_A), V1 / n)),
        Hypothesis("before", "the variance of B is at most V₁/n", le(square(_B), V1 / n)),
    ),
    lhs=4 * _SQUARED * square(_A) + 4 * _SQUARED * square(_B),
    terms={"noise": 8 * _SQUARED * V1 / n},
    conclude=Combine(dict.fromkeys(("now", "before"), 4 * _SQUARED)),
)

HOLDING = (PREDICTION, SPLIT, SAMPLES, REMAINDER, NOISES, STEP_LENGTH, CURVED, SIZES)
"""In the order of the proof."""
