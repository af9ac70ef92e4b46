"""False twins: a wrong version of each bound, which the falsifier must refute.

A twin differs from a theorem's bound by what someone might forget or misread. That it is found says
that the falsifier would have found the error in the theorem.
"""

from __future__ import annotations

from typing import Final

import sympy

from tests.twins.nesterov import NESTEROV_TWINS
from tests.twins.sapipe import SAPIPE_TWINS
from tests.twins.twin import Twin
from theory.papers.rpd.symbols import Delta, G, Gt, H, K, L, N, T, beta, gamma, mu, p, sigma, tau

__all__ = ["TWINS", "Twin"]

_OPTIMIZATION: Final = 2 * p * Delta / (gamma * K)
_SAMPLING: Final = p * L * gamma * G**2
_STALENESS: Final = L**2 * gamma**2 * tau**2 * G**2
_CONTRACTION: Final = (1 - gamma * mu / p) ** K * Delta
_PL_SAMPLING: Final = _SAMPLING / (2 * mu)
_PL_STALENESS: Final = _STALENESS / (2 * mu)
_TUNED: Final = 2 * sympy.sqrt(2) * G * sympy.sqrt(L * Delta / K)
_NEAR: Final = sympy.Le(gamma, p / mu)
_SMALL: Final = sympy.Le(gamma, 1 / L)

_DESCENT: Final = 2 * Delta / (gamma * T)
_LOCAL_DRIFT: Final = 4 * gamma**2 * H**2 * Gt**2 * L**2
_SHARP_DRIFT: Final = gamma**2 * (H - 1) ** 2 * Gt**2 * L**2
_VARIANCE: Final = L * gamma * sigma**2 / N
_RATE: Final = sympy.sqrt(p / K)
_RATE_DRIFT: Final = 4 * p * N**2 * H**2 * Gt**2 / K

TWINS: Final = (
    Twin("rpd.lemma-b2", "rpd-drift-pathwise", "τ − 1 instead of τ", gamma * (tau - 1) * G),
    Twin(
        "rpd.lemma-b2",
        "rpd-drift-pathwise",
        "the root of τ, as if updates were orthogonal",
        gamma * sympy.sqrt(tau) * G,
    ),
    Twin(
        "rpd.lemma-b2",
        "rpd-drift-pathwise-squared",
        "squares added instead of norms",
        gamma**2 * tau * G**2,
    ),
    Twin(
        "rpd.sharp-drift",
        "rpd-drift",
        "the square of the mean number of updates only",
        gamma**2 * G**2 * tau**2 / p,
    ),
    Twin(
        "rpd.sharp-drift",
        "rpd-drift",
        "the variance of the number of updates only",
        gamma**2 * G**2 * tau * (p - 1) / p,
    ),
    Twin(
        "rpd.sharp-drift",
        "rpd-drift",
        "a thousandth less than what is attained",
        sympy.Rational(999, 1000) * gamma**2 * G**2 * tau * (tau + p - 1) / p,
    ),
    Twin(
        "rpd.thm-4.1",
        "rpd-average-gradient",
        "without the staleness term",
        _OPTIMIZATION + _SAMPLING,
        _SMALL,
    ),
    Twin(
        "rpd.thm-4.1",
        "rpd-average-gradient",
        "without p in the sampling term",
        _OPTIMIZATION + _SAMPLING / p + _STALENESS,
        _SMALL,
    ),
    Twin(
        "rpd.thm-4.1",
        "rpd-average-gradient",
        "without p in the optimization term",
        _OPTIMIZATION / p + _SAMPLING + _STALENESS,
        _SMALL,
    ),
    Twin(
        "rpd.thm-4.1",
        "rpd-average-gradient",
        "τ instead of τ²",
        _OPTIMIZATION + _SAMPLING + L**2 * gamma**2 * tau * G**2,
        _SMALL,
    ),
    Twin(
        "rpd.thm-4.1",
        "rpd-average-gradient",
        "without the optimization term",
        _SAMPLING + _STALENESS,
        _SMALL,
    ),
    Twin(
        "rpd.cor-b1",
        "rpd-average-gradient-tuned",
        "without the staleness term",
        p * _TUNED,
    ),
    Twin(
        "rpd.cor-b1",
        "rpd-average-gradient-tuned",
        "without p",
        _TUNED + 2 * L * Delta * tau**2 / K,
    ),
    Twin(
        "rpd.thm-h1",
        "rpd-pl-step",
        "without the staleness term",
        (1 - gamma * mu / p) * Delta + L * gamma**2 * G**2 / 2,
    ),
    Twin(
        "rpd.thm-h1",
        "rpd-pl-step",
        "contraction as if all blocks moved",
        (1 - gamma * mu) * Delta + L * gamma**2 * G**2 / 2 + gamma * _PL_STALENESS * mu / p,
    ),
    Twin(
        "rpd.thm-h1",
        "rpd-pl-step",
        "the sampling term over p",
        (1 - gamma * mu / p) * Delta
        + L * gamma**2 * G**2 / (2 * p)
        + gamma * _PL_STALENESS * mu / p,
    ),
    Twin(
        "rpd.eq-15",
        "rpd-pl-gap",
        "any stepsize, also above p/μ",
        _CONTRACTION + _PL_SAMPLING + _PL_STALENESS,
    ),
    Twin(
        "rpd.eq-15",
        "rpd-pl-gap",
        "without the staleness term",
        _CONTRACTION + _PL_SAMPLING,
        _NEAR,
    ),
    Twin(
        "rpd.eq-15",
        "rpd-pl-gap",
        "without p in the sampling term",
        _CONTRACTION + _PL_SAMPLING / p + _PL_STALENESS,
        _NEAR,
    ),
    Twin("rpd.lemma-i2", "nag-drift-pathwise", "without β", gamma * G * tau),
    Twin("rpd.lemma-i2", "nag-drift-pathwise", "β/2 instead of β√p", gamma * G * (tau + beta / 2)),
    Twin(
        "rpd.lemma-i2",
        "nag-drift-pathwise",
        "β instead of β√p, without β ≤ 1",
        gamma * G * (tau + beta),
    ),
    Twin(
        "rpd.lemma-i2",
        "nag-drift-pathwise-squared",
        "squares added instead of norms",
        gamma**2 * G**2 * (tau**2 + beta**2 * p),
    ),
    Twin(
        "rpd.lemma-i2",
        "nag-drift",
        "the extrapolation of one block in p only",
        gamma**2 * G**2 * (tau * (tau + p - 1) + beta**2) / p,
    ),
    Twin(
        "rpd.nag-thm",
        "nag-average-gradient",
        "without the drift term",
        _OPTIMIZATION + _SAMPLING,
        _SMALL,
    ),
    Twin("localsgd.drift", "localsgd-drift", "H − 2 local steps", gamma**2 * (H - 2) ** 2 * Gt**2),
    Twin(
        "localsgd.drift",
        "localsgd-drift",
        "as if replicas were independent",
        gamma**2 * (H - 1) * Gt**2,
    ),
    Twin(
        "localsgd.eq-11",
        "localsgd-average-gradient",
        "σ²/N² instead of σ²/N",
        _DESCENT + _LOCAL_DRIFT + _VARIANCE / N,
    ),
    Twin(
        "localsgd.eq-11",
        "localsgd-average-gradient",
        "without the drift term",
        _DESCENT + _VARIANCE,
    ),
    Twin(
        "localsgd.eq-11",
        "localsgd-average-gradient",
        "without the optimization term",
        _LOCAL_DRIFT + _VARIANCE,
    ),
    Twin(
        "localsgd.sharp-eq-11",
        "localsgd-average-gradient",
        "half the optimization term",
        _DESCENT / 2 + _SHARP_DRIFT + _VARIANCE,
    ),
    Twin(
        "localsgd.sharp-eq-11",
        "localsgd-average-gradient",
        "H − 2 local steps",
        _DESCENT + gamma**2 * sympy.Max(H - 2, 0) ** 2 * Gt**2 * L**2 + _VARIANCE,
    ),
    Twin(
        "localsgd.eq-12",
        "localsgd-average-gradient",
        "without p in K = pNT",
        2 * N * Delta / (gamma * K) + _LOCAL_DRIFT + _VARIANCE,
    ),
    Twin(
        "localsgd.eq-13",
        "localsgd-average-gradient-tuned",
        "without σ²",
        _RATE * 2 * L * Delta + _RATE_DRIFT,
    ),
    Twin(
        "localsgd.eq-13",
        "localsgd-average-gradient-tuned",
        "without Δ",
        _RATE * sigma**2 + _RATE_DRIFT,
    ),
    Twin(
        "localsgd.eq-13",
        "localsgd-average-gradient-tuned",
        "without the drift term",
        _RATE * (2 * L * Delta + sigma**2),
    ),
    *NESTEROV_TWINS,
    *SAPIPE_TWINS,
)
"""Every false bound that the falsifier is tried on."""
