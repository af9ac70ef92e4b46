"""One step of the averaged model: the descent lemma, polarization and the two means."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Descent,
    Expect,
    Found,
    Step,
    Swap,
    Theorem,
    descent,
    dot,
    eq,
    le,
    square,
)
from theory.papers.localsgd.lemmas import mean_noise, slope_gap
from theory.papers.localsgd.method import (
    AVG,
    E_T,
    MEAN,
    MEAN_NOISE,
    NEXT,
    NOISE,
    POINTS,
    SLOPE,
    SPREAD,
    STEP,
    TURN,
    VECTORS,
    conditional,
)
from theory.papers.rpd.symbols import L, N, gamma, sigma

AHEAD: Final = E_T.of(NEXT.value)

THEOREM: Final = Theorem(
    id="localsgd.one-step",
    where="appendix D, behind (11)",
    statement=(
        "E_t f(x̄^{t+1}) ≤ f(x̄^t) − (γ/2)‖∇f(x̄^t)‖² − (γ/2)(1 − Lγ)‖h^t‖² + (γL²/2)V^t + "
        "Lγ²σ²/(2N) for every local step, h^t the mean of the replicas' gradients and V^t of their "
        "‖x_r − x̄‖²."
    ),
    latex=(
        r"\mathbb{E}_t f(\bar x^{t+1}) \le f(\bar x^t) - \tfrac{\gamma}{2}\|\nabla f(\bar x^t)\|^2"
        r" - \tfrac{\gamma}{2}(1 - L\gamma)\|h^t\|^2 + \tfrac{\gamma L^2}{2} V^t"
        r" + \tfrac{L\gamma^2\sigma^2}{2N}"
    ),
    symbols=(N, L, gamma, sigma),
    scalars=(SPREAD,),
    vectors=VECTORS,
    points=POINTS,
    hypotheses=STEP,
    cites=(mean_noise.THEOREM, slope_gap.THEOREM),
    steps=(
        Step("descent", descent(L, MEAN, NEXT), Descent("smooth", MEAN, NEXT)),
        Step("mean", le(AHEAD, E_T.of(descent(L, MEAN, NEXT).rhs)), Expect("descent", E_T)),
        Step("zero", eq(AVG.of(E_T.of(dot(NOISE, TURN))), 0), Expect("unbiased", AVG)),
        Step("no turn", eq(conditional(dot(NOISE, TURN)), 0), Swap("zero", AVG, E_T)),
        Step(
            "turn",
            eq(conditional(dot(NOISE, TURN)), E_T.of(dot(MEAN_NOISE, TURN))),
            Expect("mean step", E_T),
        ),
        Step("noise", mean_noise.THEOREM.goal, Cite("localsgd.mean-noise")),
        Step("slopes", slope_gap.THEOREM.goal, Cite("localsgd.slope-gap")),
    ),
    lhs=AHEAD,
    terms={
        "value": MEAN.value,
        "progress": -gamma / 2 * square(MEAN.gradient),
        "replicas' progress": -gamma / 2 * (1 - L * gamma) * square(SLOPE),
        "drift": gamma * L**2 / 2 * SPREAD,
        "variance": L * gamma**2 * sigma**2 / (2 * N),
    },
    conclude=Found("mean", "no turn", "turn", "noise", "slopes"),
)

CLAIM: Final = as_claim(THEOREM)
