"""Every rule of the proof kernel, given something it must not accept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import sympy

from theory.errors import TheoryError, UndeclaredSymbolError, VacuousError
from theory.judging.controls import formulas, verdict_of
from theory.judging.mutants import mutants
from theory.kernel import (
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
    Telescope,
    Theorem,
    Total,
    consistency,
    descent,
    dot,
    eq,
    ge,
    le,
    lipschitz,
    point,
    prove,
    square,
    vector,
    vectors,
)
from theory.kernel.lemmas import DESCENT, JENSEN, LEMMAS, YOUNG
from theory.kernel.rules import Integral
from theory.kernel.rules.calculus import support
from theory.kernel.rules.series import pinned
from theory.kernel.theorem import Given, Rule
from theory.papers.rpd import thm_4_1
from theory.verdicts import Verdict

a, b, q = sympy.symbols("a b q", positive=True)
r = sympy.Symbol("r", real=True)
K = sympy.Symbol("K", integer=True, positive=True)
k, m = sympy.symbols("k m", integer=True, nonnegative=True)
A = sympy.Function("A", real=True)
S = sympy.Function("S", nonnegative=True)
u, v, g = vectors("u v g")
X, Y = point("x"), point("y")
H = point("x", "h")


def theorem(**changes: Any) -> Theorem:
    """A theorem that trivially holds, to hang rules on."""
    base: dict[str, Any] = {
        "id": "test.one",
        "where": "here",
        "statement": "0 ≤ 0.",
        "latex": "0",
        "symbols": (a, b, q, K),
        "scalars": (r,),
        "vectors": (u, v, g),
        "points": (X, Y, H),
        "hypotheses": (Smooth("smooth", "f is a-smooth", a),),
        "lhs": sympy.S.Zero,
        "terms": {"nothing": sympy.S.Zero},
        "conclude": Combine(),
    }
    return Theorem(**(base | changes))


def accepts(
    rule: Rule, goal: Relation, facts: Mapping[str, Relation] | None = None, **changes: Any
) -> bool:
    given = Given(theorem(**changes), facts or {})
    return rule.check(goal, given).verdict is Verdict.PROVED


def test_lemmas_hold() -> None:
    assert all(prove(lemma).verdict is Verdict.PROVED for lemma in LEMMAS)


# Combine, Sign


def test_identity() -> None:
    assert accepts(Combine(), le((a + b) ** 2, a**2 + 2 * a * b + b**2))
    assert not accepts(Combine(), le(a, a + 1))  # true, but no identity
    assert not accepts(Combine(), le(a + 1, a))


FACTS = {"less": le(a, b), "same": eq(a, b), "real": le(r, 1)}


@pytest.mark.parametrize(
    ("rule", "goal"),
    [
        (Combine({"less": -1}), le(b, a)),
        (Combine({"less": r}), le(r * a, r * b)),
        (Combine({"less": 1}), eq(a, b)),
        (Combine({"less": 1}), le(a, b + 1)),
        (Combine({"less": 1, "absent": 1}), le(a, b)),
        (Combine(squares=((-1, r),)), le(r**2, 0)),
        (Combine(squares=((r, u),)), le(0, r * square(u))),
        (Combine(plus=(r,)), le(0, r)),
        (Combine(plus=(a - 1,)), le(1, a)),
        (Combine(plus=(a,)), eq(0, a)),
        (Sign(), le(1, a)),
        (Sign(("absent",)), le(0, a)),
        (Sign(), eq(a, b)),
        (Sign(("less",)), eq(a, b)),
        (Sign(), le(0, dot(u, v))),
    ],
    ids=str,
)
def test_false_certificates(rule: Rule, goal: Relation) -> None:
    assert not accepts(rule, goal, FACTS)


@pytest.mark.parametrize(
    ("rule", "goal"),
    [
        (Combine({"less": 2}), le(2 * a, 2 * b)),
        (Combine({"same": -r}), le(r * b, r * a)),
        (Combine({"less": 1 - r}, domain=("real",)), le((1 - r) * a, (1 - r) * b)),
        (Sign(("less",)), le(a**2, b**2)),
        (Sign(("same",)), eq(a**2, b**2)),
    ],
    ids=str,
)
def test_true_certificates(rule: Rule, goal: Relation) -> None:
    assert accepts(rule, goal, FACTS)


# Smoothness


def test_smoothness_is_of_one_function_at_its_points() -> None:
    assert accepts(Descent("smooth", X, Y), descent(a, X, Y))
    assert accepts(Lipschitz("smooth", X, Y), lipschitz(a, X, Y))
    assert not accepts(Descent("smooth", X, Y), descent(a / 2, X, Y))
    assert not accepts(Descent("smooth", X, Y), descent(2 * a, X, Y))
    below = Descent("smooth", X, Y, below=True)
    assert accepts(below, support(a, X, Y))
    for wrong in (support(a / 2, X, Y), support(-a, X, Y), support(a, Y, X), descent(a, X, Y)):
        assert not accepts(below, wrong)  # f = ∓a/2·x² attains both
    assert not accepts(Descent("smooth", X, Y), support(a, X, Y))
    assert not accepts(Descent("smooth", X, Y), descent(a, Y, X))
    same = Relation(Y.value, "==", descent(a, X, Y).rhs)
    assert not accepts(Descent("smooth", X, Y), same)
    assert not accepts(Descent("rough", X, Y), descent(a, X, Y))
    assert not accepts(Descent("smooth", X, H), descent(a, X, H))
    mixed = Point(Y.position, X.value, X.gradient)
    assert not accepts(Descent("smooth", X, mixed), descent(a, X, mixed))
    assert not accepts(Lipschitz("smooth", X, mixed), lipschitz(a, X, mixed))


def test_one_gradient_belongs_to_one_point() -> None:
    with pytest.raises(TheoryError, match="two different points"):
        theorem(points=(X, Point(Y.position, X.value, vector("other"))))


def test_integral_is_along_its_segment() -> None:
    way = Y.position - X.position
    z = Point(X.position + way * q, sympy.Symbol("f(z)", real=True), vector("∇f(z)"))
    bent = Point(X.position + way * q * q, z.value, z.gradient)
    fact = {"slope": le(dot(z.gradient, way), q * a)}
    goal = le(Y.value - X.value, a / 2)
    assert accepts(Integral("slope", q, X, Y, z), goal, fact, points=(X, Y, z))
    assert not accepts(Integral("slope", q, X, Y, z), le(Y.value - X.value, a), fact)
    assert not accepts(Integral("slope", q, X, Y, bent), goal, fact, points=(X, Y, bent))
    assert not accepts(Integral("slope", q, X, Y, z), goal, fact, points=(X, Y))
    other = {"slope": le(dot(z.gradient, 2 * way), q * a)}
    assert not accepts(Integral("slope", q, X, Y, z), goal, other, points=(X, Y, z))


# Expectations


MEAN = Operator("E", ("g",))


def test_mean_of_a_fact() -> None:
    fact = {"size": le(square(g), a), "same": eq(dot(g, u), b)}
    assert accepts(Expect("size", MEAN), le(MEAN.of(square(g)), a), fact)
    assert accepts(Expect("same", MEAN), eq(MEAN.of(dot(g, u)), b), fact)
    assert not accepts(Expect("size", MEAN), eq(MEAN.of(square(g)), a), fact)
    assert not accepts(Expect("size", MEAN), le(MEAN.of(square(g)), a / 2), fact)
    assert not accepts(Expect("same", MEAN), eq(MEAN.of(dot(g, g)), b), fact)
    assert not accepts(Expect("absent", MEAN), le(MEAN.of(square(g)), a), fact)


def test_square_of_a_mean_is_not_the_mean_of_the_square() -> None:
    assert not accepts(Combine(), eq(MEAN.of(dot(g, u)) ** 2, MEAN.of(dot(g, u) ** 2)))


def test_total_expectation_needs_a_name_for_everything_random() -> None:
    sequences = {A: X.value, S: square(X.gradient)}
    ahead = Point(X.position - g, sympy.Symbol("f(x+)", real=True), vector("∇f(x+)"))
    e_k = Operator("E_k", ("f(x+)", "g"))
    changes = {"points": (X, ahead), "sequences": sequences, "following": ((X, ahead),)}
    fact = {"step": le(e_k.of(ahead.value), X.value - a * square(X.gradient) + b)}
    goal = le(A(k + 1), A(k) - a * S(k) + b)
    assert accepts(Total("step", k), goal, fact, **changes)
    assert not accepts(Total("step", k), le(A(k + 1), A(k) - a * S(k + 1) + b), fact, **changes)
    assert not accepts(Total("step", k), le(A(k), A(k) - a * S(k) + b), fact, **changes)
    assert not accepts(Total("step", k), goal, fact, points=(X, ahead), sequences={A: X.value})
    unnamed = le(A(k + 1), A(k) - a * S(k) + 1)
    stray = {"step": le(e_k.of(ahead.value), X.value - a * square(X.gradient) + r)}
    assert not accepts(Total("step", k), le(A(k + 1), A(k) - a * S(k) + r), stray, **changes)
    assert not accepts(Total("step", k), unnamed, stray, **changes)
    product = {"step": le(X.value * square(X.gradient), b)}
    assert not accepts(Total("step", k), le(A(k) * S(k), b), product, **changes)


def test_what_is_known_before_goes_into_a_conditional_mean() -> None:
    known, drawn = Operator("E", ("g",)), Operator("E", ("g", "r"))
    changes = {"points": (X,), "sequences": {S: r**2 * square(g)}}
    goal = le(S(k), b)
    fact = {"step": le(r**2 * known.of(square(g)), b)}
    assert accepts(Total("step", k), goal, fact, **changes)
    assert not accepts(Total("step", k), le(S(k), b / 2), fact, **changes)
    apart = {"step": le(r**2 * drawn.of(square(g)), b)}  # of a mean, not of the product
    assert not accepts(Total("step", k), goal, apart, **changes)
    twice = {"step": le(known.of(square(g)) * known.of(dot(g, u)), b)}
    other = {A: square(g) * dot(g, u)}
    assert not accepts(Total("step", k), le(A(k), b), twice, points=(X,), sequences=other)


def test_a_point_that_nothing_follows_has_no_next_value() -> None:
    changes = {"points": (X, Y), "sequences": {A: X.value}, "following": ()}
    fact = {"step": le(X.value, b)}
    assert accepts(Total("step", k), le(A(k), b), fact, **changes)
    assert not accepts(Total("step", k), le(A(k + 1), b), fact, **changes)


def test_a_sequence_has_no_sign_that_its_value_has_not() -> None:
    with pytest.raises(TheoryError, match="declared nonnegative"):
        theorem(sequences={S: X.value})


# Sequences


def test_telescoping() -> None:
    fact = {"step": le(A(k + 1), A(k) - a * S(k) + b)}
    total = a * sympy.Sum(S(k), (k, 0, K - 1))
    assert accepts(Telescope("step", k, K), le(A(K), A(0) - total + K * b), fact)
    assert not accepts(Telescope("step", k, K), le(A(K), A(0) - total + b), fact)
    assert not accepts(Telescope("step", k, K), le(A(K - 1), A(0) - total + K * b), fact)
    assert not accepts(Telescope("step", k, K), le(A(K), A(1) - total + K * b), fact)
    assert not accepts(Telescope("step", k, K), eq(A(K), A(0) - total + K * b), fact)


def test_weighted_differences_do_not_cancel() -> None:
    fact = {"step": le(k * A(k + 1), k * A(k) + b)}
    for weight in (K, k, sympy.S.One):
        wrong = le(weight * A(K), weight * A(0) + K * b)
        assert not accepts(Telescope("step", k, K), wrong, fact)


def test_what_is_not_the_sum_is_told_with_the_difference() -> None:
    given = Given(theorem(symbols=(b,)), {"step": le(A(k + 1), A(k) + b)})
    found = Telescope("step", k, K).check(le(A(K), A(0) + K * b / 2), given)
    assert found.note == "not the sum of step: there, right minus left is more by K*b/2"


def test_counters_cancel_with_their_own_predecessor_only() -> None:
    fact = {"step": le((k + 1) ** 2 * A(k + 1), k**2 * A(k) + b)}
    assert accepts(Telescope("step", k, K), le(K**2 * A(K), K * b), fact)
    for wrong in (
        le((K + 1) ** 2 * A(K), K * b),
        le(K**2 * A(K), (K - 1) * b),
        le(K**2 * A(K) + A(0), K * b),
    ):
        assert not accepts(Telescope("step", k, K), wrong, fact)
    start = {"step": le((k + 2) * A(k + 1), (k + 1) * A(k) + b)}
    assert accepts(Telescope("step", k, K), le((K + 1) * A(K), A(0) + K * b), start)
    assert not accepts(Telescope("step", k, K), le((K + 1) * A(K), K * b), start)


def test_a_weight_that_is_undefined_before_the_start_does_not_cancel() -> None:
    fact = {"step": le(A(k + 1) / (k + 1), A(k) / k + b)}
    assert not accepts(Telescope("step", k, K), le(A(K) / K, K * b), fact)


@pytest.mark.parametrize(
    "weight",
    [
        *(sympy.S(2), k + 1, k, k**2 - 3, sympy.sqrt(k + 1), sympy.sqrt(2 * k + 2), 2 / (k + 2)),
        *((k + 1) / (2 * k + 4), sympy.S(3) ** k, (-1) ** k, sympy.Max(k, 1)),
        *(1 / (k + 1), sympy.sqrt(k), 1 / (k - sympy.Rational(1, 2)), S(k), S(k + 1)),
    ],
)
def test_a_sum_by_parts_is_that_sum(weight: sympy.Expr) -> None:
    values = {A(n): sympy.Rational(n * n - 5, n + 2) for n in range(6)}
    values |= {S(n): sympy.Integer(n * n + 1) for n in range(6)}
    gap = b - weight * A(k + 1) + k * A(k)
    for many in range(1, 5):
        plainly = sympy.Add(*(gap.subs(k, n) for n in range(many)))
        total = Telescope("step", k, K).total(gap).subs(K, many).doit()
        assert sympy.expand((plainly - total).subs(values)) == 0


def test_a_root_cancels_with_its_own_predecessor_only() -> None:
    fact = {"step": le(sympy.sqrt(k + 1) * A(k + 1), sympy.sqrt(k) * A(k) + b)}
    assert accepts(Telescope("step", k, K), le(sympy.sqrt(K) * A(K), K * b), fact)
    for wrong in (
        le(sympy.sqrt(K + 1) * A(K), K * b),
        le(sympy.sqrt(K) * A(K) + A(0), K * b),
        le(sympy.sqrt(K) * A(K), (K - 1) * b),
    ):
        assert not accepts(Telescope("step", k, K), wrong, fact)


RATIO = {"step": le(A(k + 1), q * A(k) + b), "start": eq(A(0), a), "small": le(q, 1)}


def test_induction() -> None:
    rule = Induction("step", k, K, A, "start")
    bound = q**K * a + b * (1 - q**K) / (1 - q)
    assert accepts(rule, le(A(K), bound), RATIO)
    assert not accepts(rule, le(A(K), bound - 1), RATIO)
    assert not accepts(rule, le(A(K), bound + 1), RATIO)
    assert not accepts(rule, le(A(K), q**K * a), RATIO)
    assert not accepts(rule, le(A(K), bound - q**K * a / 2), RATIO)  # does not cover the start
    assert not accepts(rule, eq(A(K), bound), RATIO)
    assert not accepts(rule, le(A(K + 1), bound), RATIO)
    each, here = Induction("step", k, k, A, "start"), bound.subs(K, k)
    assert accepts(each, le(A(k), here), RATIO)
    assert not accepts(each, le(A(k), here - 1), RATIO)
    assert not accepts(each, le(A(K), bound), RATIO)
    assert not accepts(rule, le(A(K), bound + k), RATIO)


def test_induction_needs_a_nonnegative_ratio() -> None:
    """a(1) ≤ −a(0) says nothing about a(0) from above."""
    constant: dict[str, Any] = {"symbols": (a, b, q, K, r), "scalars": ()}
    facts = {"step": le(A(k + 1), r * A(k)), "start": le(A(0), a)}
    assert not accepts(Induction("step", k, K, A, "start"), le(A(K), r**K * a), facts, **constant)
    signed = {**facts, "sign": ge(r, 0)}
    assert accepts(
        Induction("step", k, K, A, "start", ("sign",)), le(A(K), r**K * a), signed, **constant
    )


def test_an_induction_may_begin_at_1() -> None:
    """Of a(k + 1) ≤ (1 − 2/(k + 1))·a(k) + b/(k + 1)² the first ratio is −1: a(1) ≤ b.

    A(0) = −1 and b = 0 give A(1) = 1, above every b/n; a bound at 1 has to cover the first rest.
    """
    late = sympy.Function("a", nonnegative=True)
    for sequence, first, bound, holds in (
        (late, 2, b / K, True),
        (late, 2, b / (2 * K), False),  # a(1) = b
        (late, 2, b / K**2, False),  # a(3) = b/9 + b/12
        (A, 2, b / K, False),
        (A, 1, b / K, False),  # b/n times 1 + 1/2 + … + 1/n
        (late, 3, b / K, False),  # the second ratio is −1/2
        (late, sympy.Rational(1, 2), 2 * b / K, False),  # the first ratio is 1/2
    ):
        step = le(sequence(k + 1), (1 - first / (k + 1)) * sequence(k) + b / (k + 1) ** 2)
        facts = {"step": step, "start": eq(sequence(0), sequence(0))}
        rule = Induction("step", k, K, sequence, "start")
        assert accepts(rule, le(sequence(K), bound), facts) is holds, (sequence, first, bound)
    step = le(late(k + 1), (1 - 2 / (k + 1)) * late(k) + b / (k + 1) ** 4)
    facts = {"step": step, "start": eq(late(0), late(0))}
    rule = Induction("step", k, K, late, "start")
    assert accepts(rule, le(late(K), b / K), facts)
    assert not accepts(rule, le(late(K), b / (4 * K)), facts)  # carries, and a(1) = b
    n = sympy.Symbol("n", integer=True, nonnegative=True)  # of 0 iterations nothing is said
    step = le(late(k + 1), (1 - 2 / (k + 1)) * late(k) + b / (k + 1) ** 2)
    facts = {"step": step, "start": eq(late(0), late(0))}
    assert not accepts(Induction("step", k, n, late, "start"), le(late(n), 2 * b / (n + 1)), facts)


def test_induction_of_what_is_no_recurrence() -> None:
    rule = Induction("step", k, K, A, "start")
    for wrong in (le(A(k + 1), k * A(k)), le(A(k), q * A(k + 1)), le(A(k + 1), A(k) ** 2)):
        assert not accepts(rule, le(A(K), q**K * a), {**RATIO, "step": wrong})


def test_only_an_index_is_replaced() -> None:
    fact = {"step": le(A(k), a)}
    assert accepts(Everywhere("step", {k: k + 1}), le(A(k + 1), a), fact)
    assert not accepts(Everywhere("step", {a: b}), le(A(k), b), fact)
    assert not accepts(Everywhere("step", {k: k + 1}), le(A(k + 1), b), fact)


def test_an_index_that_a_hypothesis_fixes_is_not_general() -> None:
    """l = 5 and F(l + 1) = F(l) + l do not give F(K) = F(0) + 5K."""
    index = sympy.Symbol("l", integer=True, nonnegative=True)
    step = eq(A(index + 1), A(index) + index)
    fixed = theorem(
        symbols=(K,),
        indices=(index,),
        hypotheses=(
            Hypothesis("five", "l is 5", eq(index, 5)),
            Hypothesis("step", "F grows by l", step),
        ),
        steps=(
            Step("five at a time", eq(A(index + 1), A(index) + 5), Combine({"step": 1, "five": 1})),
        ),
        kind="==",
        lhs=A(K),
        terms={"growth": A(0) + 5 * K},
        conclude=Telescope("five at a time", index, K),
    )
    with pytest.raises(VacuousError):
        prove(fixed)
    assert (
        "fixes l" in fixed.conclude.check(fixed.goal, Given(fixed, {"five at a time": step})).note
    )


@pytest.mark.parametrize(
    ("said", "others", "why"),
    [
        (le((k + 2) * square(u), 2 * dot(u, v)), (), ""),  # of iteration k, for every k
        (le(k * (1 + square(u)), 5 * (1 + square(u))), (), "fixes k"),  # k ≤ 5 in other words
        (eq(k * square(u), k - 5), (), "fixes k"),
        (le(1, k * square(u)), (), "fixes k"),  # of no run: it fails for k = 0
        (le((k - 4) * square(u), a), (Hypothesis("late", "late", le(5, k)),), "fixes k"),
        (le((m - 4) * square(u), a), (), "fixes m"),  # of one m, and u is of iteration k
    ],
)
def test_what_is_said_of_vectors_in_every_iteration_fixes_no_index(
    said: Relation, others: tuple[Hypothesis, ...], why: str
) -> None:
    hypotheses = (Hypothesis("said", "said", said), *others)
    about = theorem(vectors=(u, v), indices=(k, m), hypotheses=hypotheses)
    found = pinned(k, Given(about, {}))
    assert found is None if why == "" else found is not None and why in found.note


def test_hypotheses_about_an_index_hold_for_all_of_it() -> None:
    index = sympy.Symbol("l", integer=True, nonnegative=True)
    count = Hypothesis("count", "A counts", eq(A(index), index))
    few = Hypothesis("few", "A is at most 5", le(A(index), 5))
    step = Step("same", le(A(index), 5), Combine({"few": 1}))
    changes: dict[str, Any] = {"indices": (index,), "steps": (step,), "lhs": sympy.S.Zero}
    conclude = Telescope("same", index, K)
    with pytest.raises(VacuousError):
        prove(theorem(**changes, hypotheses=(count, few), conclude=conclude))


@pytest.mark.parametrize("domain", [{"positive": True}, {"even": True}, {}], ids=str)
def test_an_index_runs_through_all_numbers(domain: dict[str, bool]) -> None:
    index = sympy.Symbol("k", **({"integer": True} | domain if domain else {"real": True}))
    fact = {"step": le(A(index + 1), A(index) + b)}
    assert not accepts(Telescope("step", index, K), le(A(K), A(0) + K * b), fact)
    assert not accepts(Everywhere("step", {index: index + 1}), fact["step"], fact)


def test_an_index_is_not_replaced_by_what_is_none() -> None:
    fact = {"step": le(A(k), a)}
    for value in (sympy.Integer(-1), k - 1, k / 2, r):
        assert not accepts(Everywhere("step", {k: value}), le(A(value), a), fact)


# Citing


LEMMA = theorem(
    id="test.lemma",
    hypotheses=(Hypothesis("less", "a ≤ b", le(a, b)),),
    lhs=a**2,
    terms={"square": b**2},
    conclude=Sign(("less",)),
    points=(),
)


def test_citing() -> None:
    facts = {"less": le(a, b), "twice": le(2 * a, b)}
    assert accepts(Cite("test.lemma"), le(a**2, b**2), facts, cites=(LEMMA,))
    assert accepts(Cite("test.lemma", {a: 2 * a}), le(4 * a**2, b**2), facts, cites=(LEMMA,))
    assert not accepts(Cite("test.lemma"), le(a**2, b**2), facts)
    assert not accepts(Cite("test.lemma"), le(a**2, b**2), {}, cites=(LEMMA,))
    assert not accepts(Cite("test.lemma"), le(a**3, b**2), facts, cites=(LEMMA,))
    negative = {a: -a, b: -a / 2}
    told = {"less": le(-a, -a / 2)}
    assert not accepts(Cite("test.lemma", negative), le(a**2, a**2 / 4), told, cites=(LEMMA,))


def test_citing_what_is_not_proved() -> None:
    false = replace(LEMMA, terms={"square": b**2 / 2})
    goal = le(a**2, b**2 / 2)
    assert not accepts(Cite("test.lemma"), goal, {"less": le(a, b)}, cites=(false,))


def test_citing_does_not_put_what_is_random_into_a_mean() -> None:
    """E⟨g, v⟩ = ⟨m, v⟩ for fixed v says nothing about v = g."""
    fixed = theorem(
        id="test.mean",
        points=(),
        hypotheses=(Hypothesis("mean", "u is the mean", eq(MEAN.of(dot(g, v)), dot(u, v))),),
        kind="==",
        lhs=MEAN.of(dot(g, v)),
        terms={"mean": dot(u, v)},
        conclude=Combine({"mean": 1}),
    )
    wrong = eq(MEAN.of(square(g)), dot(u, g))
    told = {"mean": wrong}
    assert not accepts(Cite("test.mean", vectors={"v": g}), wrong, told, cites=(fixed,))
    fine = eq(MEAN.of(dot(g, u)), square(u))
    assert accepts(Cite("test.mean", vectors={"v": u}), fine, {"mean": fine}, cites=(fixed,))


def test_citing_keeps_points_together() -> None:
    moved = {"y": X.position}
    goal = DESCENT.goal.replaced({}, moved)
    names: dict[str, Any] = {
        "cites": (DESCENT,),
        "points": (X, Y),
        "hypotheses": DESCENT.hypotheses,
    }
    symbols: dict[str, Any] = {"symbols": (*DESCENT.symbols, a)}
    assert not accepts(Cite("kernel.descent", vectors=moved), goal, **names, **symbols)


def test_citing_keeps_meanings() -> None:
    bound = Hypothesis("bound", "A(k) ≤ a", le(A(k), a))
    told = theorem(
        id="test.told",
        points=(X,),
        sequences={A: X.value},
        hypotheses=(bound,),
        lhs=A(k),
        terms={"a": a},
        conclude=Combine({"bound": 1}),
    )
    goal, facts = le(A(k), a), {"bound": le(A(k), a)}
    for sequences, same in (({A: Y.value}, False), ({}, False), ({A: X.value}, True)):
        cite = Cite("test.told")
        assert accepts(cite, goal, facts, cites=(told,), sequences=sequences) is same


# Theorems


def test_undeclared_names() -> None:
    stranger = sympy.Symbol("stranger", positive=True)
    with pytest.raises(UndeclaredSymbolError, match="'stranger' occurs in the statement"):
        theorem(terms={"one": stranger})
    with pytest.raises(UndeclaredSymbolError, match="differ in their assumptions"):
        theorem(terms={"one": sympy.Symbol("a")})
    with pytest.raises(UndeclaredSymbolError, match="did you mean"):
        theorem(terms={"one": dot(vector("∇f(x"), u)})
    with pytest.raises(UndeclaredSymbolError, match="domain of c"):
        theorem(symbols=(a, b, q, K, sympy.Symbol("c")))


def test_contradicting_hypotheses() -> None:
    apart = (Hypothesis("one", "a ≤ 1", le(a, 1)), Hypothesis("two", "a ≥ 2", ge(a, 2)))
    with pytest.raises(VacuousError, match="imply anything"):
        prove(theorem(hypotheses=apart))
    impossible = (Hypothesis("one", "‖u‖² ≤ −1", le(square(u), -1)),)
    with pytest.raises(VacuousError):
        prove(theorem(hypotheses=impossible))


def test_hypotheses_without_a_known_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is claimed under hypotheses that may contradict each other."""
    some = (Hypothesis("one", "a ≤ 1", le(a, 1)),)
    assert prove(theorem(hypotheses=some)).verdict is Verdict.PROVED
    monkeypatch.setattr(consistency, "RLIMIT", 1)
    assert prove(theorem(hypotheses=some)).verdict is Verdict.UNKNOWN


def test_names_twice() -> None:
    with pytest.raises(TheoryError, match="twice"):
        theorem(steps=(Step("smooth", le(0, 0), Combine()),))


def test_a_step_that_fails_is_no_fact() -> None:
    steps = (Step("false", le(1, 0), Combine()),)
    found = prove(theorem(steps=steps, lhs=sympy.S.One, conclude=Combine({"false": 1})))
    assert found.verdict is Verdict.UNKNOWN
    assert found.lines[1].rule == "not shown: false"


def test_an_unused_hypothesis_is_seen() -> None:
    extra = Hypothesis("extra", "a ≤ b", le(a, b))
    assert "extra" not in prove(replace(YOUNG, symbols=(*YOUNG.symbols, a, b))).used
    bounded = prove(theorem(hypotheses=(extra,), lhs=a, terms={"b": b}, conclude=Sign(("extra",))))
    assert bounded.used == {"extra"}


def test_jensen_without_its_mean() -> None:
    assert prove(replace(JENSEN, hypotheses=())).verdict is Verdict.UNKNOWN


SAMPLED = 7
"""Every so many mutants are proved again from the start."""


@pytest.mark.parametrize("original", [*LEMMAS, thm_4_1.THEOREM], ids=lambda one: one.id)
def test_controls_say_what_a_whole_proof_says(original: Theorem) -> None:
    forms = formulas(original)
    edits = [(name, form) for name in forms for form in mutants(forms[name]).values()]
    assert edits
    for name, form in edits[::SAMPLED]:
        edited = {**forms, name: form}
        again = prove(with_formulas(original, edited))
        assert verdict_of(original, edited) is again.verdict is Verdict.UNKNOWN


def with_formulas(original: Theorem, forms: Mapping[str, Any]) -> Theorem:
    terms = {name: forms[f"statement {name}"] for name in original.terms}
    steps = [replace(s, relation=changed(s.name, s.relation, forms)) for s in original.steps]
    hypotheses = [
        replace(h, relation=changed(h.name, h.relation, forms)) if isinstance(h, Hypothesis) else h
        for h in original.hypotheses
    ]
    return replace(original, terms=terms, steps=tuple(steps), hypotheses=tuple(hypotheses))


def changed(name: str, relation: Relation, forms: Mapping[str, Any]) -> Relation:
    if name not in forms:
        return relation
    side = "lhs" if relation.rhs == 0 else "rhs"
    return replace(relation, **{side: forms[name]})
