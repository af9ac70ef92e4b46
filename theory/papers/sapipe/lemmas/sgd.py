"""SGD with n workers and no stale element: what Theorem 2 says for κ = 0.

Problem    F is L-smooth and at least F(x_*); every worker's gradient has variance at most V₁.
Method     x_{t+1} = x_t − ηg, g the mean of the gradients of n independent workers at x_t.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + LηV₁/n for η ≤ 1/L.
Source     ours.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import dot, eq, le, square
from theory.notation import theorem
from theory.papers.sapipe.error_terms import OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import workers
from theory.papers.sapipe.setting import (
    AVERAGE,
    E_T,
    LOWER,
    START,
    STEPSIZE,
    F,
    G,
    S,
    X,
    along,
    assuming,
)
from theory.papers.sapipe.symbols import V1, L, eta, n, t

draft = assuming(along(theorem("sapipe.sgd")), START, LOWER, STEPSIZE)
draft.assume(
    eq(E_T.of(dot(G, X.gradient)), square(X.gradient)),
    "unbiased",
    "the mean of g given the past is ∇F(x_t) (Assumption 2)",
)
draft.assume(
    eq(E_T.of(square(G - X.gradient)), E_T.of(square(workers.MEAN_NOISE))),
    "of the workers",
    "g − ∇F(x_t) is the mean ξ of the workers' noises",
)
draft.cite(workers.THEOREM)
draft.have(le(F(t + 1), F(t) - eta / 2 * S(t) + L * eta**2 * V1 / (2 * n)))
TERMS: Final = {"optimization": OPTIMIZATION, "variance": VAR_0}
THEOREM: Final = draft.shows(
    le(AVERAGE, sum(TERMS.values())),
    TERMS,
    says=(
        "For SGD with n workers and η ≤ 1/L the mean over t < T of E‖∇F(x_t)‖² is at most "
        "2R₀/(ηT) + LηV₁/n for every T ≥ 1."
    ),
)

CLAIM: Final = as_claim(THEOREM)
