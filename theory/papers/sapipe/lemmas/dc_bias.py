"""What delay compensation misses, by the triangle inequality: it can be less than vanilla SAPipe.

b = (∇F(x_t) − ∇F(x_{t−1}) − h) + (1 − λ)h + λ(h − w), with h = ∇²F Δx and w = E[ggᵀ]Δx, and none of
the three is longer than Assumptions 1 and 4 say. The printed proof takes twice the squares of the
parts, two times over, and so cannot do better than 32/5 of Err₀; for λ = 1 and a small η the parts
together are about Δη√V₂ long, less than the Lη√V₂ of vanilla SAPipe wherever Δ < L.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, Triangle, le, square, vectors
from theory.papers.sapipe import symbols

V2, Delta, L, M, eta, lambda_ = symbols.letters("V2 Delta L M eta lambda_")


REST, HESSIAN, MISS = vectors("r h h−w")
"""Remainder of Taylor's formula of ∇F, the Hessian times Δx, and what E[ggᵀ]Δx misses of that."""

OFF = REST + (1 - lambda_) * HESSIAN + lambda_ * MISS
"""b."""

LENGTH = sympy.Symbol("a", nonnegative=True)
"""‖Δx‖."""

_SIZE = M * LENGTH**2 + ((1 - lambda_) * L + lambda_ * Delta) * LENGTH

THEOREM = Theorem(
    id="sapipe.dc-bias",
    where="ours",
    statement=(
        "For 0 ≤ λ ≤ 1 what the mean of the compensated gradient misses of ∇F(x_t) is at most "
        "‖b‖ ≤ M‖Δx‖² + ((1 − λ)L + λΔ)‖Δx‖."
    ),
    latex=r"\|b\| \le M\|\Delta x\|^2 + ((1 - \lambda)L + \lambda\Delta)\|\Delta x\|",
    symbols=(L, M, Delta, lambda_, LENGTH),
    vectors=(REST, HESSIAN, MISS),
    hypotheses=(
        Hypothesis(
            "taylor",
            "the remainder of Taylor's formula of ∇F is at most M‖Δx‖² (Assumption 4)",
            le(square(REST), (M * LENGTH**2) ** 2),
        ),
        Hypothesis(
            "curvature",
            "the Hessian of an L-smooth F is at most L (Assumption 1)",
            le(square(HESSIAN), (L * LENGTH) ** 2),
        ),
        Hypothesis(
            "outer product",
            "‖∇f∇fᵀ − ∇²f‖ ≤ Δ for every drawn batch, so for its mean (Assumption 4)",
            le(square(MISS), (Delta * LENGTH) ** 2),
        ),
        Hypothesis("weight", "λ ≤ 1", le(lambda_, 1)),
    ),
    steps=(Step("part", le(0, 1 - lambda_), Combine({"weight": 1})),),
    lhs=square(OFF),
    terms={"parts": _SIZE**2},
    conclude=Triangle(
        (
            ("taylor", sympy.S.One, REST, M * LENGTH**2),
            ("curvature", 1 - lambda_, HESSIAN, L * LENGTH),
            ("outer product", lambda_, MISS, Delta * LENGTH),
        ),
        ("part",),
    ),
)

_ONE = {lambda_: sympy.S.One}
_KEPT = 1 - eta * V2
_STEP = eta * sympy.sqrt(V2)
_TOGETHER = M * LENGTH**2 + Delta * LENGTH
_LONGEST = _STEP / _KEPT
SMALL = Hypothesis(
    "small", "ηV₂ ≤ 1 − 1/√2 (Theorem 3, at λ = 1)", le(eta * V2, 1 - 1 / sympy.sqrt(2))
)

BETTER = Theorem(
    id="sapipe.dc-better",
    where="ours",
    statement=(
        "At λ = 1 and κ = 1, with ηV₂ ≤ 1 − 1/√2, the bias of SAPipe-DC is at most that of vanilla "
        "SAPipe, ‖b‖² ≤ L²η²V₂ at every update, if Δ/(1 − ηV₂) + Mη√V₂/(1 − ηV₂)² ≤ L, which every "
        "small η gives where Δ < L."
    ),
    latex=(
        r"\tfrac{\Delta}{1 - \eta V_2} + \tfrac{M\eta\sqrt{V_2}}{(1 - \eta V_2)^2} \le L "
        r"\implies \|b\|^2 \le L^2\eta^2V_2"
    ),
    symbols=(L, M, Delta, LENGTH, eta, V2),
    vectors=THEOREM.vectors,
    hypotheses=(
        *(
            Hypothesis(one.name, one.says, one.relation)
            for one in THEOREM.hypotheses[:3]
            if isinstance(one, Hypothesis)
        ),
        SMALL,
        Hypothesis(
            "step",
            "‖Δx‖ is at most the geometric sum η√V₂/(1 − ηV₂) (sapipe.dc-step)",
            le(LENGTH, _LONGEST),
        ),
        Hypothesis(
            "enough",
            "Δ/(1 − ηV₂) + Mη√V₂/(1 − ηV₂)² ≤ L",
            le(Delta / _KEPT + M * _STEP / _KEPT**2, L),
        ),
    ),
    cites=(THEOREM,),
    steps=(
        Step("kept", le(1 / sympy.sqrt(2), _KEPT), Combine({"small": 1})),
        Step(
            "parts",
            THEOREM.goal.replaced(_ONE),
            Cite(THEOREM.id, scalars=_ONE),
        ),
        Step(
            "longest",
            le(_TOGETHER, M * _LONGEST**2 + Delta * _LONGEST),
            Combine({"step": M * (LENGTH + _LONGEST) + Delta}, domain=("kept",)),
        ),
        Step(
            "as vanilla",
            le(_TOGETHER, L * _STEP),
            Combine({"longest": 1, "enough": _STEP}, domain=("kept",)),
        ),
    ),
    lhs=square(REST + MISS),
    terms={"vanilla": L**2 * eta**2 * V2},
    conclude=Combine({"parts": 1, "as vanilla": _TOGETHER + L * _STEP}),
)

CLAIM = as_claim(THEOREM)
BETTER_CLAIM = as_claim(BETTER)
