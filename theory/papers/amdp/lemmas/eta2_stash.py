"""SGD whose gradients are one step old: every vector is a gradient of f, at x_t or at x_{t−1}.

So it is when the backward uses the weights that its forward read. Stages may differ in which they
read: then the gradient is one at a mix x̂ of both, and ‖x_t − x̂‖² is the sum of the squares of
those stages' steps that read x_{t−1}, so at most ‖x_t − x_{t−1}‖², all that the proof uses.

The mean of a window is in general a gradient at no single point: for it see `eta2_mixed`, Λ = L.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Hypothesis,
    Lipschitz,
    Step,
    Theorem,
    le,
    lipschitz,
    point,
    square,
)
from theory.papers.amdp.convergence import (
    AT_REST,
    AVERAGE,
    DRAWN,
    F_STAR,
    FOLLOWING,
    LAST,
    LOWER,
    MOVED,
    NEXT,
    SMOOTH,
    START,
    THIS,
    Delta,
    L,
    T,
    X,
    eta,
    mean_of,
    noise,
    sequences,
    sigma,
)
from theory.papers.amdp.lemmas import eta2_mixed
from theory.papers.amdp.lemmas.eta2_mixed import Lambda

STALE: Final = point("x̂")
"""The model that forward and backward used."""

_AWAY = square(X.position - STALE.position)
_GAP = square(X.gradient - STALE.gradient)

THEOREM: Final = Theorem(
    id="amdp.eta2-stash",
    where="ours",
    statement=(
        "If every gradient is taken at x_t, x_{t−1} or, stage by stage, a mix of both, and "
        "Lη + L²η² ≤ 1, then the mean over t < T of E‖∇f(x_t)‖² is at most "
        "2Δ/(ηT) + Lησ² + L²η²σ² for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla f(x_t)\|^2 \le \tfrac{2\Delta}{\eta T} + "
        r"L\eta\sigma^2 + L^2\eta^2\sigma^2"
    ),
    symbols=(T, eta, L, sigma, Delta, F_STAR),
    vectors=(DRAWN,),
    points=(X, NEXT, STALE, LAST, THIS),
    sequences=sequences(STALE.gradient),
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        mean_of(STALE.gradient, X.gradient, "unbiased"),
        mean_of(STALE.gradient, STALE.gradient, "unbiased, with itself"),
        noise(STALE.gradient),
        Hypothesis(
            "one step",
            "x̂_t is x_t or x_{t−1}, or stage by stage one of them: ‖x_t − x̂_t‖ ≤ ‖x_t − x_{t−1}‖",
            le(_AWAY, MOVED),
        ),
        AT_REST,
        START,
        LOWER,
        Hypothesis("stepsize", "Lη + L²η² ≤ 1", le(L * eta + L**2 * eta**2, 1)),
    ),
    cites=(eta2_mixed.THEOREM,),
    steps=(
        Step("lipschitz", lipschitz(L, X, STALE), Lipschitz("smooth", X, STALE)),
        Step("off", le(_GAP, L**2 * MOVED), Combine({"lipschitz": 1, "one step": L**2})),
    ),
    lhs=AVERAGE,
    terms={
        "optimization": 2 * Delta / (eta * T),
        "sampling": L * eta * sigma**2,
        "mismatch": L**2 * eta**2 * sigma**2,
    },
    conclude=Cite("amdp.eta2-mixed", scalars={Lambda: L}, vectors={"v": STALE.gradient}),
)

CLAIM: Final = as_claim(THEOREM)
