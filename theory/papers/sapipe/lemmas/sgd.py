"""SGD with n workers and no stale element: what Theorem 2 says for κ = 0."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Descent,
    Expect,
    Hypothesis,
    Step,
    Telescope,
    Theorem,
    Total,
    descent,
    dot,
    eq,
    le,
    square,
)
from theory.papers.sapipe.error_terms import OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import workers
from theory.papers.sapipe.setting import (
    AVERAGE,
    E_T,
    F_STAR,
    FOLLOWING,
    LOWER,
    NEXT,
    SMOOTH,
    START,
    STEPSIZE,
    F,
    G,
    S,
    X,
)
from theory.papers.sapipe.symbols import R0, V1, L, T, eta, n, t

_AHEAD = E_T.of(NEXT.value)
_HALF = eta / 2
_NOISE = L * eta**2 * V1 / (2 * n)

THEOREM: Final = Theorem(
    id="sapipe.sgd",
    where="ours",
    statement=(
        "For SGD with n workers and η ≤ 1/L the mean over t < T of E‖∇F(x_t)‖² is at most "
        "2R₀/(ηT) + LηV₁/n for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\tfrac{L\eta V_1}{n}"
    ),
    symbols=(T, eta, L, n, V1, R0, F_STAR),
    vectors=(G, workers.NOISE, workers.MEAN_NOISE),
    points=(X, NEXT),
    sequences={F: X.value, S: square(X.gradient)},
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        Hypothesis(
            "unbiased",
            "the mean of g given the past is ∇F(x_t) (Assumption 2)",
            eq(E_T.of(dot(G, X.gradient)), square(X.gradient)),
        ),
        Hypothesis(
            "of the workers",
            "g − ∇F(x_t) is the mean ξ of the workers' noises",
            eq(E_T.of(square(G - X.gradient)), E_T.of(square(workers.MEAN_NOISE))),
        ),
        *workers.THEOREM.hypotheses,
        START,
        LOWER,
        STEPSIZE,
    ),
    cites=(workers.THEOREM,),
    steps=(
        Step("descent", descent(L, X, NEXT), Descent("smooth", X, NEXT)),
        Step("mean", le(_AHEAD, E_T.of(descent(L, X, NEXT).rhs)), Expect("descent", E_T)),
        Step("workers", workers.THEOREM.goal, Cite("sapipe.mean-of-workers")),
        Step(
            "one update",
            le(_AHEAD, X.value - _HALF * square(X.gradient) + _NOISE),
            Combine(
                {
                    "mean": 1,
                    "unbiased": L * eta**2 - eta,
                    "of the workers": L * eta**2 / 2,
                    "workers": L * eta**2 / 2,
                    "stepsize": L * _HALF * square(X.gradient),
                }
            ),
        ),
        Step(
            "one update, total",
            le(F(t + 1), F(t) - _HALF * S(t) + _NOISE),
            Total("one update", t),
        ),
        Step(
            "sum",
            le(F(T), F(0) - _HALF * sympy.Sum(S(t), (t, 0, T - 1)) + T * _NOISE),
            Telescope("one update, total", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "variance": VAR_0},
    conclude=Combine(dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T))),
)

CLAIM: Final = as_claim(THEOREM)
