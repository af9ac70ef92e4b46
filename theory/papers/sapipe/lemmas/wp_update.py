"""One update of SAPipe of which nothing is dropped: the bias is paid for, the aim s is kept.

Problem    F is L-smooth.
Method     x_{t+1} = x_t − ηg; elements of g are stale with probability κ, and then of mean s.
Guarantee  E F(x_{t+1}) ≤ F(x_t) − (η/2)(1 + (1 − κ)(1 − Lη))‖∇F(x_t)‖² − (η/2)(1 − Lη)κ‖s‖² +
           (η/2)κ‖∇F(x_t) − s‖² + Lη²ν/2. Lemma 1 leaves out −(η/2)(1 − Lη) times the squares of
           the means, which the start of a run with predicted weights needs.
Source     ours.
"""

import sympy

from theory.kernel import Hypothesis, eq
from theory.notation import function, theorem
from theory.papers.sapipe import setting

L, eta, kappa, AIM, E_T, NEXT, OFF = setting.letters("L eta kappa AIM E_T NEXT OFF")
X, nu = setting.letters("X nu")

AHEAD = E_T.of(NEXT.value)
_HALF = eta / 2

ROOM = sympy.Symbol("delta", positive=True)
SMALL = Hypothesis(
    "small", "2L²η² < 1: δ > 0 is what is left of 1", eq(ROOM, 1 - 2 * L**2 * eta**2)
)
"""That the errors of the predictions do not grow."""

draft = setting.assuming(
    theorem("sapipe.wp-update", "ours", function("F", X, NEXT)),
    setting.SMOOTH,
    setting.mean_of(OFF),
    setting.second_moment(OFF, nu),
)
TERMS = {
    "value": X.value,
    "progress": -_HALF * (1 + (1 - kappa) * (1 - L * eta)) * X.gradient**2,
    "aim": -_HALF * (1 - L * eta) * kappa * AIM**2,
    "bias": _HALF * kappa * OFF**2,
    "variance": L * eta**2 * nu / 2,
}
CLAIM = THEOREM = draft.shows(
    AHEAD <= sum(TERMS.values()),
    TERMS,
    says="E F(x_{t+1}) ≤ F(x_t) − (η/2)(1 + (1 − κ)(1 − Lη))‖∇F(x_t)‖² − (η/2)(1 − Lη)κ‖s‖² + "
    "(η/2)κ‖∇F(x_t) − s‖² + Lη²ν/2 for every η > 0, s being the mean of the stale elements and "
    "ν the variance.",
)
