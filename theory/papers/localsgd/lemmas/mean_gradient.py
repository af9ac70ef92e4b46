"""The mean of the replicas' gradients is no longer than a stochastic gradient may be."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Step, Theorem, le, square
from theory.papers.localsgd.method import (
    AVG,
    E_T,
    NOISE,
    REPLICA,
    SECOND_MOMENT,
    SLOPE,
    averages,
    unbiased,
)
from theory.papers.rpd.symbols import Gt

NO_TILT: Final = unbiased("unbiased at x_r", REPLICA.gradient)
SLOPE_ITSELF: Final = averages(
    "mean slope", "h is the mean of ∇f_r(x_r)", REPLICA.gradient, SLOPE, SLOPE
)

THEOREM: Final = Theorem(
    id="localsgd.mean-gradient",
    where="ours",
    statement="‖h‖² ≤ G̃² for the mean h over replicas of ∇f_r(x_r), at every local step.",
    latex=r"\bigl\|\tfrac1N\sum_r \nabla f_r(x_r)\bigr\|^2 \le \tilde G^2",
    symbols=(Gt,),
    vectors=(SLOPE, NOISE),
    points=(REPLICA,),
    hypotheses=(SECOND_MOMENT, NO_TILT, SLOPE_ITSELF),
    steps=(
        Step(
            "one",
            le(square(REPLICA.gradient), Gt**2),
            Combine({"second moment": 1, NO_TILT.name: -2}, plus=(E_T.of(square(NOISE)),)),
            "a second moment is a variance and the square of the mean",
        ),
        Step("all", le(AVG.of(square(REPLICA.gradient)), Gt**2), Expect("one", AVG)),
        Step(
            "square",
            le(0, square(REPLICA.gradient - SLOPE)),
            Combine(squares=((1, REPLICA.gradient - SLOPE),)),
        ),
        Step("jensen", le(0, AVG.of(square(REPLICA.gradient - SLOPE))), Expect("square", AVG)),
    ),
    lhs=square(SLOPE),
    terms={"moment": Gt**2},
    conclude=Combine({"all": 1, "jensen": 1, SLOPE_ITSELF.name: -2}),
)

CLAIM: Final = as_claim(THEOREM)
