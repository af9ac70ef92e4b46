"""The error terms of Theorems 2 to 6 as printed, and the terms that all of them share.

An error term is what stale or predicted gradients add to 2R₀/(ηT) + Var₀, times κ.
"""

from theory.papers.sapipe.symbols import R0, V1, V2, Delta, L, M, T, eta, lambda_, n, rho

OPTIMIZATION = 2 * R0 / (eta * T)
"""2R₀/(ηT)."""

VAR_0 = L * eta * V1 / n
"""Var₀ (Theorem 2)."""

ERR_0 = L**2 * eta**2 * V2
"""Vanilla SAPipe (Theorem 2)."""

ERR_DC = (
    128 * eta**4 * M**2 * V2**2
    + 32 * eta**2 * (1 - lambda_) ** 2 * L**2 * V2
    + 32 * eta**2 * lambda_**2 * Delta**2 * V2
    + 16 * eta**3 * lambda_**2 * L * V2**3
)
"""SAPipe-DC (Theorem 3); its variance is (1 + κ) Var₀."""

ERR_WP_1 = L**2 * eta**2 * ((rho / n - 1) * V2 + (3 - rho / n) * V1)
"""SAPipe-WP, option 1 (Theorem 4)."""

ERR_WP_2 = L**2 * eta**2 / (1 - 2 * L**2 * eta**2) * (2 * V1 + 2 * L**2 * eta**2 * V2)
"""SAPipe-WP, option 2 (Theorem 5)."""

ERR_WP_3 = (
    eta**2
    * L**2
    * (
        8 * V1 / n
        + 4 * eta**4 * M**2 * V2**2
        + 2 * eta**2 * V2 * (L**2 * (1 - lambda_) ** 2 + lambda_**2 * Delta**2)
    )
)
"""SAPipe-WP, option 3 (Theorem 6)."""

PRINTED = {"0": ERR_0, "DC": ERR_DC, "WP-1": ERR_WP_1, "WP-2": ERR_WP_2, "WP-3": ERR_WP_3}
"""By the paper's subscript."""
