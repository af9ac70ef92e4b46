"""The fourth moment of the steps of SAPipe-DC where every element is stale."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Hypothesis, Step, Theorem, le, square
from theory.papers.sapipe.dc_method import (
    ALONG,
    AT_REST,
    COMPENSATED,
    FOLLOWING,
    LAST,
    SEQUENCES,
    SMALL,
    STALE,
    STALE_SIZE,
    Q,
    q,
)
from theory.papers.sapipe.lemmas.dc_sizes import ALL, GROWTH, KEPT, LENGTH, fourth_powers, settled
from theory.papers.sapipe.setting import G
from theory.papers.sapipe.symbols import V2, T, eta, lambda_, t

WHOLE: Final = Hypothesis(
    "all stale",
    "κ = 1: every element of g is that of the compensated gradient",
    le(square(G), square(COMPENSATED)),
)

THEOREM: Final = Theorem(
    id="sapipe.dc-fourths-full",
    where="ours",
    statement=(
        "If ληV₂ ≤ 1 − 1/√2 and every element is stale, then the mean over t < T of "
        "E‖x_t − x_{t−1}‖⁴ of SAPipe-DC is at most 4η⁴V₂² (written with g⁻ = (x_{t−1} − x_t)/η)."
    ),
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|x_t - x_{t-1}\|^4 \le 4\eta^4 V_2^2",
    symbols=(T, eta, lambda_, V2),
    scalars=(ALONG,),
    vectors=(G, STALE),
    points=(LAST, FOLLOWING[1][1]),
    sequences={Q: SEQUENCES[Q]},
    following=FOLLOWING[1:],
    hypotheses=(*STALE_SIZE, WHOLE, SMALL, AT_REST[1]),
    steps=(
        *GROWTH,
        Step(
            "size",
            le(square(G), V2 / KEPT + q * LENGTH),
            Combine({"all stale": 1, "compensated size": 1}, domain=("small",)),
        ),
        *fourth_powers(V2),
    ),
    lhs=sympy.Sum(Q(t), ALL) / T,
    terms={"steps": 4 * V2**2},
    conclude=settled(V2),
)
CLAIM: Final = as_claim(THEOREM)
