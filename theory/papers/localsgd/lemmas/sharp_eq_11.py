"""(11) with the drift that replicas really have: none at H = 1, where the stepsize matters.

Problem    As in (11).
Method     LocalSGD with γ ≤ 1/L, replicas being averaged after every H local steps.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ 2Δ/(γT) + γ²(H − 1)²G̃²L² + Lγσ²/N.
Source     ours.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Theorem
from theory.notation import Draft, theorem
from theory.papers.localsgd.lemmas import one_step, sharp_drift
from theory.papers.localsgd.method import (
    AVERAGE,
    LOWER,
    SEQUENCES,
    START,
    STEPSIZE,
    F,
    R,
    S,
    after,
    f,
    f_r,
    t,
    x,
)
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.localsgd.witnesses.replays import beside, stepsize
from theory.papers.rpd.symbols import Delta, L, N, gamma, sigma
from theory.papers.rpd.symbols import T as STEPS

PERIODS = "T ≥ 1 local steps, an average after every H of them; H need not divide T"


def run(T: Draft, drift: Theorem) -> None:
    """What every local step adds, given a bound of the expected spread that always holds."""
    T.iterate(x, after, t)
    T.sequences(SEQUENCES)
    T.cite(one_step.THEOREM)
    T.cite(drift)
    T.assume(START)
    T.assume(LOWER)
    T.have(
        F(t + 1)
        <= F(t)
        + gamma / 2 * (L**2 * drift.goal.rhs - S(t) - (1 - L * gamma) * R(t))
        + L * gamma**2 * sigma**2 / (2 * N),
        "step",
        says="total expectation of one step",
    )


def terms(drift: Theorem) -> dict[str, sympy.Expr]:
    """The bound, with this drift."""
    return {
        "optimization": 2 * Delta / (gamma * STEPS),
        "drift": drift.goal.rhs * L**2,
        "variance": L * gamma * sigma**2 / N,
    }


T = theorem("localsgd.sharp-eq-11", "ours", f, f_r)
T.assume(PERIODS)
run(T, sharp_drift.THEOREM)
T.assume(STEPSIZE)
TERMS = terms(sharp_drift.THEOREM)
THEOREM = T.shows(
    AVERAGE <= sympy.Add(*TERMS.values()),
    TERMS,
    says="With γ ≤ 1/L, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
    "2Δ/(γT) + γ²(H − 1)²G̃²L² + Lγσ²/N.",
)

CLAIM = beside(as_claim(THEOREM, challenge=CHALLENGES["localsgd-average-gradient"]), stepsize)
