"""Theorem 5 after a single update, whose gradient is taken at x_0 itself: there is no bias yet."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Everywhere, Hypothesis, Step, Theorem, le
from theory.papers.sapipe.error_terms import OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import workers, wp_update
from theory.papers.sapipe.lemmas.wp_2_steps import ONE_UPDATE
from theory.papers.sapipe.setting import F_STAR, LOWER, SMOOTH, START, F, S
from theory.papers.sapipe.symbols import R0, V1, L, T, eta, n, t
from theory.papers.sapipe.wp_2_method import (
    AT_START,
    FOLLOWING,
    POINTS,
    SAMPLES,
    SEQUENCES,
    VECTORS,
    A,
)

_A: Final = L * eta
_ONE = {T: sympy.Integer(1)}

THEOREM: Final = Theorem(
    id="sapipe.wp-2-first",
    where="ours",
    statement=(
        "With η ≤ 1/L, E‖∇F(x_0)‖² is at most 2R₀/η + LηV₁/n for the first update of SAPipe-WP "
        "with option 2, T = 1, round 0 not counted."
    ),
    latex=r"\|\nabla F(x_0)\|^2 \le \tfrac{2R_0}{\eta} + \tfrac{L\eta V_1}{n}",
    symbols=(n, eta, L, V1, R0, F_STAR),
    vectors=VECTORS,
    points=POINTS,
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        *(one for one in SAMPLES if one.name in ("unbiased", "unbiased, with its mean")),
        *SAMPLES[-4:],
        AT_START[0],
        START,
        Hypothesis("lower bound", LOWER.says, le(F_STAR, F(1))),
        Hypothesis("stepsize", "η ≤ 1/L", le(eta, 1 / L)),
    ),
    cites=(workers.THEOREM, wp_update.THEOREM),
    steps=(
        *ONE_UPDATE,
        Step(
            "first update",
            ONE_UPDATE[-1].relation.replaced({t: sympy.S.Zero}),
            Everywhere("one update, total", {t: sympy.S.Zero}),
        ),
        Step("small", le(0, 1 - _A), Combine({"stepsize": L})),
    ),
    lhs=S(0),
    terms={"optimization": OPTIMIZATION.subs(_ONE), "variance": VAR_0},
    conclude=Combine(
        {
            **dict.fromkeys(("first update", "lower bound", "start"), 2 / eta),
            "first gap": L**2,
        },
        plus=((1 - _A) * A(0),),
        domain=("small",),
    ),
)

CLAIM: Final = as_claim(THEOREM)
