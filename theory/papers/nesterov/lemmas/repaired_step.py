"""One iteration of Nesterov's method with delayed gradients, as one of delayed gradient descent.

Let x_s = w_s + d_s, so that y_t = x_s for s = t − τ, and g_s = ∇f(x_s). With λ_t = t, (27) says
that z_t = w_t + t d_t − w* moves by −2ηḡ_t in every iteration t ≥ 2. And x_s is a weighted mean of
x_{s−1} and of what z has reached: convexity at x_s, once against w* and s − 1 times against
x_{s−1}, leaves ⟨g_s, z_s⟩ and gradients. z_s is compared with z_{s+τ}, which g_s moves; the rest is
Young's inequality; for small η what f gains by its curvature pays for it.

k counts the iterations s = k + 2, from the second x on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Hypothesis,
    Point,
    Step,
    Theorem,
    Total,
    dot,
    eq,
    le,
    point,
    square,
    vector,
)
from theory.kernel.vectors import Scalar
from theory.papers.nesterov.lemmas import averaged_step, interpolation
from theory.papers.nesterov.lemmas.gradient_window import SIZES
from theory.papers.nesterov.method import SMOOTH, convex
from theory.papers.nesterov.symbols import beta, eta, tau

X: Final = point("x")
"""x_{s−1}."""
LAG, TURN = vector("h"), vector("d")
"""h̄_{s−1} and d_s: what leads from x_{s−1} over w_s to x_s."""
NEXT: Final = Point(X.position + LAG + TURN, sympy.Symbol("f(x⁺)", real=True), vector("∇f(x⁺)"))
"""x_s."""
USED, OLD = vector("ḡ⁻"), vector("ḡ")
"""ḡ_{s−1} and ḡ_s, the gradients that z has seen last at z_s and at z_{s+1}; ḡ_1 counts half."""
SUM: Final = vector("z_s")
"""z_s."""
Z, Z_NEXT = point("z"), point("z⁺")
"""z_{s+τ} and z_{s+τ+1}."""
STAR: Final = point("w*")
"""A minimiser."""
MIDDLE: Final = interpolation.between(X, NEXT, "u")
MIDDLE_STAR: Final = interpolation.between(STAR, NEXT, "u*")

F_STAR: Final = sympy.Symbol("f*", real=True)
"""f(w*)."""
WEIGHT: Final = sympy.Symbol("y", positive=True)
"""Weight of Young's inequality where ḡ_s − ḡ_{s−1} is parted from g_s."""
GAIN: Final = sympy.Symbol("a", real=True)
"""⟨g_s, x_s − w*⟩."""
CHANGE: Final = sympy.Symbol("c", nonnegative=True)
"""‖g_s − g_{s−1}‖²."""
OLD_CHANGE: Final = sympy.Symbol("o", nonnegative=True)
"""‖ḡ_s − ḡ_{s−1}‖²."""

k: Final = sympy.Symbol("k", integer=True, nonnegative=True)
F: Final = sympy.Function("F", real=True)
A, H, T, B, C, P = (sympy.Function(name, real=True) for name in ("A", "H", "D", "B", "C", "P"))
COUNT: Final = sympy.Function("n", nonnegative=True)
"""s − 2, which is k."""
N, V, Q, CH, OC = (sympy.Function(name, nonnegative=True) for name in ("N", "Z", "Q", "c", "o"))

SEQUENCES: Final = {
    F: X.value,
    N: square(X.gradient),
    V: square(Z.position),
    Q: SIZES,
    CH: CHANGE,
    OC: OLD_CHANGE,
    A: GAIN,
    H: dot(LAG, NEXT.gradient),
    T: dot(TURN, NEXT.gradient),
    B: dot(USED, NEXT.gradient),
    C: dot(OLD, NEXT.gradient),
    P: dot(SUM, NEXT.gradient),
}
FOLLOWING: Final = ((X, NEXT), (Z, Z_NEXT))

AFTER_FIRST: Final = SUM - 2 * eta * OLD
AFTER_LAST: Final = Z.position - 2 * eta * NEXT.gradient
"""z_{s+1} and z_{s+τ+1}: τ iterations lie between them."""

WINDOW: Final = Hypothesis(
    "window",
    "nesterov.gradient-window, from z_{s+1} to z_{s+τ+1}, against g_s",
    le(
        dot(AFTER_FIRST, NEXT.gradient) - dot(AFTER_LAST, NEXT.gradient),
        eta * tau * square(NEXT.gradient) + eta * SIZES,
    ),
)
RUN: Final = (
    SMOOTH,
    convex("convex at x⁺, u", NEXT, MIDDLE),
    convex("convex at x⁺, u*", NEXT, MIDDLE_STAR),
    Hypothesis(
        "stationary",
        "∇f(w*) = 0 (taken with g_s)",
        eq(dot(STAR.gradient, NEXT.gradient), 0),
    ),
    Hypothesis("least", "f* is f(w*)", eq(STAR.value, F_STAR)),
    Hypothesis(
        "gain",
        "a is ⟨g_s, x_s − w*⟩",
        eq(GAIN, dot(NEXT.gradient, NEXT.position - STAR.position)),
    ),
    Hypothesis("count", "the next iteration is one later", eq(COUNT(k + 1), COUNT(k) + 1)),
    Hypothesis(
        "(10)",
        "h̄_{s−1} = −2ηḡ_{s−1}/(s − 1), from (29); ḡ_1 counts half, since γ_1 = 0 (taken with g_s)",
        eq((1 + COUNT(k)) * H(k), -2 * eta * B(k)),
    ),
    Hypothesis(
        "z",
        "z_s = w_s + s d_s − w* and x_s = w_s + d_s (taken with g_s)",
        eq(P(k), A(k) + (1 + COUNT(k)) * T(k)),
    ),
    Hypothesis(
        "move of z",
        "z_{s+τ+1} = z_{s+τ} − 2ηg_s (nesterov.averaged-step)",
        eq(square(Z_NEXT.position), square(AFTER_LAST)),
    ),
    Hypothesis("change", "c is ‖g_s − g_{s−1}‖²", eq(CHANGE, square(X.gradient - NEXT.gradient))),
    Hypothesis("old change", "o is ‖ḡ_s − ḡ_{s−1}‖²", eq(OLD_CHANGE, square(OLD - USED))),
)


def energy(at: Scalar) -> Scalar:
    """‖z‖² + 4ηs(f(x_s) − f*), without what the windows hold."""
    return V(at) + 4 * eta * (1 + COUNT(at)) * (F(at) - F_STAR)


THEOREM: Final = Theorem(
    id="nesterov.repaired-step",
    where="ours",
    statement=(
        "‖z_{s+τ}‖² + 4η(s − 1)(f(x_{s−1}) − f*) grows from s to s + 1 by at most "
        "(4η²(τ − 1 + 1/y) − 2η/β)‖g_s‖² − (2η/β)(s − 1)‖g_s − g_{s−1}‖² + 4η²y‖ḡ_s − ḡ_{s−1}‖² "
        "and 4η² times the sum of ‖g_s‖² and the last τ − 1 of the ‖g‖² before it, for every y > 0."
    ),
    latex=(
        r"\|z_{s+\tau+1}\|^2 + 4\eta s\,(f(x_s) - f^*) \le \|z_{s+\tau}\|^2 + "
        r"4\eta(s-1)(f(x_{s-1}) - f^*) + \dots"
    ),
    symbols=(beta, eta, tau, WEIGHT, F_STAR),
    scalars=(SIZES, GAIN, CHANGE, OLD_CHANGE),
    vectors=(LAG, TURN, USED, OLD, SUM),
    points=(X, NEXT, Z, Z_NEXT, STAR, MIDDLE, MIDDLE_STAR),
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(*RUN, WINDOW),
    cites=(interpolation.THEOREM,),
    steps=(
        Step(
            "against x",
            interpolation.interpolated(X, NEXT),
            interpolation.at(X, NEXT, MIDDLE),
            "convexity at x_s against x_{s−1}",
        ),
        Step(
            "against w*",
            interpolation.interpolated(STAR, NEXT),
            interpolation.at(STAR, NEXT, MIDDLE_STAR),
            "convexity at x_s against w*",
        ),
        Step(
            "against w*, in short",
            le(NEXT.value - F_STAR, GAIN - square(NEXT.gradient) / (2 * beta)),
            Combine(
                {"against w*": 1, "least": 1, "gain": -1, "stationary": 1 / beta},
                squares=((1 / (2 * beta), STAR.gradient),),
            ),
        ),
        Step(
            "against x, in short",
            le(
                NEXT.value - X.value,
                dot(LAG + TURN, NEXT.gradient) - CHANGE / (2 * beta),
            ),
            Combine({"against x": 1, "change": 1 / (2 * beta)}),
        ),
        Step(
            "distance",
            le(
                4 * eta * dot(AFTER_FIRST, NEXT.gradient),
                square(Z.position)
                - square(Z_NEXT.position)
                + 4 * eta**2 * ((tau - 1) * square(NEXT.gradient) + SIZES),
            ),
            Combine({"window": 4 * eta, "move of z": 1}),
            "4η⟨g_s, z_{s+τ}⟩ is what ‖z‖² loses, and 4η²‖g_s‖²",
        ),
        Step(
            "old gradients",
            le(
                2 * dot(OLD - USED, NEXT.gradient),
                square(NEXT.gradient) / WEIGHT + WEIGHT * OLD_CHANGE,
            ),
            Combine(
                {"old change": -WEIGHT},
                squares=((1 / WEIGHT, NEXT.gradient - WEIGHT * (OLD - USED)),),
            ),
        ),
        *(
            Step(f"{name}, k", relation, Total(name, k))
            for name, relation in {
                "against w*, in short": le(F(k + 1) - F_STAR, A(k) - N(k + 1) / (2 * beta)),
                "against x, in short": le(F(k + 1) - F(k), H(k) + T(k) - CH(k) / (2 * beta)),
                "distance": le(
                    4 * eta * (P(k) - 2 * eta * C(k)),
                    V(k) - V(k + 1) + 4 * eta**2 * ((tau - 1) * N(k + 1) + Q(k)),
                ),
                "old gradients": le(2 * (C(k) - B(k)), N(k + 1) / WEIGHT + WEIGHT * OC(k)),
            }.items()
        ),
    ),
    lhs=energy(k + 1),
    terms={
        "before": energy(k),
        "gradient": (4 * eta**2 * (tau - 1 + 1 / WEIGHT) - 2 * eta / beta) * N(k + 1),
        "change": -2 * eta / beta * (1 + COUNT(k)) * CH(k),
        "old change": 4 * eta**2 * WEIGHT * OC(k),
        "window": 4 * eta**2 * Q(k),
    },
    conclude=Combine(
        {
            "against w*, in short, k": 4 * eta,
            "against x, in short, k": 4 * eta * (1 + COUNT(k)),
            "distance, k": 1,
            "old gradients, k": 4 * eta**2,
            "(10)": 4 * eta,
            "z": -4 * eta,
            "count": 4 * eta * (F(k + 1) - F_STAR),
        }
    ),
)

CLAIM: Final = replace(
    as_claim(THEOREM),
    depends=(*(cited.id for cited in THEOREM.cites), averaged_step.THEOREM.id),
)
