"""Theorem 3 with smaller constants from the same proof where every element is stale.

Problem    as Theorem 3 has it.
Method     SAPipe-DC with κ = 1: every element is stale.
Guarantee  8, 8, 8 and 4 in place of 128, 32, 32 and 16.
Source     ours: the printed proof.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.papers.sapipe.lemmas import dc_fourths_full
from theory.papers.sapipe.lemmas.dc_average import average_gradient, errors
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.papers.sapipe.symbols import kappa

THEOREM = average_gradient(
    "sapipe.sharp-thm-3-full",
    "ours",
    "For κ = 1, ληV₂ ≤ 1 − 1/√2 and η ≤ 1/L the constants 128, 32, 32 and 16 of Theorem 3 may be "
    "8, 8, 8 and 4, for every T ≥ 1, from the first update that is done.",
    r"\tfrac{2R_0}{\eta T} + 8\eta^4M^2V_2^2 + 8\eta^2(1-\lambda)^2L^2V_2 + "
    r"8\eta^2\lambda^2\Delta^2V_2 + 4\eta^3\lambda^2LV_2^3 + \tfrac{2L\eta V_1}{n}",
    dc_fourths_full.THEOREM,
    errors(8, 8, 4),
)
CLAIM = as_claim(THEOREM, CHALLENGES["sapipe-dc"], where=sympy.Eq(kappa, 1))
