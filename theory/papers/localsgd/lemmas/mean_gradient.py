"""The mean of the replicas' gradients is no longer than a stochastic gradient may be.

Problem    Stochastic gradients are unbiased, with second moment at most G̃².
Method     LocalSGD; h is the mean over replicas of ∇f_r(x_r).
Guarantee  ‖h‖² ≤ G̃² at every local step.
Source     ours.
"""

from theory.kernel import le
from theory.notation import theorem
from theory.papers.localsgd.method import SECOND_MOMENT, averages, f_r, h, unbiased, x_r
from theory.papers.rpd.symbols import Gt

NO_TILT = unbiased("unbiased at x_r", f_r.grad(x_r))
SLOPE_ITSELF = averages("mean slope", "h is the mean of ∇f_r(x_r)", f_r.grad(x_r), h, h)

T = theorem("localsgd.mean-gradient", "ours", f_r)
for known in (SECOND_MOMENT, NO_TILT, SLOPE_ITSELF):
    T.assume(known)
T.have(f_r.grad(x_r) ** 2 <= Gt**2, says="a second moment is a variance and the square of the mean")
T.have(le(0, (f_r.grad(x_r) - h) ** 2))
CLAIM = THEOREM = T.shows(
    h**2 <= Gt**2,
    says="‖h‖² ≤ G̃² for the mean h over replicas of ∇f_r(x_r), at every local step.",
)
