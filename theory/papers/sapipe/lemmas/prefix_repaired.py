"""Theorem 2 where the same elements are stale in every iteration: κ becomes 1, Var₀ doubles.

The stale part of g keeps the bias of its own elements, ‖P(∇F(x_t) − ∇F(x_{t−1}))‖², which is at
most L²η²‖g_t‖² and no share of that. Fresh and stale elements are of gradients at two points: each
noise may have all its variance where it is used, and a single E‖g_t‖² may exceed V₂
(`thm_2_mixture` has a run). Over two updates it is made up for: what is fresh at x_t
now and what is stale at x_t next are parts of one gradient, so that all but the first stale part
add up to V₂ an update. Stale elements have samples of their own here; the system reuses those of
the update before, and for it nothing is shown.
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
    Lipschitz,
    Split,
    Step,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    le,
    lipschitz,
    square,
    vector,
)
from theory.kernel.vectors import Scalar
from theory.papers.sapipe.error_terms import ERR_0, OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import biased
from theory.papers.sapipe.lemmas.biased import BIAS
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.setting import (
    AVERAGE,
    E_T,
    F_STAR,
    LOWER,
    NEXT,
    OFF,
    SMOOTH,
    START,
    STEPSIZE,
    B,
    G,
    X,
    e,
    nu,
    second_moment,
    sequences,
)
from theory.papers.sapipe.stale_bias import AT_REST, FOLLOWING, OFF_NEXT, OFF_NOW, STALE_MEAN
from theory.papers.sapipe.symbols import R0, V1, V2, L, T, eta, kappa, n, t

MEAN: Final = X.gradient - OFF
"""The mean of g: ∇F(x_t) on fresh elements and ∇F(x_{t−1}) on stale ones."""

_FRESH_NOISE, _STALE_NOISE = vector("ξ"), vector("d")
_ONE: Final = {kappa: sympy.S.One}

Q, FRESH, STALE = (sympy.Function(name, nonnegative=True) for name in ("Q", "A", "C"))
"""E‖g_t‖² by iteration, and that of its fresh and of its stale elements."""

_DRIFT: Final[Scalar] = L**2 * eta**2
_AWAY: Final = square(OFF_NEXT.position)
_BEFORE: Final = (t, 0, T - 2)

PARTS: Final = (
    Hypothesis("parts", "an element of g is either fresh or stale", eq(Q(t), FRESH(t) + STALE(t))),
    Hypothesis(
        "one gradient",
        "the gradient whose stale elements come next has the law of the one whose fresh elements "
        "are used now, as both are at x_t; its squared norm is at most V₂ (Assumption 2)",
        le(FRESH(t) + STALE(t + 1), V2),
    ),
    Hypothesis("first stale part", "‖∇f‖² ≤ V₂ (Assumption 2)", le(STALE(0), V2)),
)

THEOREM: Final = Theorem(
    id="sapipe.prefix-repaired",
    where="ours",
    statement=(
        "For vanilla SAPipe with η ≤ 1/L whose first layers are stale in every iteration, with "
        "samples of their own and not those of Algorithm 1, the mean over t < T of E‖∇F(x_t)‖² "
        "is at most 2R₀/(ηT) + L²η²V₂ + 2LηV₁/n for every T ≥ 1, from rest, whatever share of the "
        "parameters they hold."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"L^2\eta^2 V_2 + \tfrac{2 L\eta V_1}{n}"
    ),
    symbols=(T, eta, L, n, V1, V2, R0, F_STAR),
    vectors=(G, OFF, _FRESH_NOISE, _STALE_NOISE),
    points=(X, NEXT, OFF_NOW, OFF_NEXT),
    sequences={**sequences(OFF), Q: square(G)},
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        Hypothesis(
            "unbiased",
            "samples are unbiased and drawn independently of the past (Assumption 2)",
            eq(E_T.of(dot(G, X.gradient)), dot(MEAN, X.gradient)),
        ),
        Hypothesis(
            "noise",
            "g has the noise ξ on fresh elements and d on stale ones, uncorrelated with its mean",
            eq(
                E_T.of(square(G)),
                square(MEAN) + E_T.of(square(_FRESH_NOISE)) + E_T.of(square(_STALE_NOISE)),
            ),
        ),
        Hypothesis(
            "fresh noise",
            "a part of the mean of the workers' noises at x_t (sapipe.mean-of-workers)",
            le(E_T.of(square(_FRESH_NOISE)), V1 / n),
        ),
        Hypothesis(
            "stale noise",
            "a part of the mean of the workers' noises at x_{t−1}",
            le(E_T.of(square(_STALE_NOISE)), V1 / n),
        ),
        Hypothesis(
            "stale part",
            "in the next iteration b is ∇F(x_{t+1}) − ∇F(x_t) on stale elements, else 0",
            eq(
                square(OFF_NEXT.position),
                dot(OFF_NEXT.position, NEXT.gradient - X.gradient),
            ),
        ),
        *PARTS,
        AT_REST,
        START,
        LOWER,
        STEPSIZE,
    ),
    cites=(biased.THEOREM,),
    steps=(
        Step(
            "stale",
            STALE_MEAN.relation,
            Combine(
                {"stale part": 2},
                squares=((1, NEXT.gradient - X.gradient - OFF_NEXT.position),),
            ),
            "a part is no longer than the whole",
        ),
        Step("lipschitz", lipschitz(L, NEXT, X), Lipschitz("smooth", NEXT, X)),
        Step("away", le(_AWAY, _DRIFT * square(G)), Combine({"lipschitz": 1, "stale": 1})),
        Step("mean", le(E_T.of(_AWAY), _DRIFT * E_T.of(square(G))), Expect("away", E_T)),
        Step("away, total", le(B(t + 1), _DRIFT * Q(t)), Total("mean", t)),
        Step(
            "exchanged",
            le(B(t + 1), _DRIFT * (V2 + STALE(t) - STALE(t + 1))),
            Combine({"away, total": 1, "parts": _DRIFT, "one gradient": _DRIFT}),
        ),
        Step(
            "sum",
            le(
                sympy.Sum(B(t), _BEFORE) + B(T - 1) - B(0),
                _DRIFT * ((T - 1) * V2 + STALE(0) - STALE(T - 1)),
            ),
            Telescope("exchanged", t, T - 1),
        ),
        Step(
            "all",
            eq(sympy.Sum(B(t), (t, 0, T - 1)), sympy.Sum(B(t), _BEFORE) + B(T - 1)),
            Split(t, last=1),
        ),
        Step(
            "bias",
            BIAS.relation.replaced({e: ERR_0}),
            Combine(
                {
                    **dict.fromkeys(("sum", "all", "at rest"), 1 / T),
                    "first stale part": _DRIFT / T,
                },
                plus=(_DRIFT * STALE(T - 1) / T,),
            ),
        ),
        Step(
            "second moment",
            second_moment(OFF, 2 * V1 / n).relation.replaced(_ONE),
            Combine({"noise": 1, "fresh noise": 1, "stale noise": 1}),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "staleness": ERR_0, "variance": 2 * VAR_0},
    conclude=Cite("sapipe.biased", scalars={e: ERR_0, nu: 2 * V1 / n, **_ONE}),
)

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["sapipe-prefix"])
