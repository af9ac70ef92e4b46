"""Laws of the proof kernel: what it expands or proves holds of numbers and of real vectors."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.kernel import Operator, Vector, dot, square, vectors
from theory.kernel.lemmas import CAUCHY_SCHWARZ, YOUNG
from theory.kernel.normal import is_zero
from theory.kernel.signs import nonnegative
from theory.kernel.vectors import ZERO, Gram
from theory.verdicts import Verdict

NAMES = ("u", "v", "w")
NUMBERS = st.integers(-4, 4)
FACTORS = st.lists(NUMBERS, min_size=3, max_size=3)
PLACES = st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=3, max_size=3)
x, y = sympy.symbols("x y", positive=True)
POLYNOMIALS = st.lists(st.tuples(NUMBERS, st.integers(-2, 3), st.integers(-2, 3)), max_size=5)


def combination(factors: list[int]) -> Vector:
    return reduce(add, (c * one for c, one in zip(factors, vectors("u v w"), strict=True)), ZERO)


def coordinates(factors: list[int], places: list[list[int]]) -> list[int]:
    """A combination of real vectors, number by number."""
    named = list(zip(factors, places, strict=True))
    return [sum(c * place[axis] for c, place in named) for axis in range(3)]


def at(expression: Any, places: list[list[int]]) -> Any:
    """An expression over Gram entries, at real vectors."""
    where = dict(zip(NAMES, places, strict=True))
    values = {
        entry: sum(a * b for a, b in zip(*(where[name] for name in entry.names), strict=True))
        for entry in expression.atoms(Gram)
    }
    return expression.xreplace({entry: sympy.Integer(value) for entry, value in values.items()})


@settings(max_examples=30)
@given(FACTORS, FACTORS, PLACES)
def test_inner_products_are_those_of_real_vectors(
    one: list[int], other: list[int], places: list[list[int]]
) -> None:
    left, right = (
        [
            sum(c * place[axis] for c, place in zip(factors, places, strict=True))
            for axis in range(3)
        ]
        for factors in (one, other)
    )
    expected = sum(a * b for a, b in zip(left, right, strict=True))
    assert at(dot(combination(one), combination(other)), places) == expected


@given(PLACES, st.fractions(Fraction(1, 9), 9))
def test_lemmas_hold_of_real_vectors(places: list[list[int]], a: Fraction) -> None:
    number = sympy.Rational(a.numerator, a.denominator)
    young = YOUNG.goal.gap.subs(YOUNG.symbols[0], number)
    assert at(young, places) >= 0
    assert at(CAUCHY_SCHWARZ.goal.gap, places) >= 0


@given(FACTORS, FACTORS)
def test_mean_of_a_square_splits(one: list[int], other: list[int]) -> None:
    mean = Operator("E", ("u",))
    whole = mean.of(square(combination(one) + combination(other)))
    parts = [square(combination(one)), 2 * dot(combination(one), combination(other))]
    parts.append(square(combination(other)))
    assert is_zero(whole - sum(mean.of(part) for part in parts))


def polynomial(terms: list[tuple[int, int, int]]) -> Any:
    return sympy.Add(*(c * x**i * y**j for c, i, j in terms))


@given(POLYNOMIALS, POLYNOMIALS)
def test_zero_is_what_expands_to_zero(
    one: list[tuple[int, int, int]], other: list[tuple[int, int, int]]
) -> None:
    left, right = polynomial(one), polynomial(other)
    product = sum(
        (a * b * x ** (i + k) * y ** (j + n) for a, i, j in one for b, k, n in other),
        start=sympy.S.Zero,
    )
    assert is_zero(left * right - product)
    same = sympy.expand((left - right) * x**2 * y**2) == 0
    assert is_zero(left - right) == same


@given(POLYNOMIALS, st.fractions(Fraction(1, 9), 9), st.fractions(Fraction(1, 9), 9))
def test_what_is_proved_nonnegative_is(
    terms: list[tuple[int, int, int]], one: Fraction, other: Fraction
) -> None:
    form = polynomial(terms)
    place = {x: sympy.Rational(one), y: sympy.Rational(other)}
    if nonnegative(form).verdict is Verdict.PROVED:
        assert form.subs(place) >= 0
    if nonnegative(form, strict=True).verdict is Verdict.PROVED:
        assert form.subs(place) > 0
