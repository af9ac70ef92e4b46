"""SAPipe-WP, option 1, is never worse than vanilla SAPipe: its error term is at most Err₀.

A mean minimises the mean square: the workers' gradients deviate from their mean by at most what
they measure themselves. Nothing is asked of the diversity, of the variance, or of the stepsize
beyond η ≤ 1/L.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Expect,
    Hypothesis,
    Step,
    Swap,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    le,
    square,
)
from theory.papers.sapipe import wp_1_average
from theory.papers.sapipe.error_terms import ERR_0, OPTIMIZATION, VAR_0
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.setting import AVERAGE, G
from theory.papers.sapipe.symbols import V2, L, T, eta, kappa, t
from theory.papers.sapipe.wp_1_method import (
    AT_START,
    AVG,
    E_WITH_WORKERS,
    NEXT_SPREAD,
    OWN,
    READ_SO,
    W,
)

_ALL: Final = (t, 0, T - 1)
_BASE: Final = wp_1_average.THEOREM

CONTRIBUTIONS: Final = (
    Hypothesis(
        "predictions",
        "x̃_i is x_t − ηg_i and x_{t+1} is x_t − ηg (Algorithm 3, option 1): V⁺ is η² times the "
        "mean of the ‖g_i − g‖²",
        le(NEXT_SPREAD, eta**2 * AVG.of(square(OWN - G))),
    ),
    Hypothesis(
        "contributions",
        "g is the mean over the workers of the g_i",
        eq(AVG.of(dot(OWN, G)), square(G)),
    ),
    Hypothesis(
        "size",
        "stochastic gradients have squared norms of at most V₂ (Assumption 2); so has g_i on "
        "average over its stale elements",
        le(E_WITH_WORKERS.of(square(OWN)), V2),
    ),
)

THEOREM: Final = Theorem(
    id="sapipe.wp-1-moment",
    where="ours",
    statement=(
        "With η ≤ 1/L, SAPipe-WP with option 1 has a mean over t < T of E‖∇F(x_t)‖² of at most "
        "2R₀/(ηT) + κL²η²V₂ + LηV₁/n, as vanilla SAPipe, for every T ≥ 1 and whatever the "
        f"diversity of the workers. {READ_SO}"
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}"
    ),
    symbols=(*_BASE.symbols, V2),
    scalars=_BASE.scalars,
    vectors=(*_BASE.vectors, OWN),
    points=_BASE.points,
    sequences=_BASE.sequences,
    following=_BASE.following,
    hypotheses=(*wp_1_average.HYPOTHESES, *CONTRIBUTIONS, AT_START),
    cites=(_BASE,),
    steps=(
        Step("average", _BASE.goal, Cite("sapipe.wp-1-average")),
        Step(
            "own size",
            le(NEXT_SPREAD, eta**2 * AVG.of(square(OWN))),
            Combine(
                {"predictions": 1, "contributions": -2 * eta**2},
                squares=((eta**2, G),),
            ),
            "‖g_i − g‖² is on average the mean of the ‖g_i‖² less ‖g‖²",
        ),
        Step(
            "expected",
            le(
                E_WITH_WORKERS.of(NEXT_SPREAD),
                eta**2 * E_WITH_WORKERS.of(AVG.of(square(OWN))),
            ),
            Expect("own size", E_WITH_WORKERS),
        ),
        Step("each", le(AVG.of(E_WITH_WORKERS.of(square(OWN))), V2), Expect("size", AVG)),
        Step(
            "all",
            le(E_WITH_WORKERS.of(AVG.of(square(OWN))), V2),
            Swap("each", AVG, E_WITH_WORKERS),
        ),
        Step(
            "spread ahead",
            le(E_WITH_WORKERS.of(NEXT_SPREAD), eta**2 * V2),
            Combine({"expected": 1, "all": eta**2}),
        ),
        Step("spread, total", le(W(t + 1), eta**2 * V2), Total("spread ahead", t)),
        Step(
            "spreads",
            le(sympy.Sum(W(t), _ALL) + W(T) - W(0), T * eta**2 * V2),
            Telescope("spread, total", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "error": kappa * ERR_0, "variance": VAR_0},
    conclude=Combine(
        {
            "average": 1,
            "spreads": kappa * L**2 / T,
            "first prediction": kappa * L**2 / T,
        },
        plus=(kappa * L**2 * W(T) / T,),
    ),
)

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-1"])
