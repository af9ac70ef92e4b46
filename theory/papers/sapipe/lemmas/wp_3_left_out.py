"""The others' stale parts: leaving one's own out makes their mean square no larger.

Problem    every F_i is L-smooth.
Method     a_i is the stale elements of ∇F_i(x_t) − ∇F_i(x̃_i), and 0 in the others.
Guarantee  the mean over i of ‖(1/n) Σ_{j≠i} a_j‖² is at most L² times that of ‖x_t − x̃_i‖².
Source     ours.
"""

from theory.judging import prover
from theory.kernel import Combine, Hypothesis
from theory.notation import function, theorem
from theory.papers.sapipe import setting, wp_1_method

L, n = setting.letters("L n")
AVG, AWAY, HERE, MEAN_MISSED = wp_1_method.letters("AVG AWAY HERE MEAN_MISSED")
MISSED, PREDICTED, SPREAD = wp_1_method.letters("MISSED PREDICTED SPREAD")

LEFT = MISSED / n - MEAN_MISSED
"""(1/n)Σ_{j≠i} of the ∇F_j(x̃_j) − ∇F_j(x_t), stale elements only."""

STALE_PARTS = (
    Hypothesis(
        "stale part",
        "a_i is made of the stale elements of ∇F_i(x_t) − ∇F_i(x̃_i), 0 in the others",
        prover.le(MISSED**2, (HERE.gradient - PREDICTED.gradient) ** 2),
    ),
    Hypothesis(
        "mean of the stale parts",
        "a is the mean over the workers of the a_i",
        prover.eq(AVG.of(MISSED @ MEAN_MISSED), MEAN_MISSED**2),
    ),
)

draft = theorem("sapipe.wp-3-left-out", "ours", function("F_i", HERE, PREDICTED))
draft.varying(SPREAD)
setting.assuming(draft, wp_1_method.EACH_SMOOTH, *STALE_PARTS, wp_1_method.SPREAD_IS)
draft.have(MISSED**2 <= L**2 * AWAY**2, "stale")
_APART = MISSED - MEAN_MISSED
draft.have(prover.le(0, _APART**2), "square", by=Combine(squares=((1, _APART),)))
CLAIM = THEOREM = draft.shows(
    AVG.of(LEFT**2) <= L**2 * SPREAD,
    {"spread": L**2 * SPREAD},
    says="The mean over the workers i of ‖(1/n)Σ_{j≠i} a_j‖² is at most L² times that of "
    "‖x_t − x̃_i‖², a_j being the stale elements of ∇F_j(x_t) − ∇F_j(x̃_j).",
)
