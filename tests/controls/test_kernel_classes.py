"""Ways in which false theorems were proved, each with a true twin that holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
import sympy

from theory.errors import TheoryError
from theory.kernel import (
    Average,
    Cite,
    Combine,
    Descent,
    Everywhere,
    Expect,
    Hypothesis,
    Induction,
    Lipschitz,
    Operator,
    Point,
    Relation,
    Sign,
    Smooth,
    Step,
    Swap,
    Telescope,
    Theorem,
    Total,
    Triangle,
    descent,
    dot,
    eq,
    le,
    lipschitz,
    point,
    prove,
    square,
    vector,
    vectors,
)
from theory.kernel.rules import Integral
from theory.kernel.theorem import Rule
from theory.kernel.vectors import Scalar
from theory.verdicts import Verdict

a, b, L, gamma = sympy.symbols("a b L gamma", positive=True)
r, s = sympy.symbols("r s", real=True)
t = sympy.Symbol("t", positive=True)
k, n = (sympy.Symbol(name, integer=True, nonnegative=True) for name in "kn")
A, B, F = (sympy.Function(name, real=True) for name in "ABF")
u, v, g, h = vectors("u v g h")
X, Y = point("x"), point("y")
WAY: Final = Y.position - X.position
Z: Final = Point(X.position + WAY * t, sympy.Symbol("f(z)", real=True), vector("∇f(z)"))
SLOPE: Final = dot(Z.gradient, WAY)
NEXT: Final = point("x⁺")

Facts = dict[str, Relation]
Make = Callable[[], Theorem]


def theorem(goal: Relation, conclude: Rule, facts: Facts | None = None, **more: Any) -> Theorem:
    """A theorem under these hypotheses."""
    assumed = tuple(Hypothesis(name, name, one) for name, one in (facts or {}).items())
    base: dict[str, Any] = {
        "id": "test.one",
        "where": "here",
        "statement": "The goal.",
        "latex": "",
        "symbols": (a, b, L, n),
        "lhs": goal.lhs,
        "terms": {"all": goal.rhs},
        "kind": goal.kind,
        "conclude": conclude,
        "hypotheses": (*assumed, *more.pop("smooth", ())),
    }
    return Theorem(**(base | more))


def proved(make: Make) -> bool:
    """Whether a theorem is accepted when it is made, and then proved."""
    try:
        return prove(make()).verdict is Verdict.PROVED
    except TheoryError:
        return False


# A bound variable seen elsewhere: the parameter of a path


def rise(constant: Scalar, *more: Point, **changes: Any) -> Theorem:
    """f(y) − f(x) from the slope along the segment, for a gradient with this constant."""
    bound = dot(X.gradient, WAY) + constant * t * square(WAY)
    width = constant * t
    young = Combine(
        {"near": 1 / (2 * width)},
        squares=((1 / (2 * width), Z.gradient - X.gradient - width * WAY),),
    )
    steps = (
        Step("near", lipschitz(constant, X, Z), Lipschitz("smooth", X, Z)),
        Step("slope", le(SLOPE, bound), young),
    )
    area = sympy.integrate(sympy.expand(bound), (t, 0, 1))
    settings: dict[str, Any] = {
        "symbols": (a, L, t),
        "points": (X, Y, Z, *more),
        "smooth": (Smooth("smooth", "f is smooth", constant),),
        "steps": steps,
    }
    goal = le(Y.value - X.value, area)
    return theorem(goal, Integral("slope", t, X, Y, Z), **(settings | changes))


ELSEWHERE: Final = Point(X.position + 2 * WAY * t, sympy.Symbol("f(w)", real=True), vector("∇f(w)"))
THROUGH: Final = Point(X.position + Z.gradient, sympy.Symbol("f(q)", real=True), vector("∇f(q)"))


def by_another_function() -> Theorem:
    """‖∇h(x) − ∇h(q)‖ at q = x + ∇f(z) changes along the segment, and is no constant."""
    one = Point(X.position, sympy.Symbol("h(x)", real=True), vector("∇h(x)"), "h")
    two = Point(THROUGH.position, sympy.Symbol("h(q)", real=True), vector("∇h(q)"), "h")
    apart = square(one.gradient - two.gradient)
    base = rise(L)
    twice = 2 * L**2 * (square(X.gradient) + L**2 * t**2 * square(WAY))
    slope = base.steps[-1].relation.rhs + twice - apart
    steps = (
        base.steps[0],
        Step("own", base.steps[1].relation, base.steps[1].rule),
        Step("far", lipschitz(L, one, two), Lipschitz("other", one, two)),
        Step(
            "extra",
            le(apart, twice),
            Combine({"far": 1, "near": 2 * L**2}, squares=((L**2, Z.gradient - 2 * X.gradient),)),
        ),
        Step("slope", le(SLOPE, slope), Combine({"own": 1, "extra": 1})),
    )
    smooth = (Smooth("smooth", "f", L), Smooth("other", "h", L, "h"))
    area = sympy.integrate(sympy.expand(slope), (t, 0, 1))
    return rise(L, one, two, smooth=smooth, steps=steps, terms={"all": area})


PATHS: Final[dict[str, Make]] = {
    "a smoothness constant that shrinks towards x": lambda: rise(L * t),
    "a smoothness constant that is the parameter": lambda: rise(t),
    "another point of the path": lambda: rise(L, ELSEWHERE),
    "a point that moves with the gradient": lambda: rise(L, THROUGH),
    "a gradient of another function there": by_another_function,
    "a slope that is assumed for one t": lambda: theorem(
        le(Y.value - X.value, a),
        Integral("slope", t, X, Y, Z),
        {"slope": le(SLOPE, a)},
        symbols=(a, t),
        points=(X, Y, Z),
    ),
    "a run that goes along the path": lambda: rise(L, following=((X, Z),)),
    "a sequence with the parameter": lambda: rise(
        L, vectors=(u,), sequences={A: t * square(u)}, following=()
    ),
}


@pytest.mark.parametrize("name", PATHS)
def test_the_parameter_of_a_path_is_bound(name: str) -> None:
    assert not proved(PATHS[name])


def test_a_slope_is_integrated() -> None:
    assert proved(lambda: rise(L))
    assert proved(lambda: rise(a * L))


# Means without a measure

RUN: Final[dict[str, Any]] = {
    "points": (X, NEXT),
    "following": ((X, NEXT),),
    "sequences": {F: X.value, B: square(X.gradient)},
    "vectors": (g,),
}


def progress(one: Operator, two: Operator) -> Theorem:
    """E f(x⁺) ≤ f(x) − E‖g‖² and the size of E‖g‖², each under a mean of its own."""
    facts = {
        "drop": le(one.of(NEXT.value), X.value - square(X.gradient)),
        "size": le(X.value - a, two.of(NEXT.value)),
    }
    steps = (
        Step("drop by k", le(F(k + 1), F(k) - B(k)), Total("drop", k)),
        Step("size by k", le(F(k) - a, F(k + 1)), Total("size", k)),
    )
    goal = le(B(k), a)
    return theorem(goal, Combine({"drop by k": 1, "size by k": 1}), facts, steps=steps, **RUN)


AHEAD: Final = ("g", "x⁺", "f(x⁺)", "∇f(x⁺)")


def test_a_total_has_one_law() -> None:
    """A drop under one law of sampling and a bound from below under another make no run."""
    assert not proved(lambda: progress(Operator("E_1", AHEAD), Operator("E_2", AHEAD)))
    laws = [Operator(name, AHEAD, law=name.lower()) for name in ("E_1", "E_2")]
    assert not proved(lambda: progress(*laws))
    runs = [Operator(name, AHEAD, law="run") for name in ("E_1", "E_2")]
    assert proved(lambda: progress(*runs))


def exchanged(one: str, two: str) -> Theorem:
    """E avg ⟨u, v⟩ = avg E ⟨u, v⟩, over these variables."""
    average, mean = Average("avg", ("u",), over=one), Operator("E", ("u", "v"), over=two)
    fact = eq(average.of(mean.of(dot(u, v))), a)
    goal = eq(mean.of(average.of(dot(u, v))), a)
    return theorem(goal, Swap("nest", average, mean), {"nest": fact}, vectors=(u, v))


def test_two_means_over_one_index_are_not_exchanged() -> None:
    for one, two in (("", ""), ("replica", ""), ("", "sample"), ("replica", "replica")):
        assert not proved(lambda one=one, two=two: exchanged(one, two))  # type: ignore[misc]
    assert proved(lambda: exchanged("replica", "sample"))


def no_spread(tie: Facts, mean: Operator, length: Scalar, *more: Step, **names: Any) -> Theorem:
    """‖g‖² is its own mean, if some `length` is ‖g‖² and the same at every outcome."""
    own = Combine({"above": 1, "below": 1})
    steps = (*more, Step("above", le(mean.of(square(g)), length), Expect("most", mean)))
    return theorem(le(mean.of(square(g)), square(g)), own, tie, steps=steps, **names)


def tied(mean: Operator, tie: Facts, rule: Rule, length: Scalar = r, **names: Any) -> Theorem:
    most = Step("most", le(square(g), length), rule)
    least = Step("below", le(length, square(g)), rule)
    settings: dict[str, Any] = {"scalars": (r, s), "vectors": (g, u)} | names
    return no_spread(tie, mean, length, most, least, **settings)


E: Final = Operator("E", ("g",))
CALLED: Final = sympy.Symbol("s", positive=True)
SPREAD: Final[dict[str, Make]] = {
    "an equation": lambda: tied(E, {"is": eq(r, square(g))}, Sign(("is",))),
    "two inequalities": lambda: tied(
        E, {"most": le(r, square(g)), "least": le(square(g), r)}, Sign(("most", "least"))
    ),
    "two inequalities with factors": lambda: tied(
        E, {"up": le(a * r, a * square(g)), "down": le(b * square(g), b * r)}, Sign(("up", "down"))
    ),
    "a square": lambda: tied(E, {"is": le((r - square(g)) ** 2, 0)}, Sign(("is",))),
    "a length": lambda: tied(E, {"is": le(sympy.Abs(r - square(g)), 0)}, Sign(("is",))),
    "through another": lambda: tied(
        E, {"is": eq(s, square(g)), "same": eq(r, s)}, Sign(("is", "same"))
    ),
    "a sum that is a mean": lambda: tied(
        E, {"sum": eq(r + s, E.of(square(g))), "is": eq(r, square(g))}, Sign(("is",))
    ),
    "a constant": lambda: tied(E, {"is": eq(a, square(g))}, Sign(("is",)), a),
    "a constant's name": lambda: tied(
        E,
        {"is": eq(s, square(g))},
        Sign(("is",)),
        s,
        symbols=(a, b, n, CALLED),
        scalars=(s,),
    ),
    "a dummy of a constant's name": lambda: (
        lambda dummy: tied(
            E, {"is": eq(dummy, square(g))}, Sign(("is",)), dummy, symbols=(s,), scalars=(dummy,)
        )
    )(sympy.Dummy("s", real=True)),
    "a vector of a constant's name": lambda: tied(
        E,
        {"is": eq(square(vector("s")), square(g))},
        Sign(("is",)),
        square(vector("s")),
        symbols=(s,),
        scalars=(),
        vectors=(g, vector("s")),
    ),
    "a sequence": lambda: tied(E, {"is": eq(A(k), square(g))}, Sign(("is",)), A(k)),
    "a sequence that is listed": lambda: tied(
        Operator("E", ("g", "A")), {"is": eq(A(k), square(g))}, Sign(("is",)), A(k)
    ),
}


@pytest.mark.parametrize("name", SPREAD)
def test_what_equals_something_random_is_random(name: str) -> None:
    assert not proved(SPREAD[name])


def test_a_bound_that_is_declared_the_same_at_every_outcome() -> None:
    """Then g has one length, and the author has said so; or the bound is no equation."""
    told = Operator("E", ("g",), given=("r",))
    assert proved(lambda: tied(told, {"is": eq(r, square(g))}, Sign(("is",))))
    most = Expect("most", E)
    bound = {"most": le(square(g), r)}
    assert proved(lambda: theorem(le(E.of(square(g)), r), most, bound, scalars=(r,), vectors=(g,)))
    turn = {"turn": le(sympy.Abs(dot(g, u)) + sympy.sqrt(square(g)), a)}
    assert proved(lambda: theorem(le(0, E.of(square(g))), Sign(), turn, vectors=(g, u)))


def moved(step: Scalar, mean: Operator, **names: Any) -> Theorem:
    """E f(x − step·g) ≤ f(x) − step·⟨∇f(x), g⟩ + (L/2) step²·E‖g‖²."""
    there = Point(X.position - step * g, sympy.Symbol("f(y)", real=True), vector("∇f(y)"))
    settings: dict[str, Any] = {
        "points": (X, there),
        "vectors": (g,),
        "smooth": (Smooth("smooth", "f is L-smooth", L),),
        "steps": (Step("one", descent(L, X, there), Descent("smooth", X, there)),),
    }
    goal = descent(L, X, there)
    taken = Relation(mean.of(goal.lhs), "<=", mean.of(goal.rhs))
    return theorem(taken, Expect("one", mean), **(settings | names))


MOVED: Final = ("g", "f(y)", "∇f(y)")
STEPS: Final[dict[str, Make]] = {
    "the value is not random": lambda: moved(a, Operator("E", ("g",))),
    "the gradient is not random": lambda: moved(a, Operator("E", ("g", "f(y)"))),
    "a random stepsize, and no random point": lambda: moved(s, Operator("E", ("s",)), scalars=(s,)),
    "a value under symbols": lambda: moved(
        a, Operator("E", ("g",)), symbols=(a, L, sympy.Symbol("f(y)", real=True))
    ),
    "a random constant": lambda: moved(a, Operator("E", ("a", *MOVED))),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_point_is_as_random_as_what_it_is_made_of(name: str) -> None:
    assert not proved(STEPS[name])


def test_a_random_step() -> None:
    assert proved(lambda: moved(a, Operator("E", MOVED)))
    assert proved(lambda: moved(s, Operator("E", ("s", *MOVED)), scalars=(s,)))


def follows(kind: str, *given: str) -> Theorem:
    """⟨x⁺, h⟩ is its own mean, if x⁺ = x − γg is taken for fixed."""
    mean = Operator("E", ("g",), given=("h", *given))
    away = NEXT.position - X.position + gamma * g
    facts = {
        "equation": {"update": eq(dot(NEXT.position, h), dot(X.position - gamma * g, h))},
        "square": {"update": le(square(away), 0)},
        "inequalities": {
            "update": le(dot(NEXT.position, h), dot(X.position - gamma * g, h)),
            "back": le(dot(X.position - gamma * g, h), dot(NEXT.position, h)),
        },
    }[kind]
    goal = eq(mean.of(dot(NEXT.position + g, h)), dot(NEXT.position, h) + mean.of(dot(g, h)))
    names: dict[str, Any] = {"symbols": (gamma,), "points": (X, NEXT), "vectors": (g, h)}
    return theorem(goal, Combine(), facts, **names)


@pytest.mark.parametrize("kind", ["equation", "square", "inequalities"])
def test_an_iterate_moves_with_its_gradient(kind: str) -> None:
    assert not proved(lambda: follows(kind))
    assert proved(lambda: follows(kind, "x⁺", "x"))


def adaptive(step: Scalar, **names: Any) -> Theorem:
    """Steps γ(k)·‖∇f(x)‖² add up to the sum of γ times the means."""
    facts = {"drop": le(NEXT.value, X.value - step * square(X.gradient))}
    goal = le(F(k + 1), F(k) - step * B(k))
    return theorem(goal, Total("drop", k), facts, **(RUN | names))


def test_an_adaptive_stepsize_is_no_constant() -> None:
    """γ(k) may be smaller where the gradient is large: its product has another mean."""
    assert not proved(lambda: adaptive(sympy.Function("γ", positive=True)(k)))
    assert not proved(lambda: adaptive(s, scalars=(s,)))
    assert proved(lambda: adaptive(a))


# An index called a constant


def summed(**names: Any) -> Theorem:
    total = eq(A(n) - A(0), sympy.Sum(k, (k, 0, n - 1)))
    return theorem(total, Telescope("step", k, n), {"step": eq(A(k + 1), A(k) + k)}, **names)


def test_an_index_is_no_constant() -> None:
    """What is said of one number k is not summed over all of them."""
    assert not proved(lambda: summed(symbols=(n, k)))
    assert not proved(lambda: summed(scalars=(k,)))
    assert proved(lambda: summed(indices=(k,)))


def bounded(rule: Rule, goal: Relation, **names: Any) -> Theorem:
    facts = {"bound": le(A(k), a), "step": le(A(k + 1), A(k)), "start": le(A(0), a)}
    return theorem(goal, rule, facts, **names)


@pytest.mark.parametrize(
    ("rule", "goal"),
    [
        (Everywhere("bound", {k: n}), le(A(n), a)),
        (Induction("step", k, n, A, "start"), le(A(n), a)),
        (Telescope("bound", k, n), le(sympy.Sum(A(k), (k, 0, n - 1)), n * a)),
    ],
    ids=["everywhere", "induction", "telescope"],
)
def test_rules_range_over_indices_only(rule: Rule, goal: Relation) -> None:
    assert not proved(lambda: bounded(rule, goal, symbols=(a, n, k)))
    assert proved(lambda: bounded(rule, goal))


def test_a_citation_ranges_over_indices_only() -> None:
    lemma = bounded(Everywhere("bound", {k: n}), le(A(n), a), id="test.lemma")
    facts = {"bound": le(A(k), a)}
    assert not proved(
        lambda: theorem(lemma.goal, Cite(lemma.id), facts, cites=(lemma,), symbols=(a, n, k))
    )
    assert proved(lambda: theorem(lemma.goal, Cite(lemma.id), facts, cites=(lemma,)))


# Simplified before it is looked at


def real(terms: dict[str, Scalar], lhs: Scalar, rule: Rule, **names: Any) -> Theorem:
    return theorem(le(lhs, 0), rule, terms=terms, scalars=(r,), **names)


SIMPLIFIED: Final[dict[str, Make]] = {
    "1/r - 1/r": lambda: real({"one": 1 / r, "two": -1 / r}, sympy.S.Zero, Combine()),
    "roots that cancel": lambda: real(
        {"one": sympy.sqrt(r), "two": -sympy.sqrt(r)}, sympy.S.Zero, Combine()
    ),
    "0/0": lambda: real({"one": (r**2 - 1) / (r - 1)}, r + 1, Combine()),
    "squares that cancel": lambda: real({"one": 1 / r**2, "two": -1 / r**2}, sympy.S.Zero, Sign()),
}


@pytest.mark.parametrize("name", SIMPLIFIED)
def test_a_statement_means_something_as_it_is_printed(name: str) -> None:
    assert not proved(SIMPLIFIED[name])


def test_terms_that_cancel() -> None:
    assert proved(lambda: theorem(le(0, 0), Combine(), terms={"one": 1 / a, "two": -1 / a}))
    assert proved(lambda: real({"one": r, "two": -r}, sympy.S.Zero, Combine()))
    apart = {"apart": le(1, r)}
    assert proved(
        lambda: theorem(le(0, 0), Combine(), apart, terms={"1": 1 / r, "2": -1 / r}, scalars=(r,))
    )


# Vacuity through a mean or a sum


def impossible(facts: Facts, **names: Any) -> Theorem:
    """2 ≤ 1, which holds if nothing satisfies the hypotheses."""
    settings: dict[str, Any] = {"scalars": (r,), "vectors": (g, u)} | names
    return theorem(le(0, 0), Combine(), facts, **settings)


R: Final = Operator("E", ("r",))
CONTRADICTIONS: Final[dict[str, Facts]] = {
    "a mean above the bound": {"most": le(square(g), 1), "mean": le(2, E.of(square(g)))},
    "a mean below": {"least": le(1, r), "mean": le(R.of(r), 0)},
    "a mean of products": {
        "g": le(E.of(square(g)), 1),
        "u": le(square(u), 1),
        "gu": le(2, E.of(dot(g, u))),
    },
    "less than the square of the mean": {"mean": eq(R.of(r), 2), "square": le(R.of(r**2), 1)},
    "a sum above its terms": {
        "most": le(A(k), 1),
        "sum": le(n + 1, sympy.Sum(A(k), (k, 0, n - 1))),
    },
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_hypotheses_that_contradict_each_other_through_a_mean(name: str) -> None:
    assert not proved(lambda: impossible(CONTRADICTIONS[name]))


POSSIBLE: Final[dict[str, Facts]] = {
    "a mean within the bound": {"most": le(square(g), 2), "mean": le(1, E.of(square(g)))},
    "a mean of products": {
        "g": le(E.of(square(g)), 4),
        "u": le(square(u), 1),
        "gu": le(2, E.of(dot(g, u))),
    },
    "the square of the mean": {"mean": eq(R.of(r), 2), "square": le(R.of(r**2), 4)},
    "a sum of its terms": {"most": le(A(k), 1), "sum": le(n, sympy.Sum(A(k), (k, 0, n - 1)))},
}


@pytest.mark.parametrize("name", POSSIBLE)
def test_hypotheses_that_have_a_model(name: str) -> None:
    assert proved(lambda: impossible(POSSIBLE[name]))


GROWS: Final[Facts] = {"grows": eq(A(k + 1), A(k) + 1), "low": le(0, A(k))}
RUNS: Final = (
    Step("sum", eq(A(n) - A(0), n), Telescope("grows", k, n)),
    Step("first", le(0, A(0)), Everywhere("low", {k: sympy.S.Zero})),
)


def never(at: Scalar) -> Theorem:
    """A ≤ 0 everywhere, and 1 ≤ A at one place."""
    facts = {"none": le(A(k), 0), "one": le(1, A(at))}
    return theorem(le(A(0), 0), Everywhere("none", {k: sympy.S.Zero}), facts)


def test_hypotheses_that_contradict_each_other_after_many_iterations() -> None:
    """n ≤ 10 for every n, if something grows by 1 in each iteration and stays below 10."""
    few = {"few": le(A(k), 10)}
    last = Step("last", le(A(n), 10), Everywhere("few", {k: n}))
    conclude = Combine({"sum": -1, "first": 1, "last": 1})
    assert not proved(lambda: theorem(le(n, 10), conclude, GROWS | few, steps=(*RUNS, last)))
    assert not proved(lambda: never(sympy.S.Zero))


def test_a_count_that_a_hypothesis_bounds() -> None:
    """n ≤ 10 if A(n) ≤ 10 for this n; and A(n) grows with n."""
    last = {"last": le(A(n), 10)}
    conclude = Combine({"sum": -1, "first": 1, "last": 1})
    assert proved(lambda: theorem(le(n, 10), conclude, GROWS | last, steps=RUNS))
    grown = Combine({"sum": -1, "first": 1})
    assert proved(lambda: theorem(le(n, A(n)), grown, GROWS, steps=RUNS))


# Names


def weighted(weight: Scalar, **names: Any) -> Theorem:
    """A sum with a factor in front of every term."""
    bound = {"bound": le(sympy.Sum(A(k), (k, 0, n)), b)}
    goal = le(sympy.Sum(A(k) * weight, (k, 0, n)), weight * b)
    return theorem(goal, Combine({"bound": weight}), bound, **names)


def test_a_factor_is_not_called_like_the_index() -> None:
    """Σ A(k)(1 + k²) reads as if the weight changed, where another k is meant."""
    other = sympy.Symbol("k", integer=True)
    assert not proved(lambda: weighted(1 + other**2, symbols=(b, n, other)))
    assert not proved(lambda: weighted(1 + k**2, indices=(k,)))
    assert proved(lambda: weighted(a))


# What an object may do


class Liar(sympy.Symbol):  # type: ignore[misc]
    """A real symbol that says it is nonnegative."""

    def _eval_is_nonnegative(self) -> bool:
        return True

    is_nonnegative = True


class Moody(dict[str, Scalar]):
    """A mapping whose answers change."""

    asked = 0

    def __getitem__(self, name: str) -> Scalar:
        self.asked += 1
        return sympy.Integer(self.asked)

    def items(self) -> Any:
        self.asked += 1
        return [("all", sympy.Integer(self.asked % 2))]


class Other(Theorem):
    """A theorem whose goal is another one each time."""

    @property
    def goal(self) -> Relation:
        return le(2, 1)


def test_a_symbol_that_lies() -> None:
    assert not proved(
        lambda: theorem(le(0, Liar("q", real=True)), Sign(), scalars=(Liar("q", real=True),))
    )
    honest = sympy.Symbol("q", nonnegative=True)
    assert proved(lambda: theorem(le(0, honest), Sign(), scalars=(honest,)))


def test_a_mapping_whose_answers_change() -> None:
    """It is asked once, when the theorem is made."""
    one = theorem(le(0, 0), Combine(), terms=Moody(all=sympy.S.Zero))
    assert one.goal == one.goal
    assert sum(one.terms.values()) == one.goal.rhs


def test_a_theorem_that_is_cited_is_one() -> None:
    lie = Other("test.lie", "", "", "", (), sympy.S.Zero, {"all": sympy.S.Zero}, Combine())
    assert not proved(lambda: theorem(le(2, 1), Cite("test.lie"), cites=(lie,)))
    true = theorem(le(0, a), Sign(), id="test.true")
    assert proved(lambda: theorem(le(0, a), Cite("test.true"), cites=(true,)))


def test_triangles_with_signs() -> None:
    """‖2u‖ ≤ 2a from ‖u‖ ≤ a, and not ‖u‖ ≤ r with r of any sign."""
    fact = {"size": le(square(u), a**2)}
    parts = (("size", sympy.Integer(2), u, a),)
    goal = le(4 * square(u), 4 * a**2)
    assert proved(lambda: theorem(goal, Triangle(parts), fact, vectors=(u,)))
    assert not proved(
        lambda: theorem(le(4 * square(u), 2 * a**2), Triangle(parts), fact, vectors=(u,))
    )
