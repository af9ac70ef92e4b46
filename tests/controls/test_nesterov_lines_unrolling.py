"""The rule `Unroll` given recurrences and goals that it must not accept."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest
import sympy

from theory.kernel import Hypothesis, Relation, Theorem, Unroll, eq, le
from theory.kernel.theorem import Given
from theory.kernel.vectors import dot, vector
from theory.verdicts import Verdict

k = sympy.Symbol("k", integer=True, nonnegative=True)
j = sympy.Symbol("j", integer=True, nonnegative=True)
n = sympy.Symbol("n", integer=True, nonnegative=True)
c = sympy.Symbol("c", real=True)
q = sympy.Symbol("q", real=True)
a, r, b, P = (sympy.Function(name, real=True) for name in ("a", "r", "b", "P"))
X, U = sympy.Symbol("x", real=True), vector("u")

FACTS = {
    "recurrence": eq(a(k + 1), r(k + 1) * a(k) + b(k + 1)),
    "start": eq(a(0), c + b(0)),
    "empty": eq(P(k, 0), 1),
    "longer": eq(P(j, k + 1), r(j + k + 1) * P(j, k)),
}
GOAL = eq(a(n), P(0, n) * c + sympy.Sum(P(k, n - k) * b(k), (k, 0, n)))
RULE = Unroll("recurrence", "start", "empty", "longer", k, j, n, a, P)


def judged(
    goal: Relation = GOAL,
    rule: Unroll = RULE,
    more: tuple[Relation, ...] = (),
    symbols: tuple[sympy.Symbol, ...] = (),
    changes: Mapping[str, Relation | None] = MappingProxyType({}),
) -> Verdict:
    """What the rule says, with some of the facts changed."""
    facts = {name: one for name, one in {**FACTS, **changes}.items() if one is not None}
    hypotheses = [Hypothesis(name, "", fact) for name, fact in facts.items()]
    hypotheses += [Hypothesis(f"more {i}", "", fact) for i, fact in enumerate(more)]
    about = Theorem(
        "test.unroll",
        "here",
        "",
        "",
        symbols=(c, q, n, *symbols),
        scalars=(X,),
        vectors=(U,),
        lhs=sympy.S.Zero,
        terms={"none": sympy.S.Zero},
        conclude=rule,
        hypotheses=tuple(hypotheses),
    )
    return rule.check(goal, Given(about, facts)).verdict


def test_a_linear_recurrence_is_unrolled() -> None:
    assert judged() is Verdict.PROVED


def test_constant_ratios_and_terms_are_unrolled() -> None:
    goal = eq(a(n), P(0, n) * (c - 1) + sympy.Sum(P(k, n - k), (k, 0, n)))
    changes = {
        "recurrence": eq(a(k + 1), q * a(k) + 1),
        "start": eq(a(0), c),
        "longer": eq(P(j, k + 1), q * P(j, k)),
    }
    assert judged(goal, changes=changes) is Verdict.PROVED
    assert judged(eq(a(n), goal.rhs + 1), changes=changes) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "rhs",
    [
        P(0, n) * c,
        P(0, n + 1) * c + sympy.Sum(P(k, n - k) * b(k), (k, 0, n)),
        P(1, n) * c + sympy.Sum(P(k, n - k) * b(k), (k, 0, n)),
        P(0, n) * c + sympy.Sum(P(k, n - k) * b(k), (k, 1, n)),
        P(0, n) * c + sympy.Sum(P(k, n - k) * b(k), (k, 0, n + 1)),
        P(0, n) * c + sympy.Sum(P(k + 1, n - k) * b(k), (k, 0, n)),
        P(0, n) * c + sympy.Sum(P(0, n - k) * b(k), (k, 0, n)),
        P(0, n) * c + sympy.Sum(P(k, n - k) * b(k + 1), (k, 0, n)),
        P(0, n) * c - sympy.Sum(P(k, n - k) * b(k), (k, 0, n)),
    ],
)
def test_another_solution_is_rejected(rhs: sympy.Expr) -> None:
    assert judged(eq(a(n), rhs)) is Verdict.UNKNOWN


def test_only_the_value_at_the_count_is_found() -> None:
    assert judged(eq(a(n + 1), GOAL.rhs)) is Verdict.UNKNOWN
    assert judged(le(a(n), GOAL.rhs)) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "recurrence",
    [
        le(a(k + 1), r(k + 1) * a(k) + b(k + 1)),
        eq(a(k + 2), r(k + 1) * a(k) + b(k + 1)),
        eq(a(k + 1), r(k + 1) * a(k) ** 2 + b(k + 1)),
        eq(a(k + 1), r(k + 1) * a(k) * a(k + 3) + b(k + 1)),
        eq(a(k + 1), r(k + 1) * a(k) + a(k + 5)),
        eq(a(k + 1), r(k + 1) * a(k) + P(k, 3)),
        eq(a(k + 1), r(k + 1) * a(k) + b(j)),
        eq(a(k + 1), r(k) * a(k) + b(k + 1)),
        eq(a(k + 1), r(k + 1) * a(k) + X),
        eq(a(k + 1), r(k + 1) * a(k) + dot(U, U)),
    ],
)
def test_no_other_fact_is_a_recurrence(recurrence: Relation) -> None:
    assert judged(changes={"recurrence": recurrence}) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("start", le(a(0), c + b(0))),
        ("start", eq(a(1), c + b(0))),
        ("start", eq(a(0), c + b(0) + 1)),
        ("start", eq(a(0), c + b(k))),
        ("start", None),
        ("empty", eq(P(k, 0), 2)),
        ("empty", eq(P(0, 0), 1)),
        ("empty", eq(P(k, 1), 1)),
        ("empty", None),
        ("longer", eq(P(j, k + 1), r(j + k) * P(j, k))),
        ("longer", eq(P(j, k + 1), r(k + 1) * P(j, k))),
        ("longer", eq(P(0, k + 1), r(k + 1) * P(0, k))),
        ("longer", le(P(j, k + 1), r(j + k + 1) * P(j, k))),
        ("longer", None),
    ],
)
def test_start_and_products_have_to_be_what_they_are_called(
    name: str, fact: Relation | None
) -> None:
    assert judged(changes={name: fact}) is Verdict.UNKNOWN


@pytest.mark.parametrize("index", [k, j])
def test_an_index_that_means_something_else_is_no_index(index: sympy.Symbol) -> None:
    assert judged(symbols=(index,)) is Verdict.UNKNOWN
    assert judged(symbols=(index,), more=(le(index, 5),)) is Verdict.UNKNOWN


def test_indices_and_count_are_three_different_symbols() -> None:
    for index, other, count in (
        (k, k, n),
        (n, j, n),
        (k, n, n),
        (k, j, k),
        (k, j, j),
        (k, j, n + 1),
    ):
        rule = Unroll("recurrence", "start", "empty", "longer", index, other, count, a, P)
        assert judged(rule=rule) is Verdict.UNKNOWN


@pytest.mark.parametrize("index", [k, j])
def test_an_index_runs_through_all_numbers(index: sympy.Symbol) -> None:
    even = {index: sympy.Symbol(index.name, integer=True, nonnegative=True, even=True)}
    ours, other = (even.get(one, one) for one in (k, j))
    rule = Unroll("recurrence", "start", "empty", "longer", ours, other, n, a, P)
    changes = {name: fact.replaced(even) for name, fact in FACTS.items()}
    goal = eq(a(n), P(0, n) * c + sympy.Sum(P(ours, n - ours) * b(ours), (ours, 0, n)))
    assert judged(goal, rule, changes=changes) is Verdict.UNKNOWN


def test_ratios_may_not_depend_on_the_start_of_a_product() -> None:
    changes = {
        "recurrence": eq(a(k + 1), r(j + k + 1) * a(k) + b(k + 1)),
        "longer": eq(P(j, k + 1), r(2 * j + k + 1) * P(j, k)),
    }
    assert judged(changes=changes) is Verdict.UNKNOWN


def test_a_product_has_a_start_of_its_own() -> None:
    rule = Unroll("recurrence", "start", "empty", "longer", k, k, n, a, P)
    longer = eq(P(k, k + 1), r(2 * k + 1) * P(k, k))
    assert judged(rule=rule, changes={"longer": longer}) is Verdict.UNKNOWN


def test_a_count_is_no_start_of_a_product() -> None:
    rule = Unroll("recurrence", "start", "empty", "longer", k, j, j, a, P)
    goal = eq(a(j), P(0, j) * c + sympy.Sum(P(k, j - k) * b(k), (k, 0, j)))
    assert judged(goal, rule) is Verdict.UNKNOWN


def test_products_of_what_may_not_be_real_are_rejected() -> None:
    any_product = sympy.Function("P")
    rule = Unroll("recurrence", "start", "empty", "longer", k, j, n, a, any_product)
    changes = {
        "empty": eq(any_product(k, 0), 1),
        "longer": eq(any_product(j, k + 1), r(j + k + 1) * any_product(j, k)),
    }
    total = sympy.Sum(any_product(k, n - k) * b(k), (k, 0, n))
    goal = eq(a(n), any_product(0, n) * c + total)
    assert judged(goal, rule, changes=changes) is Verdict.UNKNOWN


def test_a_ratio_with_a_sum_over_the_other_index_is_rejected() -> None:
    """Put in place of k, the start of a product would be taken for the index of that sum."""
    caught = sympy.Sum(r(j + k), (j, 0, 2))
    changes = {
        "recurrence": eq(a(k + 1), caught * a(k) + b(k + 1)),
        "longer": eq(P(j, k + 1), caught.subs(k, j + k) * P(j, k)),
    }
    assert judged(changes=changes) is Verdict.UNKNOWN
