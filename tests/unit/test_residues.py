"""Residues never tell equal expressions apart, and do so with nearly all others."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from theory.kernel.normal import is_zero
from theory.kernel.residues import PRIME, SMALL, Residues
from theory.kernel.vectors import dot, vectors

x, y = sympy.symbols("x y", positive=True)
n = sympy.Symbol("n", integer=True, nonnegative=True)
a = sympy.Function("a", real=True)
u, v = vectors("u v")

leaves = st.sampled_from(
    [x, y, n, a(n), a(n + 1), dot(u, v), sympy.sqrt(x), sympy.sqrt(2), sympy.sqrt(6), x**n]
) | st.integers(-3, 3).map(sympy.Integer)
expressions = st.recursive(
    leaves,
    lambda inner: (
        st.tuples(inner, inner).map(lambda two: two[0] + two[1])
        | st.tuples(inner, inner).map(lambda two: two[0] * two[1])
        | st.tuples(inner, st.integers(1, 3)).map(lambda two: two[0] ** two[1])
    ),
    max_leaves=8,
)


@given(expressions)
def test_an_expression_is_not_told_apart_from_itself_expanded(form: sympy.Expr) -> None:
    at = Residues()
    assert not at.differ(form, sympy.expand(form))
    assert not at.differ(form, sympy.factor_terms(form))


@given(expressions)
def test_a_changed_number_is_told_apart(form: sympy.Expr) -> None:
    assert Residues().differ(form, form + 1)
    assert not is_zero(form - sympy.expand(form) - 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (sympy.sqrt(2) * sympy.sqrt(3), sympy.sqrt(6)),
        (sympy.sqrt(x * y), sympy.sqrt(x) * sympy.sqrt(y)),
        (sympy.sqrt(x**3), x * sympy.sqrt(x)),
        (sympy.sqrt(sympy.Rational(1, 6)), sympy.sqrt(6) / 6),
        (x ** (n + 1), x * x**n),
        (a(2 * (n + 1)), a(2 * n + 2)),
        (sympy.sqrt((x - y) ** 2), sympy.Abs(x - y)),
        (sympy.sqrt((x + 1) * (y + 1)), sympy.sqrt(x + 1) * sympy.sqrt(y + 1)),
        (sympy.sqrt(17 * 19) * sympy.sqrt(17 * 23), 17 * sympy.sqrt(19 * 23)),
    ],
)
def test_roots_and_powers_written_in_two_ways(one: sympy.Expr, other: sympy.Expr) -> None:
    assert not Residues().differ(one, other)


def test_what_is_not_defined_or_not_free_shows_nothing() -> None:
    even = sympy.Symbol("e", even=True)
    assert Residues().of(even) is None
    assert Residues().of(sympy.sqrt(x + y)) is None
    assert Residues().of(sympy.Rational(1, PRIME)) is None
    assert Residues().of(x ** (2**n)) is None


def test_the_prime_is_what_it_is_said_to_be() -> None:
    assert sympy.isprime(PRIME)
    assert (PRIME + 1) % (8 * sympy.prod(SMALL[1:])) == 0
    assert all(pow(small, (PRIME - 1) // 2, PRIME) == 1 for small in SMALL)
