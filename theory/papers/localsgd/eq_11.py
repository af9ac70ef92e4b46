"""(11): convergence of LocalSGD after Yu et al., for every stepsize.

The paper cites (11); the proof here is ours. It drops nothing at γ > 1/L, since Lγ − 1 ≤ L²γ²/4 and
the mean of the replicas' gradients is at most G̃ long: the slack of 4H² over (H − 1)² pays for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import sympy

from theory.account import Finding, Repair
from theory.judging.as_claim import as_claim
from theory.judging.decide import proves
from theory.kernel import Cite, Combine, Proof, Step, Telescope, Theorem, Total, le
from theory.papers.localsgd.lemmas import (
    homogeneous_eq_11,
    mean_gradient,
    one_step,
    sharp_drift,
    sharp_eq_11,
)
from theory.papers.localsgd.lemmas.sharp_eq_11 import HYPOTHESES as WITHOUT_MOMENT
from theory.papers.localsgd.lemmas.sharp_eq_11 import SYMBOLS, VECTORS
from theory.papers.localsgd.method import (
    AVERAGE,
    FOLLOWING,
    POINTS,
    SECOND_MOMENT,
    SEQUENCES,
    SPREAD,
    STEPSIZE,
    R,
    t,
)
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, Gt, H, L, N, T, gamma, sigma

HYPOTHESES: Final = (
    *WITHOUT_MOMENT,
    SECOND_MOMENT,
    mean_gradient.NO_TILT,
    mean_gradient.SLOPE_ITSELF,
    STEPSIZE,
)
_ALL: Final = (t, 0, T - 1)
_REPLICAS: Final = sympy.Sum(R(t), _ALL) / T

THEOREM: Final = Theorem(
    id="localsgd.eq-11",
    where="appendix D, (11)",
    statement=(
        "With γ ≤ 1/L, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
        "2Δ/(γT) + 4γ²H²G̃²L² + Lγσ²/N for LocalSGD with N replicas that are averaged after every H "
        "local steps."
    ),
    latex=(
        r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le \tfrac{2\Delta}{\gamma T} + "
        r"4\gamma^2 H^2 \tilde G^2 L^2 + \tfrac{L\gamma\sigma^2}{N}"
    ),
    symbols=SYMBOLS,
    scalars=(SPREAD,),
    vectors=VECTORS,
    points=POINTS,
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=HYPOTHESES,
    cites=(one_step.THEOREM, sharp_drift.THEOREM, mean_gradient.THEOREM),
    assumes=(sharp_eq_11.PERIODS,),
    steps=(
        *sharp_eq_11.steps_with(sharp_drift.THEOREM),
        Step("mean gradient of a step", mean_gradient.THEOREM.goal, Cite("localsgd.mean-gradient")),
        Step("mean gradient of step t", le(R(t), Gt**2), Total("mean gradient of a step", t)),
        Step(
            "mean gradients",
            le(sympy.Sum(R(t), _ALL), T * Gt**2),
            Telescope("mean gradient of step t", t, T),
        ),
    ),
    lhs=AVERAGE,
    terms={
        "optimization": 2 * Delta / (gamma * T),
        "drift": 4 * gamma**2 * H**2 * Gt**2 * L**2,
        "variance": L * gamma * sigma**2 / N,
    },
    conclude=Combine(
        {
            **dict.fromkeys(("sum", "lower bound", "start"), 2 / (gamma * T)),
            "mean gradients": L**2 * gamma**2 / (4 * T),
        },
        squares=((_REPLICAS, 1 - L * gamma / 2),),
        plus=(gamma**2 * L**2 * Gt**2 * (3 * H**2 + 2 * H - sympy.Rational(5, 4)),),
    ),
)


def _loose(
    says: str, sharp: Theorem, at: Mapping[sympy.Symbol, int], proof: Proof
) -> tuple[Finding, ...]:
    """What the drift term says beyond need, and where that is all of it; if both are proved."""
    if not proves(proof, sharp):
        return ()
    terms = {"printed": THEOREM.terms["drift"], "repaired": sharp.terms["drift"]}
    finding = Finding(
        kind="loose",
        where=THEOREM.where,
        says=says,
        witness={
            **{str(symbol): number for symbol, number in at.items()},
            **{f"drift term {name}": str(term.subs(at)) for name, term in terms.items()},
        },
        shown=(proof, sharp),
        repaired=Repair(sharp.statement, (sharp,)),
    )
    return (finding,)


def _remarks(proof: Proof) -> tuple[Finding, ...]:
    return (
        *_loose(
            "replicas that are averaged after every step (H = 1) do not drift at all, and in "
            "between only the mean of their ‖x_r − x̄‖² enters: (H − 1)² does for 4H²",
            sharp_eq_11.THEOREM,
            {H: 1},
            proof,
        ),
        *_loose(
            "where all replicas share one function, as in the paper, they drift less by the factor "
            "1 − 1/N: a single one has nothing to drift from",
            homogeneous_eq_11.THEOREM,
            {N: 1},
            proof,
        ),
    )


CLAIM: Final = as_claim(
    THEOREM, challenge=CHALLENGES["localsgd-average-gradient"], remarks=_remarks
)
