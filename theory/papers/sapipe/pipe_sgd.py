"""Theorem 2 for κ = 1: PipeSGD, which takes every gradient one update late.

Problem    that of `thm_2_samples`.
Method     the same at κ = 1. Its samples are never used twice: x_{t−1} depends on z_1, …, z_{t−2}
           only, and update t takes the gradient at x_{t−2} with z_{t−1}. Of the printed hypotheses
           Assumption 5 says nothing here.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + L²η²V₂ + LηV₁/n for η ≤ 1/L, from rest.
Source     SAPipe paper, Theorem 2.
"""

from theory.judging.as_claim import as_claim
from theory.kernel import Combine
from theory.notation import theorem
from theory.papers.sapipe import setting, thm_2_samples

kappa, ERR_0, OPTIMIZATION, VAR_0 = setting.letters("kappa ERR_0 OPTIMIZATION VAR_0")

draft = theorem("sapipe.pipe-sgd", "Theorem 2, κ = 1")
draft.cite(thm_2_samples.THEOREM, {kappa: 1}, name="Theorem 2")
TERMS = {"optimization": OPTIMIZATION, "staleness": ERR_0, "variance": VAR_0}
THEOREM = draft.shows(
    setting.AVERAGE <= sum(TERMS.values()),
    TERMS,
    by=Combine({"Theorem 2": 1}),
    says="For PipeSGD, all gradients one update late, with η ≤ 1/L the mean over t < T of "
    "E‖∇F(x_t)‖² is at most 2R₀/(ηT) + L²η²V₂ + LηV₁/n for every T ≥ 1, from rest.",
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
    r"L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}",
)

CLAIM = as_claim(THEOREM)
