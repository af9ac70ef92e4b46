"""Remark 4 beyond ρ = 2n: Err_WP-1 is above Err₀ there, whatever the noise is.

Problem    Which diversities ρ leave Remark 4 anything to compare.
Method     None: an identity.
Guarantee  Err_WP-1 − Err₀ = L²η²[(ρ/n − 2)(V₂ − V₁) + V₁]. With 0 ≤ V₁ ≤ V₂ and ρ > 2n both parts
           are nonnegative, and one is positive: nothing satisfies the remark.
Source     ours, beside Remark 4.
"""

from theory.notation import equal, theorem
from theory.papers.sapipe.error_terms import ERR_0, ERR_WP_1
from theory.papers.sapipe.symbols import V1, V2, L, eta, n, rho

T = theorem("sapipe.remark-4-excess")
CLAIM = THEOREM = T.shows(
    equal(ERR_WP_1 - ERR_0, L**2 * eta**2 * ((rho / n - 2) * (V2 - V1) + V1)),
    {"diversity": L**2 * eta**2 * (rho / n - 2) * (V2 - V1), "noise": L**2 * eta**2 * V1},
    says="Err_WP-1 − Err₀ = L²η²[(ρ/n − 2)(V₂ − V₁) + V₁] for every ρ, V₁ and V₂.",
)
