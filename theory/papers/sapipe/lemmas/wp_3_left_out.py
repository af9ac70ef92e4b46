"""The others' stale parts: leaving one's own out makes their mean square no larger."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Expect,
    Hypothesis,
    Lipschitz,
    Step,
    Theorem,
    dot,
    eq,
    le,
    lipschitz,
    square,
)
from theory.kernel.vectors import Vector
from theory.papers.sapipe.setting import X
from theory.papers.sapipe.symbols import L, n
from theory.papers.sapipe.wp_1_method import (
    AWAY,
    EACH_SMOOTH,
    HERE,
    MEAN_MISSED,
    MISSED,
    PREDICTED,
    SPREAD,
)
from theory.papers.sapipe.wp_3_method import EACH, SPREAD_AGAIN

LEFT: Final[Vector] = MISSED / n - MEAN_MISSED
"""(1/n)Σ_{j≠i} of the ∇F_j(x̃_j) − ∇F_j(x_t), stale elements only."""

_SLOPES = lipschitz(L, HERE, PREDICTED)

STALE_PARTS: Final = (
    Hypothesis(
        "stale part",
        "a_i is made of the stale elements of ∇F_i(x_t) − ∇F_i(x̃_i), 0 in the others",
        le(square(MISSED), square(HERE.gradient - PREDICTED.gradient)),
    ),
    Hypothesis(
        "mean of the stale parts",
        "a is the mean over the workers of the a_i",
        eq(EACH.of(dot(MISSED, MEAN_MISSED)), square(MEAN_MISSED)),
    ),
)

THEOREM: Final = Theorem(
    id="sapipe.wp-3-left-out",
    where="ours",
    statement=(
        "The mean over the workers i of ‖(1/n)Σ_{j≠i} a_j‖² is at most L² times that of "
        "‖x_t − x̃_i‖², a_j being the stale elements of ∇F_j(x_t) − ∇F_j(x̃_j)."
    ),
    latex=(
        r"\tfrac1n\sum_i \bigl\|\tfrac1n\sum_{j\ne i} a_j\bigr\|^2 \le "
        r"\tfrac{L^2}{n}\sum_i \|x_t - \tilde x_i\|^2"
    ),
    symbols=(n, L),
    scalars=(SPREAD,),
    vectors=(X.position, AWAY, MISSED, MEAN_MISSED),
    points=(HERE, PREDICTED),
    hypotheses=(EACH_SMOOTH, *STALE_PARTS, SPREAD_AGAIN),
    steps=(
        Step("lipschitz", _SLOPES, Lipschitz("each smooth", HERE, PREDICTED)),
        Step(
            "stale",
            le(square(MISSED), L**2 * square(AWAY)),
            Combine({"stale part": 1, "lipschitz": 1}),
        ),
        Step(
            "stale parts",
            le(EACH.of(square(MISSED)), L**2 * EACH.of(square(AWAY))),
            Expect("stale", EACH),
        ),
        Step(
            "square",
            le(0, square(MISSED - MEAN_MISSED)),
            Combine(squares=((1, MISSED - MEAN_MISSED),)),
        ),
        Step("squares", le(0, EACH.of(square(MISSED - MEAN_MISSED))), Expect("square", EACH)),
    ),
    lhs=EACH.of(square(LEFT)),
    terms={"spread": L**2 * SPREAD},
    conclude=Combine(
        {
            "stale parts": 1,
            "squares": 1 - 1 / n**2,
            "mean of the stale parts": -2 / n - 2 * (1 - 1 / n**2),
            "spread again": -(L**2),
        },
        squares=((2 / n - 1 / n**2, MEAN_MISSED),),
    ),
)

CLAIM: Final = as_claim(THEOREM)
