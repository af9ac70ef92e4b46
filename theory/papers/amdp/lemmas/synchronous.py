"""The average of synchronous SGD, which the mismatch is measured against."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Descent,
    Expect,
    Hypothesis,
    Step,
    Telescope,
    Theorem,
    Total,
    descent,
    le,
    square,
)
from theory.papers.amdp.convergence import (
    AVERAGE,
    DRAWN,
    E_T,
    F_STAR,
    LOWER,
    NEXT,
    SMOOTH,
    START,
    Delta,
    F,
    L,
    S,
    T,
    X,
    eta,
    mean_of,
    noise,
    sigma,
    t,
)

_AHEAD = E_T.of(NEXT.value)
_NOISE = L * eta**2 * sigma**2 / 2

THEOREM: Final = Theorem(
    id="amdp.eta2-synchronous",
    where="ours",
    statement=(
        "For synchronous SGD, g_t unbiased for ∇f(x_t), with η ≤ 1/L the mean over t < T of "
        "E‖∇f(x_t)‖² is at most 2Δ/(ηT) + Lησ² for every T ≥ 1."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla f(x_t)\|^2 \le \tfrac{2\Delta}{\eta T} + "
        r"L\eta\sigma^2"
    ),
    symbols=(T, eta, L, sigma, Delta, F_STAR),
    vectors=(DRAWN,),
    points=(X, NEXT),
    sequences={F: X.value, S: square(X.gradient)},
    following=((X, NEXT),),
    hypotheses=(
        SMOOTH,
        mean_of(X.gradient, X.gradient, "unbiased"),
        noise(X.gradient),
        START,
        LOWER,
        Hypothesis("stepsize", "η ≤ 1/L", le(eta, 1 / L)),
    ),
    steps=(
        Step("descent", descent(L, X, NEXT), Descent("smooth", X, NEXT)),
        Step("mean", le(_AHEAD, E_T.of(descent(L, X, NEXT).rhs)), Expect("descent", E_T)),
        Step(
            "one update",
            le(_AHEAD, X.value - eta / 2 * square(X.gradient) + _NOISE),
            Combine(
                {
                    "mean": 1,
                    "unbiased": -eta + L * eta**2,
                    "variance": L * eta**2 / 2,
                    "stepsize": L * eta / 2 * square(X.gradient),
                }
            ),
        ),
        Step("total", le(F(t + 1), F(t) - eta / 2 * S(t) + _NOISE), Total("one update", t)),
        Step(
            "sum",
            le(F(T), F(0) - eta / 2 * sympy.Sum(S(t), (t, 0, T - 1)) + T * _NOISE),
            Telescope("total", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": 2 * Delta / (eta * T), "sampling": L * eta * sigma**2},
    conclude=Combine(dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T))),
)

CLAIM: Final = as_claim(THEOREM)
