"""The triangle inequality as a rule: what it gives, and what it must not."""

from __future__ import annotations

import pytest
import sympy

from theory.kernel import Combine, Relation, Theorem, Triangle, dot, eq, le, prove, square, vectors
from theory.kernel.lemmas import TRIANGLE
from theory.kernel.means import Average, Operator
from theory.kernel.rules import Schwarz
from theory.kernel.signs import nonnegative, undefined
from theory.kernel.theorem import Given
from theory.kernel.vectors import Vector
from theory.verdicts import Verdict

a, b = sympy.symbols("a b", nonnegative=True)
r = sympy.Symbol("r", real=True)
u, v = vectors("u v")
ONE = sympy.Integer(1)

FACTS = {
    "first": le(square(u), a**2),
    "second": le(square(v), b**2),
    "exact": eq(square(v), b**2),
    "with a sign": le(square(v), r**2),
    "sign": le(0, r),
    "other way": le(b**2, square(v)),
}
HERE = Theorem("test.norms", "here", "0 ≤ 0.", "0", (a, b, r), ONE * 0, {"0": ONE * 0}, Combine(),
               vectors=(u, v))  # fmt: skip


def accepts(rule: Triangle | Schwarz, goal: Relation) -> bool:
    return rule.check(goal, Given(HERE, FACTS)).verdict is Verdict.PROVED


def parts(*second: tuple[str, sympy.Expr, Vector, sympy.Expr]) -> Triangle:
    return Triangle((("first", ONE, u, a), *second))


def test_the_lemma_holds() -> None:
    assert prove(TRIANGLE).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("rule", "goal"),
    [
        (parts(), le(square(u), a**2)),
        (parts(("second", ONE, v, b)), le(square(u + v), (a + b) ** 2)),
        (parts(("exact", 2 * a, -v, b)), le(square(u - 2 * a * v), (a + 2 * a * b) ** 2)),
        (
            Triangle((("first", ONE, u, a), ("with a sign", ONE, v, r)), ("sign",)),
            le(square(u + v), (a + r) ** 2),
        ),
    ],
    ids=str,
)
def test_sums_of_vectors(rule: Triangle, goal: Relation) -> None:
    assert accepts(rule, goal)


@pytest.mark.parametrize(
    ("rule", "goal"),
    [
        # not the sum of these lengths
        (parts(("second", ONE, v, b)), le(square(u + v), a**2 + b**2)),
        (parts(("second", ONE, v, b)), le(square(u + v), (a - b) ** 2)),
        (parts(("second", ONE, v, b)), le(square(u + 2 * v), (a + b) ** 2)),
        (parts(("second", ONE, v, b)), eq(square(u + v), (a + b) ** 2)),
        (parts(("second", ONE, v, b)), le((a + b) ** 2, square(u + v))),
        # a size or a factor that may be negative: with r = −a the bound would be 0
        (parts(("with a sign", ONE, v, r)), le(square(u + v), (a + r) ** 2)),
        (parts(("second", -ONE, v, b)), le(square(u - v), (a - b) ** 2)),
        (parts(("second", ONE, v, -b)), le(square(u + v), (a - b) ** 2)),
        # no such fact, or one that bounds something else
        (parts(("absent", ONE, v, b)), le(square(u + v), (a + b) ** 2)),
        (parts(("second", ONE, u, b)), le(square(2 * u), (a + b) ** 2)),
        (parts(("second", ONE, v, b / 2)), le(square(u + v), (a + b / 2) ** 2)),
        (parts(("other way", ONE, v, b)), le(square(u + v), (a + b) ** 2)),
    ],
    ids=str,
)
def test_what_does_not_follow(rule: Triangle, goal: Relation) -> None:
    assert not accepts(rule, goal)


E, AVG = Operator("E", ("u", "v")), Average("avg", ("u",))
q, t = sympy.symbols("q t", real=True)
OF = Operator("E", ("q", "t"))


@pytest.mark.parametrize(
    ("rule", "goal"),
    [
        (Schwarz(u, v), le(dot(u, v) ** 2, square(u) * square(v))),
        (Schwarz(u - v, v, E), le(E.of(dot(u - v, v)) ** 2, E.of(square(u - v)) * E.of(square(v)))),
        (Schwarz(u, v, AVG), le(AVG.of(dot(u, v)) ** 2, AVG.of(square(u)) * square(v))),
        (Schwarz(q, t, OF), le(OF.of(q * t) ** 2, OF.of(q**2) * OF.of(t**2))),
        (Schwarz(q, ONE, OF), le(OF.of(q) ** 2, OF.of(q**2))),
    ],
    ids=str,
)
def test_cauchy_and_schwarz(rule: Schwarz, goal: Relation) -> None:
    assert accepts(rule, goal)
    assert not accepts(rule, Relation(goal.rhs, "<=", goal.lhs))
    assert not accepts(rule, Relation(goal.lhs, "==", goal.rhs))
    assert not accepts(rule, Relation(2 * goal.lhs, "<=", goal.rhs))


@pytest.mark.parametrize(
    ("rule", "goal"),
    [
        # the mean of a square is not the square of a mean
        (Schwarz(u, v, E), le(E.of(dot(u, v) ** 2), E.of(square(u)) * E.of(square(v)))),
        (Schwarz(u, v, E), le(E.of(dot(u, v)) ** 2, square(u) * square(v))),
        (Schwarz(u, v), le(dot(u, v), square(u) * square(v))),
        (Schwarz(u, ONE), le(square(u), square(u))),  # a vector times a number
        (Schwarz(u * sympy.sqrt(q), v), le(q * dot(u, v) ** 2, q * square(u) * square(v))),
    ],
    ids=str,
)
def test_what_is_not_theirs(rule: Schwarz, goal: Relation) -> None:
    assert not accepts(rule, goal)


def test_a_squared_norm_is_at_least_0_and_may_be_0() -> None:
    for form in (square(u - v), 2 * square(u - a * v)):
        assert nonnegative(form).verdict is Verdict.PROVED
        assert nonnegative(form, strict=True).verdict is Verdict.UNKNOWN
        assert undefined(sympy.sqrt(form)) == ""
        assert undefined(1 / sympy.sqrt(form)) != ""
    for form in (square(u) - square(v), square(u - v) - square(u), -square(u - v)):
        assert nonnegative(form).verdict is Verdict.UNKNOWN


def test_a_mean_of_another_kind_is_refused() -> None:
    class Any(Operator):
        pass

    rule = Schwarz(u, v, Any("E", ("u", "v")))
    assert not accepts(rule, rule.stated())


def test_no_parts_give_zero_only() -> None:
    assert accepts(Triangle(()), le(0, 0))
    assert not accepts(Triangle(()), le(square(u), 0))
