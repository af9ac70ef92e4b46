"""Bounds beside worst cases: as printed, as sharpened, and as large as a short run can get."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import sympy

from theory.bounds.terms import TERMS
from theory.papers.rpd import symbols as s
from theory.tightness.worst_case import Local, Rpd, worst_local, worst_rpd

_ONE: Final = Fraction(1)
_HALF: Final = Fraction(1, 2)

RPD_RUNS: Final = (
    Rpd(p=1, K=2, tau=0, gamma=_HALF, L=_ONE, G2=_ONE, Delta=_ONE),
    Rpd(p=1, K=3, tau=1, gamma=_ONE, L=_ONE, G2=_ONE, Delta=_ONE),
    Rpd(p=1, K=3, tau=1, gamma=_ONE, L=_ONE, G2=_ONE, Delta=_ONE, noisy=True),
    Rpd(p=1, K=3, tau=1, gamma=Fraction(2), L=_ONE, G2=_HALF, Delta=_ONE),
    Rpd(p=2, K=2, tau=0, gamma=_ONE, L=_ONE, G2=_ONE, Delta=_ONE, noisy=True),
    Rpd(p=2, K=3, tau=0, gamma=_ONE, L=_ONE, G2=_HALF, Delta=_ONE),
    Rpd(p=2, K=3, tau=1, gamma=_ONE, L=_ONE, G2=_HALF, Delta=_ONE),
    Rpd(p=2, K=3, tau=1, gamma=_ONE, L=_ONE, G2=_HALF, Delta=_ONE, noisy=True),
    Rpd(p=2, K=4, tau=2, gamma=Fraction(2), L=_ONE, G2=_HALF, Delta=_ONE),
)
"""Small enough to be solved in seconds; γ = 2/L is among them, as (3) holds there too."""

LOCAL_RUNS: Final = tuple(
    Local(T, H, gamma, L=_ONE, Gt2=_ONE, sigma2=_HALF, Delta=_ONE)
    for T, H, gamma in ((2, 2, _ONE), (3, 1, _ONE), (3, 2, _HALF), (3, 2, _ONE), (3, 3, _ONE))
)


@dataclass(frozen=True)
class Comparison:
    """One run.

    Attributes
    ----------
    run : mapping of str to str
        Its constants.
    printed, sharpened : Fraction
    worst : float
        Value of the semidefinite program.
    """

    run: Mapping[str, str]
    printed: Fraction
    sharpened: Fraction
    worst: float


def rpd_bounds(run: Rpd) -> tuple[Fraction, Fraction]:
    """Theorem 4.1's bound as printed and as sharpened.

    Examples
    --------
    >>> rpd_bounds(RPD_RUNS[-1])
    (Fraction(21, 2), Fraction(17, 2))
    """
    values = {s.p: run.p, s.K: run.K, s.tau: run.tau, s.gamma: run.gamma}
    values |= {s.L: run.L, s.Delta: run.Delta, s.G: _root(run.G2)}
    return _valued("rpd.thm-4.1", values), _valued("rpd.sharp-thm-4.1", values)


def local_bounds(run: Local) -> tuple[Fraction, Fraction]:
    """(11) as printed and as sharpened: (12) at p = 1, where K = N·T.

    Examples
    --------
    >>> local_bounds(LOCAL_RUNS[0])
    (Fraction(69, 4), Fraction(9, 4))
    """
    values = {s.p: 1, s.N: 2, s.K: 2 * run.T, s.H: run.H, s.gamma: run.gamma}
    values |= {s.L: run.L, s.Delta: run.Delta, s.Gt: _root(run.Gt2), s.sigma: _root(run.sigma2)}
    return _valued("localsgd.eq-12", values), _valued("localsgd.sharp-eq-12", values)


def compare_rpd() -> list[Comparison]:
    """Theorem 4.1 on `RPD_RUNS`.

    Raises
    ------
    theory.tightness.worst_case.MissingProgramError
    """
    return [Comparison(_constants(run), *rpd_bounds(run), worst_rpd(run)) for run in RPD_RUNS]


def compare_local() -> list[Comparison]:
    """(11) on `LOCAL_RUNS`.

    Raises
    ------
    theory.tightness.worst_case.MissingProgramError
    """
    return [Comparison(_constants(run), *local_bounds(run), worst_local(run)) for run in LOCAL_RUNS]


def _valued(name: str, values: Mapping[sympy.Symbol, Any]) -> Fraction:
    exact = {symbol: sympy.sympify(value) for symbol, value in values.items()}
    total = sum(term.subs(exact) for term in TERMS[name].values())
    return Fraction(int(total.p), int(total.q))


def _root(square: Fraction) -> sympy.Expr:
    return sympy.sqrt(sympy.Rational(square.numerator, square.denominator))


def _constants(run: Rpd | Local) -> dict[str, str]:
    return {name: str(getattr(run, name)) for name in run.__dataclass_fields__}
