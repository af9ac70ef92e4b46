"""Drift between averages, in the mean over replicas: no factor 4, and H − 1 steps instead of H.

Problem    Stochastic gradients have second moment at most G̃².
Method     LocalSGD, replicas being averaged after every H local steps.
Guarantee  The mean over replicas of E‖x_r − x̄‖² is at most γ²(H − 1)²G̃² at every local step.
Source     ours.
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.localsgd.lemmas.rounds import EXCESS, STEPS, E, earlier, j, since_average, size
from theory.papers.localsgd.method import AVG, SPREAD, SPREAD_IS, away
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Gt, H, gamma

_REACH = gamma**2 * j**2

T = theorem("localsgd.sharp-drift")
T.varying(SPREAD)
since_average(T)
T.assume(SPREAD_IS)
T.have(
    AVG.of(EXCESS**2) <= AVG.of(earlier**2),
    "less than the whole",
    says="the mean of ‖g_r − ḡ‖² is that of ‖g_r‖², less ‖ḡ‖²",
)
T.have(AVG.of(away**2) <= _REACH * STEPS.of(AVG.of(earlier**2)), "on every path")
size(T)
THEOREM = T.shows(
    E.of(SPREAD) <= gamma**2 * (H - 1) ** 2 * Gt**2,
    {"drift": gamma**2 * (H - 1) ** 2 * Gt**2},
    says="The mean over replicas of E‖x_r − x̄‖² is at most γ²(H − 1)²G̃² at every local step of "
    "LocalSGD, for every stepsize and every number of replicas.",
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["localsgd-drift"])
