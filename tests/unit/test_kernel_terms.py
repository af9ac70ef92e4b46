"""Vectors, means, relations, normal forms and signs of the proof kernel, against hand work."""

from __future__ import annotations

import pytest
import sympy

from theory.errors import NotExactError
from theory.kernel import Operator, dot, eq, ge, le, point, square, vectors
from theory.kernel.means import with_vectors
from theory.kernel.normal import is_zero, linear_sums
from theory.kernel.signs import nonnegative
from theory.kernel.vectors import ZERO
from theory.verdicts import Verdict

u, v, w = vectors("u v w")
x, y = sympy.symbols("x y", positive=True)
z = sympy.Symbol("z", real=True)
k, n = sympy.symbols("k n", integer=True, positive=True)
s = sympy.Function("s")


def test_inner_products_are_symmetric_and_bilinear() -> None:
    assert dot(u, v) == dot(v, u)
    assert is_zero(dot(2 * u - v / x, w) - 2 * dot(u, w) + dot(v, w) / x)
    assert square(u - u) == 0
    assert u - u == ZERO


def test_inner_products_have_signs() -> None:
    assert square(u).is_nonnegative
    assert dot(u, v).is_real
    assert dot(u, v).is_nonnegative is None


def test_names_are_not_free_symbols() -> None:
    """Else an operator that shifts a symbol would shift a vector's name."""
    assert dot(u, v).free_symbols == set()


def test_mean_is_linear_and_keeps_what_is_random() -> None:
    mean = Operator("E", ("v",))
    assert mean.of(x * dot(u, v) + 3) == x * mean.of(dot(u, v)) + 3
    assert mean.of(dot(u, w)) == dot(u, w)
    assert mean.of(square(v)) != square(v)
    assert mean.of(square(v)).is_nonnegative


def test_means_with_other_random_names_are_other_atoms() -> None:
    one, other = Operator("E", ("v",)), Operator("E", ("v", "u"))
    assert one.of(dot(u, v)) != other.of(dot(u, v))


def test_vectors_are_replaced_once() -> None:
    mean = Operator("E", ("v",)).of(dot(u, v))
    swapped = with_vectors(mean + dot(u, w), {"u": w, "w": u})
    assert is_zero(swapped - Operator("E", ("v",)).of(dot(w, v)) - dot(u, w))


def test_points() -> None:
    a, b = point("x"), point("x", "h")
    assert a.position == b.position
    assert a.gradient != b.gradient
    assert (a.function, b.function) == ("f", "h")


@pytest.mark.parametrize("bad", [0.5, sympy.pi, sympy.E, sympy.oo, sympy.nan, "x", x > 1, None])
def test_inexact_formulas_are_refused(bad: object) -> None:
    with pytest.raises(NotExactError):
        le(bad, 1)


def test_relations() -> None:
    assert ge(x, 1) == le(1, x)
    assert eq(x, 1).gap == 1 - x
    assert str(le(x, y)) == "x <= y"


ZEROS = [
    (x + y) ** 2 - x**2 - 2 * x * y - y**2,
    sympy.sqrt(x / y) * y - sympy.sqrt(x * y),
    (1 - x / y) ** (n + 1) - (1 - x / y) * (1 - x / y) ** n,
    sympy.sqrt(1 + x) ** 3 - (1 + x) * sympy.sqrt(1 + x),
    sympy.Sum(2 * s(k) + x, (k, 1, n)) - 2 * sympy.Sum(s(k), (k, 1, n)) - n * x,
    sympy.cbrt(x) ** 3 - x,
]


@pytest.mark.parametrize("form", ZEROS, ids=str)
def test_zero(form: sympy.Expr) -> None:
    assert is_zero(form)


@pytest.mark.parametrize("form", ZEROS, ids=str)
@pytest.mark.parametrize("change", [1, x, sympy.Rational(1, 10**9), s(k), sympy.sqrt(x)], ids=str)
def test_not_zero(form: sympy.Expr, change: sympy.Expr) -> None:
    assert not is_zero(form + change)


def test_sums_of_several_indices() -> None:
    i, j = sympy.symbols("i j", integer=True)
    double = sympy.Sum(3 * s(i) * x, (i, 1, n), (j, 1, 4))
    assert is_zero(double - 12 * x * sympy.Sum(s(i), (i, 1, n)))
    assert linear_sums(sympy.Sum(s(i), (i, 1, n))) == sympy.Sum(s(i), (i, 1, n))


@pytest.mark.parametrize(
    ("form", "facts", "strict"),
    [
        (x + y**2, (), True),
        (z**2, (), False),
        ((x - y) ** 2, (), False),
        (n - 1, (), False),
        (1 - 1 / n, (), False),
        (1 - x * y, (le(x, 1 / y),), False),
        (sympy.sqrt(x) - 1, (le(1, x),), False),
        (sympy.Sum(s(k) ** 2, (k, 1, n)), (), False),
    ],
    ids=str,
)
def test_signs(form: sympy.Expr, facts: tuple[object, ...], strict: bool) -> None:
    real = {s(k): sympy.Function("s", real=True)(k)}
    found = nonnegative(form.subs(real), facts, strict)  # type: ignore[arg-type]
    assert found.verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("form", "facts", "strict"),
    [
        (x - 1, (), False),
        (z, (), False),
        (z**3, (), False),
        (z**2, (), True),
        (-x, (), False),
        (n - 2, (), False),
        (1 - x * y, (le(x, 2 / y),), False),
        (sympy.Sum(s(k), (k, 1, n)), (), False),
        (z, (le(x, -1),), False),
    ],
    ids=str,
)
def test_signs_that_are_not_shown(
    form: sympy.Expr, facts: tuple[object, ...], strict: bool
) -> None:
    """The facts of the last one contradict the domain of x: nothing follows from that."""
    assert nonnegative(form, facts, strict).verdict is Verdict.UNKNOWN  # type: ignore[arg-type]
