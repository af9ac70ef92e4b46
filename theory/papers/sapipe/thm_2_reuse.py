"""Theorem 2 as printed, with the samples of Algorithm 1, where 2κ√(1 − κ) ≤ 1 − Lη.

Problem    that of `lemmas.same_samples`.
Method     the same, where 2κ√(1 − κ) ≤ 1 − Lη. That is so for every κ if Lη ≤ 1 − 4/(3√3) ≈ 0.23,
           and for every Lη < 1 if κ is near enough to 0 or 1.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + κL²η²V₂ + LηV₁/n, from rest.
Source     SAPipe paper, Theorem 2 with Algorithm 1.
"""

from theory.judging.as_claim import as_claim
from theory.kernel import Combine
from theory.notation import theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import same_samples
from theory.papers.sapipe.lemmas.reused_noise import r
from theory.papers.sapipe.runs.challenges import CHALLENGES

L, eta, kappa, AVERAGE, ERR_0 = setting.letters("L eta kappa AVERAGE ERR_0")
OPTIMIZATION, VAR_0 = setting.letters("OPTIMIZATION VAR_0")

draft = theorem("sapipe.thm-2-same-samples", "Theorem 2, samples as in Algorithm 1")
draft.cite(same_samples.THEOREM)
draft.assume(2 * kappa * r <= 1 - L * eta, "small step", "2κ√(1 − κ) ≤ 1 − Lη")
draft.have(1 - L * eta >= 0, "small")
TERMS = {"optimization": OPTIMIZATION, "staleness": kappa * ERR_0, "variance": VAR_0}
THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {"sapipe.same-samples": 1, "small step": VAR_0 / (2 - L * eta)},
        plus=(OPTIMIZATION * (1 - L * eta) / (2 - L * eta),),
        domain=("small",),
    ),
    says="For vanilla SAPipe with 0 ≤ κ < 1 and 2κ√(1 − κ) ≤ 1 − Lη whose stale elements reuse the "
    "samples of the update before, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + "
    "κL²η²V₂ + LηV₁/n for every T ≥ 1, from rest.",
)

SMALL_STEPS = 4 * kappa**2 * (1 - kappa) <= (1 - L * eta) ** 2
"""The same condition, squared: Lη ≤ 1."""

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["sapipe-vanilla-reused"], where=SMALL_STEPS)
