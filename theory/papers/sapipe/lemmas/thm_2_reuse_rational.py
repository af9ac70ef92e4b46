"""The bound of `same_samples` without a root, as `staleproof bounds` takes it: 2√(1 − κ) ≤ 2 − κ.

Problem    that of `same_samples`.
Method     the same.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/((2 − Lη)ηT) + κL²η²V₂ +
           (1 + 2κ − κ²)/(2 − Lη)·LηV₁/n.
Source     ours.
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import same_samples
from theory.papers.sapipe.lemmas.reused_noise import r

L, eta, kappa, AVERAGE, VAR_0 = setting.letters("L eta kappa AVERAGE VAR_0")

draft = theorem("sapipe.same-samples-rational")
draft.cite(same_samples.THEOREM)
draft.have(1 - L * eta >= 0, "small")
draft.have(2 * r <= 2 - kappa, "root", says="√(1 − κ) ≤ 1 − κ/2")
TERMS = {**same_samples.TERMS, "variance": (1 + 2 * kappa - kappa**2) * VAR_0 / (2 - L * eta)}
THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="For vanilla SAPipe with η ≤ 1/L and 0 ≤ κ < 1 whose stale elements reuse the samples of "
    "the update before, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/((2 − Lη)ηT) + "
    "κL²η²V₂ + (1 + 2κ − κ²)/(2 − Lη)·LηV₁/n for every T ≥ 1, from rest.",
)

CLAIM = as_claim(THEOREM)
