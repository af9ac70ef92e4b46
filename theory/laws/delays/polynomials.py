"""Exact facts about polynomials in p on residue classes."""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy

from schedules.closed_forms.affine import Affine
from schedules.closed_forms.floor_sums import p_

LEAST = 2
"""Least p of every statement."""


def least_in_class(a: int, period: int, from_: int = LEAST) -> int:
    """The least p ≥ `from_` with p ≡ a modulo the period.

    Examples
    --------
    >>> least_in_class(1, 2)
    3
    """
    return from_ + (a - from_) % period


def nonnegative_from(form: sympy.Expr, least: int) -> bool:
    """Certify form ≥ 0 for all p ≥ least: in t = p − least no coefficient is negative.

    Sufficient, not necessary: False means "not certified".

    Examples
    --------
    >>> nonnegative_from(p_**2 - 2 * p_, 2), nonnegative_from(p_**2 - 2 * p_, 1)
    (True, False)
    """
    t = sympy.Symbol("t")
    try:
        shifted = sympy.Poly(sympy.expand(sympy.sympify(form).subs(p_, t + least)), t)
    except sympy.PolynomialError:
        return False
    return all(c.is_Rational and c >= 0 for c in shifted.coeffs())


def on_class(form: sympy.Expr, a: int, period: int) -> sympy.Expr:
    """Write a formula out for p ≡ a: floors, remainders and maxima resolve where they can.

    Examples
    --------
    >>> on_class(sympy.floor(p_ / 2), 1, 2)
    p/2 - 1/2
    """
    quotient = sympy.Symbol("P", integer=True, nonnegative=True)
    resolved = sympy.expand(sympy.sympify(form).subs(p_, period * quotient + a))
    return sympy.expand(resolved.subs(quotient, (p_ - a) / sympy.Integer(period)))


def floor_on_class(numerator: Affine, period: int, residues: Mapping[str, int]) -> sympy.Expr:
    """⌊numerator / period⌋ on a residue class, as an affine form in the same symbols.

    Examples
    --------
    >>> floor_on_class(Affine((("p", 1),)), 2, {"p": 1})
    p/2 - 1/2
    """
    rest = numerator.constant + sum(c * residues[name] for name, c in numerator.terms)
    quotients = sympy.Add(
        *(
            c * (sympy.Symbol(name, integer=True) - residues[name]) / sympy.Integer(period)
            for name, c in numerator.terms
        )
    )
    return sympy.expand(quotients + rest // period)


def by_parity(table: Mapping[int, sympy.Expr]) -> sympy.Expr:
    """One expression for a table by the residue of p: plain if all agree, else piecewise.

    Examples
    --------
    >>> by_parity({0: p_ / 2, 1: (p_ - 1) / 2})
    Piecewise((p/2, Eq(Mod(p, 2), 0)), (p/2 - 1/2, True))
    """
    period = len(table)
    if len(set(table.values())) == 1:
        return table[0]
    cases = [(table[a], sympy.Eq(sympy.Mod(p_, period), a)) for a in range(period - 1)]
    return sympy.Piecewise(*cases, (table[period - 1], True))


def readable(form: sympy.Expr) -> str:
    """An expression as a person would type it.

    Examples
    --------
    >>> readable(5 * p_**2 / 4 - p_)
    '5p²/4 − p'
    """
    powers = re.sub(r"\*\*([23])\b", lambda found: "²³"[int(found[1]) - 2], str(form))
    return re.sub(r"(\d)\*(?=[a-zA-Z(])", r"\1", powers).replace(" - ", " − ")


def in_words(table: Mapping[int, sympy.Expr]) -> str:
    """A table by the residue of p as one line of text.

    Examples
    --------
    >>> in_words({0: p_ / 2, 1: (p_ - 1) / 2})
    'p/2 for even p, p/2 − 1/2 for odd p'
    """
    if len(set(table.values())) == 1:
        return readable(table[0])
    names = {0: "even p", 1: "odd p"} if len(table) == 2 else {}
    cases = (
        f"{readable(form)} for {names.get(a, f'p ≡ {a} mod {len(table)}')}"
        for a, form in table.items()
    )
    return ", ".join(cases)
