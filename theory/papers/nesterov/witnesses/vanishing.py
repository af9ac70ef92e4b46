"""Rates of convergence as formulas in t: which of them tend to 0, and which is the slower one.

Only sums, products, rational powers and logarithms of t and of rational numbers are read. Each is
about c t^a (ln t)^b (ln ln t)^d for large t, with c ≠ 0 and rational a, b, d; all is decided by c
and by (a, b, d), in lexicographic order. What is not read is no rate, and nothing is said of it.
"""

from dataclasses import dataclass
from functools import reduce

import sympy

from theory.papers.nesterov.symbols import t

_LARGEST_POWER = 100
"""Exponents beyond are not read: a number to such a power may be too long to be written."""


@dataclass(frozen=True)
class Leading:
    """What a formula is about for large t: factor · t^a (ln t)^b (ln ln t)^d.

    Attributes
    ----------
    factor : sympy expression
        c, a real number that is not 0.
    powers : tuple of three sympy rationals
        (a, b, d).
    """

    factor: sympy.Expr
    powers: tuple[sympy.Rational, sympy.Rational, sympy.Rational]


_ZERO = sympy.S.Zero
_NONE = (_ZERO, _ZERO, _ZERO)


def leading(form: sympy.Expr) -> Leading | None:
    """What it is about for large t, or None if that is not read.

    Examples
    --------
    >>> leading(sympy.log(3 * t**2 + 1) / (2 * t) + 1 / t)
    Leading(factor=1, powers=(-1, 1, 0))
    >>> leading(sympy.sin(t)) is None, leading(t - sympy.sqrt(t**2 + 1)) is None
    (True, True)
    """
    if form == t:
        return Leading(sympy.S.One, (sympy.S.One, _ZERO, _ZERO))
    if form.is_Rational and form != 0:
        return Leading(form, _NONE)
    if form.is_Add or form.is_Mul:
        parts = [leading(part) for part in form.args]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return _sum(known) if form.is_Add else reduce(_product, known)
    if form.is_Pow and form.exp.is_Rational:
        return _power(leading(form.base), form.exp)
    return _logarithm(leading(form.args[0])) if isinstance(form, sympy.log) else None


def _known(factor: sympy.Expr, powers: tuple[sympy.Rational, ...]) -> Leading | None:
    """None where the factor is not seen to differ from 0."""
    sign = factor.is_positive or factor.is_negative
    return Leading(factor, (powers[0], powers[1], powers[2])) if sign else None


def _sum(parts: list[Leading]) -> Leading | None:
    """Its largest parts; they may cancel, and then nothing is known."""
    largest = max(part.powers for part in parts)
    return _known(sympy.Add(*(p.factor for p in parts if p.powers == largest)), largest)


def _product(one: Leading, other: Leading) -> Leading:
    added = [x + y for x, y in zip(one.powers, other.powers, strict=True)]
    return Leading(one.factor * other.factor, (added[0], added[1], added[2]))


def _power(of: Leading | None, exponent: sympy.Rational) -> Leading | None:
    """Roots are of what is positive."""
    if of is None or abs(exponent) > _LARGEST_POWER:
        return None
    if not (exponent.is_Integer or of.factor.is_positive):
        return None
    return _known(of.factor**exponent, tuple(power * exponent for power in of.powers))


def _logarithm(of: Leading | None) -> Leading | None:
    """ln(c t^a …) is about a ln t, or b ln ln t if a is 0, or ln c if all are 0."""
    if of is None or not of.factor.is_positive:
        return None
    a, b, d = of.powers
    if a:
        return Leading(a, (_ZERO, sympy.S.One, _ZERO))
    if b:
        return Leading(b, (_ZERO, _ZERO, sympy.S.One))
    return None if d else _known(sympy.log(of.factor), _NONE)


def is_rate(form: sympy.Expr) -> bool:
    """Whether it is read, and positive for large t.

    Examples
    --------
    >>> is_rate(1 / t), is_rate(sympy.log(t)), is_rate(-1 / t), is_rate(sympy.Symbol("C") / t)
    (True, True, False, False)
    """
    found = leading(sympy.sympify(form))
    return found is not None and bool(found.factor.is_positive)


def slower(one: sympy.Expr, other: sympy.Expr) -> bool:
    """Whether both are rates and other/one tends to 0: then O(one) says less than O(other).

    Examples
    --------
    >>> slower(sympy.log(t) / t, 1 / t), slower(1 / t, 3 / t), slower(1 / t, 1 / t**2)
    (True, False, True)
    """
    return is_rate(one) and is_rate(other) and _powers(other) < _powers(one)


def bounded_by(one: sympy.Expr, other: sympy.Expr) -> bool:
    """Whether both are rates and one/other stays bounded: then O(other) follows from O(one).

    Examples
    --------
    >>> bounded_by(1 / t, 3 / t), bounded_by(1 / t, 1 / t**2)
    (True, False)
    """
    return is_rate(one) and is_rate(other) and _powers(one) <= _powers(other)


def vanishes(form: sympy.Expr) -> bool:
    """Whether it is a rate that tends to 0.

    Examples
    --------
    >>> vanishes(1 / t), vanishes(t**0), vanishes(sympy.log(t) / t)
    (True, False, True)
    """
    return slower(sympy.S.One, form)


def _powers(form: sympy.Expr) -> tuple[sympy.Rational, ...]:
    found = leading(sympy.sympify(form))
    assert found is not None, "a rate is read"
    return found.powers
