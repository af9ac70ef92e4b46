"""False twins of the theorems about SAPipe; two of them are printed in the paper."""

from __future__ import annotations

from typing import Final

import sympy

from tests.twins.twin import Twin
from theory.papers.sapipe.error_terms import (
    ERR_0,
    ERR_DC,
    ERR_WP_1,
    ERR_WP_2,
    ERR_WP_3,
    OPTIMIZATION,
    VAR_0,
)
from theory.papers.sapipe.symbols import V1, V2, Delta, L, M, eta, kappa, lambda_, n, rho

_SAMPLES: Final = OPTIMIZATION + VAR_0
_CURVED: Final = 128 * eta**4 * M**2 * V2**2 + 16 * eta**3 * lambda_**2 * L * V2**3
_AVERAGED: Final = eta**2 * L**2 * (8 * V1 / n + 4 * eta**4 * M**2 * V2**2)
_SMALL: Final = sympy.Lt(2 * L**2 * eta**2, 1)
_FAIR: Final = sympy.Ge(rho, n)
"""Err_WP-1 is not negative."""
_FACTOR: Final = L**2 * eta**2 / (1 - 2 * L**2 * eta**2)

SAPIPE_TWINS: Final = (
    Twin(
        "sapipe.thm-2",
        "sapipe-vanilla",
        "Err_0 without L",
        _SAMPLES + kappa * eta**2 * V2,
    ),
    Twin(
        "sapipe.thm-2",
        "sapipe-vanilla",
        "n² instead of n in Var_0",
        OPTIMIZATION + kappa * ERR_0 + VAR_0 / n,
    ),
    Twin("sapipe.thm-2", "sapipe-vanilla", "without Var_0", OPTIMIZATION + kappa * ERR_0),
    Twin("sapipe.thm-2", "sapipe-vanilla", "without Err_0", _SAMPLES),
    Twin(
        "sapipe.thm-2",
        "sapipe-vanilla",
        "half of Err_0",
        _SAMPLES + kappa * ERR_0 / 2,
    ),
    Twin(
        "sapipe.thm-2",
        "sapipe-vanilla",
        "half of the optimization term",
        OPTIMIZATION / 2 + kappa * ERR_0 + VAR_0,
    ),
    Twin(
        "sapipe.thm-2",
        "sapipe-vanilla",
        "V_1 in place of V_2, as if staleness were noise",
        _SAMPLES + kappa * L**2 * eta**2 * V1,
    ),
    Twin(
        "sapipe.thm-2-same-samples",
        "sapipe-vanilla-reused",
        "without Err_0",
        _SAMPLES,
    ),
    Twin(
        "sapipe.thm-2-same-samples",
        "sapipe-vanilla-reused",
        "half of the optimization term",
        OPTIMIZATION / 2 + kappa * ERR_0 + VAR_0,
    ),
    Twin(
        "sapipe.thm-2-same-samples",
        "sapipe-vanilla-reused",
        "κ² instead of κ",
        OPTIMIZATION + kappa**2 * ERR_0 + VAR_0,
    ),
    Twin(
        "sapipe.prefix",
        "sapipe-prefix",
        "κ times the error, as printed",
        _SAMPLES + kappa * ERR_0,
    ),
    Twin(
        "sapipe.thm-3",
        "sapipe-dc",
        "a perfect proxy of the Hessian at every λ",
        OPTIMIZATION + kappa * _CURVED + (1 + kappa) * VAR_0,
    ),
    Twin(
        "sapipe.thm-3",
        "sapipe-dc",
        "without the part of 1 − λ",
        OPTIMIZATION
        + kappa * (_CURVED + 32 * eta**2 * lambda_**2 * Delta**2 * V2)
        + (1 + kappa) * VAR_0,
    ),
    Twin(
        "sapipe.thm-3",
        "sapipe-dc",
        "a sixty-fourth of Err_DC",
        OPTIMIZATION + kappa * ERR_DC / 64 + (1 + kappa) * VAR_0,
    ),
    Twin(
        "sapipe.thm-3",
        "sapipe-dc",
        "without the variance",
        OPTIMIZATION + kappa * ERR_DC,
    ),
    Twin(
        "sapipe.thm-4",
        "sapipe-wp-1",
        "as printed, with equal data or not",
        _SAMPLES + kappa * ERR_WP_1,
    ),
    Twin(
        "sapipe.thm-4",
        "sapipe-wp-1",
        "as printed, where the error is not negative",
        _SAMPLES + kappa * ERR_WP_1,
        _FAIR,
    ),
    Twin("sapipe.wp-1-moment", "sapipe-wp-1", "without the error", _SAMPLES),
    Twin(
        "sapipe.wp-1-moment",
        "sapipe-wp-1",
        "a sixteenth of Err_0",
        _SAMPLES + kappa * ERR_0 / 16,
    ),
    Twin(
        "sapipe.repaired-thm-4",
        "sapipe-wp-1",
        "without the diversity",
        _SAMPLES + kappa * _FACTOR * (V1 - V1 / n),
        _SMALL,
    ),
    Twin(
        "sapipe.repaired-thm-4",
        "sapipe-wp-1",
        "ρ/n − 1 instead of nρ − 1",
        _SAMPLES + kappa * _FACTOR * (V1 - V1 / n + 2 * (rho / n - 1) * V2),
        _SMALL,
    ),
    Twin(
        "sapipe.thm-5",
        "sapipe-wp-2",
        "as printed, for η ≤ 1/L",
        _SAMPLES + kappa * ERR_WP_2,
    ),
    Twin(
        "sapipe.thm-5",
        "sapipe-wp-2",
        "without V_2 in the error",
        _SAMPLES + kappa * _FACTOR * 2 * V1,
        _SMALL,
    ),
    Twin(
        "sapipe.thm-5",
        "sapipe-wp-2",
        "without Var_0",
        OPTIMIZATION + kappa * ERR_WP_2,
        _SMALL,
    ),
    Twin(
        "sapipe.thm-6", "sapipe-wp-3", "the error of λ = 1 and Δ = 0", _SAMPLES + kappa * _AVERAGED
    ),
    Twin("sapipe.thm-6", "sapipe-wp-3", "without Var_0", OPTIMIZATION + kappa * ERR_WP_3),
    Twin(
        "sapipe.thm-6",
        "sapipe-wp-3",
        "half of the optimization term",
        OPTIMIZATION / 2 + kappa * ERR_WP_3 + VAR_0,
    ),
)
"""As in `tests.twins.rpd`."""
