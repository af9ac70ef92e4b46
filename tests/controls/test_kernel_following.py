"""What a sequence is the mean of in iteration k + 1: only what is followed, or fixed, is known."""

from __future__ import annotations

import pytest
import sympy

from theory.errors import TheoryError
from theory.kernel import (
    Average,
    Combine,
    Everywhere,
    Expect,
    Hypothesis,
    Operator,
    Step,
    Theorem,
    Total,
    dot,
    eq,
    le,
    point,
    prove,
    square,
    vector,
)
from theory.kernel.vectors import Point, Scalar, Vector
from theory.verdicts import Verdict

X = point("x")
NEXT = Point(vector("x⁺"), sympy.Symbol("f(x⁺)", real=True), vector("∇f(x⁺)"))
OTHER = point("y")
a, d = vector("a"), vector("d")
s = sympy.Symbol("s", nonnegative=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
A = sympy.Function("A", real=True)


def unchanged(
    now: Scalar,
    then: Scalar,
    fixed: tuple[Vector, ...] = (),
    points: tuple[Point, ...] = (),
    after: Point = NEXT,
    more: tuple[Vector, ...] = (),
) -> Verdict:
    """Whether A(k + 1) = A(k) is proved where A is the mean of `now` and `then` equals it."""
    theorem = Theorem(
        id="unchanged",
        where="ours",
        statement="A(1) is A(0).",
        latex="",
        symbols=(),
        scalars=(s,),
        vectors=(a, d, *more),
        points=(X, after, OTHER, *points),
        sequences={A: now},
        following=((X, after),),
        fixed=fixed,
        hypotheses=(Hypothesis("same", "it has not changed", eq(then, now)),),
        steps=(
            Step("again", eq(then, now), Combine({"same": 1})),
            Step("next", eq(A(k + 1), A(k)), Total("again", k)),
        ),
        lhs=A(1),
        terms={"before": A(0)},
        kind="==",
        conclude=Everywhere("next", {k: sympy.Integer(0)}),
    )
    return prove(theorem).verdict


def test_what_is_followed_has_a_next_mean() -> None:
    assert unchanged(X.value, NEXT.value) is Verdict.PROVED
    assert unchanged(square(X.gradient), square(NEXT.gradient)) is Verdict.PROVED
    both = dot(X.gradient, X.position), dot(NEXT.gradient, NEXT.position)
    assert unchanged(*both) is Verdict.PROVED


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (s * X.value, s * NEXT.value),
        (X.value + s, NEXT.value + s),
        (dot(a, X.position), dot(a, NEXT.position)),
        (square(X.position - d), square(NEXT.position - d)),
        (dot(OTHER.gradient, X.gradient), dot(OTHER.gradient, NEXT.gradient)),
        (X.value - OTHER.value, NEXT.value - OTHER.value),
    ],
)
def test_what_may_be_another_one_has_none(now: Scalar, then: Scalar) -> None:
    """With s(0) = 0, s(1) = 1 and f = 1 the mean of s·f goes from 0 to 1, and so do the others."""
    assert unchanged(now, then) is Verdict.UNKNOWN


@pytest.mark.parametrize("factor", [1, 2, -1])
def test_a_point_at_twice_the_iterate_does_not_say_where_the_iterate_is(factor: int) -> None:
    """With x⁺ = x/2 the mean of ‖x‖² is a quarter in the next iteration: ‖2x⁺‖² is not its name."""
    at = [factor * one.position for one in (X, NEXT)]
    names = [vector("∇f(at)"), vector("∇f(at⁺)")]
    values = sympy.symbols("f(at) f(at⁺)", real=True)
    points = tuple(map(Point, at, values, names)) if factor != 1 else ()
    now, then = square(X.position), square(NEXT.position)
    assert unchanged(now, then, points=points) is Verdict.PROVED
    if factor == 2:
        assert unchanged(now, 4 * then, points=points) is Verdict.UNKNOWN
    if points:
        assert unchanged(values[0], values[1], points=points) is Verdict.PROVED


def test_a_fixed_vector_is_the_same_in_every_iteration() -> None:
    assert unchanged(dot(a, X.position), dot(a, NEXT.position), fixed=(a,)) is Verdict.PROVED
    assert unchanged(dot(a, X.position), dot(a, NEXT.position), fixed=(d,)) is Verdict.UNKNOWN


def test_a_fixed_vector_may_be_part_of_a_step() -> None:
    """x⁺ = x + a: ‖x⁺ − a‖² is ‖x‖², and ‖x − a‖² is another number."""
    there = Point(X.position + a, NEXT.value, NEXT.gradient)
    away, next_away = square(X.position - a), square(there.position - a)
    assert unchanged(away, next_away, fixed=(a,), after=there) is Verdict.PROVED
    assert unchanged(away, square(there.position), fixed=(a,), after=there) is Verdict.UNKNOWN


@pytest.mark.parametrize("wrong", [vector("b"), X.position, NEXT.gradient, a + d, 2 * a])
def test_what_moves_or_is_not_declared_is_not_fixed(wrong: Vector) -> None:
    with pytest.raises(
        TheoryError, match="the same in every iteration is a vector that is declared"
    ):
        unchanged(X.value, NEXT.value, fixed=(wrong,))


@pytest.mark.parametrize("moves", [X.position, X.gradient, NEXT.gradient])
def test_what_moves_is_not_fixed_though_it_is_declared(moves: Vector) -> None:
    with pytest.raises(TheoryError, match="does not move"):
        unchanged(X.value, NEXT.value, fixed=(moves,), more=(moves,))


@pytest.mark.parametrize("other", [False, True])
def test_points_move_by_the_index_of_the_rules(other: bool) -> None:
    """x⁺ = x/(k + 1) gives ‖x_1‖⁴ = ‖x_0‖²‖x_2‖² where k is one number, and not along k."""
    j = sympy.Symbol("j", integer=True, nonnegative=True)
    along = j if other else k
    there = Point(X.position / (k + 1), NEXT.value, NEXT.gradient)
    said = eq(square(X.position), (k + 1) ** 2 * square(there.position))

    def made() -> Theorem:
        return Theorem(
            id="moves",
            where="ours",
            statement="‖x‖² in the next iteration.",
            latex="",
            symbols=(),
            indices=(k,),
            points=(X, there),
            sequences={A: square(X.position)},
            following=((X, there),),
            steps=(Step("here", said, Combine()),),
            lhs=A(along),
            terms={"then": (k + 1) ** 2 * A(along + 1)},
            kind="==",
            conclude=Total("here", along),
        )

    if other:
        with pytest.raises(TheoryError, match="one index of iterations, found j, k"):
            made()
    else:
        assert prove(made()).verdict is Verdict.PROVED


G, U = vector("g"), vector("u")
DRAWN = Point(G, sympy.Symbol("f(g)", real=True), vector("∇f(g)"))
B = sympy.Function("B", real=True)
OF_X = ("x", "f(x)", "∇f(x)")
OF_BOTH = (*OF_X, "g", "f(g)", "∇f(g)")


def replaced(now: Operator, more: Operator) -> Theorem:
    """From ⟨x, u⟩ and ⟨g, u⟩ of mean 0 and x⁺ = g: the mean of what F says of x⁺ is 0 as well."""
    return Theorem(
        id="replaced",
        where="ours",
        statement="",
        latex="",
        symbols=(),
        points=(X, DRAWN),
        vectors=(G, U),
        fixed=(U,),
        following=((X, DRAWN),),
        sequences={A: now.of(dot(X.position, U)) ** 2, B: more.of(dot(G, U)) ** 2},
        hypotheses=(
            Hypothesis("x", "x has mean 0", eq(now.of(dot(X.position, U)), 0)),
            Hypothesis("g", "something is known of g", le(more.of(dot(G, U)) ** 2, 1)),
        ),
        steps=(
            Step("square", eq(0, 0), Combine()),
            Step("same", eq(A(k + 1), B(k)), Total("square", k)),
        ),
        lhs=A(k + 1),
        terms={"before": B(k)},
        kind="==",
        conclude=Combine({"same": 1}),
    )


def test_a_mean_given_what_is_known_is_another_one_in_the_next_iteration() -> None:
    """s_k = ±1 is known in iteration k, and g_k = s_k: x_k has mean 0 then, not x_{k+1}."""
    mean = Operator("E", OF_BOTH)
    assert prove(replaced(mean, mean)).verdict is Verdict.UNKNOWN
    average = Average("avg", OF_BOTH)
    assert prove(replaced(average, average)).verdict is Verdict.PROVED


@pytest.mark.parametrize("kind", [Operator, Average])
def test_a_mean_has_what_follows_among_what_is_random_to_it(kind: type[Operator]) -> None:
    """‖x_1‖² = ‖g_1‖² = 2 and x_2 = g_2 = 0 are 1 on average, and no worker's is."""
    with pytest.raises(TheoryError, match="g is random to E elsewhere, and is not listed so"):
        replaced(kind("E", OF_X), kind("E", OF_BOTH))


@pytest.mark.parametrize("whole", [False, True])
def test_a_sequence_is_one_for_all_that_an_average_is_over(whole: bool) -> None:
    """Of g = (0, 2) and y = g each ‖g‖² is D = ‖y‖², and avg ‖g‖² = 2 is above the first D."""
    average = Average("avg", ("a", "d"))
    sequences = {A: average.of(square(d)) if whole else square(d)}

    def made() -> Theorem:
        return Theorem(
            id="for-each",
            where="ours",
            statement="",
            latex="",
            symbols=(),
            vectors=(a, d),
            sequences=sequences,
            hypotheses=(Hypothesis("below", "", le(square(a), A(k))),),
            lhs=average.of(square(a)),
            terms={"D": A(k)},
            conclude=Expect("below", average),
        )

    if whole:
        assert prove(made()).verdict is Verdict.PROVED
        return
    with pytest.raises(TheoryError, match="A is another one for each that avg is over"):
        made()
