"""SAPipe-WP with option 2 as the kernel sees it: all workers predict with the last update.

x_{t+1} = x_t − ηg, and the gradient of iteration t is taken at x̃_t = x_{t−1} − ηg⁻⁻, with the
update before the last in place of the last one, g⁻. So p = x̃_t − x_t is η(g⁻ − g⁻⁻), and the
next one, x̃_{t+1} = x_t − ηg⁻, is known before the samples of iteration t are. All elements are
predicted here: κ = 1. Round 0, line 5 of Algorithm 3, computes the gradients at x_0 that update 1
applies; it is not counted, and g_0 is 0.
"""

from dataclasses import replace

import sympy

from theory.kernel import Hypothesis, Point, dot, eq, le, square, vector
from theory.kernel.vectors import Vector
from theory.notation import glossary
from theory.papers.sapipe.lemmas import workers
from theory.papers.sapipe.setting import E_T, NEXT, F, G, S, X
from theory.papers.sapipe.symbols import V2, eta

PROOF = "appendix A, proof of Theorem 5"


def _named(name: str) -> Point:
    """A vector in the role of a point: only where it is matters."""
    value = sympy.Symbol(f"at({name})", real=True)
    return Point(vector(name), value, vector(f"∇at({name})"), "at")


LAST, LAST_AHEAD = _named("g⁻"), _named("l⁺")
"""What the update before subtracted, divided by η, and 0 at the start; that of the next one, g."""

GAP, GAP_AHEAD = _named("p"), _named("p⁺")
"""p = x̃_t − x_t; the same of the next iteration."""

TURN, TURN_AHEAD = _named("r"), _named("r⁺")
"""r = η(∇F(x̃_t) − g⁻): p⁺ without its noise; the same of the next iteration."""

PREDICTED = Point(X.position + GAP.position, sympy.Symbol("F(x̃)", real=True), vector("∇F(x̃)"), "F")
"""x̃_t."""

PREDICTED_NEXT = Point(
    X.position - eta * LAST.position, sympy.Symbol("F(x̃⁺)", real=True), vector("∇F(x̃⁺)"), "F"
)
"""x̃_{t+1}."""

AIM = PREDICTED.gradient
"""The mean of g, given all samples of earlier iterations."""

NOISE = G - AIM
"""What the samples add."""

E_AHEAD = replace(
    E_T,
    random=(
        *E_T.random,
        *(
            name
            for one in (GAP_AHEAD, TURN_AHEAD, LAST_AHEAD)
            for name in (*one.position.names, one.value.name, *one.gradient.names)
        ),
    ),
)
"""The same expectation, of what is predicted from update t as well."""

A, W, Q, U = (sympy.Function(name, nonnegative=True) for name in "AWQU")
"""Total expectations by iteration: ‖∇F(x̃_t)‖², ‖p‖², ‖r‖² and ‖g⁻‖²."""

SEQUENCES = {
    F: X.value,
    S: square(X.gradient),
    A: square(AIM),
    W: square(GAP.position),
    Q: square(TURN.position),
    U: square(LAST.position),
}
FOLLOWING = ((X, NEXT), (LAST, LAST_AHEAD), (GAP, GAP_AHEAD), (TURN, TURN_AHEAD))
POINTS = (
    *(X, NEXT, LAST, LAST_AHEAD, GAP, GAP_AHEAD, TURN, TURN_AHEAD),
    *(PREDICTED, PREDICTED_NEXT),
)
VECTORS = (G, workers.NOISE, workers.MEAN_NOISE)


def unbiased(against: Vector, name: str) -> Hypothesis:
    """The samples of g are drawn after a vector is fixed."""
    return Hypothesis(
        f"unbiased{name}",
        "∇F(x̃_t) is the mean of g given all samples of earlier iterations (Assumption 2), taken "
        "with vectors that are fixed by then: z_{t−1} is in none of them",
        eq(E_T.of(dot(NOISE, against)), 0),
    )


SAMPLES = (
    unbiased(X.gradient, ""),
    unbiased(AIM, ", with its mean"),
    unbiased(LAST.position, ", with the last update"),
    unbiased(PREDICTED_NEXT.gradient, ", with the next mean"),
    Hypothesis(
        "of the workers",
        "g is ∇F(x̃_t) and the mean ξ of the workers' noises",
        eq(E_T.of(square(NOISE)), E_T.of(square(workers.MEAN_NOISE))),
    ),
    *workers.THEOREM.hypotheses,
)
MOVES = (
    Hypothesis(
        "next last update",
        "the next g⁻ is g",
        eq(E_AHEAD.of(square(LAST_AHEAD.position)), E_T.of(square(G))),
    ),
    Hypothesis(
        "turn",
        "r is η(∇F(x̃_t) − g⁻)",
        eq(square(TURN.position), eta**2 * square(AIM - LAST.position)),
    ),
    Hypothesis(
        "next turn",
        "r⁺ is η(∇F(x̃_{t+1}) − g)",
        eq(
            E_AHEAD.of(square(TURN_AHEAD.position)),
            eta**2 * E_T.of(square(PREDICTED_NEXT.gradient - G)),
        ),
    ),
    Hypothesis(
        "next gap",
        "p⁺ = x̃_{t+1} − x_{t+1} is η(g − g⁻) (Algorithm 3, option 2)",
        eq(E_AHEAD.of(square(GAP_AHEAD.position)), eta**2 * E_T.of(square(G - LAST.position))),
    ),
)
SIZE = Hypothesis(
    "size",
    "stochastic gradients have squared norms of at most V₂ (Assumption 2)",
    le(E_T.of(square(G)), V2),
)
AT_START = (
    Hypothesis("first gap", "x̃_0 is x_0", eq(W(0), 0)),
    Hypothesis("first turn", "g⁻ is 0 at first (open in Algorithm 3)", eq(Q(0), eta**2 * A(0))),
    Hypothesis("at rest", "g⁻ is 0 at first (open in Algorithm 3)", eq(U(0), 0)),
    Hypothesis("second prediction", "so that x̃_1 is x_0, as x̃_0 is", eq(A(1), A(0))),
)

letters = glossary(globals())
"""Gives these by name: ``a, b = letters("a b")``."""
