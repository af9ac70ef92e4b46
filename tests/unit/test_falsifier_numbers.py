"""Certified values of bounds, and how numbers are written."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from theory.errors import UnsupportedFormError
from theory.falsifier.compare import attained, certified, exceeds, quick, value_in_words
from theory.falsifier.numbers import Enclosure, Number, Root, decimal, written

ONE = Fraction(1)
NUMBERS: dict[str, Number] = {
    "x": Fraction(2),
    "r": Root(Fraction(2)),
    "e": Enclosure(Fraction(1), Fraction(2)),
    "z": Fraction(0),
}
X, R, E, Z = sympy.symbols("x r e z")


def test_certified_values() -> None:
    assert not exceeds(Root(Fraction(2)), sympy.sqrt(X), NUMBERS)
    assert exceeds(Root(Fraction(2)), sympy.sqrt(X) - sympy.Rational(1, 10**40), NUMBERS)
    assert exceeds(Fraction(3), sympy.Max(X, E), NUMBERS)
    assert not exceeds(Fraction(2), sympy.Max(X, E), NUMBERS)
    assert exceeds(Fraction(2), sympy.Min(X, R), NUMBERS)
    assert exceeds(Fraction(1), X ** -sympy.Rational(1, 2), NUMBERS)
    assert exceeds(Fraction(2), X ** sympy.Rational(2, 3), NUMBERS)
    assert not exceeds(Fraction(1), Z ** sympy.Rational(2, 3) + 1, NUMBERS)
    assert attained(Root(Fraction(8)), 2 * R, NUMBERS)
    assert not attained(Enclosure(ONE, ONE), Z, NUMBERS)
    assert value_in_words(X + R, NUMBERS) == "sqrt(2) + 2"
    with pytest.raises(UnsupportedFormError, match="a bound is made of"):
        certified(sympy.sin(X), NUMBERS)
    with pytest.raises(ZeroDivisionError):
        certified(1 / Z, NUMBERS)


def test_quick_values_are_not_numbers_outside_the_domain() -> None:
    assert quick(X**R)(NUMBERS) == pytest.approx(2 ** (2**0.5))
    for bad in (1 / Z, sympy.sqrt(Z - X), sympy.log(Z)):
        assert quick(bad)(NUMBERS) != quick(bad)(NUMBERS)  # NaN


def test_written_numbers() -> None:
    assert written(Root(Fraction(3, 4))) == "sqrt(3)/2"
    assert written(Enclosure(Fraction(1, 3), Fraction(2, 3))) == (
        "[0.333333333333333, 0.666666666666667]"
    )
    assert Fraction(decimal(Fraction(1, 3), up=False)) < Fraction(1, 3)
    assert Fraction(decimal(Fraction(1, 3), up=True)) > Fraction(1, 3)
    assert written(Root(Fraction(1, 7**90))).startswith("the root of [")
