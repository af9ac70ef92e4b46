"""Vanilla SAPipe as Algorithm 1 prints it: samples are used twice, and the first iteration passes.

Problem    that of `same_samples`.
Method     the same, but stale elements of the first update are left as they are, as if their
           gradient were 0. They miss ∇F(x_0) by all of it, and ‖∇F(x_0)‖² is at most 2LR₀.
Guarantee  that of `same_samples`, and 2κLR₀/T more.
Source     ours.
"""

from theory.judging import prover
from theory.kernel import Combine, Hypothesis
from theory.notation import theorem
from theory.papers.sapipe import setting
from theory.papers.sapipe.lemmas import same_samples

R0, L, T, kappa, AVERAGE, B, S = setting.letters("R0 L T kappa AVERAGE B S")

PASS = Hypothesis(
    "pass",
    "stale elements of the first update have no gradient: b is ∇F(x_0)",
    prover.eq(B(0), S(0)),
)
TERMS = {**same_samples.TERMS, "first update": 2 * L * kappa / T * R0}
draft = theorem("sapipe.same-samples-first-pass")
CLAIM = THEOREM = same_samples.begun(draft, PASS).shows(
    prover.le(AVERAGE, sum(TERMS.values())),
    TERMS,
    by=Combine(
        {
            **same_samples.MULTIPLIERS,
            "pass": kappa / T,
            "height, each t, at 0": 2 * L * kappa / T,
            "start": same_samples.MULTIPLIERS["start"] + 2 * L * kappa / T,
        },
        plus=same_samples.LEFT,
        domain=("small", "part"),
    ),
    says="For vanilla SAPipe with η ≤ 1/L and 0 ≤ κ < 1 whose stale elements reuse the samples "
    "of the update before, and are left as they are in the first update, the mean over "
    "t < T of E‖∇F(x_t)‖² is at most 2R₀/((2 − Lη)ηT) + 2κLR₀/T + κL²η²V₂ + "
    "(1 + 2κ√(1 − κ))/(2 − Lη)·LηV₁/n for every T ≥ 1.",
)
