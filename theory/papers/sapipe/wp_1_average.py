"""The proof of Theorem 4 up to its last step: the bias is how far the predictions are from x_t.

The printed lines, with the mean over the workers of ‖x_t − x̃_i‖² left as it is.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Lipschitz,
    Step,
    Telescope,
    Theorem,
    Total,
    le,
    lipschitz,
    square,
)
from theory.papers.sapipe.error_terms import OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import elements, workers, wp_update
from theory.papers.sapipe.setting import (
    AVERAGE,
    E_T,
    F_STAR,
    LOWER,
    NEXT,
    OFF,
    SHARE,
    SMOOTH,
    START,
    STEPSIZE,
    F,
    G,
    S,
    X,
    mean_of,
    nu,
    second_moment,
)
from theory.papers.sapipe.setting import FOLLOWING as MODEL
from theory.papers.sapipe.symbols import R0, V1, L, T, eta, kappa, n, t
from theory.papers.sapipe.wp_1_method import (
    APART,
    AVG,
    AWAY,
    EACH_SMOOTH,
    FOLLOWING,
    HERE,
    OBJECTIVE,
    OWN_SAMPLES,
    POINTS,
    PREDICTED,
    PROOF,
    SPREAD,
    SPREAD_IS,
    W,
)

_HALF = eta / 2
_ALL: Final = (t, 0, T - 1)
_SLOPES = lipschitz(L, HERE, PREDICTED)
_VARIANCE = L * eta**2 * V1 / (2 * n)

HYPOTHESES: Final = (
    SMOOTH,
    EACH_SMOOTH,
    *elements.drawn(OFF),
    elements.UNBIASED,
    *elements.SAMPLES,
    OBJECTIVE,
    SPREAD_IS,
    START,
    LOWER,
    STEPSIZE,
    SHARE,
)

THEOREM: Final = Theorem(
    id="sapipe.wp-1-average",
    where=PROOF,
    statement=(
        "With η ≤ 1/L, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + LηV₁/n + κL² times "
        "the mean over t < T and the workers of E‖x_t − x̃_i‖², whatever the predictions x̃_i are: "
        f"for κ = 1, and {OWN_SAMPLES}."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\tfrac{\kappa L^2}{nT}\sum_{t<T}\sum_{i\in[n]}\mathbb{E}\|x_t - \tilde x_i\|^2 + "
        r"\tfrac{L\eta V_1}{n}"
    ),
    symbols=(T, n, eta, L, kappa, V1, R0, F_STAR),
    scalars=(SPREAD,),
    vectors=(G, OFF, AWAY, elements.DRAWN, workers.NOISE, workers.MEAN_NOISE),
    points=(X, NEXT, *POINTS),
    sequences={F: X.value, S: square(X.gradient), W: SPREAD},
    following=(*MODEL, *FOLLOWING),
    hypotheses=HYPOTHESES,
    cites=(elements.THEOREM, workers.THEOREM, wp_update.THEOREM),
    steps=(
        Step(
            "noise",
            workers.THEOREM.goal,
            Cite("sapipe.mean-of-workers"),
            "the variance of the mean of n independent gradients is at most V₁/n",
            f"{PROOF}, the variance term",
        ),
        Step(
            "second moment",
            second_moment(OFF, V1 / n).relation,
            Cite("sapipe.random-elements"),
        ),
        Step(
            "unbiased",
            mean_of(OFF).relation,
            Combine({"elements": 1, "unbiased samples": 1}),
        ),
        Step(
            "square",
            le(0, square(APART - OFF)),
            Combine(squares=((1, APART - OFF),)),
        ),
        Step("jensen", le(0, AVG.of(square(APART - OFF))), Expect("square", AVG)),
        Step(
            "mean of squares",
            le(square(OFF), AVG.of(square(APART))),
            Combine({"jensen": 1, "predicted mean": -2}),
            "‖∇F(x) − (1/n)Σ∇F_i(x̃_i)‖² is at most the mean of the ‖∇F_i(x) − ∇F_i(x̃_i)‖²",
            f"{PROOF}, the error of the gradient estimation, line 4",
        ),
        Step("lipschitz", _SLOPES, Lipschitz("each smooth", HERE, PREDICTED)),
        Step("slopes", le(AVG.of(_SLOPES.lhs), AVG.of(_SLOPES.rhs)), Expect("lipschitz", AVG)),
        Step(
            "smoothness",
            le(square(OFF), L**2 * SPREAD),
            Combine({"mean of squares": 1, "slopes": 1, "spread": -(L**2)}),
            "at most L² times the mean of the ‖x − x̃_i‖²",
            f"{PROOF}, the error of the gradient estimation, line 5",
        ),
        Step(
            "update",
            le(wp_update.AHEAD, sympy.Add(*wp_update.THEOREM.terms.values()).subs(nu, V1 / n)),
            Cite("sapipe.wp-update", {nu: V1 / n}),
        ),
        Step("small", le(0, 1 - L * eta), Combine({"stepsize": L})),
        Step("part", le(0, 1 - kappa), Combine({"share": 1})),
        Step(
            "together",
            le(
                E_T.of(NEXT.value),
                X.value - _HALF * square(X.gradient) + _HALF * kappa * L**2 * SPREAD + _VARIANCE,
            ),
            Combine(
                {"update": 1, "smoothness": _HALF * kappa},
                squares=(
                    (_HALF * (1 - L * eta) * kappa, X.gradient - OFF),
                    (_HALF * (1 - L * eta) * (1 - kappa), X.gradient),
                ),
                domain=("small", "part"),
            ),
            "the bias and the variance in Lemma 1, the bias with the factor κ",
            f"{PROOF}, putting together",
        ),
        Step(
            "total",
            le(F(t + 1), F(t) - _HALF * S(t) + _HALF * kappa * L**2 * W(t) + _VARIANCE),
            Total("together", t),
            "total expectation, which re-arranged bounds ‖∇F(x_{t−1})‖²",
            f"{PROOF}, re-arranged",
        ),
        Step(
            "sum",
            le(
                F(T),
                F(0) - _HALF * sympy.Sum(S(t) - kappa * L**2 * W(t), _ALL) + T * _VARIANCE,
            ),
            Telescope("total", t, T),
            "sum over the iterations; κ is missing from the printed sum, and so are t = 1 and 2",
            f"{PROOF}, telescoping",
        ),
    ),
    lhs=AVERAGE,
    terms={
        "optimization": OPTIMIZATION,
        "predictions": kappa * L**2 * sympy.Sum(W(t), _ALL) / T,
        "variance": VAR_0,
    },
    conclude=Combine(dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T))),
)

CLAIM: Final = as_claim(THEOREM)
