"""What is false is refuted by numbers that satisfy every hypothesis, and what is true is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy

from theory import notation
from theory.account import Decision, Refutation, Violation
from theory.falsifier.small_models import SmallModel, small_model
from theory.judging.as_claim import as_claim
from theory.judging.challenged import fairly
from theory.judging.decide import decided, stands
from theory.judging.judge import judge
from theory.kernel import (
    Combine,
    Hypothesis,
    Operator,
    Point,
    Relation,
    Smooth,
    Theorem,
    dot,
    eq,
    le,
    point,
    square,
    vectors,
)
from theory.kernel.lemmas import CAUCHY_SCHWARZ, JENSEN, YOUNG
from theory.verdicts import Verdict

L, gamma, mu, a = sympy.symbols("L gamma mu a", positive=True)
n = sympy.Symbol("n", integer=True, positive=True)
u, v, g = vectors("u v g")
x, star = point("x"), point("x*")
after = Point(
    x.position - gamma * x.gradient, sympy.Symbol("f(x+)", real=True), vectors("∇f(x+)")[0]
)
E = Operator("E", ("g",))
SMOOTH = Smooth("smooth", "f is L-smooth", L)
STEP = Hypothesis("step", "γL ≤ 1", le(gamma * L, 1))
STRONG = Hypothesis(
    "strong",
    "f is μ-strongly convex (x, x*)",
    le(
        mu * square(x.position - star.position),
        dot(x.gradient - star.gradient, x.position - star.position),
    ),
)
STATIONARY = Hypothesis("stationary", "∇f(x*) = 0", eq(square(star.gradient), 0))
UNBIASED = Hypothesis("unbiased", "E g = v (against v)", eq(E.of(dot(g, v)), square(v)))


def stated(lhs: Any, rhs: Any, **parts: Any) -> Theorem:
    """A statement without any proof."""
    names = {"id": "mine.one", "where": "here", "statement": "", "latex": "", "conclude": Combine()}
    return Theorem(**{**names, "symbols": (), **parts}, lhs=lhs, terms={"right": rhs})


DISTANCE = square(x.position - gamma * x.gradient - star.position)
PAIRS = {
    "young": (
        stated(
            square(u + v),
            (1 + a) * square(u) + (1 + 1 / a) * square(v),
            symbols=(a,),
            vectors=(u, v),
        ),
        (1 + a) * square(u) + (1 + 1 / (2 * a)) * square(v),
    ),
    "descent": (
        stated(
            after.value,
            x.value - gamma / 2 * square(x.gradient),
            symbols=(L, gamma),
            points=(x, after),
            hypotheses=(SMOOTH, STEP),
        ),
        x.value - gamma * square(x.gradient),
    ),
    "contraction": (
        stated(
            DISTANCE,
            square(x.position - star.position),
            symbols=(L, gamma, mu),
            points=(x, star),
            hypotheses=(SMOOTH, STEP, STRONG, STATIONARY),
            everywhere=(("f", "convex", (mu,)),),  # between two points alone it is false
        ),
        (1 - 2 * gamma * mu) * square(x.position - star.position),
    ),
    "two coordinates": (
        stated(dot(u, v) ** 2, square(u) * square(v), vectors=(u, v)),
        dot(u, v) ** 2 / 2 + square(u) * square(v) / 2 - square(u) * square(v) / 4,
    ),
    "variance": (
        stated(
            2 * E.of(dot(g, v)) - square(v), E.of(square(g)), vectors=(g, v), hypotheses=(UNBIASED,)
        ),
        E.of(square(g)) / 2,
    ),
    "counts": (stated(1 + n, 2 * n, symbols=(n,)), 2 * n - 1),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_true_statement_has_no_model_and_its_false_twin_has_one(name: str) -> None:
    true, false_side = PAIRS[name]
    assert small_model(true) is None
    twin = replace(true, terms={"right": false_side})
    row = judge(as_claim(twin))
    assert row.verdict is Verdict.REFUTED
    assert row.judgement.counterexample
    assert judge(as_claim(true)).verdict is Verdict.UNKNOWN, "no proof was given"


@pytest.mark.parametrize("theorem", [YOUNG, CAUCHY_SCHWARZ, JENSEN], ids=lambda one: one.id)
def test_lemmas_of_the_kernel_have_no_model(theorem: Theorem) -> None:
    assert small_model(theorem) is None


@pytest.mark.parametrize("dropped", ["step", "smooth"])
def test_without_a_hypothesis_the_descent_lemma_is_false(dropped: str) -> None:
    true, _ = PAIRS["descent"]
    kept = tuple(one for one in true.hypotheses if one.name != dropped)
    assert small_model(replace(true, hypotheses=kept)) is not None


def test_what_is_said_in_words_alone_keeps_a_statement_from_being_attacked() -> None:
    true, false_side = PAIRS["young"]
    twin = replace(true, terms={"right": false_side}, assumes=("a is at most 1/2",))
    assert small_model(twin) is None


def refuted_by(model: SmallModel) -> Refutation:
    goal = model.goal
    return Refutation(
        model.shown, Violation(model.left, goal.kind, goal.rhs, model.numbers, model.under)
    )


def test_numbers_that_break_a_hypothesis_refute_nothing() -> None:
    true, false_side = PAIRS["descent"]
    model = small_model(replace(true, terms={"right": false_side}))
    assert model is not None
    assert stands(refuted_by(model))
    for symbol, value in ((gamma, 10 / model.numbers[L]), (L, -1)):
        assert not stands(refuted_by(replace(model, numbers={**model.numbers, symbol: value})))


def test_numbers_of_another_statement_refute_nothing() -> None:
    true, false_side = PAIRS["descent"]
    twin = replace(true, terms={"right": false_side})
    weaker = replace(twin, hypotheses=(SMOOTH,))
    model = small_model(weaker)
    assert model is not None
    claim = replace(as_claim(twin), source="mine.py")
    given = replace(claim.account(claim.printed), decision=Decision(fails=refuted_by(model)))
    assert decided(fairly(claim, given)).verdict is Verdict.UNKNOWN


k = sympy.Symbol("k", integer=True, nonnegative=True)
b = sympy.Symbol("b", real=True)
HEIGHT = Point(vectors("y")[0], sympy.Symbol("f(y)", nonnegative=True), vectors("∇f(y)")[0])
AFTER = Point(x.position - x.gradient, sympy.Symbol("f(x⁺)", real=True), vectors("∇f(x⁺)")[0])
TRUE_BY_DOMAIN = {
    "negative": stated(c := sympy.Symbol("c", negative=True), 0, symbols=(c,)),
    "even": stated(1, ((m := sympy.Symbol("m", even=True)) - 1) ** 2, symbols=(m,)),
    "a value with a domain": stated(-HEIGHT.value, 0, points=(HEIGHT,)),
    "for every k": stated(
        b, 0, symbols=(b,), indices=(k,), hypotheses=(Hypothesis("all", "bk ≤ 1", le(b * k, 1)),)
    ),
    "in every iteration": stated(
        square(AFTER.position),
        1,
        points=(x, AFTER),
        following=((x, AFTER),),
        hypotheses=(Hypothesis("ball", "‖x‖ ≤ 1", le(square(x.position), 1)),),
    ),
}


@pytest.mark.parametrize("name", TRUE_BY_DOMAIN)
def test_what_is_true_by_domains_or_for_every_iteration_is_not_refuted(name: str) -> None:
    assert judge(as_claim(TRUE_BY_DOMAIN[name])).verdict is Verdict.UNKNOWN, "no proof was given"


z = sympy.Symbol("z", real=True)
MEANINGLESS = {
    "a root on both sides": stated(sympy.sqrt(z) - z, sympy.sqrt(z), symbols=(z,)),
    "a root on both sides of a hypothesis": stated(
        -z,
        0,
        symbols=(z,),
        hypotheses=(Hypothesis("any", "√z ≤ √z + 1", le(sympy.sqrt(z), sympy.sqrt(z) + 1)),),
    ),
    "a denominator on both sides": stated(
        1 / z + a,
        1 / z,
        symbols=(z, a),
        hypotheses=(Hypothesis("zero", "z = 0", eq(z, 0)),),
    ),
    "a denominator in two terms": replace(
        stated(1, 0, symbols=(z,), hypotheses=(Hypothesis("zero", "z = 0", eq(z, 0)),)),
        terms={"one": 1 / z, "other": -1 / z},
    ),
}


@pytest.mark.parametrize("name", MEANINGLESS)
def test_what_means_nothing_at_an_instance_is_not_refuted_there(name: str) -> None:
    assert judge(as_claim(MEANINGLESS[name])).verdict is Verdict.UNKNOWN


def test_where_it_means_something_it_is_refuted() -> None:
    defined = Hypothesis("one", "z = 1", eq(z, 1))
    for name in ("a denominator on both sides", "a denominator in two terms"):
        twin = replace(MEANINGLESS[name], hypotheses=(defined,))
        assert judge(as_claim(twin)).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("left", "right", "under"),
    [
        (2 + sympy.I, 1 + sympy.I, ()),
        (2, sympy.sqrt(z), ()),
        (2, 1 / (z + 1), ()),
        (2, 1, (le(sympy.sqrt(z), sympy.sqrt(z) + 1),)),
        (2, 1, (le(1 / (z + 1), 2 / (z + 1)),)),
    ],
)
def test_numbers_that_are_not_real_refute_nothing(
    left: Any, right: Any, under: tuple[Relation, ...]
) -> None:
    at = {z: sympy.Integer(-1)}
    assert not stands(Refutation({"z": -1}, Violation(lambda: left, "<=", right, at, under)))
    assert stands(Refutation({"z": -1}, Violation(lambda: 2, "<=", 1, at, (le(z, 0),))))


@pytest.mark.parametrize("declared", ["negative", "even", "prime", "nonpositive"])
def test_an_instance_outside_its_domain_refutes_nothing(declared: str) -> None:
    symbol = sympy.Symbol("s", **{declared: True})
    number = 1  # none of these
    assert not stands(Refutation({"s": 1}, Violation(lambda: 2, "<=", symbol, {symbol: number})))
    free = sympy.Symbol("s", real=True)
    assert stands(Refutation({"s": 1}, Violation(lambda: 2, "<=", free, {free: number})))


@pytest.mark.parametrize(("part", "false"), [(1, False), (sympy.Rational(1, 2), True)])
def test_what_has_too_many_unknowns_is_asked_at_rest(part: Any, false: bool) -> None:
    """One step of SGD on x²/2 from x* = 0 with noise ±1 gains γ²σ², and not half of it."""
    L, gamma, mu = notation.positive("L gamma mu")
    sigma = notation.nonnegative("sigma")
    f, (x, star, g) = notation.function("f"), notation.vectors("x x* g")
    E, T = notation.mean("E", g), notation.theorem("mine.sgd")
    T.smooth(f, L)
    T.strongly_convex(f, mu)
    T.minimum(f, star)
    T.unbiased(E, g, f.grad(x))
    T.bounded_variance(E, g, f.grad(x), sigma)
    T.assume(gamma <= 1 / L)
    nearer = (1 - gamma * mu) * (x - star) ** 2
    made = T.shows(E((x - gamma * g - star) ** 2) <= nearer + part * gamma**2 * sigma**2)
    assert (small_model(made) is not None) is false
    assert judge(as_claim(made)).verdict is (Verdict.REFUTED if false else Verdict.UNKNOWN)
