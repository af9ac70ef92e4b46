"""The start of the repaired rate.

Problem    f is convex and β-smooth with a minimiser w*; R = ‖w_1 − w*‖, τ ≥ 1.
Method     as for `nesterov.repaired-start`; w_2 = w_1 − η∇f(w_1).
Guarantee  ‖z_{τ+2}‖² + 4η(f(w_2) − f*) + (2τ(τ − 1) + 4τβη)η²‖∇f(w_1)‖² ≤ R² for short η.
Source     ours.
"""

from theory.kernel import Hypothesis, le
from theory.notation import named
from theory.papers.nesterov.lemmas import repaired_start

R, beta, eta, tau = repaired_start.letters("R beta eta tau")
FIRST, ONWARD, f, slope, star = repaired_start.letters("FIRST ONWARD f slope star")

SECOND = named("w₂", FIRST - eta * slope)
STEPSIZE = Hypothesis(
    "stepsize",
    "(4τ − 2)βη + 2β²η² ≤ 1",
    le((4 * tau - 2) * beta * eta + 2 * beta**2 * eta**2, 1),
)
KEPT = 2 * tau * (tau - 1) + 4 * tau * beta * eta
"""How many η²‖∇f(w_1)‖² the windows hold at first."""

T = repaired_start.begin("nesterov.iterate-start", STEPSIZE)
T.have(f(SECOND) <= f(FIRST) - eta * (1 - beta * eta / 2) * slope**2, "first step")
CLAIM = THEOREM = T.shows(
    ONWARD**2 + 4 * eta * (f(SECOND) - f(star)) + KEPT * eta**2 * slope**2 <= R**2,
    {"distance": R**2},
    by=repaired_start.certificate(
        {"first step": 4 * eta, "stepsize": 4 * tau * eta * slope**2 / beta},
        10 * tau * (tau - 1) + 3,
        beta * eta * (4 * tau - 2),
    ),
    says=(
        "From rest, for τ ≥ 1, (4τ − 2)βη + 2β²η² ≤ 1 and z_t = w_t + t d_t − w*, ‖z_{τ+2}‖² + "
        "4η(f(w_2) − f*) + (2τ(τ − 1) + 4τβη)η²‖∇f(w_1)‖² is at most ‖w_1 − w*‖²."
    ),
    latex=(
        r"\|z_{\tau+2}\|^2 + 4\eta(f(w_2) - f^*) + "
        r"(2\tau(\tau-1) + 4\tau\beta\eta)\eta^2\|\nabla f(w_1)\|^2 \le \|w_1 - w^*\|^2"
    ),
)
