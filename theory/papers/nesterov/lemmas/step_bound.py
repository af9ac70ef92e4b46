"""What (31) should say: no step is longer than ηG, and steps of that length do occur.

Problem    gradients of norm at most G; f need not be convex.
Method     w_{t+1} − w_t = γ_t(w_t − w_{t−1}) + (1 − γ_t)(−ηḡ_t), 0 ≤ γ_t < 1, is a mean of the last
           step and of −ηḡ_t, so with w_0 = w_1 it stays in the ball of radius ηG.
Guarantee  ‖w_{t+1} − w_t‖ ≤ ηG for every t ≥ 1 and every delay. On a line of slope G every step is
           ηG long.
Source     ours: what (31) should say.
"""

import sympy

from theory.judging import prover
from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Hypothesis,
    Induction,
    Step,
    Theorem,
    Total,
    point,
    vector,
)
from theory.papers.nesterov import symbols
from theory.papers.nesterov.runs.challenges import CHALLENGES

G, eta, t, theta = symbols.letters("G eta t theta")

STEP, NEXT = point("v"), point("v⁺")
"""w_t − w_{t−1} and w_{t+1} − w_t."""
GRADIENT = vector("ḡ")
"""ḡ_t, at whatever point it is taken."""
GAMMA = 1 - theta
"""γ_t < 1."""
NOT_NEGATIVE = Hypothesis("not negative", "0 ≤ γ_t = 1 − θ", prover.le(0, GAMMA))
PART = sympy.Symbol("p", nonnegative=True)
"""γ_t‖w_t − w_{t−1}‖²."""

k = sympy.Symbol("k", integer=True, nonnegative=True)
"""t − 1."""
V, P = (sympy.Function(name, nonnegative=True) for name in ("V", "P"))
THETA = sympy.Function("θ", real=True)

THEOREM = Theorem(
    id="nesterov.step-bound",
    where="ours",
    statement=(
        "‖w_{t+1} − w_t‖ ≤ ηG for every t ≥ 1, every delay and every momentum 0 ≤ γ_t < 1 (both "
        "sides squared)."
    ),
    latex=r"\|w_{t+1} - w_t\| \le \eta G",
    symbols=(eta, G, t),
    scalars=(theta, PART),
    vectors=(GRADIENT,),
    points=(STEP, NEXT),
    sequences={V: STEP.position**2, P: PART, THETA: theta},
    following=((STEP, NEXT),),
    hypotheses=(
        Hypothesis(
            "(10)",
            "w_{t+1} − w_t = γ_t(w_t − w_{t−1}) − η(1 − γ_t)ḡ_t",
            prover.eq(
                NEXT.position**2,
                (GAMMA * STEP.position - eta * theta * GRADIENT) ** 2,
            ),
        ),
        Hypothesis("bounded", "gradients have norm at most G", prover.le(GRADIENT**2, G**2)),
        NOT_NEGATIVE,
        Hypothesis("part", "p is γ_t‖w_t − w_{t−1}‖²", prover.eq(PART, GAMMA * STEP.position**2)),
        Hypothesis(
            "part, k", "the same, in every iteration", prover.eq(P(k), (1 - THETA(k)) * V(k))
        ),
        Hypothesis("rest", "w_1 = w_0", prover.eq(V(0), 0)),
    ),
    steps=(
        Step(
            "mean",
            prover.le(NEXT.position**2, PART + theta * eta**2 * G**2),
            Combine(
                {
                    "(10)": 1,
                    "bounded": eta**2 * theta,
                    "part": -1,
                },
                squares=((GAMMA * theta, STEP.position + eta * GRADIENT),),
                domain=(NOT_NEGATIVE.name,),
            ),
            "‖·‖² is convex",
        ),
        Step(
            "mean, k",
            prover.le(V(k + 1), P(k) + THETA(k) * eta**2 * G**2),
            Total("mean", k),
        ),
        Step(
            "recurrence",
            prover.le(V(k + 1), (1 - THETA(k)) * V(k) + THETA(k) * eta**2 * G**2),
            Combine({"mean, k": 1, "part, k": 1}),
        ),
        Step("momentum, k", prover.le(0, 1 - THETA(k)), Total(NOT_NEGATIVE.name, k)),
    ),
    lhs=V(t),
    terms={"size": eta**2 * G**2},
    conclude=Induction("recurrence", k, t, V, "rest", domain=("momentum, k",)),
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["nesterov-step-squared"])
