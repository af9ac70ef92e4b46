"""The lines of the proof of Theorem 6 that hold, as small theorems of the kernel.

Problem    p and q are the others' gradients before and now, Δx the last step, H a Hessian.
Method     option 3: a worker predicts q by DC(p) = p + λppᵀΔx.
Guarantee  each line by itself.
Source     SAPipe paper, appendix A, proof of Theorem 6. Lines about the variance and about
           smoothness are steps of `wp_1_average`; what is false is in `wp_3_flaws`.
"""

import sympy

from theory.kernel import Average, Combine, Hypothesis, Theorem, eq, le, vectors
from theory.kernel.relations import Relation
from theory.kernel.vectors import Scalar
from theory.notation import theorem
from theory.notation.draft import Draft
from theory.papers.sapipe import setting
from theory.papers.sapipe.wp_3_method import PROOF

V1, V2, Delta, L, M, eta, lambda_, n = setting.letters("V1 V2 Delta L M eta lambda_ n")
_X, _SUM, _OWN, _BEFORE, _OWN_BEFORE, _CHANGED, _MOVED, _G = vectors(
    "x⁻ g g_i g⁻ g_i⁻ ∇²Ĝ_iΔx Δx g_last"
)
_A, _B, _TAYLOR, _EACH, _ANY, _CURVED, _MISS = vectors("A B r̄ r_j v H H−pp")
_C = sympy.Symbol("c_i", real=True)
"""⟨p_i, Δx⟩."""

_ERROR = f"{PROOF}, the error of the gradient estimation"
_SQUARED = eta**2 * L**2
_KNOWN = _BEFORE - _OWN_BEFORE / n
_DC = _KNOWN + lambda_ * _C * _KNOWN
_OTHERS = _SUM - _OWN / n
_FIRST = _OTHERS - _KNOWN - _CHANGED
_SECOND = _CHANGED - lambda_ * _C * _KNOWN
_SIZE = Hypothesis("size", "‖g‖² ≤ V₂ (Assumption 2)", le(_G**2, V2))
_OTHER_WORKERS = Average("avg_j", ("r_j",))
_REMAINDER = M**2 * (_MOVED**2) ** 2


def _line(
    name: str,
    where: str,
    says: str,
    latex: str,
    left: Scalar,
    terms: dict[str, Scalar],
    *assumed: Hypothesis,
    by: Combine | None = None,
    equal: bool = False,
) -> Theorem:
    """A line as a theorem of its own."""
    draft: Draft = theorem(f"sapipe.wp-3-line-{name}", where)
    draft.varying(_C)
    setting.assuming(draft, *assumed)
    said: Relation = (eq if equal else le)(left, sympy.Add(*terms.values()))
    return draft.shows(said, terms, by=by, says=says, latex=latex)


PREDICTION = _line(
    "prediction",
    f"{_ERROR}, lines 6 to 9",
    "x_{t−1} − x̃_{i,t−1} is −η(g − g_i/n − DC(g⁻ − g_i⁻/n, Δx)): what a worker knows of g "
    "cancels (taken with any vector).",
    r"x - \tilde x_i = -\eta\bigl(g - \tfrac1n g_i - DC_\lambda(g^- - \tfrac1n g_i^-)\bigr)",
    ((_X - eta * _SUM) - (_X - eta * (_DC + _OWN / n))) @ _ANY,
    {"others": -eta * (_OTHERS @ _ANY), "compensated": eta * (_DC @ _ANY)},
    by=Combine(),
    equal=True,
)
ALONE = _line(
    "alone",
    "ours",
    "With one worker x̃ = x for every λ (taken with any vector).",
    r"n = 1 \Rightarrow \tilde x_1 = x",
    ((_X - eta * _SUM) - (_X - eta * ((1 + lambda_ * _C) * (_BEFORE - _BEFORE) + _SUM))) @ _ANY,
    {"nothing": sympy.S.Zero},
    by=Combine(),
    equal=True,
)
SPLIT = _line(
    "split",
    f"{_ERROR}, line 10",
    "η²L²‖q − DC(p)‖² ≤ 2η²L²‖q − p − HΔx‖² + 2η²L²‖HΔx − λppᵀΔx‖².",
    r"\|q - DC_\lambda(p)\|^2 \le 2\|q - p - H\Delta x\|^2 + "
    r"2\|H\Delta x - \lambda pp^\top\Delta x\|^2",
    _SQUARED * (_OTHERS - _DC) ** 2,
    {"first": 2 * _SQUARED * _FIRST**2, "second": 2 * _SQUARED * _SECOND**2},
    by=Combine(squares=((_SQUARED, _FIRST - _SECOND),)),
)
SAMPLES = _line(
    "samples",
    f"{PROOF}, ①, third line",
    "2η²L²‖A + B‖² ≤ 4η²L²‖A‖² + 4η²L²‖B‖²: other samples, and Taylor's remainder.",
    r"2\eta^2L^2\|A + B\|^2 \le 4\eta^2L^2\|A\|^2 + 4\eta^2L^2\|B\|^2",
    2 * _SQUARED * (_A + _B) ** 2,
    {"samples": 4 * _SQUARED * _A**2, "remainder": 4 * _SQUARED * _B**2},
    by=Combine(squares=((2 * _SQUARED, _A - _B),)),
)

_mean = theorem("sapipe.wp-3-line-remainder", f"{PROOF}, ①, fourth line")
_mean.assume(
    eq(_OTHER_WORKERS.of(_EACH @ _TAYLOR), _TAYLOR**2),
    "mean remainder",
    "r̄ is the mean of the r_j, j ≠ i",
)
_mean.assume(_EACH**2 <= _REMAINDER, "taylor", "‖r_j‖ ≤ M‖Δx‖² (Assumption 4)")
_mean.have((_EACH - _TAYLOR) ** 2 >= 0, "square", by=Combine(squares=((1, _EACH - _TAYLOR),)))
_mean.have(
    _TAYLOR**2 <= _REMAINDER,
    "mean",
    by=Combine({"avg_j[square]": 1, "avg_j[taylor]": 1, "mean remainder": -2}),
)
REMAINDER = _mean.shows(
    ((1 - 1 / n) * _TAYLOR) ** 2 <= _REMAINDER,
    {"remainder": _REMAINDER},
    by=Combine({"mean": 1}, squares=(((2 - 1 / n) / n, _TAYLOR),)),
    says="1/n times the sum of n − 1 of Taylor's remainders has a squared norm of at most M²‖Δx‖⁴.",
    latex=r"\|\tfrac1n\sum_{j\ne i} r_j\|^2 \le M^2\|\Delta x\|^4",
)

STEP_LENGTH = _line(
    "length",
    f"{PROOF}, ①, last two lines",
    "‖Δx‖⁴ = ‖ηg‖⁴ ≤ η⁴V₂², so 4η²L²M²‖Δx‖⁴ ≤ 4η⁶L²M²V₂².",
    r"4\eta^2L^2M^2\|\eta g\|^4 \le 4\eta^6L^2M^2V_2^2",
    4 * _SQUARED * M**2 * ((eta * _G) ** 2) ** 2,
    {"remainder": 4 * eta**6 * L**2 * M**2 * V2**2},
    _SIZE,
    by=Combine({"size": 4 * eta**6 * L**2 * M**2 * (_G**2 + V2)}),
)
CURVED = _line(
    "curved",
    f"{PROOF}, ②, second line with Young's factor 2",
    "‖HΔx − λppᵀΔx‖² ≤ 2(1 − λ)²‖HΔx‖² + 2λ²‖HΔx − ppᵀΔx‖²: twice what is printed.",
    r"\|H\Delta x - \lambda pp^\top\Delta x\|^2 \le 2(1-\lambda)^2\|H\Delta x\|^2 + "
    r"2\lambda^2\|H\Delta x - pp^\top\Delta x\|^2",
    ((1 - lambda_) * _CURVED + lambda_ * _MISS) ** 2,
    {
        "Hessian": 2 * (1 - lambda_) ** 2 * _CURVED**2,
        "outer product": 2 * lambda_**2 * _MISS**2,
    },
    by=Combine(squares=((1, (1 - lambda_) * _CURVED - lambda_ * _MISS),)),
)
SIZES = _line(
    "sizes",
    f"{PROOF}, ②, last three lines",
    "If ‖HΔx‖ ≤ L‖Δx‖ and ‖HΔx − ppᵀΔx‖ ≤ Δ‖Δx‖, then 2η²L²(1 − λ)²‖HΔx‖² + "
    "2η²L²λ²‖HΔx − ppᵀΔx‖² ≤ 2η⁴L²V₂(L²(1 − λ)² + λ²Δ²).",
    r"\dots \le 2\eta^4L^2V_2(L^2(1-\lambda)^2 + \lambda^2\Delta^2)",
    2 * _SQUARED * ((1 - lambda_) ** 2 * _CURVED**2 + lambda_**2 * _MISS**2),
    {
        "Hessian": 2 * eta**4 * L**4 * V2 * (1 - lambda_) ** 2,
        "outer product": 2 * eta**4 * L**2 * V2 * lambda_**2 * Delta**2,
    },
    _SIZE,
    Hypothesis("curvature", "‖HΔx‖ ≤ L‖Δx‖ (Assumption 1)", le(_CURVED**2, L**2 * (eta * _G) ** 2)),
    Hypothesis(
        "outer product",
        "‖HΔx − ppᵀΔx‖ ≤ Δ‖Δx‖ (Assumption 4, as the line reads it)",
        le(_MISS**2, Delta**2 * (eta * _G) ** 2),
    ),
    by=Combine(
        {
            "curvature": 2 * _SQUARED * (1 - lambda_) ** 2,
            "outer product": 2 * _SQUARED * lambda_**2,
            "size": 2 * eta**4 * L**2 * (L**2 * (1 - lambda_) ** 2 + lambda_**2 * Delta**2),
        }
    ),
)
NOISES = _line(
    "noises",
    f"{PROOF}, ①, sixth line",
    "4η²L²‖A − E A‖² + 4η²L²‖B − E B‖² ≤ 8η²L²V₁/n, if both are at most V₁/n.",
    r"4\eta^2L^2\|A\|^2 + 4\eta^2L^2\|B\|^2 \le 8\eta^2L^2\tfrac{V_1}{n}",
    4 * _SQUARED * _A**2 + 4 * _SQUARED * _B**2,
    {"noise": 8 * _SQUARED * V1 / n},
    Hypothesis("now", "the variance of A is at most V₁/n", le(_A**2, V1 / n)),
    Hypothesis("before", "the variance of B is at most V₁/n", le(_B**2, V1 / n)),
    by=Combine(dict.fromkeys(("now", "before"), 4 * _SQUARED)),
)

HOLDING = (PREDICTION, SPLIT, SAMPLES, REMAINDER, NOISES, STEP_LENGTH, CURVED, SIZES)
"""In the order of the proof."""
