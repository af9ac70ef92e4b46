"""The fourth moment of the steps of SAPipe-DC, in whatever way elements depend on each other."""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Step, Theorem, le, square
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas.dc_sizes import ALL, GROWTH, KEPT, LENGTH, fourth_powers, settled

V2, T, eta, lambda_, t, G = setting.letters("V2 T eta lambda_ t G")
ALONG, FRESH, LAST, STALE, Q, q = dc_method.letters("ALONG FRESH LAST STALE Q q")


THEOREM = Theorem(
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
    points=(LAST, dc_method.FOLLOWING[1][1]),
    sequences={Q: dc_method.SEQUENCES[Q]},
    following=dc_method.FOLLOWING[1:],
    hypotheses=(*dc_method.SIZES, dc_method.MIXED, dc_method.SMALL, dc_method.AT_REST[1]),
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
CLAIM = as_claim(THEOREM)
