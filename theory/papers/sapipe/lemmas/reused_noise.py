"""How far a sample that is used twice is correlated with the model that it made.

Problem    F is L-smooth. In Algorithm 1 the sample of a worker's gradient at y' gives the fresh
           elements of one update and, one update later, the stale ones.
Method     x = y − ηD: the noise n of these stale elements is in the model x that they are applied
           to, D being n on the elements that were fresh, a share 1 − κ, and y without n.
Guarantee  E⟨∇F(x), n⟩ ≥ −√(1 − κ)·LηV₁/n.
Source     ours.
"""

import sympy

from theory.kernel import Operator, eq, point, vector
from theory.notation import function, theorem
from theory.papers.sapipe import setting

V1, L, eta, n, E_T, X = setting.letters("V1 L eta n E_T X")

r = sympy.Symbol("r", positive=True)
"""√(1 − κ)."""

NOISE = vector("n⁻")
"""The noise of the stale gradient."""

KEPT = vector("D")
"""That noise on the elements that were fresh one update ago."""

BEFORE = point("y", "F")
"""x without this noise."""

E_S = Operator(
    "E_s",
    (
        *("n⁻", "D", "y", "F(y)", "∇F(y)", "x", "F(x)", "∇F(x)"),
        *("F(x⁺)", "∇F(x⁺)", "F(x−)", "∇F(x−)", "b", "off(b)", "∇off(b)"),
        *("s", "s⁺", "old(s)", "∇old(s)", "old(s⁺)", "∇old(s⁺)"),
        *E_T.random,
    ),
    law="run",
)
"""Expectation over the samples and elements of the update before, given everything before that."""

draft = theorem("sapipe.reused-noise", "ours", function("F", X, BEFORE))
draft.assume(setting.SMOOTH)
draft.assume(eq((X.position - BEFORE.position) ** 2, eta**2 * KEPT**2), "moved", "x = y − ηD")
draft.assume(
    E_S.of(KEPT**2) <= r**2 * E_S.of(NOISE**2),
    "kept",
    "every element was fresh with probability r² = 1 − κ, whatever the samples are; none was "
    "where there is no update before, at rest",
)
draft.assume(
    eq(E_S.of(NOISE @ BEFORE.gradient), 0),
    "no noise in y",
    "the samples are unbiased and independent of y, which they are not in",
)
draft.assume(
    E_S.of(NOISE**2) <= V1 / n,
    "size of the noise",
    "the mean of the workers' noises has variance at most V₁/n (sapipe.mean-of-workers)",
)
draft.have(
    -(NOISE @ (X.gradient - BEFORE.gradient))
    <= L * eta * r / 2 * NOISE**2 + L * eta / (2 * r) * KEPT**2,
    says="by Young's inequality",
)
CLAIM = THEOREM = draft.shows(
    -E_S.of(NOISE @ X.gradient) <= L * eta * r * V1 / n,
    {"correlation": L * eta * r * V1 / n},
    says="If stale elements have the samples of the update before, drawn with probability κ < 1, "
    "then E⟨∇F(x_t), n⟩ is at least −√(1 − κ)·LηV₁/n, n being the noise of these samples.",
)
