"""Drift of every single replica, with the constant that (11) takes from Yu et al.

Problem    Stochastic gradients have second moment at most G̃².
Method     LocalSGD, replicas being averaged after every H local steps.
Guarantee  E‖x_r − x̄‖² ≤ 4γ²H²G̃² for every replica r at every local step.
Source     RPD paper, appendix D, the drift in (11), after Yu et al. 2019.
"""

from theory.notation import theorem
from theory.papers.localsgd.lemmas.rounds import EXCESS, STEPS, E, earlier, j, since_average, size
from theory.papers.localsgd.method import AVG, away
from theory.papers.rpd.symbols import Gt, H, gamma

T = theorem("localsgd.drift", "appendix D, the drift in (11), after Yu et al. 2019")
since_average(T)
T.have(EXCESS**2 >= 0)
T.have(
    EXCESS**2 <= 2 * earlier**2 + 2 * AVG.of(earlier**2),
    "excess",
    says="‖g_r − ḡ‖² ≤ 2‖g_r‖² + 2‖ḡ‖², and ‖ḡ‖² is at most the mean of the ‖g_r‖²",
)
T.have(
    away**2 <= gamma**2 * j**2 * STEPS.of(2 * earlier**2 + 2 * AVG.of(earlier**2)),
    "on every path",
)
size(T)
CLAIM = THEOREM = T.shows(
    E.of(away**2) <= 4 * gamma**2 * H**2 * Gt**2,
    {"drift": 4 * gamma**2 * H**2 * Gt**2},
    says="E‖x_r − x̄‖² ≤ 4γ²H²G̃² for every replica r at every local step of LocalSGD.",
)
