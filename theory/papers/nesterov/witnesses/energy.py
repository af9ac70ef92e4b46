"""An energy of the delayed method on Huber's function, and the matrices that make it grow.

Units: Huber's function is h(y) = y²/2 for |y| ≤ 1 and |y| − 1/2 beyond. With η in units of the
inverse of its curvature, c = η, and A_t = (w_{t+1} − w_t)/c, a step is

    A_t = (1 − 2/t) A_{t−1} − (2/t) h'(y_t),    w_{t+1} = w_t + c A_t.

Write k = τ − 1 ≥ 1, κ = ck, and y_t = w_t − κA_{t−1} + e_t. The energy with cross term S is

    E_t = w_t² − (c + S/2) w_t A_{t−1} + (ct/2) A_{t−1}².

Near the minimum |y_t| ≤ 1 and h'(y_t) = y_t, so that E_{t+1} is a quadratic form of (w, A, e).
"""

from dataclasses import dataclass
from typing import Any

import sympy

from theory.papers.nesterov.witnesses.positivity import above_zero, positive_definite

k = sympy.Symbol("k", positive=True)
"""τ − 1, any real number ≥ 1."""
t = sympy.Symbol("t", positive=True)
"""Iteration, any real number from a certificate's horizon on."""
sigma = sympy.Symbol("sigma", positive=True)
"""A parameter of certificates, any real number in (0, 1/2]."""

_MORE = sympy.symbols("x y z")
_DOMAIN = {k: 1 + _MORE[1], sigma: 1 / (2 + _MORE[2])}
"""k and σ by variables ≥ 0; t is the horizon and x more."""

FLOOR = sympy.Rational(1, 2)
"""The energy with which a run comes back near the minimum, at least."""
LANDING = sympy.Rational(3, 4)
"""E ≥ LANDING·(w − cτA)² wherever (w, A) are, from the horizon on."""
NEAR = sympy.Rational(9, 10)
"""Lower bound of |w − cτA| when a run comes back."""
LATE = sympy.Rational(11, 10)
"""Upper bound of t/(t − τ) from the horizon on."""


@dataclass(frozen=True)
class Certificate:
    """What shows that t^weight · E_t never falls near the minimum; all may depend on k and σ.

    Attributes
    ----------
    share : sympy expression
        κ = ηβ(τ − 1), for functions of curvature β.
    cross : sympy expression
        S.
    weight : sympy expression
        An exponent in [0, 1).
    multiplier : sympy expression
        Of the bound on e², in the S-procedure.
    horizon : sympy expression
        T₀.
    """

    share: sympy.Expr
    cross: sympy.Expr
    weight: sympy.Expr
    multiplier: sympy.Expr
    horizon: sympy.Expr

    @property
    def stepsize(self) -> sympy.Expr:
        """The stepsize c = κ/k."""
        return self.share / k


NO_CONVERGENCE = Certificate(
    share=sympy.Integer(1),
    cross=sympy.Rational(1, 2),
    weight=sympy.Integer(0),
    multiplier=8 / k,
    horizon=400 * k,
)
"""At ηβ(τ − 1) = 1 the energy itself never falls."""

NO_RATE = Certificate(
    share=sympy.Rational(1, 4) + sigma,
    cross=2 * sigma - 1,
    weight=1 - sigma,
    multiplier=4 / (sigma * k),
    horizon=100 * k / sigma**2,
)
"""At ηβ(τ − 1) = 1/4 + σ, t^{1−σ} times the energy never falls."""


def energy(w: Any, move: Any, at: Any, stepsize: Any, cross: Any) -> Any:
    """E_t of w = w_t and move = A_{t−1}; of formulas or of fractions.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> energy(Fraction(1), half, 10, Fraction(1), half)
    Fraction(13, 8)
    """
    return w * w - (stepsize + cross / 2) * w * move + stepsize * at / 2 * move * move


def error_bound(one: Certificate) -> sympy.Expr:
    """Constant b with e_t² ≤ b E_t/t, from |e_t| ≤ 2κk/(t − τ) and E_t ≥ FLOOR · T₀/t."""
    return 4 * LATE**2 * one.share**2 * k**2 / (FLOOR * one.horizon)


def growth(one: Certificate) -> sympy.Matrix:
    """Matrix of E_{t+1} − (1 − weight/(t+1)) E_t − multiplier · (b E_t/t − e²) in (w, A, e)."""
    w, move, error = sympy.symbols("w A e")
    c = one.stepsize
    then = move * (1 - 2 / t) - 2 / t * (w - one.share * move + error)
    now = energy(w, move, t, c, one.cross)
    rise = energy(w + c * then, then, t + 1, c, one.cross) - (1 - one.weight / (t + 1)) * now
    slack = one.multiplier * (error_bound(one) * now / t - error**2)
    return sympy.hessian(sympy.expand(rise - slack), (w, move, error)) / 2


def landing(one: Certificate) -> sympy.Matrix:
    """Matrix of E_t − LANDING · (w − cτA)² in (w − cτA, A)."""
    x, move = sympy.symbols("x A")
    c = one.stepsize
    w = x + c * (k + 1) * move
    gap = energy(w, move, t, c, one.cross) - LANDING * x**2
    return sympy.hessian(sympy.expand(gap), (x, move)) / 2


def grows(one: Certificate) -> bool:
    """For all k ≥ 1, σ and real t ≥ T₀: e² ≤ b E/t implies E_{t+1} ≥ (1 − weight/(t+1)) E_t.

    Examples
    --------
    >>> grows(NO_CONVERGENCE)
    True
    """
    return above_zero(_placed(one.multiplier), _MORE) and _definite(one, growth(one))


def lands(one: Certificate) -> bool:
    """For all k ≥ 1, σ and real t ≥ T₀: |w − cτA| ≥ NEAR implies E_t ≥ FLOOR.

    Examples
    --------
    >>> lands(NO_CONVERGENCE), lands(NO_RATE)
    (True, True)
    """
    return bool(LANDING * NEAR**2 >= FLOOR) and _definite(one, landing(one))


def late_enough(one: Certificate) -> bool:
    """For all k ≥ 1, σ: T₀ − 1 − τ ≥ 60κk and T₀/(T₀ − τ) ≤ LATE; and 0 ≤ weight < 1, κ > 0.

    Examples
    --------
    >>> late_enough(NO_CONVERGENCE), late_enough(NO_RATE)
    (True, True)
    """
    tau, T0 = k + 1, one.horizon
    wanted = [T0 - 1 - tau - 60 * one.share * k, T0 - LATE / (LATE - 1) * tau]
    wanted += [1 - one.weight, one.share] + ([one.weight] if one.weight != 0 else [])
    return all(above_zero(_placed(form), _MORE) for form in wanted)


def _placed(form: sympy.Expr) -> sympy.Expr:
    return sympy.sympify(form).subs(_DOMAIN, simultaneous=True)


def _definite(one: Certificate, matrix: sympy.Matrix) -> bool:
    later = matrix.subs(t, one.horizon + _MORE[0])
    return positive_definite(later.subs(_DOMAIN, simultaneous=True), _MORE)
