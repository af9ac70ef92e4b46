"""The distance of the extrapolated stale point in expectation, under uniform draws.

Problem    Block gradients have norm at most G; blocks are drawn uniformly.
Method     NAG-RPD with β ≤ 1 and delays of at most τ, which may be chosen from the past.
Guarantee  E‖x − x̃‖² ≤ γ²G²(τ(τ + p − 1) + 2βτ + pβ²)/p: as in `rpd.sharp-drift`, with one update
           more, which counts β.
Source     ours.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.rpd.lemmas import draw_counts, nag_drift_by_counts
from theory.papers.rpd.lemmas.draw_counts import PAIRS, w
from theory.papers.rpd.method import k, x
from theory.papers.rpd.nag_method import DRIFT, ahead
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, beta, gamma, p, tau

_WEIGHTS = sympy.Function("Q̃", nonnegative=True)
_ONE = gamma**2 * G**2 / p

T = theorem("rpd.sharp-nag-drift", "ours")
T.along(k)
T.cite(nag_drift_by_counts.THEOREM)
T.cite(draw_counts.WITH_ONE_BEFORE)
T.sequences({DRIFT: (x - ahead) ** 2, _WEIGHTS: nag_drift_by_counts.COUNTS})
T.assume(
    _WEIGHTS(k) <= PAIRS(w),
    "latest",
    "the last w updates count 1 at most, and the one before them β at most",
)
T.assume(
    w <= tau,
    "window",
    "a window has w ≤ τ draws, and one before them, as many for every k: where fewer "
    "updates have been made, draws that no update uses fill it up",
)
T.have(
    DRIFT(k) <= _ONE * (w * (w + p - 1) + 2 * beta * w + p * beta**2),
    says="with w draws in the window",
)
SIZE = tau * (tau + p - 1) + 2 * beta * tau + p * beta**2
THEOREM = T.shows(
    DRIFT(k) <= _ONE * SIZE,
    {"drift": _ONE * SIZE},
    says="E‖x^k − x̃^k‖² ≤ γ²G²(τ(τ + p − 1) + 2βτ + pβ²)/p for NAG-RPD with β ≤ 1, also with "
    "delays chosen from the past.",
)

CLAIM = as_claim(THEOREM, CHALLENGES["nag-drift"], where=sympy.Le(beta, 1), cost=3)
