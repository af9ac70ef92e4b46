"""SGD with a biased part: what Theorems 2 to 6 have in common.

The paper bounds the bias of each method and the variance, and puts both into its Lemma 1. Here the
share κ of Assumption 5 is carried through exactly: its draw adds to the second moment of g what it
takes from the bias, so that κ, and not √κ or 1, multiplies the error.
"""

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
from theory.papers.sapipe.error_terms import OPTIMIZATION
from theory.papers.sapipe.setting import (
    AIM,
    AVERAGE,
    E_T,
    F_STAR,
    FOLLOWING,
    LOWER,
    NEXT,
    OFF,
    SHARE,
    SMOOTH,
    START,
    STEPSIZE,
    B,
    F,
    G,
    S,
    X,
    e,
    mean_of,
    nu,
    second_moment,
    sequences,
)
from theory.papers.sapipe.symbols import R0, L, T, eta, kappa, t

_AHEAD = E_T.of(NEXT.value)
_HALF = eta / 2
_ALL: Final = (t, 0, T - 1)
_LEFT = _HALF * (1 - L * eta)

BIAS: Final = Hypothesis(
    "bias",
    "the mean over t < T of E‖b‖², b = ∇F(x_t) − s, is at most e",
    le(sympy.Sum(B(t), _ALL) / T, e),
)

THEOREM: Final = Theorem(
    id="sapipe.biased",
    where="ours",
    statement=(
        "If stale elements of the gradient have the mean s with E‖∇F(x_t) − s‖² ≤ e on average, "
        "the variance is at most ν and η ≤ 1/L, then the mean over t < T of E‖∇F(x_t)‖² is at most "
        "2R₀/(ηT) + κe + Lην for every T ≥ 1 and 0 ≤ κ ≤ 1, the stale elements being drawn as in "
        "Assumption 5."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa e + L\eta\nu"
    ),
    symbols=(T, eta, L, kappa, nu, e, R0, F_STAR),
    vectors=(G, OFF),
    points=(X, NEXT),
    sequences=sequences(OFF),
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        mean_of(OFF),
        second_moment(OFF, nu),
        BIAS,
        START,
        LOWER,
        STEPSIZE,
        SHARE,
    ),
    steps=(
        Step("small", le(0, 1 - L * eta), Combine({"stepsize": L})),
        Step("part", le(0, 1 - kappa), Combine({"share": 1})),
        Step("descent", descent(L, X, NEXT), Descent("smooth", X, NEXT)),
        Step("mean", le(_AHEAD, E_T.of(descent(L, X, NEXT).rhs)), Expect("descent", E_T)),
        Step(
            "one update",
            le(
                _AHEAD,
                X.value
                - _HALF * square(X.gradient)
                + _HALF * kappa * square(OFF)
                + L * eta**2 * nu / 2,
            ),
            Combine(
                {"mean": 1, "unbiased": -eta, "second moment": L * eta**2 / 2},
                squares=((_LEFT * kappa, AIM), (_LEFT * (1 - kappa), X.gradient)),
                domain=("part", "small"),
            ),
        ),
        Step(
            "one update, total",
            le(F(t + 1), F(t) - _HALF * S(t) + _HALF * kappa * B(t) + L * eta**2 * nu / 2),
            Total("one update", t),
        ),
        Step(
            "sum",
            le(
                F(T),
                F(0) - _HALF * sympy.Sum(S(t) - kappa * B(t), _ALL) + T * L * eta**2 * nu / 2,
            ),
            Telescope("one update, total", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "error": kappa * e, "variance": L * eta * nu},
    conclude=Combine(
        {
            **dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T)),
            "bias": kappa,
        },
    ),
)

CLAIM: Final = as_claim(THEOREM)
