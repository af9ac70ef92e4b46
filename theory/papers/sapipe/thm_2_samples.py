"""Theorem 2 where stale elements have samples of their own, and at κ = 0 and κ = 1.

Problem    F is L-smooth and at least F(x_*); n workers, variance V₁, squared norms at most V₂.
Method     vanilla SAPipe from rest, x_{−1} = x_0. A worker draws one sample for its fresh elements
           and another for its stale ones; for κ = 1 this is Algorithm 1, which for 0 < κ < 1 uses
           samples twice, so that E[g_{i,t}] = ∇F_i(x_{t−2}) in the printed proof fails.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + κL²η²V₂ + LηV₁/n for η ≤ 1/L.
Source     SAPipe paper, Theorem 2.
"""

from dataclasses import replace

from theory.judging import prover
from theory.notation import theorem
from theory.papers.sapipe import setting, stale_bias
from theory.papers.sapipe.lemmas import biased, elements, thm_2_mixture
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.stale_bias import AT_REST, OFF_NEXT, OFF_NOW

V1, kappa, n, OFF, B, e, nu, ERR_0 = setting.letters("V1 kappa n OFF B e nu ERR_0")
OPTIMIZATION, VAR_0 = setting.letters("OPTIMIZATION VAR_0")

WHERE = thm_2_mixture.PROOF
CHALLENGE = CHALLENGES["sapipe-vanilla"]

draft = setting.along(
    theorem("sapipe.thm-2-own-samples", "Theorem 2, stale elements with samples of their own"),
    {B: OFF**2},
    [(OFF_NOW, OFF_NEXT)],
)
setting.assuming(draft, *elements.drawn(OFF), elements.UNBIASED)
draft.have(setting.mean_of(OFF).relation)
draft.cite(
    elements.THEOREM,
    says="workers are independent: the variance of their mean is at most V₁/n",
    where=f"{WHERE}, the variance term",
)
draft.cite(
    stale_bias.THEOREM,
    says="the error of stale elements, by smoothness",
    where=f"{WHERE}, the error of the gradient estimation",
)
setting.assuming(draft, AT_REST, setting.START, setting.LOWER, setting.STEPSIZE, setting.SHARE)
draft.have(biased.BIAS.relation.replaced({e: ERR_0}))
draft.cite(biased.THEOREM, {e: ERR_0, nu: V1 / n}, name="biased")
TERMS = {"optimization": OPTIMIZATION, "staleness": kappa * ERR_0, "variance": VAR_0}
THEOREM = draft.shows(
    setting.AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="For vanilla SAPipe with η ≤ 1/L whose stale elements, drawn with probability κ, use "
    "samples of their own, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + "
    "κL²η²V₂ + LηV₁/n for every T ≥ 1, from rest.",
)


def _account(printed: prover.Formulas) -> prover.Account:
    return thm_2_mixture.with_line(prover.account(THEOREM, printed, CHALLENGE))


CLAIM = replace(prover.as_claim(THEOREM, CHALLENGE, cost=3), account=_account)
