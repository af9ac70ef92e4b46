"""Theorem 2 for τ = 0 with a better constant: 3/10 in place of 1/2.

Problem    f is convex and β-smooth with a minimiser w*.
Method     (14) with (29), without delay, η = 1/β; the first iteration by `nesterov.first-drop`, the
           others by (30).
Guarantee  f(w_{t+1}) − f* ≤ 3β‖w_1 − w*‖²/(10t) for every t ≥ 1. No constant below 1/4 would do:
           Huber's function attains β/(4t + 2) (`attained`).
Source     ours.
"""

from fractions import Fraction

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, eq
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import eq_30_sum, first_drop
from theory.papers.nesterov.lemmas.eq_30_sum import F, U
from theory.papers.nesterov.lemmas.first_drop import SECOND
from theory.papers.nesterov.lemmas.no_delay import NO_DELAY, NO_EXCESS, NO_EXCESSES
from theory.papers.nesterov.method import STAR
from theory.papers.nesterov.runs.challenges import CHALLENGES
from theory.papers.nesterov.witnesses import huber_line

R, beta, t, tau = symbols.letters("R beta t tau")

THEOREM = Theorem(
    id="nesterov.sharp-no-delay",
    where="ours",
    statement=(
        "Without delay, for convex β-smooth f with a minimiser and with η = 1/β and "
        "γ_t = (t − 2)/t, f(w_{t+1}) − f* ≤ 3β‖w_1 − w*‖²/(10t) for every t ≥ 1."
    ),
    latex=r"f(w_{t+1}) - f^* \le \tfrac{3\beta}{10t}\|w_1 - w^*\|^2",
    symbols=(beta, t, R, STAR.value),
    vectors=(*eq_30_sum.THEOREM.vectors, STAR.position),
    fixed=(STAR.position,),
    points=(*eq_30_sum.THEOREM.points, *first_drop.THEOREM.points),
    hypotheses=(
        *eq_30_sum.THEOREM.hypotheses,
        *(h for h in first_drop.THEOREM.hypotheses if h.name != "smooth"),
        *NO_DELAY,
        Hypothesis("value at 2", "F starts with f(w_2)", eq(F(0), SECOND.value)),
        Hypothesis(
            "u at 2",
            "U starts with u_2, where γ_2 = 0 and so d_2 = 0",
            eq(U(0), beta / 2 * (SECOND.position - STAR.position) ** 2),
        ),
    ),
    cites=(eq_30_sum.THEOREM, first_drop.THEOREM),
    steps=(
        Step("first", first_drop.THEOREM.goal, Cite("nesterov.first-drop"), "the first iteration"),
        NO_EXCESS,
        NO_EXCESSES,
        Step(
            "others", eq_30_sum.THEOREM.goal, Cite("nesterov.eq-30-sum"), "the iterations 2, …, t"
        ),
    ),
    lhs=eq_30_sum.THEOREM.lhs,
    terms={"start": 3 * beta * R**2 / (10 * t)},
    conclude=Combine(
        {
            "others": 1,
            "no excesses": 1 / t,
            "value at 2": 1 / t,
            "u at 2": 1 / (2 * t),
            "first": 1 / t,
        }
    ),
)

CLAIM = as_claim(THEOREM, CHALLENGES["nesterov-descent"], where=sympy.Eq(tau, 0))


def attained(iteration: int) -> Fraction:
    """f(w_{t+1}) − f* by an exact run on Huber's function with β = 1 and R = 1, along its line.

    Examples
    --------
    >>> [str(attained(t)) for t in (1, 2, 3)]
    ['1/6', '1/10', '1/14']
    """
    return huber_line.attained(0, Fraction(1), iteration + 1)
