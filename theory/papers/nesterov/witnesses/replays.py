"""Formulas of the kernel at numbers: both sides of an inequality on one exact run on a line."""

from collections.abc import Mapping
from fractions import Fraction

import sympy

from theory.errors import UndeclaredSymbolError
from theory.kernel.vectors import Gram, Scalar


def at_numbers(
    form: Scalar, line: Mapping[str, Fraction], numbers: Mapping[Scalar, Fraction]
) -> Fraction:
    """A formula with numbers for its vectors and its symbols.

    Parameters
    ----------
    form : sympy expression
    line : mapping of str to Fraction
        Numbers for the names of vectors.
    numbers : mapping of sympy symbol to Fraction

    Raises
    ------
    UndeclaredSymbolError
        Something has no number.

    Examples
    --------
    >>> from theory.kernel import vectors
    >>> u, v = vectors("u v")
    >>> at_numbers((u - v) ** 2, {"u": Fraction(1, 2), "v": Fraction(2)}, {})
    Fraction(9, 4)
    """
    entries = form.atoms(Gram)
    absent = {name for entry in entries for name in entry.names} - set(line)
    absent |= {symbol.name for symbol in form.free_symbols - set(numbers)}
    if absent:
        raise UndeclaredSymbolError(
            f"every name has a number, found none for {min(absent)!r}", "replay", "give it one"
        )
    products = {
        entry: _rational(line[one]) * _rational(line[other])
        for entry in entries
        for one, other in [entry.names]
    }
    exact = form.xreplace(products).subs({s: _rational(number) for s, number in numbers.items()})
    return Fraction(int(exact.p), int(exact.q))


def _rational(number: Fraction) -> sympy.Rational:
    return sympy.Rational(number.numerator, number.denominator)
