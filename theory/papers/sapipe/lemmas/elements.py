"""Assumption 5: which elements of g are stale is drawn anew in every iteration.

Let d be the mean of g given the past and the drawn elements: an element of d is that of ∇F(x_t)
with probability 1 − κ, and that of s with probability κ. From this, and from the noise of n
workers, follows what `theory.papers.sapipe.lemmas.biased` takes for granted. Elements need not be
drawn independently of each other; each has probability κ. They are the same on all workers.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, dot, eq, square, vector
from theory.kernel.vectors import Scalar, Vector
from theory.papers.sapipe.lemmas import workers
from theory.papers.sapipe.setting import E_T, NEXT, OFF, G, X
from theory.papers.sapipe.symbols import V1, kappa, n

DRAWN: Final = vector("d")
"""The mean of g given the past and which elements are stale."""

NOISE: Final = G - DRAWN
"""What the samples add."""


def drawn(off: Vector, share: Scalar = kappa) -> tuple[Hypothesis, Hypothesis]:
    """What the draw of elements makes of inner products, for this b and this probability."""
    says = (
        "an element of d is that of s with probability κ, else that of ∇F(x_t), whatever the past "
        "and the samples are (Assumption 5)"
    )
    return (
        Hypothesis(
            "elements",
            says,
            eq(E_T.of(dot(DRAWN, X.gradient)), square(X.gradient) - share * dot(off, X.gradient)),
        ),
        Hypothesis(
            "elements, squared",
            says,
            eq(
                E_T.of(square(DRAWN)),
                (1 - share) * square(X.gradient) + share * square(X.gradient - off),
            ),
        ),
    )


_FRESH = "samples are drawn independently of the past and of the elements (Assumption 2)"

UNBIASED: Final = Hypothesis("unbiased samples", _FRESH, eq(E_T.of(dot(NOISE, X.gradient)), 0))
CENTRED: Final = Hypothesis("unbiased, with d", _FRESH, eq(E_T.of(dot(NOISE, DRAWN)), 0))
OF_WORKERS: Final = Hypothesis(
    "of the workers",
    "g − d is the mean ξ of the workers' noises",
    eq(E_T.of(square(NOISE)), E_T.of(square(workers.MEAN_NOISE))),
)

SAMPLES: Final = (CENTRED, OF_WORKERS, *workers.THEOREM.hypotheses)
"""What the second moment takes from Assumption 2."""

THEOREM: Final = Theorem(
    id="sapipe.random-elements",
    where="ours",
    statement=(
        "If every element of the gradient is stale with probability κ, independently of the past "
        "and of samples that the past does not hold, then E‖g‖² is at most (1 − κ)‖∇F(x_t)‖² + "
        "κ‖s‖² + V₁/n, s being the mean of the stale gradient."
    ),
    latex=r"\mathbb{E}\|g\|^2 \le (1 - \kappa)\|\nabla F(x_t)\|^2 + \kappa\|s\|^2 + V_1 / n",
    symbols=(kappa, n, V1),
    vectors=(G, OFF, DRAWN, workers.NOISE, workers.MEAN_NOISE),
    points=(X, NEXT),
    hypotheses=(drawn(OFF)[1], *SAMPLES),
    cites=(workers.THEOREM,),
    steps=(Step("workers", workers.THEOREM.goal, Cite("sapipe.mean-of-workers")),),
    lhs=E_T.of(square(G)),
    terms={
        "fresh": (1 - kappa) * square(X.gradient),
        "stale": kappa * square(X.gradient - OFF),
        "variance": V1 / n,
    },
    conclude=Combine(
        {"elements, squared": 1, "unbiased, with d": 2, "of the workers": 1, "workers": 1}
    ),
)

CLAIM: Final = as_claim(THEOREM)
