"""How far the mean of the replicas' gradients is from the gradient at the mean of the models.

Problem    Every f_r is L-smooth, and f is their mean.
Method     LocalSGD; h is the mean over replicas of ∇f_r(x_r).
Guarantee  ‖∇f(x̄) − h‖² is at most L² times the mean over replicas of ‖x_r − x̄‖².
Source     ours, behind (11) of the RPD paper's appendix D.
"""

from theory.notation import theorem
from theory.papers.localsgd.method import (
    APART,
    EACH_SMOOTH,
    MEAN_APART,
    OBJECTIVE,
    SPREAD,
    SPREAD_IS,
    f,
    f_r,
)
from theory.papers.rpd.symbols import L

T = theorem("localsgd.slope-gap", "appendix D, behind (11)", f, f_r)
T.varying(SPREAD)
for known in (EACH_SMOOTH, OBJECTIVE, SPREAD_IS):
    T.assume(known)
T.have((APART - MEAN_APART) ** 2 >= 0)
CLAIM = THEOREM = T.shows(
    MEAN_APART**2 <= L**2 * SPREAD,
    says="‖∇f(x̄) − h‖² is at most L² times the mean over replicas of ‖x_r − x̄‖², h the mean of "
    "the ∇f_r(x_r).",
)
