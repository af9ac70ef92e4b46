"""`Residues`: exact evidence that an expression is not identically zero, without expanding it.

Symbols become positive whole numbers, and everything is computed modulo a prime. That respects
sums, products and powers wherever no denominator becomes 0, so what vanishes identically has the
residue 0, and another residue shows that it does not. The residue 0 shows nothing.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel.vectors import Scalar

SMALL: Final = (2, 3, 5, 7, 11, 13)
PRIME: Final = 2305843009213423679
"""One less than a multiple of 8 and of these: so each is a square, and roots of products are
products of roots."""
DEGREE: Final = 12
"""Every symbol is such a power of a whole number, so that it has roots of smaller degrees."""


class Residues:
    """Residues of expressions at one point; what they have in common is computed once.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", positive=True)
    >>> at = Residues()
    >>> at.differ((x + y) ** 2, x**2 + y**2), at.differ((x + y) ** 2, x**2 + 2 * x * y + y**2)
    (True, False)
    >>> at.differ(sympy.sqrt(2 * x) * y, sympy.sqrt(x) * x)
    True
    """

    def __init__(self) -> None:
        self._known: dict[Scalar, int | None] = {}
        self._roots: dict[Scalar, int] = {}

    def differ(self, one: Scalar, other: Scalar) -> bool:
        """Whether two expressions are shown to be different functions of their atoms."""
        left, right = self.of(one), self.of(other)
        return left is not None and right is not None and left != right

    def of(self, form: Scalar) -> int | None:
        """The residue; None where it is not defined, or not found."""
        if form not in self._known:
            self._known[form] = self._computed(form)
        return self._known[form]

    def _computed(self, form: Scalar) -> int | None:
        if form.is_Rational:
            below = int(form.q) % PRIME
            return int(form.p) * pow(below, -1, PRIME) % PRIME if below else None
        if form.is_Add or form.is_Mul:
            return self._joined(form)
        if form.is_Pow:
            return self._power(form.base, form.exp)
        if form.is_Symbol:
            return pow(self._root(form), DEGREE, PRIME) if _is_free(form) else None
        fresh = sympy.expand(form)  # else two atoms may be one, written in two ways
        return pow(self._root(form), DEGREE, PRIME) if fresh == form else self.of(fresh)

    def _joined(self, form: Scalar) -> int | None:
        total = 0 if form.is_Add else 1
        for part in form.args:
            value = self.of(part)
            if value is None:
                return None
            total = (total + value if form.is_Add else total * value) % PRIME
        return total

    def _power(self, base: Scalar, exponent: Scalar) -> int | None:
        number = self._exponent(exponent)
        if number is None:
            return None
        if number.is_Integer:
            below, power = self.of(base), int(number)
        elif base.is_Symbol and _is_free(base) and (number * DEGREE).is_Integer:
            below, power = self._root(base), int(number * DEGREE)
        elif (number * 2).is_Integer and _is_smooth(base):
            below, power = self.of(base), int(number * 2) * (PRIME + 1) // 4
        else:
            return None
        return None if below is None or not (below or power > 0) else pow(below, power, PRIME)

    def _exponent(self, form: Scalar) -> Scalar | None:
        """The exact value of an exponent at the point."""
        symbols = form.free_symbols
        if not all(map(_is_free, symbols)) or not form.is_polynomial(*symbols):
            return None
        number = form.xreplace({one: sympy.Integer(self._root(one) ** DEGREE) for one in symbols})
        return number if number.is_Rational else None

    def _root(self, atom: Scalar) -> int:
        return self._roots.setdefault(atom, 2 * len(self._roots) + 3)


def _is_free(symbol: Scalar) -> bool:
    """Whether a symbol may be any positive whole number."""
    return symbol.is_positive is not False and symbol.is_even is None


def _is_smooth(base: Scalar) -> bool:
    """Whether a number is positive, and a product of powers of the small primes."""
    if not base.is_Rational or not base.is_positive:
        return False
    rest = int(base.p) * int(base.q)
    for prime in SMALL:
        while rest % prime == 0:
            rest //= prime
    return rest == 1
