"""How far the mean of the replicas' gradients is from the gradient at the mean of the models."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Lipschitz, Step, Theorem, le, lipschitz, square
from theory.papers.localsgd.method import (
    APART,
    AVG,
    AWAY,
    EACH_SMOOTH,
    MEAN,
    MEAN_APART,
    OBJECTIVE,
    REPLICA,
    REPLICA_AT_MEAN,
    SLOPE,
    SPREAD,
    SPREAD_IS,
)
from theory.papers.rpd.symbols import L

_SLOPES = lipschitz(L, REPLICA_AT_MEAN, REPLICA)

THEOREM: Final = Theorem(
    id="localsgd.slope-gap",
    where="appendix D, behind (11)",
    statement=(
        "‖∇f(x̄) − h‖² is at most L² times the mean over replicas of ‖x_r − x̄‖², h the mean of "
        "the ∇f_r(x_r)."
    ),
    latex=(
        r"\bigl\|\nabla f(\bar x) - \tfrac1N\sum_r \nabla f_r(x_r)\bigr\|^2 \le "
        r"\tfrac{L^2}{N}\sum_r \|x_r - \bar x\|^2"
    ),
    symbols=(L,),
    scalars=(SPREAD,),
    vectors=(AWAY, SLOPE),
    points=(MEAN, REPLICA, REPLICA_AT_MEAN),
    hypotheses=(EACH_SMOOTH, OBJECTIVE, SPREAD_IS),
    steps=(
        Step("lipschitz", _SLOPES, Lipschitz("each smooth", REPLICA_AT_MEAN, REPLICA)),
        Step("slopes", le(AVG.of(_SLOPES.lhs), AVG.of(_SLOPES.rhs)), Expect("lipschitz", AVG)),
        Step(
            "square",
            le(0, square(APART - MEAN_APART)),
            Combine(squares=((1, APART - MEAN_APART),)),
        ),
        Step(
            "jensen",
            le(0, AVG.of(square(APART - MEAN_APART))),
            Expect("square", AVG),
            "the square of a mean is at most the mean of the squares",
        ),
    ),
    lhs=square(MEAN_APART),
    terms={"spread": L**2 * SPREAD},
    conclude=Combine({"slopes": 1, "jensen": 1, "objective": -2, "spread": -(L**2)}),
)

CLAIM: Final = as_claim(THEOREM)
