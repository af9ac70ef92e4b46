"""A bound of the gradient that needs no descent: second moments and the drift alone."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step, Telescope, Theorem, Total, le, square
from theory.papers.localsgd.eq_11 import HYPOTHESES as ALL
from theory.papers.localsgd.lemmas import mean_gradient, sharp_drift, slope_gap
from theory.papers.localsgd.lemmas.rounds import j
from theory.papers.localsgd.lemmas.sharp_eq_11 import VECTORS
from theory.papers.localsgd.method import (
    AVERAGE,
    MEAN,
    MEAN_APART,
    POINTS,
    SEQUENCES,
    SLOPE,
    SPREAD,
    S,
    V,
    t,
)
from theory.papers.rpd.symbols import Gt, H, L, T, gamma

_NEEDED: Final = ("each smooth", "objective", "spread", "since the average", "mean gradient")
_MOMENTS: Final = ("second moments", "period", "second moment", "unbiased at x_r", "mean slope")

THEOREM: Final = Theorem(
    id="localsgd.crude",
    where="ours",
    statement=(
        "The mean over t < T of E‖∇f(x̄^t)‖² is at most 2G̃² + 2γ²(H − 1)²G̃²L² for every stepsize."
    ),
    latex=(
        r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le 2\tilde G^2 + "
        r"2\gamma^2 (H-1)^2 \tilde G^2 L^2"
    ),
    symbols=(T, H, gamma, L, Gt, j),
    scalars=(SPREAD,),
    vectors=VECTORS,
    points=POINTS,
    sequences=SEQUENCES,
    hypotheses=tuple(h for h in ALL if h.name in (*_NEEDED, *_MOMENTS)),
    cites=(mean_gradient.THEOREM, sharp_drift.THEOREM, slope_gap.THEOREM),
    steps=(
        Step("replicas", mean_gradient.THEOREM.goal, Cite("localsgd.mean-gradient")),
        Step("gap", slope_gap.THEOREM.goal, Cite("localsgd.slope-gap")),
        Step(
            "gradient",
            le(square(MEAN.gradient), 2 * Gt**2 + 2 * L**2 * SPREAD),
            Combine({"replicas": 2, "gap": 2}, squares=((1, SLOPE - MEAN_APART),)),
        ),
        Step("total", le(S(t), 2 * Gt**2 + 2 * L**2 * V(t)), Total("gradient", t)),
        Step("drift", sharp_drift.THEOREM.goal, Cite("localsgd.sharp-drift")),
        Step("drift of step t", le(V(t), sharp_drift.THEOREM.goal.rhs), Total("drift", t)),
        Step(
            "step",
            le(S(t), 2 * Gt**2 + 2 * L**2 * sharp_drift.THEOREM.goal.rhs),
            Combine({"total": 1, "drift of step t": 2 * L**2}),
        ),
        Step(
            "sum",
            le(
                sympy.Sum(S(t), (t, 0, T - 1)),
                T * (2 * Gt**2 + 2 * L**2 * sharp_drift.THEOREM.goal.rhs),
            ),
            Telescope("step", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={"moment": 2 * Gt**2, "drift": 2 * gamma**2 * (H - 1) ** 2 * Gt**2 * L**2},
    conclude=Combine({"sum": 1 / T}),
)

CLAIM: Final = as_claim(THEOREM)
