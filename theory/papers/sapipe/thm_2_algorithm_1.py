"""Theorem 2 for Algorithm 1 as it is printed, where the stepsize is short enough.

Problem    that of `lemmas.same_samples`.
Method     the one of `lemmas.thm_2_reuse_pass`: samples are used twice, and stale elements of the
           first update are left as they are. Both conditions hold for every κ if
           Lη ≤ 1 − 4/(3√3) ≈ 0.23.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + κL²η²V₂ + LηV₁/n.
Source     SAPipe paper, Theorem 2 with Algorithm 1.
"""

from theory.kernel import Combine
from theory.notation import theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import thm_2_reuse_pass
from theory.papers.sapipe.lemmas.reused_noise import r

L, eta, kappa, AVERAGE, ERR_0 = setting.letters("L eta kappa AVERAGE ERR_0")
OPTIMIZATION, VAR_0 = setting.letters("OPTIMIZATION VAR_0")

_PROGRESS = 2 - L * eta

draft = theorem("sapipe.thm-2-algorithm-1", "Theorem 2, Algorithm 1 as printed")
draft.cite(thm_2_reuse_pass.THEOREM)
draft.assume(2 * kappa * r <= 1 - L * eta, "small step", "2κ√(1 − κ) ≤ 1 − Lη")
draft.assume(kappa * L * eta * _PROGRESS <= 1 - L * eta, "small first step", "κLη(2 − Lη) ≤ 1 − Lη")
draft.have(1 - L * eta >= 0, "small", by=Combine({"stepsize": L}))
TERMS = {"optimization": OPTIMIZATION, "staleness": kappa * ERR_0, "variance": VAR_0}
CLAIM = THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {
            thm_2_reuse_pass.THEOREM.id: 1,
            "small step": VAR_0 / _PROGRESS,
            "small first step": OPTIMIZATION / _PROGRESS,
        },
        domain=("small",),
    ),
    says="For vanilla SAPipe with 0 ≤ κ < 1, 2κ√(1 − κ) ≤ 1 − Lη and κLη(2 − Lη) ≤ 1 − Lη whose "
    "stale elements reuse the samples of the update before, and are left as they are in the first "
    "update, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + κL²η²V₂ + LηV₁/n for every "
    "T ≥ 1.",
)
