"""The second moment of the steps of SAPipe-DC, for every share of stale elements."""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Step, Telescope, Theorem, Total, le, square
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas.dc_sizes import ALL, GROWTH, KEPT, LENGTH, ROOM

V2, T, eta, kappa, lambda_, t, G = setting.letters("V2 T eta kappa lambda_ t G")
ALONG, COMPENSATED, E_T, FRESH = dc_method.letters("ALONG COMPENSATED E_T FRESH")
LAST, STALE, U, q = dc_method.letters("LAST STALE U q")


_SHARE = 1 / (T * KEPT)

THEOREM = Theorem(
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
    points=(LAST, dc_method.FOLLOWING[1][1]),
    sequences={U: dc_method.SEQUENCES[U]},
    following=dc_method.FOLLOWING[1:],
    hypotheses=(
        *dc_method.SIZES,
        dc_method.MIXED_MEAN,
        setting.SHARE,
        dc_method.SMALL,
        dc_method.AT_REST[0],
    ),
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
CLAIM = as_claim(THEOREM)
