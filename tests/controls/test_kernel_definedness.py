"""What is no real number, or not everywhere, must not be taken for one."""

from __future__ import annotations

import pytest
import sympy
from sympy import I, Sum, sqrt

from theory.errors import NotExactError, TheoryError
from theory.kernel import Operator, Relation, le, vectors
from theory.kernel.coefficients import no_negative_coefficient
from theory.kernel.normal import is_zero
from theory.kernel.signs import nonnegative, undefined
from theory.verdicts import Verdict

a, b = sympy.symbols("a b", positive=True)
h = sympy.Symbol("h", nonnegative=True)
r = sympy.Symbol("r", real=True)
c = sympy.Symbol("c")
K = sympy.Symbol("K", integer=True, positive=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
S = sympy.Function("S", nonnegative=True)
u, v = vectors("u v")


@pytest.mark.parametrize("factor", [I, 0.5, sqrt(-1) * a])
def test_vectors_have_exact_real_factors(factor: object) -> None:
    with pytest.raises(NotExactError, match="exact real factors"):
        v * factor


@pytest.mark.parametrize("one", [I, a + I, sympy.zoo, 1 / sympy.S.Zero, sympy.E, 0.1, "a"])
def test_relations_are_exact_and_real(one: object) -> None:
    for sides in ((one, 0), (0, one)):
        with pytest.raises(NotExactError):
            Relation(sides[0], "<=", sides[1])


@pytest.mark.parametrize("kind", [">=", "<", "!=", "", None])
def test_relations_are_of_two_kinds(kind: str) -> None:
    with pytest.raises(TheoryError, match="'<=' or '=='"):
        Relation(a, kind, b)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "total",
    [
        Sum(S(k), (k, 0, K - 1)),
        Sum(k**2, (k, -5, -1)),
        Sum(k, (k, 0, K)),
        Sum(S(k), (sympy.Symbol("j", integer=True), k, K - 1), (k, 0, K - 1)),
    ],
    ids=str,
)
def test_sums_of_nonnegative_terms_are_nonnegative(total: sympy.Expr) -> None:
    assert nonnegative(total).verdict is Verdict.PROVED


def test_sums_are_defined_where_they_run() -> None:
    assert undefined(Sum(sqrt(k - 3), (k, 3, K + 2))) == ""
    assert "k of the sum - 3 >= 0 is not shown" in undefined(Sum(sqrt(k - 3), (k, 2, K + 2)))


def test_expressions_that_print_alike_are_different() -> None:
    """Both symbols are printed x, and one is what the sum of two others is printed as."""
    one, other = sympy.Symbol("x", positive=True), sympy.Symbol("x", nonnegative=True)
    both = le(0, sqrt(one) + sqrt(other))
    assert nonnegative(other - one, [both]).verdict is Verdict.UNKNOWN
    name = sympy.Symbol("a + b", positive=True)
    assert nonnegative(sqrt(a + b) - sqrt(name)).verdict is Verdict.UNKNOWN
    alike = le(0, sqrt(name) + sqrt(a + b))
    assert nonnegative(a + b - name, [alike]).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "form",
    [
        sqrt(r**2) - r,
        sqrt((r - 1) ** 2) - (r - 1),
        sqrt(c**2) - c,
        sqrt(c * r) - sqrt(c) * sqrt(r),
        sqrt(-r) * sqrt(-r - 1) - sqrt(r * (r + 1)),
        sympy.cbrt(-8) + 2,
        sympy.cbrt(-a) + sympy.cbrt(a),
        (c**a) ** b - c ** (a * b),
        sqrt((r - 2) ** (2 * K)) - (r - 2) ** K,
        (-1) ** (2 * c) - 1,
    ],
    ids=str,
)
def test_roots_and_powers_are_not_confused(form: sympy.Expr) -> None:
    """Each differs from 0 somewhere: a root has one sign, and a power may have a negative base."""
    assert not is_zero(form)


@pytest.mark.parametrize(
    "one",
    [
        c,
        sympy.Function("F")(k),
        Sum(S(k), (k, 1, a)),
        a ** Sum(S(k), (k, 0, K - 1)),
        Operator("E", ("r",)).of(1 / r),
        h ** sympy.Symbol("n", integer=True),
        h**r,
    ],
    ids=str,
)
def test_what_is_not_shown_to_be_a_real_number(one: sympy.Expr) -> None:
    """A mean is over all outcomes, and the fact may be about one."""
    assert undefined(one, [le(1, r)]) != ""


def test_signs_at_a_glance() -> None:
    """A sum of positive terms is 0 where there are none."""
    total = Sum(S(k) + 1, (k, 0, K - 2))
    assert not no_negative_coefficient(1 / h)
    assert not no_negative_coefficient(sqrt(h + total), strict=True)
    assert no_negative_coefficient(1 / a)


def test_facts_count_once_they_are_defined() -> None:
    """Two facts that divide by each other's subject show nothing of either."""
    first, second = le(1 / r, h), le(a, r)
    assert undefined(1 / r, [first, second]) == ""
    assert undefined(1 / r, [first]) == "r != 0 is not shown"
    assert undefined(1 / r, [le(a, r + 0 / (1 + h)), le(1, 1 / h)]) == "h != 0 is not shown"


X, Y = sympy.symbols("x y", positive=True)
SIGNS = {
    "each factor": ((X - 1) * (Y - 1), (le(1, X), le(1, Y)), "factor by factor"),
    "one of the factors": ((X - 1) * (Y - 1), (le(1, X),), ""),
    "two negative factors": ((X - 1) * (Y - 1), (le(X, 1), le(Y, 1)), "z3 unsat"),
    "more than a fact": (X - Y + 1, (le(Y, X),), "no less than a fact says"),
    "twice a fact": (2 * X - 2 * Y, (le(Y, X),), "no less than a fact says"),
    "less than a fact": (X - Y - 1, (le(Y, X),), ""),
    "a fact that cannot be": (-X - 1, (le(X, -1),), ""),
}


@pytest.mark.parametrize(("form", "facts", "note"), SIGNS.values(), ids=SIGNS)
def test_signs_follow_from_factors_and_from_facts_that_can_be(
    form: sympy.Expr, facts: tuple[Relation, ...], note: str
) -> None:
    found = nonnegative(form, facts)
    assert (found.verdict.name, found.note if note else "") == (
        "PROVED" if note else "UNKNOWN",
        note,
    )
