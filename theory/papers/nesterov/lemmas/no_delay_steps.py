"""(31) where it holds: without delay and with a minimiser, steps shrink as O(1/t).

Problem    f is convex and β-smooth with a minimiser w*.
Method     (14) with (29), without delay, η = 1/β; the first iteration by `nesterov.first-drop`.
Guarantee  ‖w_{t+1} − w_t‖² ≤ 24‖w_1 − w*‖²/(5t²) for every t ≥ 2.
Source     ours: `nesterov.later-steps`.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Step, Theorem
from theory.papers.nesterov import method
from theory.papers.nesterov.lemmas import later_steps, sharp_no_delay

R, beta, tau, STAR = method.letters("R beta tau STAR")
K, S = later_steps.K, later_steps.S

_LARGEST = 16 / (beta * (K + 2) ** 2)

THEOREM = Theorem(
    id="nesterov.no-delay-steps",
    where="ours",
    statement=(
        "Without delay, for convex β-smooth f with a minimiser and with η = 1/β and "
        "γ_t = (t − 2)/t, ‖w_{t+1} − w_t‖² ≤ 24‖w_1 − w*‖²/(5t²) for every t = K + 2 ≥ 2."
    ),
    latex=r"\|w_{t+1} - w_t\|^2 \le \tfrac{24}{5t^2}\|w_1 - w^*\|^2, \quad t = K + 2",
    symbols=(beta, K, R, STAR.value),
    vectors=sharp_no_delay.THEOREM.vectors,
    fixed=sharp_no_delay.THEOREM.fixed,
    points=sharp_no_delay.THEOREM.points,
    hypotheses=(*sharp_no_delay.THEOREM.hypotheses, *later_steps.NAMES),
    cites=(later_steps.THEOREM, *sharp_no_delay.THEOREM.cites),
    steps=(
        *(one for one in sharp_no_delay.THEOREM.steps if one.name == "first"),
        Step("later steps", later_steps.THEOREM.goal, Cite("nesterov.later-steps")),
    ),
    lhs=S(K),
    terms={"distance": 24 * R**2 / (5 * (K + 2) ** 2)},
    conclude=Combine(
        {
            "later steps": 1,
            "value at 2": _LARGEST,
            "u at 2": _LARGEST / 2,
            "first": _LARGEST,
        }
    ),
)

CLAIM = as_claim(THEOREM, where=sympy.Eq(tau, 0))
