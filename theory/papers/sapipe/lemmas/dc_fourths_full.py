"""The fourth moment of the steps of SAPipe-DC where every element is stale."""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Hypothesis, Step, Theorem, le, square
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas.dc_sizes import ALL, GROWTH, KEPT, LENGTH, fourth_powers, settled

V2, T, eta, lambda_, t, G = setting.letters("V2 T eta lambda_ t G")
ALONG, COMPENSATED, LAST, STALE, Q = dc_method.letters("ALONG COMPENSATED LAST STALE Q")
q = dc_method.letters("q")


WHOLE = Hypothesis(
    "all stale",
    "κ = 1: every element of g is that of the compensated gradient",
    le(square(G), square(COMPENSATED)),
)

THEOREM = Theorem(
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
    points=(LAST, dc_method.FOLLOWING[1][1]),
    sequences={Q: dc_method.SEQUENCES[Q]},
    following=dc_method.FOLLOWING[1:],
    hypotheses=(*dc_method.STALE_SIZE, WHOLE, dc_method.SMALL, dc_method.AT_REST[1]),
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
CLAIM = as_claim(THEOREM)
