"""Formulas as text: what the re-checker reads is what the kernel has."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy
from hypothesis import given
from hypothesis import strategies as st

from reports.recheck import Algebra, Parser
from theory.judging.expression_text import expression_text
from theory.kernel.means import Operator
from theory.kernel.vectors import dot, vectors

A, B = sympy.symbols("a β", positive=True)
C, D = sympy.Symbol("f(x)", real=True), sympy.Symbol('Sum"\\', real=True)
K = sympy.Symbol("K", integer=True, nonnegative=True)
J = sympy.Symbol("j", integer=True, nonnegative=True)
U, V = vectors("u ∇f(x)")
F = sympy.Function("nag drift", nonnegative=True)
MEAN = Operator("E_k", ("u", "f(x)"))
DOMAINS = {("name", "a"): "positive", ("name", "β"): "positive"}
DOMAINS |= {("name", "K"): "integer, nonnegative"}

atoms = st.one_of(
    st.sampled_from([A, B, C, D, K, F(K), F(K + 1), dot(U, V), dot(U, U), A**K, sympy.sqrt(B)]),
    st.fractions(-3, 3, max_denominator=4).map(
        lambda n: sympy.Rational(n.numerator, n.denominator)
    ),
)


def _joined(parts: Any) -> Any:
    return st.one_of(
        st.tuples(parts, parts).map(lambda pair: pair[0] + pair[1]),
        st.tuples(parts, parts).map(lambda pair: pair[0] * pair[1]),
        st.tuples(parts, st.integers(1, 3)).map(lambda pair: pair[0] ** pair[1]),
        parts.map(lambda part: part / (A + B**2)),
        parts.map(MEAN.of),
        parts.map(lambda part: sympy.Sum(part * F(J), (J, 0, K))),
        parts.map(lambda part: -part),
    )


expressions = st.recursive(atoms, _joined, max_leaves=6)


def _read(algebra: Algebra, expression: Any) -> Any:
    return algebra.form(Parser(expression_text(expression)).whole())


@given(expressions, expressions)
def test_sums_and_products_are_read_as_such(one: Any, other: Any) -> None:
    algebra = Algebra(dict(DOMAINS))
    left, right = _read(algebra, one), _read(algebra, other)
    assert algebra.zero(algebra.less(_read(algebra, one + other), algebra.add(left, right)))
    assert algebra.zero(algebra.less(_read(algebra, one * other), algebra.times(left, right)))
    assert algebra.zero(algebra.less(_read(algebra, sympy.expand(one)), left))


@given(expressions, st.fractions(-2, 2, max_denominator=3).filter(bool))
def test_what_differs_is_not_zero(one: Any, shift: Fraction) -> None:
    algebra = Algebra(dict(DOMAINS))
    number = sympy.Rational(shift.numerator, shift.denominator)
    assert not algebra.zero(algebra.less(_read(algebra, one + number), _read(algebra, one)))


polynomials = st.recursive(
    st.one_of(st.sampled_from([A, B, C]), st.integers(-3, 3).map(sympy.Integer)),
    lambda parts: st.one_of(
        st.tuples(parts, parts).map(lambda pair: pair[0] - 2 * pair[1]),
        st.tuples(parts, parts).map(lambda pair: pair[0] * pair[1]),
        parts.map(lambda part: part / (1 + A)),
    ),
)


@given(polynomials, st.tuples(*[st.fractions(1, 4, max_denominator=5)] * 3))
def test_values_agree_with_sympy(one: Any, point: tuple[Fraction, ...]) -> None:
    algebra = Algebra(dict(DOMAINS))
    form = _read(algebra, one)
    put = dict(zip((A, B, C), point, strict=True))
    wanted = one.subs({name: sympy.Rational(str(value)) for name, value in put.items()})
    values = {name.name: value for name, value in put.items()}
    assert _value(algebra, form, values) == Fraction(int(wanted.p), int(wanted.q))


def _value(algebra: Algebra, form: Any, values: dict[str, Fraction]) -> Fraction:
    total = Fraction(0)
    for term, factor in form.items():
        for atom, exponent in term:
            kind, inside = algebra.keys[atom][:2]
            base = values[inside] if kind == "name" else _value(algebra, dict(inside), values)
            factor *= base ** int(exponent)
        total += factor
    return total
