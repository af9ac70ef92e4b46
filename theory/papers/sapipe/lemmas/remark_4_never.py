"""Remark 4 beyond ρ = 2n: there Err_WP-1 is above Err₀, whatever the noise is.

Problem    Which diversities ρ leave Remark 4 anything to compare.
Method     Err_WP-1 − Err₀ = L²η²[(ρ/n − 2)V₂ + (3 − ρ/n)V₁] is linear in V₁, which is between 0
           and V₂: it is (ρ/n − 2)V₂ at one end and V₂ at the other.
Guarantee  For ρ > 2n Err_WP-1 ≥ Err₀ + min(1, ρ/n − 2)L²η²V₂: no V₁ > 0 satisfies the remark.
Source     ours, beside Remark 4.
"""

from theory.notation import positive, theorem
from theory.papers.sapipe.error_terms import ERR_0, ERR_WP_1
from theory.papers.sapipe.symbols import V1, V2, L, eta, n, rho

least = positive("c")
"""At most 1 and ρ/n − 2."""

T = theorem("sapipe.remark-4-never")
T.assume(V1 <= V2, "noise", "a variance is at most the second moment, V₁ ≤ V₂")
T.assume(least <= 1)
T.assume(least <= rho / n - 2)
CLAIM = THEOREM = T.shows(
    ERR_0 + least * L**2 * eta**2 * V2 <= ERR_WP_1,
    says="For ρ > 2n Err_WP-1 ≥ Err₀ + min(1, ρ/n − 2)L²η²V₂, whatever V₁ ≤ V₂ is.",
)
