"""A false statement is not proved from hypotheses that only its proof shows to be impossible."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from theory.errors import VacuousError
from theory.kernel import (
    Combine,
    Descent,
    Elementary,
    Everywhere,
    Expect,
    Hypothesis,
    Induction,
    Operator,
    Point,
    Relation,
    Smooth,
    Step,
    Telescope,
    Theorem,
    descent,
    dot,
    eq,
    le,
    point,
    prove,
    square,
    vector,
    vectors,
)
from theory.verdicts import Verdict

L, W, a, gamma, mu, eps = sympy.symbols("L W a gamma mu epsilon", positive=True)
K = sympy.Symbol("K", integer=True, positive=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
A = sympy.Function("A", real=True)
B, G = (sympy.Function(name, nonnegative=True) for name in "BG")
nine, half = sympy.Integer(9), sympy.Rational(1, 2)
s, count = sympy.Symbol("s", positive=True), sympy.Symbol("count", integer=True, positive=True)
x, y = point("x"), point("y")
g, h, w = parts = vectors("g h w")
E = Operator("E", ("g", "h", "w"))


def theorem(lhs: Any, rhs: Any, conclude: Any, **parts: Any) -> Theorem:
    names: dict[str, Any] = {"id": "mine.one", "where": "here", "statement": "", "latex": ""}
    return Theorem(
        **{**names, "symbols": (), **parts}, lhs=lhs, terms={"right": rhs}, conclude=conclude
    )


def supposing(**relations: Relation) -> tuple[Hypothesis, ...]:
    return tuple(Hypothesis(name, name, relation) for name, relation in relations.items())


def rise(least: Any) -> Theorem:
    """From a stationary point f rises by at least `least`, and by L/2‖y − x‖² at most."""
    return theorem(
        least / L - sympy.Rational(1, 2),
        0,
        Combine(
            {"most": 1 / L, "least": 1 / L, "still": 1 / L, "apart": least / L - 1 / sympy.S(2)}
        ),
        symbols=(L,),
        points=(x, y),
        hypotheses=(
            Smooth("smooth", "f is L-smooth", L),
            *supposing(
                apart=le(1, square(y.position - x.position)),
                still=eq(dot(x.gradient, y.position - x.position), 0),
                least=le(x.value + least * square(y.position - x.position), y.value),
            ),
        ),
        steps=(Step("most", descent(L, x, y), Descent("smooth", x, y)),),
    )


def angles(product: sympy.Rational) -> Theorem:
    """Three unit vectors with the same mean product: it is at least −1/2."""
    one = sympy.Rational(1, 6)
    lengths = {f"length of {v}": eq(E.of(square(v)), 1) for v in parts}
    products = {f"{u}{v}": eq(E.of(dot(u, v)), product) for u, v in ((g, h), (h, w), (g, w))}
    return theorem(
        0,
        sympy.Rational(1, 2) + product,
        Combine({"mean": one} | dict.fromkeys(lengths, one) | dict.fromkeys(products, 2 * one)),
        vectors=parts,
        hypotheses=supposing(**lengths, **products),
        steps=(
            Step("square", le(0, square(g + h + w)), Combine(squares=((1, g + h + w),))),
            Step("mean", le(0, E.of(square(g + h + w))), Expect("square", E)),
        ),
    )


def one_value(below: int) -> Theorem:
    """Two values at one place; f has only one."""
    again = Point(x.position, sympy.Symbol("again", real=True), vector("∇f again"))
    return theorem(
        below,
        0,
        Combine({"below": 1, "same": 1}),
        symbols=(L,),
        points=(x, again),
        hypotheses=(
            Smooth("smooth", "f is L-smooth", L),
            *supposing(below=le(again.value, x.value - below)),
        ),
        steps=(Step("same", descent(L, again, x), Descent("smooth", again, x)),),
    )


def counted(most: Any, **more: Relation) -> Theorem:
    """A grows by 1 in every iteration, and is at most this; K of them make K."""
    return theorem(
        K,
        most.subs(k, K),
        Combine({"sum": -1, "at K": 1, "at 0": 1}),
        symbols=(W, K),
        indices=(k,),
        hypotheses=supposing(
            grows=eq(A(k + 1), A(k) + 1), least=le(0, A(k)), most=le(A(k), most), **more
        ),
        steps=(
            Step("sum", eq(A(K) - A(0), K), Telescope("grows", k, K)),
            Step("at K", le(A(K), most.subs(k, K)), Everywhere("most", {k: K})),
            Step("at 0", le(0, A(0)), Everywhere("least", {k: sympy.S.Zero})),
        ),
    )


def grown(ratio: Any, least: Any) -> Theorem:
    """A below −1 grows by a ratio, and is at least this."""
    return theorem(
        ratio**K + least,
        0,
        Combine({"far": 1, "at K": 1}),
        symbols=(a, W, K),
        hypotheses=supposing(
            grows=le(A(k + 1), ratio * A(k)), start=le(A(0), -1), least=le(least, A(k))
        ),
        steps=(
            Step("far", le(A(K), -(ratio**K)), Induction("grows", k, K, A, "start")),
            Step("at K", le(least, A(K)), Everywhere("least", {k: K})),
        ),
    )


def shrunk(least: Any) -> Theorem:
    """A shrinks by 1 − γμ in every iteration, and is at least this."""
    ratio = 1 - gamma * mu
    return theorem(
        least,
        W * ratio**K,
        Combine({"near": 1, "at K": 1}),
        symbols=(gamma, mu, W, eps, K),
        hypotheses=supposing(
            shrinks=le(A(k + 1), ratio * A(k)),
            start=le(A(0), W),
            step=le(gamma * mu, 1),
            least=le(least, A(k)),
        ),
        steps=(
            Step(
                "near",
                le(A(K), W * ratio**K),
                Induction("shrinks", k, K, A, "start", domain=("step",)),
            ),
            Step("at K", le(least, A(K)), Everywhere("least", {k: K})),
        ),
    )


def multiplied(one: Any, other: Any, least: int) -> Theorem:
    """Two powers that are at most 1, and so is their product, which sympy writes as one power."""
    real = sympy.Symbol("r", real=True)
    return theorem(
        real**2 * (least - 1),
        0,
        Combine({"one": real**2 * other, "other": real**2, "least": real**2}),
        symbols=(real, a, mu, K),
        hypotheses=supposing(one=le(one, 1), other=le(other, 1), least=le(least, one * other)),
    )


def at_one_index(most: Any) -> Theorem:
    return theorem(
        k,
        most,
        Combine({"is": -1, "most": 1}),
        symbols=(W,),
        indices=(k,),
        hypotheses=supposing(**{"is": eq(A(k), k), "most": le(A(k), most)}),
    )


def falling(by: Any, **more: Relation) -> Theorem:
    """F falls by `by`·G, which is said to be 1 at least in every iteration."""
    return theorem(
        A(K),
        A(0) - K,
        Combine({"sum": 1}),
        symbols=(K,),
        indices=(k,),
        hypotheses=supposing(least=le(1, by * G(k)), step=le(A(k + 1), A(k) - by * G(k)), **more),
        steps=(
            Step("one", le(A(k + 1), A(k) - 1), Combine({"step": 1, "least": 1})),
            Step("sum", le(A(K), A(0) - K), Telescope("one", k, K)),
        ),
    )


def between(part: int) -> Theorem:
    """G ≤ 2B in iteration 9, next to which this says nothing, and B ≤ G/`part`."""
    ends = {"most": le(G(k), 2 * B(k) + (k - 9) ** 2 * G(k)), "part": le(B(k), G(k) / part)}
    return falling(sympy.S.One, **ends)


def mean_of(value: Any, said: Relation, at: Any) -> Theorem:
    """What is said of a mean G in every iteration, used in one of them."""
    there = said.replaced({k: at})
    return theorem(
        W * there.lhs,
        W * there.rhs + L,
        Combine({"there": W}, plus=(L,)),
        symbols=(L, W, K),
        scalars=(value,),
        sequences={G: value},
        indices=(k,),
        hypotheses=supposing(said=said),
        steps=(Step("there", there, Everywhere("said", {k: at})),),
    )


def small_power() -> Theorem:
    """2^n ≤ n, beside a line that is too long for z3."""
    n = sympy.Symbol("n", integer=True, nonnegative=True)
    return theorem(
        0,
        n,
        Combine({"small": 1, "least": 1, "long": 0}, plus=(n + 1,)),
        symbols=(n,),
        hypotheses=supposing(small=le(2**n, n)),
        steps=(
            Step("least", le(1 + n, 2**n), Elementary("bernoulli", (sympy.S.One, n))),
            Step(
                "long", le(0, sympy.Integer(2) ** 11000), Combine(plus=(sympy.Integer(2) ** 11000,))
            ),
        ),
    )


def curved(mu: Any) -> Theorem:
    """Of an L-smooth function that is μ-strongly convex."""
    return theorem(
        square(g),
        square(g) + 1,
        Combine(plus=(sympy.S.One,)),
        symbols=(L, a),
        hypotheses=(Smooth("smooth", "f is L-smooth", L),),
        everywhere=(("f", "convex", (mu,)),),
        vectors=(g,),
        points=(x,),
    )


PAIRS = {
    "at an index where a factor is 0": (falling(sympy.Integer(11)), falling((k - 11) ** 2)),
    "between two roots": (falling(sympy.Integer(11)), falling(4 * (k - 9) ** 2 - 1)),
    "where a factor turns": (between(1), between(3)),
    "where a fraction changes its sign": (
        falling((k + 2) / (k + 1)),
        falling(1 - 3 / (2 * (k - 9) ** 2 + 2)),
    ),
    "by a mean that is positive": (
        mean_of(s, le(0, (k - 9) ** 2 * G(k)), nine),
        mean_of(s, le(0, ((k - 9) ** 2 - half) * G(k)), nine),
    ),
    "by a mean that is positive, at a count": (
        mean_of(s, le(0, (k - K) ** 2 * G(k)), K),
        mean_of(s, le(0, ((k - K) ** 2 - half) * G(k)), K),
    ),
    "by a mean of counts": (mean_of(count, le(G(k), 1), K), mean_of(count, le(G(k), half), K)),
    "by more curvature than there is": (curved(L / 2), curved(L + a)),
    "by smoothness": (rise(L / 2), rise(L)),
    "by the mean of a square": (angles(-sympy.Rational(1, 2)), angles(-sympy.Rational(9, 10))),
    "by one value at one place": (one_value(0), one_value(1)),
    "by many iterations": (counted(W + k), counted(W)),
    "by many iterations, some of which are told": (
        counted(W + k, some=le(1, K)),
        counted(W, some=le(1, K)),
    ),
    "by powers of a number": (grown(sympy.S.One, -W), grown(sympy.S(2), -W)),
    "by powers of a constant": (grown(sympy.S.One, -W), grown(1 + a, -W)),
    "by powers below 1": (shrunk(sympy.S.Zero), shrunk(eps)),
    **{
        f"by a product of powers: {one * other}": (
            multiplied(one, other, 0),
            multiplied(one, other, 2),
        )
        for one, other in ((a**K, a), (a**K, mu**K), (sympy.Rational(2, 3) ** K, a**K))
    },
    "at every index": (at_one_index(W + k), at_one_index(W)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_cannot_be_is_refused_and_its_twin_is_proved(name: str) -> None:
    true, false = PAIRS[name]
    assert prove(true).verdict is Verdict.PROVED, prove(true).lines
    with pytest.raises(VacuousError):
        prove(false)


def test_a_line_that_is_too_long_for_z3_hides_no_contradiction() -> None:
    with pytest.raises(VacuousError):
        prove(small_power())


def test_a_count_that_hypotheses_bound_is_not_taken_to_be_large() -> None:
    """A(K) ≤ W says itself that K is at most W."""
    last = Hypothesis("most", "A(K) ≤ W", le(A(K), W))
    true = counted(W)
    kept = tuple(one for one in true.hypotheses if one.name != "most")
    bounded = theorem(
        K,
        W,
        Combine({"sum": -1, "most": 1, "at 0": 1}),
        symbols=(W, K),
        indices=(k,),
        hypotheses=(*kept, last),
        steps=tuple(one for one in true.steps if one.name != "at K"),
    )
    assert prove(bounded).verdict is Verdict.PROVED
