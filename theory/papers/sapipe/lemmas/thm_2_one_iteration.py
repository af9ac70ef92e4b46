"""Theorem 2 for T = 1, whatever the first iteration does.

Problem    F is L-smooth and at least F(x_*); η ≤ 1/L.
Method     none: x_0 alone counts for T = 1.
Guarantee  ‖∇F(x_0)‖² ≤ 2R₀/η.
Source     ours.
"""

from theory.kernel import Combine, Hypothesis, le
from theory.notation import function, theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas.same_samples import BOUNDED, LOWEST

R0, L, eta, F_STAR, X = setting.letters("R0 L eta F_STAR X")

draft = setting.assuming(
    theorem("sapipe.thm-2-one-iteration", "ours", function("F", X, LOWEST)),
    *(setting.SMOOTH, BOUNDED, setting.STEPSIZE),
    Hypothesis("start", "R₀ is F(x_0) − F(x_*)", le(X.value, F_STAR + R0)),
)
THEOREM = draft.shows(
    X.gradient**2 <= 2 * R0 / eta,
    {"optimization": 2 * R0 / eta},
    by=Combine(
        {
            **dict.fromkeys(("descent, x to x−", "bounded", "start"), 2 * L),
            "stepsize": 2 * L * R0 / eta,
        }
    ),
    says="‖∇F(x_0)‖² is at most 2R₀/η for η ≤ 1/L: Theorem 2 for T = 1, whatever it does.",
)
