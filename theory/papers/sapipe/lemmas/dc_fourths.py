"""The fourth moment of the steps of SAPipe-DC, in whatever way elements depend on each other."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Step, Theorem, le, square
from theory.papers.sapipe.dc_method import (
    ALONG,
    AT_REST,
    FOLLOWING,
    FRESH,
    LAST,
    MIXED,
    SEQUENCES,
    SIZES,
    SMALL,
    STALE,
    Q,
    q,
)
from theory.papers.sapipe.lemmas.dc_sizes import ALL, GROWTH, KEPT, LENGTH, fourth_powers, settled
from theory.papers.sapipe.setting import G
from theory.papers.sapipe.symbols import V2, T, eta, lambda_, t

THEOREM: Final = Theorem(
    id="sapipe.dc-fourths",
    where="ours",
    statement=(
        "If ληV₂ ≤ 1 − 1/√2, then the mean over t < T of E‖x_t − x_{t−1}‖⁴ of SAPipe-DC, with "
        "samples of their own for stale elements and a compensation that sees all of Δx, is at "
        "most 16η⁴V₂², whichever elements are stale (written with g⁻ = (x_{t−1} − x_t)/η)."
    ),
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|x_t - x_{t-1}\|^4 \le 16\eta^4 V_2^2",
    symbols=(T, eta, lambda_, V2),
    scalars=(ALONG,),
    vectors=(G, FRESH, STALE),
    points=(LAST, FOLLOWING[1][1]),
    sequences={Q: SEQUENCES[Q]},
    following=FOLLOWING[1:],
    hypotheses=(*SIZES, MIXED, SMALL, AT_REST[1]),
    steps=(
        *GROWTH,
        Step(
            "size",
            le(square(G), 2 * V2 / KEPT + q * LENGTH),
            Combine(
                {"mixed": 1, "fresh size": 1, "compensated size": 1},
                plus=(q * V2 / KEPT,),
                domain=("small",),
            ),
        ),
        *fourth_powers(2 * V2),
    ),
    lhs=sympy.Sum(Q(t), ALL) / T,
    terms={"steps": 16 * V2**2},
    conclude=settled(2 * V2),
)
CLAIM: Final = as_claim(THEOREM)
