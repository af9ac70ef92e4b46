"""Theorem 5 as printed, where its error term is positive: 2L²η² < 1.

Problem    that of `lemmas.sharp_thm_5`.
Method     the same, T ≥ 2.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + Err_WP-2 + LηV₁/n.
Source     SAPipe paper, Theorem 5.
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import sharp_thm_5
from theory.papers.sapipe.runs.challenges import CHALLENGES

OPTIMIZATION, ERR_WP_2, VAR_0 = setting.letters("OPTIMIZATION ERR_WP_2 VAR_0")

draft = theorem("sapipe.thm-5-domain", "Theorem 5, where 2L²η² < 1")
draft.cite(sharp_thm_5.THEOREM)
TERMS = {"optimization": OPTIMIZATION, "error": ERR_WP_2, "variance": VAR_0}
THEOREM = draft.shows(
    setting.AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With 2L²η² < 1, all elements predicted (κ = 1), round 0 not counted and g_0 = 0, "
    "Theorem 5 holds as printed: for SAPipe-WP with option 2 the mean over t < T of "
    "E‖∇F(x_t)‖² is at most 2R₀/(ηT) + Err_WP-2 + LηV₁/n for every T ≥ 2.",
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
    r"\tfrac{L^2\eta^2}{1 - 2L^2\eta^2}(2V_1 + 2L^2\eta^2V_2) + \tfrac{L\eta V_1}{n}",
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-2"], where=sharp_thm_5.COVERED)
