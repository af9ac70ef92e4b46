"""(11) with the drift that replicas really have: none at H = 1, where the stepsize matters."""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step, Telescope, Theorem, Total, le
from theory.papers.localsgd.lemmas import one_step, sharp_drift
from theory.papers.localsgd.lemmas.rounds import SINCE, j
from theory.papers.localsgd.lemmas.rounds import VECTORS as EARLIER
from theory.papers.localsgd.method import (
    AVERAGE,
    F_STAR,
    FOLLOWING,
    LOWER,
    POINTS,
    SEQUENCES,
    SPREAD,
    START,
    STEP,
    STEPSIZE,
    F,
    R,
    S,
    V,
    t,
)
from theory.papers.localsgd.method import VECTORS as NOW
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.localsgd.witnesses.replays import beside, stepsize
from theory.papers.rpd.symbols import Delta, Gt, H, L, N, T, gamma, sigma

SYMBOLS: Final = (N, T, H, gamma, L, Gt, sigma, Delta, F_STAR, j)
VECTORS: Final = tuple(dict.fromkeys((*NOW, *EARLIER)))
HYPOTHESES: Final = (*STEP, *SINCE, START, LOWER)
PERIODS: Final = "T ≥ 1 local steps, an average after every H of them; H need not divide T"

_PRICE: Final = L * gamma**2 * sigma**2 / (2 * N)
_SUM: Final = (t, 0, T - 1)


def _rise(s: sympy.Expr, r: sympy.Expr, v: sympy.Expr) -> sympy.Expr:
    """What one step adds to f(x̄), besides the noise."""
    return gamma / 2 * (L**2 * v - s - (1 - L * gamma) * r)


def steps_with(drift: Theorem) -> tuple[Step, ...]:
    """From one step to the sum over all.

    Parameters
    ----------
    drift : Theorem
        A bound of the expected spread that holds at every step.
    """
    bound = drift.goal.rhs
    return (
        Step("one step", one_step.THEOREM.goal, Cite("localsgd.one-step")),
        Step(
            "total",
            le(F(t + 1), F(t) + _rise(S(t), R(t), V(t)) + _PRICE),
            Total("one step", t),
            "total expectation of one step",
        ),
        Step("drift", drift.goal, Cite(drift.id)),
        Step("spread of step t", le(V(t), bound), Total("drift", t)),
        Step(
            "step",
            le(F(t + 1), F(t) + _rise(S(t), R(t), bound) + _PRICE),
            Combine({"total": 1, "spread of step t": gamma * L**2 / 2}),
        ),
        Step(
            "sum",
            le(F(T), F(0) + sympy.Sum(_rise(S(t), R(t), bound), _SUM) + T * _PRICE),
            Telescope("step", t, T),
            "sum over the steps 0, …, T − 1",
        ),
    )


THEOREM: Final = Theorem(
    id="localsgd.sharp-eq-11",
    where="ours",
    statement=(
        "With γ ≤ 1/L, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
        "2Δ/(γT) + γ²(H − 1)²G̃²L² + Lγσ²/N."
    ),
    latex=(
        r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le \tfrac{2\Delta}{\gamma T} + "
        r"\gamma^2 (H-1)^2 \tilde G^2 L^2 + \tfrac{L\gamma\sigma^2}{N}"
    ),
    symbols=SYMBOLS,
    scalars=(SPREAD,),
    vectors=VECTORS,
    points=POINTS,
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(*HYPOTHESES, STEPSIZE),
    cites=(one_step.THEOREM, sharp_drift.THEOREM),
    assumes=(PERIODS,),
    steps=steps_with(sharp_drift.THEOREM),
    lhs=AVERAGE,
    terms={
        "optimization": 2 * Delta / (gamma * T),
        "drift": gamma**2 * (H - 1) ** 2 * Gt**2 * L**2,
        "variance": L * gamma * sigma**2 / N,
    },
    conclude=Combine(
        {
            **dict.fromkeys(("sum", "lower bound", "start"), 2 / (gamma * T)),
            "stepsize": L * sympy.Sum(R(t), _SUM) / T,
        }
    ),
)

CLAIM: Final = beside(
    as_claim(THEOREM, challenge=CHALLENGES["localsgd-average-gradient"]), stepsize
)
