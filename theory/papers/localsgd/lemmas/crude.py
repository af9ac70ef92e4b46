"""A bound of the gradient that needs no descent: second moments and the drift alone.

Problem    As in (11).
Method     LocalSGD with any stepsize.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ 2G̃² + 2γ²(H − 1)²G̃²L².
Source     ours.
"""

from theory.notation import theorem
from theory.papers.localsgd.lemmas import mean_gradient, sharp_drift, slope_gap
from theory.papers.localsgd.method import AVERAGE, SEQUENCES, SPREAD, S, V, f, t, x
from theory.papers.rpd.symbols import Gt, H, L, gamma

T = theorem("localsgd.crude", "ours")
T.along(t)
T.sequences({S: SEQUENCES[S], V: SPREAD})
T.cite(mean_gradient.THEOREM)
T.cite(slope_gap.THEOREM)
T.cite(sharp_drift.THEOREM)
T.have(f.grad(x) ** 2 <= 2 * Gt**2 + 2 * L**2 * SPREAD)
CLAIM = THEOREM = T.shows(
    AVERAGE <= 2 * Gt**2 + 2 * gamma**2 * (H - 1) ** 2 * Gt**2 * L**2,
    {"moment": 2 * Gt**2, "drift": 2 * gamma**2 * (H - 1) ** 2 * Gt**2 * L**2},
    says="The mean over t < T of E‖∇f(x̄^t)‖² is at most 2G̃² + 2γ²(H − 1)²G̃²L² for every stepsize.",
)
