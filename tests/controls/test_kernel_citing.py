"""Falsehoods from stretching a citation: an index for a value, what moves for what is fixed."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from theory.errors import TheoryError
from theory.judging.as_claim import assumptions
from theory.judging.controls import formulas, verdict_of, without
from theory.kernel import (
    Average,
    Cite,
    Combine,
    Everywhere,
    Expect,
    Hypothesis,
    Induction,
    Operator,
    Point,
    Relation,
    Smooth,
    Step,
    Swap,
    Telescope,
    Theorem,
    Total,
    Unroll,
    dot,
    eq,
    le,
    point,
    prove,
    square,
    vectors,
)
from theory.kernel.rules.ranges import Run, runs
from theory.kernel.theorem import Given, Rule
from theory.kernel.values import Values
from theory.verdicts import Verdict

a, b = sympy.symbols("a b", positive=True)
c, d, p, s = sympy.symbols("c d p s", real=True)
i, j, k, n = (sympy.Symbol(name, integer=True, nonnegative=True) for name in "ijkn")
A, B, F, P, V = (sympy.Function(name, real=True) for name in "ABFPV")
g, h, u, v = vectors("g h u v")
X, NEXT, Y = point("x"), point("x⁺"), point("y")
ZERO = sympy.S.Zero


def theorem(goal: Relation, conclude: Rule, facts: dict[str, Relation], **changes: Any) -> Theorem:
    """A theorem under these hypotheses; its id is "test.outer" unless another one is given."""
    base: dict[str, Any] = {
        "id": "test.outer",
        "where": "here",
        "statement": "The goal.",
        "latex": "",
        "symbols": (a, b, n),
        "hypotheses": tuple(Hypothesis(name, name, fact) for name, fact in facts.items()),
        "lhs": goal.lhs,
        "terms": {"all": goal.rhs},
        "kind": goal.kind,
        "conclude": conclude,
    }
    return Theorem(**(base | changes))


def proved(one: Theorem) -> bool:
    return prove(one).verdict is Verdict.PROVED


def says(one: Theorem) -> str:
    """What the rules say of a theorem that must not be proved."""
    found = prove(one)
    assert found.verdict is Verdict.UNKNOWN
    return "; ".join(line.rule for line in found.lines)


def accepts(rule: Rule, goal: Relation, facts: dict[str, Relation], **changes: Any) -> bool:
    given = Given(theorem(le(0, 0), Combine(), {}, **changes), facts)
    return rule.check(goal, given).verdict is Verdict.PROVED


# Indices of the cited proof

FALLS = theorem(
    le(F(n) - F(0), 0),
    Telescope("falls", k, n),
    {"falls": le(F(k + 1), F(k))},
    id="test.falls",
    symbols=(n,),
)


def test_an_index_of_the_cited_proof_is_not_one_value() -> None:
    """F(1) ≤ F(0) says nothing about F(2)."""
    once = {"falls": le(F(1), F(0))}
    cite = Cite("test.falls", {k: ZERO})
    assert "k is no symbol" in says(theorem(FALLS.goal, cite, once, cites=(FALLS,)))
    always = {"falls": le(F(k + 1), F(k))}
    assert proved(theorem(FALLS.goal, Cite("test.falls"), always, cites=(FALLS,)))


BOUNDED = theorem(
    le(F(n), a), Everywhere("bound", {i: n}), {"bound": le(F(i), a)}, id="test.bounded"
)


def test_an_index_of_the_cited_proof_is_general_here() -> None:
    facts = {"bound": le(F(i), a)}
    cite = Cite("test.bounded")
    assert proved(theorem(BOUNDED.goal, cite, facts, cites=(BOUNDED,)))
    pinned = facts | {"first": le(i, 0)}
    fixed = theorem(BOUNDED.goal, cite, pinned, cites=(BOUNDED,), indices=(i,))
    assert "fixes i" in says(fixed)
    constant = theorem(BOUNDED.goal, cite, facts, cites=(BOUNDED,), symbols=(a, n, i))
    assert "one value" in says(constant)


UNROLLED = {
    "step": eq(A(k + 1), B(k) * A(k)),
    "start": eq(A(0), 1),
    "empty": eq(P(k, 0), 1),
    "longer": eq(P(j, k + 1), B(j + k) * P(j, k)),
}
UNROLL = Unroll("step", "start", "empty", "longer", k, j, n, A, P)


def test_the_second_index_of_a_product_is_general_here() -> None:
    lemma = theorem(eq(A(n), P(0, n)), UNROLL, UNROLLED, id="test.unrolled")
    cite = Cite("test.unrolled")
    assert proved(theorem(lemma.goal, cite, UNROLLED, cites=(lemma,)))
    first = UNROLLED | {"first": le(j, 0)}
    assert "fixes j" in says(theorem(lemma.goal, cite, first, cites=(lemma,), indices=(j,)))


# What the cited proof holds fixed

RUN: dict[str, Any] = {"points": (X, NEXT), "following": ((X, NEXT),)}
DROPS = theorem(
    eq(F(n) - F(0), -n * c),
    Telescope("by k", k, n),
    {"drop": eq(NEXT.value, X.value - c)},
    id="test.drops",
    symbols=(n, c),
    sequences={F: X.value},
    steps=(Step("by k", eq(F(k + 1), F(k) - c), Total("drop", k)),),
    **RUN,
)
ALONG = theorem(
    eq(A(n) - A(0), n * c),
    Telescope("by k", k, n),
    {"move": eq(dot(NEXT.position, g), dot(X.position, g) + c)},
    id="test.along",
    symbols=(n, c),
    vectors=(g,),
    sequences={A: dot(X.position, g)},
    fixed=(g,),
    steps=(Step("by k", eq(A(k + 1), A(k) + c), Total("move", k)),),
    **RUN,
)


def along(seen: Any, **changes: Any) -> Theorem:
    facts = {"move": eq(dot(NEXT.position, seen), dot(X.position, seen) + c)}
    settings = {
        "symbols": (n, c),
        "scalars": (p,),
        "vectors": (h,),
        "fixed": (h,),
        "sequences": {A: dot(X.position, seen)},
        "cites": (ALONG,),
    }
    return theorem(ALONG.goal, Cite("test.along", vectors={"g": seen}), facts, **RUN, **settings)


def test_a_fixed_vector_stays_fixed() -> None:
    assert proved(along(h))
    assert proved(along(2 * h))
    for moving in (X.gradient, p * h, h + X.position):
        assert "changes, and is held fixed" in says(along(moving))


def drops(step: Any, facts: dict[str, Relation] | None = None, **changes: Any) -> Theorem:
    settings = {
        "symbols": (n, d),
        "scalars": (p,),
        "vectors": (h,),
        "sequences": {F: X.value},
        "cites": (DROPS,),
        **RUN,
    }
    known = {"drop": eq(NEXT.value, X.value - step)} | (facts or {})
    goal = eq(F(n) - F(0), -n * step)
    conclude = changes.pop("conclude", Cite("test.drops", {c: step}))
    return theorem(goal, conclude, known, **(settings | changes))


def test_a_constant_stays_constant() -> None:
    assert proved(drops(d))
    assert proved(drops(2 * d - 1))
    for moving in (p, d * p, square(h)):
        assert "changes, and is held fixed" in says(drops(moving))
    assert "changes, and is held fixed" in says(drops(P(j)))
    assert "is an index" in says(drops(P(k)))


def test_what_no_premise_names_may_be_an_index_here() -> None:
    """The drop after n iterations is known for every n, so for n = j."""
    step = Step("at j", eq(F(j) - F(0), -j * d), Cite("test.drops", {n: j, c: d}))
    goal = eq(sympy.Sum(F(j) - F(0), (j, 0, n - 1)), sympy.Sum(-j * d, (j, 0, n - 1)))
    summed: dict[str, Any] = {
        "steps": (step,),
        "conclude": Telescope("at j", j, n),
        "indices": (j,),
    }
    assert proved(drops(d, lhs=goal.lhs, terms={"all": goal.rhs}, **summed))


def test_a_constant_is_no_index_of_ours() -> None:
    """A drop by j in iteration j is no drop by a constant."""
    still = {"still": eq(A(j + 1), A(j))}
    one = drops(j, symbols=(n, j))
    assert proved(one)  # j is any number here, and the drop is always the same
    along = (Step("all", eq(A(n) - A(0), 0), Telescope("still", j, n)),)
    assert "j changes" in says(drops(j, still, symbols=(n, j), steps=along))


def test_a_bound_of_one_iteration_is_not_one_of_all() -> None:
    facts = {"bound": le(F(i), p)}
    changes = {"symbols": (n,), "scalars": (p,), "cites": (BOUNDED,)}
    cite = Cite("test.bounded", {a: p}, domain=("positive",))
    positive = facts | {"positive": le(1, p)}
    assert "held fixed" in says(theorem(le(F(n), p), cite, positive, **changes))


# Runs inside an iteration

LEAVES = drops(
    c,
    {"left": eq(F(n) - F(0), d)},
    id="test.leaves",
    symbols=(n, c, d),
    lhs=d,
    terms={"all": -n * c},
    steps=(*DROPS.steps, Step("run", DROPS.goal, DROPS.conclude)),
    conclude=Combine({"run": 1, "left": -1}),
)
INNER: dict[str, Any] = {
    "lhs": s,
    "terms": {"all": -n * p},
    "scalars": (p, s),
    "conclude": Combine({"run": 1}),
    "cites": (LEAVES,),
}
LEFT = {"left": eq(F(n) - F(0), s)}
CITED = Step("run", eq(s, -n * p), Cite("test.leaves", {c: p, d: s}))
INSIDE = drops(p, LEFT, steps=(CITED,), **INNER, id="test.inside")


def test_a_run_inside_an_iteration() -> None:
    assert proved(INSIDE)
    said = "F: go along k inside an iteration, and every iteration has its own"
    assert said in assumptions(INSIDE)
    assert not any("inside an iteration" in line for line in assumptions(drops(d)))


@pytest.mark.parametrize(
    ("facts", "steps", "note"),
    [
        ({"falls": le(F(j + 1), F(j))}, (Telescope("falls", j, n), le(F(n), F(0))), "goes along"),
        ({"up": le(A(k), A(k + 1))}, (Telescope("up", k, n), le(A(0), A(n))), "own, not k"),
        ({}, (Total("drop", j), eq(A(j + 1), A(j) - P(j))), "used along our own"),
        ({"first": le(F(0), A(j))}, (Everywhere("first", {j: n}), le(F(0), A(n))), "used along"),
    ],
    ids=["hypothesis", "index", "point", "sequence"],
)
def test_an_inner_run_is_not_ours(facts: Any, steps: Any, note: str) -> None:
    """With p = 0, 1, 2, … by iteration, F(n) − F(0) is no multiple of p."""
    rule, relation = steps
    lines = {"steps": (CITED, Step("ours", relation, rule)), "points": (X, NEXT)}
    values = {"sequences": {F: X.value, P: p}}
    assert note in says(drops(p, LEFT | facts, **(INNER | lines | values)))


@pytest.mark.parametrize(
    ("facts", "values", "more"),
    [
        ({"more": le(1, F(n))}, {}, "hypothesis 'more'"),
        ({"more": le(A(n), F(n))}, {}, "hypothesis 'more'"),
        ({"left": le(F(n) - F(0), s)}, {}, "hypothesis 'left'"),
        ({}, {A: X.value}, "the meaning of A"),
    ],
)
def test_nothing_more_is_said_of_an_inner_run(facts: Any, values: Any, more: str) -> None:
    """As a line of ours it is about the means of our iterations, where it need not hold."""
    still = {"still": eq(A(k + 1), A(k))}
    known = {"symbols": (n, c, d), "id": "test.leaves", "steps": LEAVES.steps}
    lines = {"lhs": d, "terms": {"all": -n * c}, "conclude": LEAVES.conclude}
    lemma = drops(c, {"left": eq(F(n) - F(0), d), **still}, **known, **lines)
    assert proved(lemma)
    given: dict[str, Any] = {"cites": (lemma,), "steps": (CITED,)}
    assert proved(drops(p, LEFT | still, **(INNER | given)))
    given["sequences"] = {F: X.value, **values}
    assert f"{more} says more" in says(drops(p, LEFT | still | facts, **(INNER | given)))


@pytest.mark.parametrize("value", [X.value, NEXT.value, square(NEXT.position)], ids=str)
def test_a_mean_of_what_goes_along_an_inner_run(value: Any) -> None:
    values = {"sequences": {F: X.value, V: value}}
    assert "V is the mean" in says(drops(p, LEFT, **(INNER | values), steps=(CITED,)))


def test_one_inner_run_for_each_citation() -> None:
    """Where p is 1, 2, … by iteration, n·p is not the sum of the first n of them."""
    sums = theorem(
        eq(F(n) - F(0), -sympy.Sum(P(k), (k, 0, n - 1))),
        Telescope("by k", k, n),
        {"drop": eq(NEXT.value, X.value - p)},
        id="test.sums",
        symbols=(n,),
        scalars=(p,),
        sequences={F: X.value, P: p},
        steps=(Step("by k", eq(F(k + 1), F(k) - P(k)), Total("drop", k)),),
        **RUN,
    )
    assert proved(sums)
    steps = (CITED, Step("sum", sums.goal, Cite("test.sums")))
    both = {"steps": steps, "conclude": Combine({"run": -1, "sum": 1}), "cites": (LEAVES, sums)}
    goal = {"lhs": n * p, "terms": {"all": sympy.Sum(P(k), (k, 0, n - 1))}}
    values = {"sequences": {F: X.value, P: p}}
    assert "used along our own" in says(drops(p, LEFT, **(INNER | both | goal | values)))


def test_another_citation_assumes_nothing_of_an_inner_run() -> None:
    falls = {"falls": le(F(j + 1), F(j)), "low": le(F(0), a), "high": le(b, F(n))}
    known: dict[str, Any] = {"symbols": (a, b, n)}
    steps = (Step("down", le(F(n) - F(0), 0), Telescope("falls", j, n)),)
    ending = Combine({"down": 1, "low": 1, "high": 1})
    lemma = theorem(le(b, a), ending, falls, id="test.low", steps=steps, **known)
    assert proved(lemma)
    both: dict[str, Any] = {"cites": (LEAVES, lemma), "symbols": (a, b, n)}
    lines = {"steps": (CITED, Step("between", le(b, a), Cite("test.low")))}
    note = says(drops(p, LEFT | falls, **(INNER | both | lines)))
    assert "used along our own" in note


def test_another_citation_says_nothing_of_an_inner_run() -> None:
    """Also where it needs no hypothesis about it."""
    value = square(X.position)
    known: dict[str, Any] = {"sequences": {F: value}, "scalars": (p, s), "symbols": (n,), **RUN}
    sizes = theorem(
        le(0, F(n)),
        Everywhere("by k", {k: n}),
        {},
        id="test.sizes",
        steps=(
            Step("size", le(0, value), Combine(squares=((1, X.position),))),
            Step("by k", le(0, F(k)), Total("size", k)),
        ),
        **known,
    )
    assert proved(sizes)
    facts = {"drop": eq(square(NEXT.position), value - c), "left": eq(F(n) - F(0), d)}
    constant = known | {"symbols": (n, c, d), "steps": LEAVES.steps}
    lemma = theorem(LEAVES.goal, LEAVES.conclude, facts, id="test.leaves", **constant)
    here = {"drop": eq(square(NEXT.position), value - p), **LEFT}
    goal, last = eq(s, -n * p), Combine({"run": 1})
    cites = known | {"cites": (lemma, sizes)}
    assert proved(theorem(goal, last, here, steps=(CITED,), **cites))
    more = (CITED, Step("size", sizes.goal, Cite("test.sizes")))
    assert "used along our own" in says(theorem(goal, last, here, steps=more, **cites))


@pytest.mark.parametrize(
    "premise",
    [
        {"hypotheses": (Hypothesis("fact", "fact", le(X.value, c)),)},
        {"hypotheses": (Smooth("smooth", "f is c-smooth", c),)},
        {"points": (X, NEXT, Point(u - c * v, Y.value, Y.gradient))},
        {"sequences": {F: c * X.value}},
        {"following": ((X, Point(X.position - c * u, Y.value, Y.gradient)),)},
    ],
    ids=["hypothesis", "smoothness", "point", "sequence", "following"],
)
def test_what_a_run_holds_fixed(premise: dict[str, Any]) -> None:
    """A constant of any premise; one that is in none is any number."""
    falls = Telescope("falls", k, n)
    settings: dict[str, Any] = {"symbols": (n, c), "vectors": (u, v), "sequences": {F: X.value}}
    [free] = runs(theorem(le(0, 0), falls, {}, **(RUN | settings)))
    assert free.held == frozenset()
    assert free.indices == {k}
    assert free.names == {X.value, "x", "∇f(x)", NEXT.value, "x⁺", "∇f(x⁺)"}
    [bound] = runs(theorem(le(0, 0), falls, {}, **(RUN | settings | premise)))
    assert bound.held == {c}
    assert c not in bound.names


def test_a_run_at_other_values() -> None:
    run = Run(frozenset({k}), frozenset({c, g}), frozenset({F}), frozenset({p, "u"}))
    moved = run.at(Values({c: 2 * d, p: s + square(h)}, {"g": 3 * h, "u": b * v}))
    assert moved.held == {2 * d, 3 * h}
    assert moved.names == {s, "h", b, "v"}


def test_an_inner_run_stays_inside_where_its_theorem_is_cited() -> None:
    facts = {"drop": eq(NEXT.value, X.value - p), **LEFT}
    settings: dict[str, Any] = {"symbols": (n,), "scalars": (p, s), "cites": (INSIDE,), **RUN}
    values = {F: X.value}
    cite = Cite("test.inside")
    goal = eq(s, -n * p)
    assert proved(theorem(goal, cite, facts, sequences=values, **settings))
    mixed = theorem(goal, cite, facts, sequences=values | {V: X.value}, **settings)
    assert "held fixed in test.inside, but V" in says(mixed)
    still = settings | {"symbols": (n, p, s), "scalars": ()}
    assert proved(theorem(goal, cite, facts, sequences=values | {V: X.value}, **still))


def test_what_follows_a_point_is_the_same_where_no_sequence_is_named() -> None:
    """f(x) = c and f(x⁺) = c + d give d = 0 only if x⁺ is the next x."""
    facts = {"now": eq(X.value, c), "move": eq(NEXT.value, X.value + d)}
    steps = (
        Step("here", eq(F(k), c), Total("now", k)),
        Step("next", eq(F(k + 1), c), Everywhere("here", {k: k + 1})),
        Step("moved", eq(F(k + 1), F(k) + d), Total("move", k)),
    )
    ending = Combine({"here": -1, "next": 1, "moved": -1})
    known: dict[str, Any] = {"symbols": (c, d), "points": (X, NEXT)}
    means: dict[str, Any] = {"sequences": {F: X.value}, "following": ((X, NEXT),)}
    lemma = theorem(eq(d, 0), ending, facts, id="test.still", steps=steps, **known, **means)
    settings: dict[str, Any] = {"cites": (lemma,), **known}
    assert "what follows" in says(theorem(eq(d, 0), Cite("test.still"), facts, **settings))
    followed = settings | {"following": ((X, NEXT),)}
    assert proved(theorem(eq(d, 0), Cite("test.still"), facts, **followed))


# What is put in


def test_a_factor_of_a_vector_is_real() -> None:
    """The square of √p u would be p‖u‖², whatever the sign of p."""
    lemma = theorem(le(0, square(v)), Combine(squares=((1, v),)), {}, id="test.v", vectors=(v,))
    settings: dict[str, Any] = {"cites": (lemma,), "vectors": (u,), "scalars": (p,)}
    root = Cite("test.v", vectors={"v": sympy.sqrt(p) * u})
    assert "p >= 0 is not shown" in says(theorem(le(0, p * square(u)), root, {}, **settings))
    known = {"p": le(0, p)}
    shown = Cite("test.v", vectors={"v": sympy.sqrt(p) * u}, domain=("p",))
    assert proved(theorem(le(0, p * square(u)), shown, known, **settings))


def test_a_random_factor_of_a_vector() -> None:
    """From ‖v‖²‖g‖² ≤ a to a mean of ‖g‖² only for v that is not random."""
    mean = Operator("E", ("g", "p"))
    facts = {"size": le(square(v) * square(g), a)}
    goal = le(mean.of(square(v) * square(g)), a)
    lemma = theorem(goal, Expect("size", mean), facts, id="test.mean", vectors=(g, v), scalars=(p,))
    at = {"size": le(p**2 * square(u) * square(g), a)}
    cite = Cite("test.mean", vectors={"v": p * u})
    wrong = le(p**2 * square(u) * mean.of(square(g)), a)
    settings: dict[str, Any] = {"cites": (lemma,), "vectors": (g, u), "scalars": (p,)}
    assert "p is random to E" in says(theorem(wrong, cite, at, **settings))
    plain = {"size": le(4 * square(u) * square(g), a)}
    twice = Cite("test.mean", vectors={"v": 2 * u})
    fine = le(4 * square(u) * mean.of(square(g)), a)
    assert proved(theorem(fine, twice, plain, **settings))


def test_a_random_product_is_not_put_into_a_mean() -> None:
    """From d·⟨g, u⟩ ≤ a to d times a mean only for d that is not random."""
    mean = Operator("E", ("g",))
    facts = {"size": le(d * dot(g, u), a)}
    goal = le(d * mean.of(dot(g, u)), a)
    known: dict[str, Any] = {"vectors": (g, u, v)}
    rule = Expect("size", mean)
    lemma = theorem(goal, rule, facts, id="test.mean", symbols=(a, d), **known)
    for seen, fine in ((u, True), (g, False)):
        value = dot(seen, v)
        at = {"size": le(value * dot(g, u), a)}
        cite = Cite("test.mean", {d: value})
        one = theorem(le(value * mean.of(dot(g, u)), a), cite, at, cites=(lemma,), **known)
        assert proved(one) if fine else "g is random to E" in says(one)


def test_symbols_change_places_all_at_once() -> None:
    def moved(factor: Any) -> Any:
        return Point(u - factor * v, X.value, X.gradient)

    facts = {"low": le(X.value, b)}
    known: dict[str, Any] = {"vectors": (u, v), "symbols": (a, b)}
    lemma = theorem(
        le(X.value, b), Combine({"low": 1}), facts, id="test.low", points=(moved(a),), **known
    )
    cite, goal = Cite("test.low", {a: b, b: a}), le(X.value, a)
    settings = known | {"cites": (lemma,)}
    assert proved(theorem(goal, cite, {"low": goal}, points=(moved(b),), **settings))
    unmoved = theorem(goal, cite, {"low": goal}, points=(moved(a),), **settings)
    assert "no such point" in says(unmoved)


# Sequences, points and means


@pytest.mark.parametrize("value", [X.value * B(k), X.value * k, B(n)], ids=str)
def test_the_value_of_a_sequence_is_of_one_iteration(value: Any) -> None:
    """With A(k) the mean of f·B(k), A(k + 1) would be that of the next f and this B."""
    theorem(le(0, 0), Combine(), {}, points=(X,), scalars=(p,), sequences={A: X.value * p})
    with pytest.raises(TheoryError, match="quantities of one iteration"):
        theorem(le(0, 0), Combine(), {}, points=(X,), sequences={A: value}, symbols=(n,))


def test_what_is_the_same_in_every_iteration_is_not_random() -> None:
    mean = Operator("E", ("g", "c"))
    facts = {"mean": eq(mean.of(dot(g, u) * c), 0)}
    known: dict[str, Any] = {"vectors": (g, u)}
    theorem(le(0, 0), Combine(), facts, fixed=(u,), scalars=(c,), **known)
    with pytest.raises(TheoryError, match="g is the same in every iteration, and random to E"):
        theorem(le(0, 0), Combine(), facts, fixed=(g,), scalars=(c,), **known)
    with pytest.raises(TheoryError, match="c is the same in every iteration, and random to E"):
        theorem(le(0, 0), Combine(), facts, symbols=(c,), **known)


def test_a_point_is_followed_by_one_of_the_same_function() -> None:
    other = point("x⁺", "h")
    theorem(le(0, 0), Combine(), {}, **RUN)
    with pytest.raises(TheoryError, match="is a point of f, found h"):
        theorem(le(0, 0), Combine(), {}, points=(X, other), following=((X, other),))


def test_a_point_is_followed_by_one_point() -> None:
    """With two of them, f(x) would go down by 1 and stay."""
    facts = {"down": eq(NEXT.value, X.value - 1), "stay": eq(point("y").value, X.value)}
    both = ((X, NEXT), (X, point("y")))
    points = (X, NEXT, point("y"))
    theorem(le(0, 0), Combine(), facts, points=points, following=both[:1])
    with pytest.raises(TheoryError, match="followed by one thing"):
        theorem(le(0, 0), Combine(), facts, points=points, following=both)
    with pytest.raises(TheoryError, match="is a constant"):
        theorem(le(0, 0), Combine(), facts, points=points, following=both[:1], symbols=(X.value,))


def sometimes(at: Any) -> Any:
    """A Python function: A where a recurrence is read, B elsewhere."""
    return A(at) if at in (k, k + 1, 0) else B(at)


def test_a_sequence_is_no_python_function() -> None:
    falls = {"step": le(A(k + 1), A(k)), "start": le(A(0), 0)}
    assert accepts(Induction("step", k, n, A, "start"), le(A(n), 0), falls)
    assert not accepts(Induction("step", k, n, sometimes, "start"), le(B(n), 0), falls)
    assert accepts(UNROLL, eq(A(n), P(0, n)), UNROLLED)
    mixed = Unroll("step", "start", "empty", "longer", k, j, n, sometimes, P)
    assert not accepts(mixed, eq(B(n), P(0, n)), UNROLLED)
    product = Unroll("step", "start", "empty", "longer", k, j, n, A, lambda *at: P(*at))
    assert not accepts(product, eq(A(n), P(0, n)), UNROLLED)
    with pytest.raises(TheoryError, match="own classes"):
        theorem(le(0, 0), Combine(), {}, points=(X,), sequences={sometimes: X.value})


class Opposite(Operator):
    """No mean at all."""

    def of(self, expression: Any) -> Any:
        return -expression


class OppositeAverage(Average):
    """No average at all."""

    def of(self, expression: Any) -> Any:
        return -expression


def test_a_mean_is_one_of_the_kernel() -> None:
    mean = Operator("E", ("p",), over="sample")
    average = Average("avg", ("p",), over="replica")
    fact = {"sign": le(0, p)}
    assert accepts(Expect("sign", mean), le(0, mean.of(p)), fact, scalars=(p,))
    assert not accepts(Expect("sign", Opposite("E", ("p",))), le(p, 0), fact, scalars=(p,))
    nest = {"nest": le(average.of(mean.of(p)), a)}
    goal = le(mean.of(average.of(p)), a)
    assert accepts(Swap("nest", average, mean), goal, nest, scalars=(p,))
    less = Swap("nest", OppositeAverage("avg", ("p",), over="replica"), mean)
    assert not accepts(less, le(-mean.of(p), a), nest, scalars=(p,))
    under = Swap("nest", average, Opposite("E", ("p",), over="sample"))
    assert not accepts(under, le(-average.of(p), a), nest, scalars=(p,))


# Controls, consistency, rows


def test_a_number_that_is_too_long_is_unknown() -> None:
    grows = {"grows": eq(A(k), 2**k * A(0))}
    goal = eq(sympy.Sum(A(k), (k, 0, n - 1)), sympy.Sum(2**k * A(0), (k, 0, n - 1)))
    one = theorem(goal, Telescope("grows", k, n), grows, indices=(k,))
    assert "numbers have at most" in says(one)


def test_a_control_gives_a_step_only_what_comes_before_it() -> None:
    """A cited theorem that says what it assumes would else be its own reason."""
    facts = {"less": le(a, b)}
    lemma = theorem(le(a, b), Combine({"less": 1}), facts, id="test.less")
    steps = (Step("cited", le(a, b), Cite("test.less")),)
    one = theorem(le(a, b), Combine({"cited": 1}), facts, cites=(lemma,), steps=steps)
    assert verdict_of(one, formulas(one)) is Verdict.PROVED
    assert verdict_of(one, formulas(one) | {"less": 2 * b}) is Verdict.UNKNOWN
    assert without(one, "less") is Verdict.UNKNOWN


def test_a_row_says_what_is_fixed() -> None:
    assert assumptions(along(h)) == ("move", "h is the same in every iteration")
