"""Drift of replicas that share one function, as in the paper: less by the factor 1 − 1/N.

Problem    Replicas draw by one law, independently; stochastic gradients have second moment at most
           G̃². So the displacements of a round are independent and alike.
Method     LocalSGD, replicas being averaged after every H local steps.
Guarantee  The mean over replicas of E‖x_r − x̄‖² is at most (1 − 1/N)γ²(H − 1)²G̃²: the mean of the
           displacements keeps 1/N of their second moment at least.
Source     ours.
"""

from theory.judging.as_claim import as_claim
from theory.kernel import le
from theory.notation import equal, theorem, vectors
from theory.papers.localsgd.lemmas.rounds import MOMENTS, PERIOD, STEPS, E, earlier, j
from theory.papers.localsgd.method import AVG, SPREAD, averages
from theory.papers.localsgd.witnesses.replays import alike, beside
from theory.papers.rpd.symbols import Gt, H, N, gamma

moved, mean_moved = vectors("u_r ū")
"""x_r less the point from which all replicas started the round; the mean of that over replicas."""

T = theorem("localsgd.homogeneous-drift")
T.varying(SPREAD)
T.assume(
    equal(SPREAD, AVG.of((moved - mean_moved) ** 2)),
    "spread of moves",
    "V is the mean over replicas of ‖x_r − x̄‖², and x_r − x̄ = u_r − ū",
)
T.assume(averages("mean move", "ū is the mean of the u_r", moved, mean_moved, mean_moved))
T.assume(
    le(0, E.of(moved @ (N * mean_moved - moved))),
    "alike",
    "replicas draw by one law, and independently over the whole round, not only step by "
    "step; so given where it starts the moves u_r of a round are uncorrelated and have one "
    "mean v: the inner product of u_r with the sum of the others is (N − 1)‖v‖² on average",
)
T.assume(
    equal(moved**2, -gamma * j * STEPS.of(earlier @ moved)),
    "since the average",
    "u_r is −γ times the sum of the g_r^i of the j steps since the last average",
)
T.assume(MOMENTS)
T.assume(PERIOD)
T.have(le(0, (moved + gamma * j * earlier) ** 2))
T.have(
    moved**2 <= gamma**2 * j**2 * STEPS.of(earlier**2),
    "path",
    says="‖u_r‖² is at most γ²j times the sum of the ‖g_r^i‖² (Cauchy–Schwarz)",
)
T.have(E.of(moved**2) <= gamma**2 * j**2 * Gt**2, "one")
THEOREM = T.shows(
    E.of(SPREAD) <= (1 - 1 / N) * gamma**2 * (H - 1) ** 2 * Gt**2,
    {"drift": (1 - 1 / N) * gamma**2 * (H - 1) ** 2 * Gt**2},
    says="Where all replicas share one function, as in the paper, the mean over replicas of "
    "E‖x_r − x̄‖² is at most (1 − 1/N)γ²(H − 1)²G̃² at every local step of LocalSGD.",
)

CLAIM = beside(as_claim(THEOREM), alike)
