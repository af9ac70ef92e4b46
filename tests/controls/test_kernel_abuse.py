"""False statements that a proof could reach by stretching what names stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
import sympy

from theory.errors import TheoryError, VacuousError
from theory.kernel import (
    Average,
    Cite,
    Combine,
    Descent,
    Everywhere,
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
from theory.kernel.rules import Integral
from theory.kernel.theorem import Checked, Given, Rule
from theory.kernel.vectors import ZERO
from theory.papers.rpd import eq_8, stepsize, thm_4_1
from theory.papers.rpd.lemmas import draw_counts
from theory.papers.rpd.symbols import gamma
from theory.verdicts import Verdict

a, b, q = sympy.symbols("a b q", positive=True)
r = sympy.Symbol("r", real=True)
K = sympy.Symbol("K", integer=True, positive=True)
i, k, m = (sympy.Symbol(name, integer=True, nonnegative=True) for name in "ikm")
A, B = (sympy.Function(name, real=True) for name in "AB")
S = sympy.Function("S", nonnegative=True)
u, v, w, g = vectors("u v w g")
X, Y = point("x"), point("y")
AHEAD = Point(X.position - g, sympy.Symbol("f(x+)", real=True), vector("∇f(x+)"))


def theorem(**changes: Any) -> Theorem:
    base: dict[str, Any] = {
        "id": "test.one",
        "where": "here",
        "statement": "0 ≤ 0.",
        "latex": "0",
        "symbols": (a, b, q, K),
        "scalars": (r,),
        "vectors": (u, v, w, g),
        "points": (X, Y),
        "lhs": sympy.S.Zero,
        "terms": {"nothing": sympy.S.Zero},
        "conclude": Combine(),
    }
    return Theorem(**(base | changes))


def says(rule: Rule, goal: Relation, facts: dict[str, Relation], **changes: Any) -> str:
    """Why a rule does not give a goal; it must not."""
    found = rule.check(goal, Given(theorem(**changes), facts))
    assert found.verdict is Verdict.UNKNOWN
    return found.note


# Citing


def test_a_stepsize_is_replaced_in_the_points_too() -> None:
    """x⁺ = x − γg stays where it is when (8) is cited with 5γ."""
    five = {gamma: 5 * gamma}
    faster = replace(
        eq_8.THEOREM,
        id="test.faster",
        cites=(eq_8.THEOREM,),
        terms={"bound": eq_8.THEOREM.goal.replaced(five).rhs},
        steps=(),
        conclude=Cite("rpd.eq-8", five),
    )
    found = prove(faster)
    assert found.verdict is Verdict.UNKNOWN
    assert "no such point" in found.lines[-2].rule
    bound = replace(
        stepsize.ANY_STEPSIZE,
        id="test.bound",
        cites=(stepsize.ANY_STEPSIZE,),
        terms={name: form.subs(five) for name, form in thm_4_1.THEOREM.terms.items()},
        steps=(),
        conclude=Cite(stepsize.ANY_STEPSIZE.id, five),
    )
    assert prove(bound).verdict is Verdict.UNKNOWN


BOUND = Hypothesis("bound", "A stays", le(A(k), a))
SUMMED = theorem(
    id="test.summed",
    hypotheses=(BOUND,),
    lhs=sympy.Sum(A(k), (k, 0, K - 1)),
    terms={"all": K * a},
    conclude=Telescope("bound", k, K),
)


def cited(values: dict[Any, Any], facts: dict[str, Relation], **changes: Any) -> str:
    goal = SUMMED.goal.replaced(values)
    return says(Cite("test.summed", values), goal, facts, cites=(SUMMED,), **changes)


def test_the_cited_theorem_is_proved() -> None:
    assert prove(SUMMED).verdict is Verdict.PROVED


def test_an_index_of_the_cited_proof_is_not_put_in() -> None:
    """A(k) ≤ A(k) for every k gives no sum of K equal terms."""
    assert "index" in cited({a: sympy.exp(k)}, {})
    assert "index" in cited({a: k + 1}, {"bound": le(A(k), k + 1)})
    assert "no symbol" in cited({A(k): a}, {})
    assert "no symbol" in cited({k: K}, {"bound": le(A(K), a)})


def test_what_holds_for_some_indices_only_is_not_summed_by_citing() -> None:
    few = Hypothesis("few", "k is at most 5", le(k, 5))
    facts = {"bound": le(A(k), a)}
    assert "fixes k" in cited({}, facts, hypotheses=(few, BOUND), indices=(k,))
    assert "one value" in cited({}, facts, symbols=(a, b, q, K, k))


def test_only_domains_that_are_checked() -> None:
    odd = sympy.Symbol("c", negative=True)
    lemma = theorem(id="test.c", symbols=(odd,), scalars=())
    assert "not one that is checked" in says(Cite("test.c", {odd: b}), le(0, 0), {}, cites=(lemma,))


def test_sequences_keep_their_meaning_and_what_follows() -> None:
    small = Hypothesis("small", "‖x‖² ≤ a", le(square(X.position), a))
    told = theorem(
        id="test.told",
        hypotheses=(small,),
        sequences={S: square(X.position)},
        lhs=S(k),
        terms={"a": a},
        conclude=Total("small", k),
    )
    assert prove(told).verdict is Verdict.PROVED
    moved = {"x": u}
    facts = {"small": le(square(u), a)}
    note = says(
        Cite("test.told", vectors=moved),
        le(S(k), a),
        facts,
        cites=(told,),
        sequences={S: square(X.position)},
    )
    assert "means something else" in note


# Totals and sequences


def test_a_total_goes_along_the_index_of_its_theorem() -> None:
    """Along another index, the number of draws so far would be a constant."""
    swapped = replace(
        draw_counts.THEOREM,
        steps=tuple(
            replace(step, rule=replace(step.rule, index=m))
            if isinstance(step.rule, Total)
            else step
            for step in draw_counts.THEOREM.steps
            if not isinstance(step.rule, Telescope)
        ),
    )
    lines = {line.rule for line in prove(swapped).lines}
    assert any("counts something else than m" in line for line in lines)


def test_a_sum_of_unknown_functions_is_no_constant() -> None:
    part = sympy.Function("D", real=True)
    fact = {"same": eq(dot(X.gradient, u), sympy.Sum(part(i), (i, 1, K)))}
    goal = eq(A(k), sympy.Sum(part(i), (i, 1, K)))
    note = says(Total("same", k), goal, fact, sequences={A: dot(X.gradient, u)})
    assert "no sequence stands" in note


def test_what_changes_along_the_index_is_not_summed() -> None:
    """f(x) stands for another value in the next iteration."""
    fact = {"grow": eq(A(k + 1), A(k) + X.value)}
    goal = eq(A(K), A(0) + K * X.value)
    assert "changes along" in says(Telescope("grow", k, K), goal, fact)
    assert "changes along" in says(Everywhere("grow", {k: k + 1}), fact["grow"], fact)
    fact = {"grow": le(A(k + 1), A(k) + square(u))}
    assert "change along" in says(Telescope("grow", k, K), le(A(K), A(0) + K * square(u)), fact)


@pytest.mark.parametrize("count", [sympy.Integer(-3), r, K - 2, k, K / 2], ids=str)
def test_a_number_of_iterations(count: Any) -> None:
    fact = {"step": le(A(k + 1), A(k) + b)}
    goal = le(A(count), A(0) + count * b)
    assert "no number of iterations" in says(Telescope("step", k, count), goal, fact)


def test_a_bound_by_induction_has_no_index_of_its_own() -> None:
    facts = {"step": le(A(k + 1), A(k) + k), "start": eq(A(0), 0)}
    bound = K * (K - 1) / 2 - K * (K - k) * (K - k - 1)
    note = says(Induction("step", k, K, A, "start"), le(A(K), bound), facts)
    assert "no bound" in note


def test_an_index_of_a_sum_is_not_put_under_it() -> None:
    goal = eq(sympy.Sum(B(i) * A(i), (i, 0, 3)), A(i) * sympy.Sum(B(i), (i, 0, 3)))
    fact = {"s": eq(sympy.Sum(B(i) * A(k), (i, 0, 3)), A(k) * sympy.Sum(B(i), (i, 0, 3)))}
    assert "index of a sum" in says(Everywhere("s", {k: i}), goal, fact)


def test_one_index_a_theorem() -> None:
    fact = Hypothesis("step", "A stays", le(A(k), a))
    steps = (Step("sum", le(sympy.Sum(A(k), (k, 0, K - 1)), K * a), Telescope("step", k, K)),)
    with pytest.raises(TheoryError, match="one index"):
        theorem(hypotheses=(fact,), steps=steps, conclude=Telescope("step", m, K))


@pytest.mark.parametrize("domain", [{"integer": True, "positive": True}, {"zero": True}], ids=str)
def test_a_mean_is_declared_real_or_nonnegative(domain: dict[str, bool]) -> None:
    with pytest.raises(TheoryError, match="declared"):
        theorem(sequences={sympy.Function("S", **domain): square(u)})


def test_the_point_that_another_follows_has_a_name() -> None:
    moved = Point(u + v, sympy.Symbol("f(u+v)", real=True), vector("∇f(u+v)"))
    with pytest.raises(TheoryError, match="vector of its own"):
        theorem(points=(moved, AHEAD), following=((moved, AHEAD),))


def test_a_sequence_that_grows_is_not_bounded() -> None:
    """A(k + 1) = A(k) + 1 with 0 ≤ A ≤ 5 has models at each k, and none for all k together."""
    hypotheses = (
        Hypothesis("grows", "A grows by 1", eq(A(k + 1), A(k) + 1)),
        Hypothesis("from 0", "A is at least 0", le(0, A(k))),
        Hypothesis("few", "A is at most 5", le(A(k), 5)),
    )
    with pytest.raises(VacuousError):
        prove(theorem(hypotheses=hypotheses, conclude=Telescope("grows", k, K)))


# Points, means, averages


def test_where_a_point_is_random_so_is_its_gradient() -> None:
    """‖∇f(x) − ∇f(x⁺)‖² ≤ L²‖g‖² does not hold with E‖g‖² on the right."""
    mean = Operator("E", ("g", "f(x+)"))
    with pytest.raises(TheoryError, match="not listed as random"):
        theorem(points=(X, AHEAD), lhs=mean.of(square(g)))
    listed = Operator("E", ("g", "f(x+)", "∇f(x+)"))
    theorem(points=(X, AHEAD), lhs=listed.of(square(g)))


@pytest.mark.parametrize(
    "one",
    [
        Point(u, X.value, ZERO),
        Point(u, X.value, 2 * vector("∇")),
        Point(u, sympy.S.Zero, vector("∇")),
    ],
    ids=["no gradient", "twice a gradient", "no value"],
)
def test_a_point_assumes_nothing(one: Point) -> None:
    with pytest.raises(TheoryError, match="symbol"):
        theorem(points=(one,))


def test_a_lipschitz_constant_is_not_negative() -> None:
    rough = (Smooth("smooth", "f is r-smooth", r),)
    note = says(Descent("smooth", X, Y), descent(r, X, Y), {}, hypotheses=rough)
    assert "not shown" in note


def test_expectations_are_no_averages() -> None:
    one, two = Operator("E1", ("u",)), Operator("E2", ("v",))
    fact = {"nest": le(one.of(two.of(dot(u, v))), a)}
    goal = le(two.of(one.of(dot(u, v))), a)
    assert says(Swap("nest", Average("E1", ("u",)), two), goal, fact)


T = sympy.Symbol("t", positive=True)
WAY = Y.position - X.position
Z = Point(X.position + WAY * T, sympy.Symbol("f(z)", real=True), vector("∇f(z)"))
SLOPE = dot(Z.gradient, WAY)


EARLY = Hypothesis("early", "t ≤ 1/10", le(T, sympy.Rational(1, 10)))
FLAT = Hypothesis("flat", "‖∇f(z)‖ ≤ 1", le(square(Z.gradient), 1))


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"fact": le(SLOPE, SLOPE)}, "depends on the point"),
        ({"fact": le(SLOPE, a / (T + a))}, "no polynomial in t"),
        ({"hypotheses": (EARLY,)}, "about one value of t"),
        ({"hypotheses": (FLAT,)}, "about one value of t"),
        ({"points": (X, Y, replace(Z, function="h"))}, "one function"),
    ],
    ids=["itself", "fraction", "time", "gradient", "function"],
)
def test_a_slope_is_bounded_along_the_whole_segment(changes: dict[str, Any], note: str) -> None:
    fact = changes.pop("fact", le(SLOPE, T * a))
    z = changes.get("points", (Z,))[-1]
    area = SLOPE if fact.rhs == SLOPE else a / 2
    goal = le(Y.value - X.value, area)
    settings: dict[str, Any] = {"points": (X, Y, Z), "symbols": (a, b, q, K, T)} | changes
    assert note in says(Integral("slope", T, X, Y, z), goal, {"slope": fact}, **settings)


# The machine itself


@dataclass(frozen=True)
class Believe:
    """A rule that is none of the kernel's."""

    uses: tuple[str, ...] = ()

    def check(self, goal: Relation, given: Given) -> Checked:
        return Checked(Verdict.PROVED, "trust me")


def test_only_rules_of_the_kernel() -> None:
    found = prove(theorem(lhs=sympy.S.One, conclude=Believe()))
    assert found.verdict is Verdict.UNKNOWN
    assert "no rule of the kernel" in found.lines[0].rule


def test_a_theorem_does_not_change_after_its_proof() -> None:
    terms = {"nothing": sympy.S.Zero}
    one = theorem(terms=terms)
    assert prove(one).verdict is Verdict.PROVED
    terms["nothing"] = sympy.Integer(-1)
    assert one.goal.rhs == 0
    with pytest.raises(TypeError):
        one.terms["nothing"] = sympy.Integer(-1)  # type: ignore[index]


def test_what_equals_something_random_is_random() -> None:
    """From V = ‖g‖² with V fixed it would follow that ‖g‖² is its own mean."""
    norm = Hypothesis("norm", "r is ‖g‖²", eq(r, square(g)))
    mean = Operator("E", ("g",))
    with pytest.raises(TheoryError, match="listed"):
        theorem(hypotheses=(norm,), lhs=mean.of(square(g)))
    theorem(hypotheses=(norm,), lhs=Operator("E", ("g", "r")).of(square(g)))


def test_a_fact_with_a_pole_is_no_fact() -> None:
    """1/(k − 4) is not defined at every k, so nothing is summed of it."""
    pole = Hypothesis("pole", "A moves by 1/(k − 4)", eq(A(k + 1), A(k) + 1 / (k - 4)))
    one = theorem(
        indices=(k,),
        hypotheses=(pole,),
        kind="==",
        lhs=A(K),
        terms={"sum": A(0) + sympy.Sum(1 / (k - 4), (k, 0, K - 1))},
        conclude=Telescope("pole", k, K),
    )
    found = prove(one)
    assert found.verdict is Verdict.UNKNOWN
    assert "one value" not in found.lines[0].rule


def test_a_point_is_at_a_real_combination() -> None:
    with pytest.raises(TheoryError, match="real combination"):
        theorem(points=(Point(u + sympy.sqrt(r) * v, X.value, X.gradient),))
