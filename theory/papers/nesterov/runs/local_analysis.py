"""How fast the delayed method goes on a parabola: its exponent, derived by formal series.

On f = λw²/2 the update (14) is a linear recurrence with coefficients that vary slowly. With
w_t = exp S(t), S(t) = 2s₀t^{1/2} + s₁ ln t + …, every power of t^{−1/2} gives one equation. The
first says s₀² = −2a with a = ηλ: oscillations whose phase is √(8at). The second gives the
amplitude, t^{s₁} with s₁ = −3/4 + a(τ − 1), so that f(w_t) − f* follows t^{2s₁}.

The series is formal; that runs follow it is measured (`long_runs`), not proved.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Final

import sympy

from theory.falsifier.numbers import fraction, rational

a: Final = sympy.Symbol("a", positive=True)
"""Stepsize times curvature, ηλ."""
tau: Final = sympy.Symbol("tau", integer=True, nonnegative=True)
_h: Final = sympy.Symbol("h", positive=True)  # t^{−1/2}
_first, _second, _third = sympy.symbols("s0 s1 s2")

EXPONENT: Final = 2 * a * (tau - 1) - sympy.Rational(3, 2)
"""Of f(w_t) − f* on a parabola; `formal_exponent` derives it."""


def characteristic(z: sympy.Expr, t: sympy.Expr) -> sympy.Expr:
    """The update (14) at w_t = z^t with frozen coefficients; its zeros are the possible z.

    Examples
    --------
    >>> from sympy import symbols
    >>> z, t = symbols("z t")
    >>> characteristic(z, t).subs({a: 0, tau: 0}).factor()
    (z - 1)*(t*z - t + 2)/(t*z)
    """
    return z - 1 - _pull(t) * (1 - 1 / z) + 2 * a / t * z**-tau * (1 + _pull(t - tau) * (1 - 1 / z))


def equations() -> tuple[sympy.Expr, sympy.Expr]:
    """What the powers t^{−1} and t^{−3/2} of the recurrence demand of the series, equal to 0.

    Examples
    --------
    >>> [str(equation.factor()) for equation in equations()]
    ['2*a + s0**2', 's0*(-4*a*tau + 4*a + 4*s1 + 3)/2']
    """
    t = 1 / _h**2
    read = _ratio(-tau) + _pull(t - tau) * (_ratio(-tau) - _ratio(-tau - 1))
    left = _ratio(1) - 1 - _pull(t) * (1 - _ratio(-1)) + 2 * a / t * read
    expanded = sympy.series(left, _h, 0, 4).removeO()
    return sympy.expand(expanded.coeff(_h, 2)), sympy.expand(expanded.coeff(_h, 3))


@cache
def formal_exponent() -> sympy.Expr:
    """2s₁, from the two equations.

    Examples
    --------
    >>> formal_exponent() == EXPONENT.expand()
    True
    """
    first, second = equations()
    (amplitude,) = {
        solution[_second] for solution in sympy.solve([first, second], [_first, _second], dict=True)
    }
    return sympy.expand(2 * amplitude)


def frozen_exponent() -> sympy.Expr:
    """The same from the zeros of the characteristic equation, and a factor of their own decay.

    A zero is z = e^s with s = s₀t^{−1/2} + c/t + …, and c lacks 1/4, which comes from s itself
    falling as t^{−1/2}.

    Examples
    --------
    >>> frozen_exponent() == formal_exponent()
    True
    """
    s = _first * _h + _second * _h**2
    held = sympy.series(characteristic(sympy.exp(s), 1 / _h**2), _h, 0, 4).removeO()
    (frozen,) = {
        solution[_second]
        for solution in sympy.solve(
            [held.coeff(_h, 2), held.coeff(_h, 3)], [_first, _second], dict=True
        )
    }
    return sympy.expand(2 * frozen + sympy.Rational(1, 2))


def exponent(delay: int, share: Fraction, curvature: Fraction = Fraction(1)) -> Fraction:
    """The exponent at η = share/β on a parabola of this curvature, in units of β.

    Examples
    --------
    >>> [str(exponent(delay, Fraction(1))) for delay in range(4)]
    ['-7/2', '-3/2', '1/2', '5/2']
    """
    at = {a: rational(share * curvature), tau: delay}
    return fraction(EXPONENT.xreplace(at))


def largest_share(delay: int) -> Fraction | None:
    """The largest ηβ at which no parabola is slower than O(1/t); None if every one will do.

    Examples
    --------
    >>> largest_share(1), largest_share(2), largest_share(5)
    (None, Fraction(1, 4), Fraction(1, 16))
    """
    return None if delay <= 1 else Fraction(1, 4 * (delay - 1))


def resting_level(delay: int, share: Fraction) -> float | None:
    """Where f(w_t) − f* stays on Huber's function of curvature β = 1 and width 1, by averaging.

    With e = f(w) − f* + t‖w_{t+1} − w_t‖²/(4η) the update gives, to first order,
    de/d ln t = ⟨p²(2(τ−1)ηf″(w) − 3/2)⟩, where p² = 2(e − f(w) + f*) and the mean is over one
    oscillation. It vanishes where the parabola's part of ∮p dw is 3/(4η(τ−1)). None where it is
    negative on the parabola itself, so that the run comes to rest in the minimum.

    Examples
    --------
    >>> resting_level(1, Fraction(1)), resting_level(2, Fraction(3, 4))
    (None, None)
    >>> round(resting_level(2, Fraction(1)), 4)
    1.1183
    """
    if delay <= 1 or share * (delay - 1) <= Fraction(3, 4):
        return None
    wanted = 3 / (4 * float(share) * (delay - 1))
    low, high = 0.5, 1.0
    while _inner_part(high) > wanted:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _inner_part(middle) > wanted else (low, middle)
    return high


def _inner_part(level: float) -> float:
    """The part of ∮p dw on the parabola |w| ≤ 1, where e is this level, at least 1/2."""
    double = 2 * level
    inner = (math.sqrt(double - 1) + double * math.asin(1 / math.sqrt(double))) / 2
    return inner / (inner + (double - 1) * math.sqrt(double - 1) / 3)


def _pull(t: sympy.Expr) -> sympy.Expr:
    """γ_t."""
    return 1 - 2 / t


def _ratio(k: sympy.Expr) -> sympy.Expr:
    """w_{t+k}/w_t as far as t^{−3/2}, by S(t+k) − S(t) = kS′(t) + k²S″(t)/2 + …."""
    slope = _first * _h + _second * _h**2 + _third * _h**3
    return sympy.exp(k * slope - k**2 * _first * _h**3 / 4)
