"""SAPipe-WP with option 2 as the kernel sees it: all workers predict with the last update.

x_{t+1} = x_t − ηg, and the gradient of iteration t is taken at x̃_t = x_{t−1} − ηg⁻⁻, with the
update before the last in place of the last one, g⁻. So p = x̃_t − x_t is η(g⁻ − g⁻⁻), and the
next one, x̃_{t+1} = x_t − ηg⁻, is known before the samples of iteration t are. Round 0, line 5 of
Algorithm 3, computes the gradients at x_0 that update 1 applies; it is not counted, and g_0 is 0.
"""

import sympy

from theory.kernel import (
    Hypothesis,
    Lipschitz,
    Point,
    eq,
    le,
    lipschitz,
    point,
    vector,
)
from theory.kernel.vectors import Vector
from theory.notation import glossary
from theory.notation.draft import Draft
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import workers

V1, V2, L, eta, n, t = setting.letters("V1 V2 L eta n t")
E_T, NEXT, F, G, S, X = setting.letters("E_T NEXT F G S X")

PROOF = "appendix A, proof of Theorem 5"

LAST, GAP = point("g⁻", "last"), point("p", "gap")
"""What the update before subtracted, divided by η, and 0 at the start; p = x̃_t − x_t."""

LAST_NEXT = Point(G, sympy.Symbol("last(g)", real=True), vector("∇last(g)"), "last")
GAP_NEXT = Point(
    eta * (G - LAST.position), sympy.Symbol("gap(p⁺)", real=True), vector("∇gap(p⁺)"), "gap"
)
"""The same of the next iteration (Algorithm 3, option 2)."""

PREDICTED = Point(X.position + GAP.position, sympy.Symbol("F(x̃)", real=True), vector("∇F(x̃)"), "F")
"""x̃_t."""

PREDICTED_NEXT = Point(
    X.position - eta * LAST.position, sympy.Symbol("F(x̃⁺)", real=True), vector("∇F(x̃⁺)"), "F"
)
"""x̃_{t+1}."""

AIM = PREDICTED.gradient
"""What g aims at in predicted elements."""

A, W, Q, U = (sympy.Function(name, nonnegative=True) for name in "AWQU")
"""Total expectations by iteration: ‖∇F(x̃_t)‖², ‖p‖², η²‖∇F(x̃_t) − g⁻‖² and ‖g⁻‖²."""


def unbiased(against: Vector, name: str) -> Hypothesis:
    """The samples of g are drawn after a vector is fixed."""
    return Hypothesis(
        f"unbiased{name}",
        "∇F(x̃_t) is the mean of g given all samples of earlier iterations (Assumption 2), taken "
        "with vectors that are fixed by then: z_{t−1} is in none of them",
        eq(E_T.of((G - AIM) @ against), 0),
    )


OF_WORKERS = Hypothesis(
    "of the workers",
    "g is ∇F(x̃_t) and the mean ξ of the workers' noises",
    eq(E_T.of((G - AIM) ** 2), E_T.of(workers.MEAN_NOISE**2)),
)
SIZE = Hypothesis(
    "size",
    "stochastic gradients have squared norms of at most V₂ (Assumption 2)",
    le(E_T.of(G**2), V2),
)
FIRST_GAP = Hypothesis("first gap", "x̃_0 is x_0", eq(W(0), 0))
AT_REST = Hypothesis("at rest", "g⁻ is 0 at first (open in Algorithm 3)", eq(U(0), 0))

letters = glossary(globals())
"""Gives these by name: ``a, b = letters("a b")``."""


def along(draft: Draft) -> Draft:
    """A theorem about a run of option 2."""
    means = {A: AIM**2, W: GAP.position**2, U: LAST.position**2}
    means[Q] = eta**2 * (AIM - LAST.position) ** 2
    moves = ((LAST, LAST_NEXT), (GAP, GAP_NEXT))
    return setting.along(draft, means, moves, (PREDICTED, PREDICTED_NEXT))


def updating(draft: Draft) -> Draft:
    """The printed proof up to what is telescoped, all elements being predicted: κ = 1.

    Means are conditional on the past, and V₁/n stands for V₁.
    """
    setting.assuming(draft, unbiased(X.gradient, ""), unbiased(AIM, ", with its mean"), OF_WORKERS)
    draft.cite(
        workers.THEOREM,
        name="noise",
        says="the variance of the mean of n independent gradients is at most V₁/n",
        where=f"{PROOF}, the variance term",
    )
    draft.have(
        lipschitz(L, X, PREDICTED),
        by=Lipschitz("smooth", X, PREDICTED),
        says="‖∇F(x) − ∇F(x̃)‖² is at most L²‖x − x̃‖²",
        where=f"{PROOF}, the error of the gradient estimation, line 4",
    )
    paid = X.gradient**2 + (1 - L * eta) * AIM**2
    draft.have(
        E_T.of(NEXT.value)
        <= X.value - eta / 2 * (paid - L**2 * GAP.position**2) + L * eta**2 * V1 / (2 * n),
        "together",
        says="the bias and the variance in Lemma 1",
        where=f"{PROOF}, putting together",
    )
    paid = S(t) + (1 - L * eta) * A(t)
    draft.have(
        F(t + 1) <= F(t) - eta / 2 * (paid - L**2 * W(t)) + L * eta**2 * V1 / (2 * n),
        "one update",
        says="total expectation, which re-arranged bounds ‖∇F(x_{t−1})‖²",
        where=f"{PROOF}, re-arranged",
    )
    return draft
