"""Exact sums of floors over stages, by residue classes.

With p = q·P + a, x = q·X + b and u = q·k + e every ⌊(affine in u, x, p)/q⌋ is an integer affine
form in k, X and P; its sum over a range of k telescopes. Legend: a, b, e are residues modulo
the period q; P, X, k the quotients.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy

from schedules.closed_forms.affine import Affine
from schedules.closed_forms.counts import Region

P, X, K = sympy.symbols("P X k", integer=True)
p_, x_ = sympy.symbols("p x", integer=True)


@dataclass(frozen=True)
class FloorTerm:
    """One floor on one residue class and region.

    Attributes
    ----------
    numerator : Affine
        In ``u``, ``x``, ``p``.
    period : int
        q.
    residues : tuple of int
        (a, b, e) of p, x and u.
    region : Region
        u < x, u = x or u > x.
    value : sympy expression
        ⌊numerator / q⌋ as an affine form in k, X, P.
    first, stop : sympy expression
        The region is ``first ≤ k < stop``.
    """

    numerator: Affine
    period: int
    residues: tuple[int, int, int]
    region: Region
    value: sympy.Expr
    first: sympy.Expr
    stop: sympy.Expr

    @property
    def total(self) -> sympy.Expr:
        """The sum of `value` over the range, by telescoping."""
        antiderivative = antidifference(self.value, K)
        return antiderivative.subs(K, self.stop) - antiderivative.subs(K, self.first)


def antidifference(polynomial: sympy.Expr, variable: sympy.Symbol) -> sympy.Expr:
    """A polynomial G with G(0) = 0 and G(k + 1) − G(k) = polynomial.

    Raises
    ------
    ValueError
        The degree is above 2.

    Examples
    --------
    >>> k = sympy.Symbol("k", integer=True)
    >>> sympy.factor(antidifference(2 * k, k))
    k*(k - 1)
    """
    k = variable
    powers = (k, k * (k - 1) / 2, k * (k - 1) * (2 * k - 1) / 6)
    coefficients = sympy.Poly(polynomial, k).all_coeffs()[::-1]
    if len(coefficients) > len(powers):
        raise ValueError(f"{polynomial} has a degree above {len(powers) - 1} in {variable}")
    result = sympy.Add(*(c * power for c, power in zip(coefficients, powers, strict=False)))
    return sympy.expand(result)


@cache
def floor_terms(
    numerators: tuple[tuple[Region, Affine], ...], period: int, a: int, b: int
) -> tuple[FloorTerm, ...]:
    """All floors of one event class: p ≡ a and x ≡ b modulo the period."""
    terms = []
    for region, numerator in numerators:
        for e in range(period):
            first, stop = _range(region, period, a, b, e)
            value = _floor(numerator, period, a, b, e)
            terms.append(FloorTerm(numerator, period, (a, b, e), region, value, first, stop))
    return tuple(terms)


def floor_sum(
    numerators: tuple[tuple[Region, Affine], ...], period: int, a: int, b: int
) -> sympy.Expr:
    """Σ over 0 ≤ u < p of the floors, as a polynomial in p and x on the class (a, b).

    Examples
    --------
    >>> half = Affine((("u", 1),))
    >>> floor_sum(tuple((region, half) for region in Region), 2, 0, 0)
    p**2/4 - p/2
    """
    total = sympy.Add(*(term.total for term in floor_terms(numerators, period, a, b)))
    return sympy.expand(total.subs({P: (p_ - a) / period, X: (x_ - b) / period}))


def _floor(numerator: Affine, q: int, a: int, b: int, e: int) -> sympy.Expr:
    on_class = {"u": e, "x": b, "p": a}
    rest = numerator.constant + sum(c * on_class[name] for name, c in numerator.terms)
    quotients = {"u": K, "x": X, "p": P}
    return sympy.Add(*(c * quotients[name] for name, c in numerator.terms), rest // q)


def _range(region: Region, q: int, a: int, b: int, e: int) -> tuple[sympy.Expr, sympy.Expr]:
    def below(quotient: sympy.Expr, residue: int) -> sympy.Expr:
        """Number of k ≥ 0 with q·k + e < q·quotient + residue."""
        return quotient - (e - residue) // q

    zero = sympy.Integer(0)
    if region is Region.BELOW:
        return zero, below(X, b)
    if region is Region.AT:
        return below(X, b), below(X, b + 1)
    return below(X, b + 1), below(P, a)
