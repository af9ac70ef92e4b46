"""Assumption 5: which elements of g are stale is drawn anew in every iteration.

Problem    d is the mean of g given the past and the drawn elements: an element of d is that of s
           with probability κ, else that of ∇F(x_t); they are the same on all n workers, and need
           not be drawn independently of each other.
Method     g is d and the mean of the workers' noises, each of variance at most V₁.
Guarantee  E‖g‖² ≤ (1 − κ)‖∇F(x_t)‖² + κ‖s‖² + V₁/n, which `biased` takes for granted.
Source     ours.
"""

from theory.kernel import Hypothesis, eq, vector
from theory.kernel.vectors import Vector
from theory.notation import function, theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import workers

V1, kappa, n, E_T, OFF, G, X = setting.letters("V1 kappa n E_T OFF G X")

DRAWN = vector("d")
"""The mean of g given the past and which elements are stale."""

NOISE = G - DRAWN
"""What the samples add."""


def drawn(off: Vector) -> tuple[Hypothesis, Hypothesis]:
    """What the draw of elements makes of inner products, for this b."""
    says = (
        "an element of d is that of s with probability κ, else that of ∇F(x_t), whatever the past "
        "and the samples are (Assumption 5)"
    )
    return (
        Hypothesis(
            "elements",
            says,
            eq(E_T.of(DRAWN @ X.gradient), X.gradient**2 - kappa * (off @ X.gradient)),
        ),
        Hypothesis(
            "elements, squared",
            says,
            eq(
                E_T.of(DRAWN**2),
                (1 - kappa) * X.gradient**2 + kappa * (X.gradient - off) ** 2,
            ),
        ),
    )


_FRESH = "samples are drawn independently of the past and of the elements (Assumption 2)"

UNBIASED = Hypothesis("unbiased samples", _FRESH, eq(E_T.of(NOISE @ X.gradient), 0))
CENTRED = Hypothesis("unbiased, with d", _FRESH, eq(E_T.of(NOISE @ DRAWN), 0))
OF_WORKERS = Hypothesis(
    "of the workers",
    "g − d is the mean ξ of the workers' noises",
    eq(E_T.of(NOISE**2), E_T.of(workers.MEAN_NOISE**2)),
)

SAMPLES = (CENTRED, OF_WORKERS, *workers.THEOREM.hypotheses)
"""What the second moment takes from Assumption 2."""

draft = theorem("sapipe.random-elements", "ours", function("F", X))
setting.assuming(draft, drawn(OFF)[1], *SAMPLES)
draft.cite(workers.THEOREM)
TERMS = {
    "fresh": (1 - kappa) * X.gradient**2,
    "stale": kappa * (X.gradient - OFF) ** 2,
    "variance": V1 / n,
}
CLAIM = THEOREM = draft.shows(
    E_T.of(G**2) <= sum(TERMS.values()),
    TERMS,
    says="If every element of the gradient is stale with probability κ, independently of the past "
    "and of samples that the past does not hold, then E‖g‖² is at most (1 − κ)‖∇F(x_t)‖² + "
    "κ‖s‖² + V₁/n, s being the mean of the stale gradient.",
)
