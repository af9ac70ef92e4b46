"""Theorem 3 with the samples of Algorithm 1, and with every other reading of its method.

Problem    Assumptions 1, 2, 4 (of every drawn batch) and 6, ληV₂ ≤ 1 − 1/√2, η ≤ 1/L.
Method     SAPipe-DC: for 0 < κ < 1 stale elements use the samples of the update before, or samples
           of their own; a compensation sees all of Δx, or its stale part; in the first iteration
           stale elements are left as they are (for κ = 1, all of them), or start from rest.
Guarantee  the printed bound, at every T ≥ 1.
Source     SAPipe paper, Theorem 3; the proof is ours (`dc_any_samples`).
"""

from theory.judging import prover
from theory.kernel import Combine
from theory.notation import theorem, total
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import dc_any_samples
from theory.papers.sapipe.lemmas.dc_average import errors
from theory.papers.sapipe.lemmas.dc_errors import own

R0, V1, V2, L, eta, kappa, n, nu = setting.letters("R0 V1 V2 L eta kappa n nu")
lambda_, S, t = setting.letters("lambda_ S t")
m, FIRST = dc_any_samples.m, dc_any_samples.FIRST

draft = theorem("sapipe.thm-3-any-samples", "Theorem 3, whatever samples stale elements have")
draft.cite(dc_any_samples.THEOREM, {L: own}, name="least constants")
draft.assume(own <= L, "least L", "ℓ, the least L of F, is at most L")
draft.assume(nu <= V1 / n, "least variance", "so is the least variance of g, ν, at most V₁/n")
TERMS = {
    "optimization": 2 * R0 / (eta * (m + 1)),
    **{name: kappa * error for name, error in errors(128, 32, 16).items()},
    "variance": (1 + kappa) * L * eta * V1 / n,
}
THEOREM = draft.shows(
    prover.le((FIRST + total(S(t), t, m)) / (m + 1), sum(TERMS.values())),
    TERMS,
    by=Combine(
        {
            "least constants": 1,
            "least L": 32 * kappa * eta**2 * (1 - lambda_) ** 2 * V2 * (L + own)
            + (1 + kappa) * eta * nu,
            "least variance": (1 + kappa) * L * eta,
        },
        plus=(TERMS["remainder"], TERMS["compensated noise"]),
    ),
    says="For SAPipe-DC with ληV₂ ≤ 1 − 1/√2 and η ≤ 1/L, Assumption 4 being about every drawn "
    "batch, the bound of Theorem 3 holds for every κ and every T ≥ 1: with the samples of "
    "Algorithm 1 or with samples of their own for stale elements, with a compensation that "
    "sees all of Δx or its stale part, and with a first iteration that leaves stale elements "
    "as they are.",
)
CLAIM = THEOREM
