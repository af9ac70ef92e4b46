"""Theorem 5 after a single update, whose gradient is taken at x_0 itself: there is no bias yet.

Problem    F is L-smooth and at least F(x_*); n workers, variance V₁.
Method     SAPipe-WP with option 2, T = 1, round 0 not counted.
Guarantee  ‖∇F(x_0)‖² ≤ 2R₀/η + LηV₁/n for η ≤ 1/L.
Source     ours.
"""

from theory.kernel import Hypothesis, le
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_2_method

F, F_STAR, S, L, eta, R0, VAR_0 = setting.letters("F F_STAR S L eta R0 VAR_0")

draft = wp_2_method.updating(wp_2_method.along(theorem("sapipe.wp-2-first")))
setting.assuming(draft, wp_2_method.FIRST_GAP, setting.START, setting.STEPSIZE)
setting.assuming(draft, Hypothesis("lower bound", setting.LOWER.says, le(F_STAR, F(1))))
draft.have(1 - L * eta >= 0)
CLAIM = THEOREM = draft.shows(
    S(0) <= 2 * R0 / eta + VAR_0,
    {"optimization": 2 * R0 / eta, "variance": VAR_0},
    says="With η ≤ 1/L, E‖∇F(x_0)‖² is at most 2R₀/η + LηV₁/n for the first update of SAPipe-WP "
    "with option 2, T = 1, round 0 not counted.",
    latex=r"\|\nabla F(x_0)\|^2 \le \tfrac{2R_0}{\eta} + \tfrac{L\eta V_1}{n}",
)
