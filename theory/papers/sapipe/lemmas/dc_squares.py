"""The second moment of the steps of SAPipe-DC, for every share of stale elements."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Step, Telescope, Theorem, Total, le, square
from theory.papers.sapipe.dc_method import (
    ALONG,
    AT_REST,
    COMPENSATED,
    E_T,
    FOLLOWING,
    FRESH,
    LAST,
    MIXED_MEAN,
    SEQUENCES,
    SIZES,
    SMALL,
    STALE,
    U,
    q,
)
from theory.papers.sapipe.lemmas.dc_sizes import ALL, GROWTH, KEPT, LENGTH, ROOM
from theory.papers.sapipe.setting import SHARE, G
from theory.papers.sapipe.symbols import V2, T, eta, kappa, lambda_, t

_SHARE = 1 / (T * KEPT)

THEOREM: Final = Theorem(
    id="sapipe.dc-squares",
    where="ours",
    statement=(
        "If ληV₂ ≤ 1 − 1/√2, then the mean over t < T of E‖x_t − x_{t−1}‖² of SAPipe-DC, with "
        "samples of their own for stale elements and a compensation that sees all of Δx, is at "
        "most 2η²V₂ for every 0 ≤ κ ≤ 1 (written with g⁻ = (x_{t−1} − x_t)/η)."
    ),
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|x_t - x_{t-1}\|^2 \le 2\eta^2 V_2",
    symbols=(T, eta, lambda_, V2, kappa),
    scalars=(ALONG,),
    vectors=(G, FRESH, STALE),
    points=(LAST, FOLLOWING[1][1]),
    sequences={U: SEQUENCES[U]},
    following=FOLLOWING[1:],
    hypotheses=(*SIZES, MIXED_MEAN, SHARE, SMALL, AT_REST[0]),
    steps=(
        *GROWTH,
        Step("fresh, mean", le(E_T.of(square(FRESH)), V2), Expect("fresh size", E_T)),
        Step(
            "compensated, mean",
            le(E_T.of(square(COMPENSATED)), V2 / KEPT + q * LENGTH),
            Expect("compensated size", E_T),
        ),
        Step("part", le(0, 1 - kappa), Combine({"share": 1})),
        Step(
            "square",
            le(E_T.of(square(G)), V2 / KEPT + q * LENGTH),
            Combine(
                {"mixed mean": 1, "fresh, mean": 1 - kappa, "compensated, mean": kappa},
                plus=((1 - kappa) * q * (V2 / KEPT + LENGTH),),
                domain=("part", "small"),
            ),
        ),
        Step("square, total", le(U(t + 1), V2 / KEPT + q * U(t)), Total("square", t)),
        Step(
            "squares",
            le(U(T), U(0) + T * V2 / KEPT - KEPT * sympy.Sum(U(t), ALL)),
            Telescope("square, total", t, T),
        ),
        Step("room", le(1 / KEPT**2, 2), Combine({"small": ROOM}, domain=("small",))),
    ),
    lhs=sympy.Sum(U(t), ALL) / T,
    terms={"steps": 2 * V2},
    conclude=Combine(
        {"squares": _SHARE, "at rest": _SHARE, "room": V2},
        plus=(_SHARE * U(T),),
        domain=("small",),
    ),
)
CLAIM: Final = as_claim(THEOREM)
