"""One iteration of Nesterov's method with delayed gradients, seen from the iterates w_s.

With x_s = w_s + d_s and g_s = ∇f(x_s): convexity at x_s, once against w* and s − 1 times against
w_s, and s times the descent lemma from x_s to w_{s+1}, leave ⟨g_s, z_s − 2ηḡ_s⟩ = ⟨g_s, z_{s+1}⟩.
From there to z_{s+τ+1}, which is moved by g_s, are τ iterations: so the gradient that is late in
w_{s+1} drops out, and with it what the proof by look-aheads has to pay for.

k counts the iterations s = k + 2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Descent,
    Hypothesis,
    Point,
    Step,
    Theorem,
    Total,
    descent,
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
from theory.papers.nesterov.lemmas.repaired_step import (
    COUNT,
    F_STAR,
    GAIN,
    LAG,
    OLD,
    STAR,
    SUM,
    TURN,
    Z_NEXT,
    A,
    C,
    F,
    H,
    P,
    Q,
    T,
    V,
    Z,
    k,
)
from theory.papers.nesterov.method import SMOOTH, convex
from theory.papers.nesterov.symbols import beta, eta, tau

W: Final = point("w")
"""w_s."""
AHEAD: Final = Point(W.position + TURN, sympy.Symbol("f(x_s)", real=True), vector("∇f(x_s)"))
"""x_s."""
W_NEXT: Final = Point(AHEAD.position + LAG, sympy.Symbol("f(w⁺)", real=True), vector("∇f(w⁺)"))
"""w_{s+1}."""
MIDDLE: Final = interpolation.between(STAR, AHEAD, "u_s")

N, S, SHORT = (sympy.Function(name, nonnegative=True) for name in ("N", "S", "h²"))
"""‖g_s‖², ‖ḡ_s‖² and ‖h̄_s‖²."""

SEQUENCES: Final = {
    F: W.value,
    V: square(Z.position),
    N: square(AHEAD.gradient),
    S: square(OLD),
    SHORT: square(LAG),
    Q: SIZES,
    A: GAIN,
    H: dot(LAG, AHEAD.gradient),
    T: dot(TURN, AHEAD.gradient),
    C: dot(OLD, AHEAD.gradient),
    P: dot(SUM, AHEAD.gradient),
}
FOLLOWING: Final = ((W, W_NEXT), (Z, Z_NEXT))

AFTER_FIRST: Final = SUM - 2 * eta * OLD
AFTER_LAST: Final = Z.position - 2 * eta * AHEAD.gradient
"""z_{s+1} and z_{s+τ+1}: τ iterations lie between them."""

WINDOW: Final = Hypothesis(
    "window",
    "nesterov.gradient-window, from z_{s+1} to z_{s+τ+1}, against g_s",
    le(
        dot(AFTER_FIRST, AHEAD.gradient) - dot(AFTER_LAST, AHEAD.gradient),
        eta * tau * square(AHEAD.gradient) + eta * SIZES,
    ),
)
_S = COUNT(k) + 2
"""s."""
RUN: Final = (
    SMOOTH,
    convex("convex at x_s, w", AHEAD, W),
    convex("convex at x_s, u_s", AHEAD, MIDDLE),
    Hypothesis(
        "stationary",
        "∇f(w*) = 0 (taken with g_s)",
        eq(dot(STAR.gradient, AHEAD.gradient), 0),
    ),
    Hypothesis("least", "f* is f(w*)", eq(STAR.value, F_STAR)),
    Hypothesis(
        "gain",
        "a is ⟨g_s, x_s − w*⟩",
        eq(GAIN, dot(AHEAD.gradient, AHEAD.position - STAR.position)),
    ),
    Hypothesis("count", "the next iteration is one later", eq(COUNT(k + 1), COUNT(k) + 1)),
    Hypothesis("(10)", "h̄_s = −2ηḡ_s/s, from (29) (with g_s)", eq(_S * H(k), -2 * eta * C(k))),
    Hypothesis(
        "(10), squared", "h̄_s = −2ηḡ_s/s, from (29)", eq(_S**2 * SHORT(k), 4 * eta**2 * S(k))
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
)


def energy(at: Scalar) -> Scalar:
    """‖z_{s+τ}‖² + 4η(s − 1)(f(w_s) − f*), without what the windows hold."""
    return V(at) + 4 * eta * (1 + COUNT(at)) * (F(at) - F_STAR)


THEOREM: Final = Theorem(
    id="nesterov.iterate-step",
    where="ours",
    statement=(
        "‖z_{s+τ}‖² + 4η(s − 1)(f(w_s) − f*) grows from s ≥ 2 to s + 1 by at most "
        "(4η²(τ − 1) − 2η/β)‖g_s‖² + 4βη³‖ḡ_s‖² and 4η² times the sum of ‖g_s‖² and the last τ − 1 "
        "of the ‖g‖² before it."
    ),
    latex=(
        r"\|z_{s+\tau+1}\|^2 + 4\eta s\,(f(w_{s+1}) - f^*) \le \|z_{s+\tau}\|^2 + "
        r"4\eta(s-1)(f(w_s) - f^*) + \dots"
    ),
    symbols=(beta, eta, tau, F_STAR),
    scalars=(SIZES, GAIN),
    vectors=(LAG, TURN, OLD, SUM),
    points=(W, AHEAD, W_NEXT, Z, Z_NEXT, STAR, MIDDLE),
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(*RUN, WINDOW),
    cites=(interpolation.THEOREM,),
    steps=(
        Step(
            "at w*",
            interpolation.interpolated(STAR, AHEAD),
            interpolation.at(STAR, AHEAD, MIDDLE),
            "convexity at x_s against w*",
        ),
        Step("descent", descent(beta, AHEAD, W_NEXT), Descent("smooth", AHEAD, W_NEXT)),
        Step(
            "by w*",
            le(
                W_NEXT.value - F_STAR,
                GAIN
                + dot(LAG, AHEAD.gradient)
                + beta / 2 * square(LAG)
                - square(AHEAD.gradient) / (2 * beta),
            ),
            Combine(
                {"descent": 1, "at w*": 1, "least": 1, "gain": -1, "stationary": 1 / beta},
                squares=((1 / (2 * beta), STAR.gradient),),
            ),
        ),
        Step(
            "by w",
            le(
                W_NEXT.value - W.value,
                dot(TURN + LAG, AHEAD.gradient) + beta / 2 * square(LAG),
            ),
            Combine({"descent": 1, "convex at x_s, w": 1}),
        ),
        Step(
            "distance",
            le(
                4 * eta * dot(AFTER_FIRST, AHEAD.gradient),
                square(Z.position)
                - square(Z_NEXT.position)
                + 4 * eta**2 * ((tau - 1) * square(AHEAD.gradient) + SIZES),
            ),
            Combine({"window": 4 * eta, "move of z": 1}),
            "4η⟨g_s, z_{s+τ}⟩ is what ‖z‖² loses, and 4η²‖g_s‖²",
        ),
        Step(
            "by w*, k",
            le(F(k + 1) - F_STAR, A(k) + H(k) + beta / 2 * SHORT(k) - N(k) / (2 * beta)),
            Total("by w*", k),
        ),
        Step(
            "by w, k",
            le(F(k + 1) - F(k), T(k) + H(k) + beta / 2 * SHORT(k)),
            Total("by w", k),
        ),
        Step(
            "distance, k",
            le(
                4 * eta * (P(k) - 2 * eta * C(k)),
                V(k) - V(k + 1) + 4 * eta**2 * ((tau - 1) * N(k) + Q(k)),
            ),
            Total("distance", k),
        ),
    ),
    lhs=energy(k + 1),
    terms={
        "before": energy(k),
        "gradient": (4 * eta**2 * (tau - 1) - 2 * eta / beta) * N(k),
        "window": 4 * eta**2 * Q(k),
        "late gradient": 4 * beta * eta**3 * S(k),
    },
    conclude=Combine(
        {
            "by w*, k": 4 * eta,
            "by w, k": 4 * eta * (1 + COUNT(k)),
            "distance, k": 1,
            "(10)": 4 * eta,
            "(10), squared": 2 * beta * eta / _S,
            "z": -4 * eta,
            "count": 4 * eta * (F(k + 1) - F_STAR),
        },
        plus=(4 * beta * eta**3 * COUNT(k) / _S * S(k),),
    ),
)

CLAIM: Final = replace(
    as_claim(THEOREM),
    depends=(*(cited.id for cited in THEOREM.cites), averaged_step.THEOREM.id),
)
