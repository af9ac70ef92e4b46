"""False twins of what holds of Nesterov's method with a fixed delay."""

from __future__ import annotations

from typing import Final

import sympy

from tests.twins.twin import Twin
from theory.papers.nesterov.symbols import G, Omega, R, beta, eta, t, tau

_LATE: Final = sympy.And(sympy.Gt(t, tau), sympy.Ge(tau, 1))
_SMALL: Final = sympy.And(_LATE, sympy.Le(4 * eta * tau * beta, 1))
_GAP: Final = R**2 / (4 * eta * (t - tau))
_START: Final = beta * R**2 / (2 * t)

NESTEROV_TWINS: Final = (
    Twin("nesterov.repaired-thm-1", "nesterov-point-gap", "at 1/β, any delay", _GAP, _LATE),
    Twin(
        "nesterov.repaired-thm-1",
        "nesterov-point-gap",
        "a twentieth less than what is approached",
        _GAP * sympy.Rational(19, 20),
        _SMALL,
    ),
    Twin(
        "nesterov.repaired-thm-1",
        "nesterov-point-gap",
        "the rate 1/t² of the method without delay",
        R**2 / (eta * (t - tau) ** 2),
        _SMALL,
    ),
    Twin(
        "nesterov.repaired-iterates",
        "nesterov-iterate-gap",
        "a twentieth less than what is approached",
        R**2 / (4 * eta * (t - 1)) * sympy.Rational(19, 20),
        sympy.And(_SMALL, sympy.Ge(t, 2)),
    ),
    Twin(
        "nesterov.repaired-iterates",
        "nesterov-iterate-gap",
        "the rate without delay, whatever η and τ",
        _START,
        _SMALL,
    ),
    Twin("nesterov.eq-30", "nesterov-descent", "without the stale gradients", _START),
    Twin("nesterov.eq-30", "nesterov-descent", "without the start", Omega / t),
    Twin(
        "nesterov.eq-30", "nesterov-descent", "a quarter of the stale sum", Omega / (4 * t) + _START
    ),
    Twin(
        "nesterov.step-bound",
        "nesterov-step-squared",
        "steps that shrink as 1/t",
        (2 * eta * G / t) ** 2,
    ),
    Twin(
        "nesterov.step-bound",
        "nesterov-step-squared",
        "a thousandth less than what is attained",
        eta**2 * G**2 * sympy.Rational(999, 1000),
    ),
)
"""As in `tests.twins.rpd`."""
