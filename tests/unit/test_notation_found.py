"""Statements that are found with no line, or with one, and such beside them that are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from theory.errors import NotExactError, TheoryError
from theory.kernel.relations import eq, le
from theory.kernel.rules import Found, Induction
from theory.kernel.theorem import Given, Hypothesis, Theorem
from theory.notation import (
    Rational,
    count,
    function,
    index,
    log,
    mean,
    nonnegative,
    norm,
    positive,
    real,
    sqrt,
    theorem,
    total,
    vectors,
)
from theory.notation.building import offered
from theory.proving.search import search
from theory.verdicts import Verdict

(k, tau, N), K, n = index("k tau N"), count("K"), count("n")
x, y, g, v, s, star, old = vectors("x y g v s x* x̂")
(r, b), (gamma, c, L, R, G) = nonnegative("r beta"), positive("gamma c L R G")
f = function("f")


def is_found(made: Theorem) -> bool:
    """Whether all that is shown is found, line by line."""
    full = offered(made)
    known = {h.name: h.relation for h in full.hypotheses if isinstance(h, Hypothesis)}
    lost = set[str]()
    for step in full.steps:
        there = lost.isdisjoint(step.rule.uses)
        if isinstance(step.rule, Found):
            there = search(full, step.relation, known).combine is not None
        elif isinstance(step.rule, Induction):
            there = step.rule.check(step.relation, Given(full, known)).verdict is Verdict.PROVED
        known |= {step.name: step.relation} if there else {}
        lost |= set() if there else {step.name}
    return search(full, full.goal, known).combine is not None


SUMS: dict[str, tuple[Any, Any, Any]] = {
    "logarithm": (1 / (k + 1), 1 + log(K), Rational(9, 10) + log(K)),
    "root": (1 / sqrt(k + 1), 2 * sqrt(K), Rational(19, 10) * sqrt(K)),
    "geometric": (r**k, 1 / (1 - r), (1 - r / 2) / (1 - r)),
    "weighted": (c * r ** (k + 1), c * r / (1 - r), c * r),
    "squares": (1 / (k + 1) ** 2, 2 - 1 / K, 2 - 2 / K),
}


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_by_itself(name: str) -> None:
    """And no sharper bound of it."""
    term, bound, sharper = SUMS[name]
    for said, there in ((bound, True), (sharper, False)):
        T = theorem("mine.sum")
        T.assume(r < 1)
        assert is_found(T.shows(total(term, k, K) <= said)) is there


def frank_wolfe(step: Callable[[Any], None], bound: Any, at: Any = n) -> Theorem:
    """With what one iteration gains."""
    T = theorem("mine.frank-wolfe")
    T.smooth(f, L)
    T.convex(f)
    T.constant(star)
    T.assume((s - x) ** 2 <= R**2)
    T.assume(f.grad(x) @ s <= f.grad(x) @ star)
    T.iterate(x, x + 2 / (k + 2) * (s - x), k)
    F = T.sequence("F", f(x) - f(star))
    step((T, F))
    return T.shows(F(at) <= bound)


def by_ratio(given: Any) -> None:
    T, F = given
    T.have(F(k + 1) <= k / (k + 2) * F(k) + 2 * L * R**2 / (k + 2) ** 2)


def by_potential(given: Any) -> None:
    T, F = given
    far = 2 * L * R**2
    T.have((k + 1) * (k + 2) * (F(k + 1) - far / (k + 3)) <= k * (k + 1) * (F(k) - far / (k + 2)))


def test_a_bound_by_induction_needs_no_start_where_the_first_ratio_is_0() -> None:
    bound = 2 * L * R**2
    assert is_found(frank_wolfe(by_ratio, bound / (n + 2)))
    assert is_found(frank_wolfe(by_potential, bound / (n + 2)))
    assert not is_found(frank_wolfe(by_ratio, bound / (n + 4)))
    assert not is_found(frank_wolfe(by_ratio, bound / (N + 2), N))  # N may be 0
    T = theorem("mine.recurrence")
    A = T.sequence("A", nonnegative=True)
    T.assume(A(k + 1) <= (k + 1) / (k + 3) * A(k) + c / (k + 3) ** 2)  # its first ratio is 1/3
    assert not is_found(T.shows(A(n) <= c / (n + 2)))


@pytest.mark.parametrize(
    ("ratio", "rest", "bound"),
    [
        (k / (k + 2), -c / ((k + 1) * (k + 2)), -c / n),  # A(1) = −c/2, above −c
        (k / (k + 1), c / (k + 1), c - c / n),
        (k**2 / (k + 1) ** 2, 0, -c / n**2),
        (sqrt(k) / sqrt(k + 1), 0, -c / sqrt(n)),  # A = 0 in all iterations
        (k**2 / (k + 1) ** 2, 2 * c / (k + 1) - c / (k + 1) ** 2, c * (n**2 - 1) / n**2),
    ],
    ids=str,
)
def test_control_a_bound_that_is_no_number_at_0_carries_nothing(
    ratio: Any, rest: Any, bound: Any
) -> None:
    """k · (1/k) is 1 to sympy, and the ratio times the bound is 0 at k = 0."""
    T = theorem("mine.begins")
    A = T.sequence("A")
    T.assume(A(k + 1) <= ratio * A(k) + rest)
    assert not is_found(T.shows(A(n) <= bound))
    goal, first = le(A(n), bound), eq(A(0), A(0))
    rule = Induction("grows", k, n, A, "start")
    facts = {"grows": le(A(k + 1), ratio * A(k) + rest), "start": first}
    assert rule.check(goal, Given(T.shows(A(n) <= bound), facts)).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(("factor", "there"), [(1, True), (Rational(1, 2), False)])
def test_a_delay_that_varies_leads_so_far_in_the_mean(factor: Any, there: bool) -> None:
    E = mean("E", g)
    T = theorem("mine.near")
    T.assume(E(g**2) <= G**2)
    T.iterate(x, x - gamma * g, k)
    T.delayed(old, x, tau)
    Q, _ = T.sequence("Q", (x - old) ** 2), T.sequence("M", g**2)
    assert is_found(T.shows(Q(k) <= factor * gamma**2 * tau**2 * G**2)) is there


@pytest.mark.parametrize(("bound", "there"), [(G, True), (b * G, False)])
def test_the_norm_of_a_mean_of_two(bound: Any, there: bool) -> None:
    """β²‖v‖² + 2β(1 − β)⟨v, g⟩ + (1 − β)²‖g‖² is a square, whatever the sign of 1 − β."""
    T = theorem("mine.momentum")
    T.assume(b <= 1)
    T.assume(norm(g) <= G)
    T.assume(norm(v) <= G)
    assert is_found(T.shows(norm(b * v + (1 - b) * g) <= bound)) is there


def test_nothing_is_divided_by_a_norm() -> None:
    """‖x/‖x‖‖² is 1 but at x = 0, where it is nothing."""
    with pytest.raises(NotExactError, match="x is divided by a norm"):
        _ = (x / norm(x)) ** 2
    with pytest.raises(NotExactError, match="g is divided by a norm or an inner product"):
        _ = (g / (x @ y)) @ x
    assert (x / sqrt(2)) ** 2 == x**2 / 2


def test_a_number_that_a_mean_lists_varies() -> None:
    a = real("a")
    E = mean("E", a)
    assert is_found(theorem("mine.jensen").shows(E(a) ** 2 <= E(a**2)))
    assert not is_found(theorem("mine.jensen").shows(E(a**2) <= E(a) ** 2))


def test_a_sequence_names_no_number_of_an_iteration() -> None:
    T = theorem("mine.weighted")
    T.iterate(x, x - gamma * g, k)
    with pytest.raises(TheoryError, match="weigh it in the line"):
        T.sequence("P", (k + 1) * f(x))


@pytest.mark.parametrize(("other", "part", "found"), [(x, 4, True), (x, 3, False), (y, 4, False)])
def test_two_late_copies_are_each_as_near_as_one(other: Any, part: int, found: bool) -> None:
    """Of one iterate: ‖x̂ − s‖ ≤ 2γτG, as the gradients that move x are bounded; of two, not."""
    T = theorem("mine.copies")
    T.bounded_gradient(f, G)
    T.iterate(x, x - gamma * f.grad(x), k)
    T.iterate(y, y - 2 * gamma * f.grad(x), k)
    T.delayed(old, x, tau)
    T.delayed(s, other, tau)
    assert is_found(T.shows((old - s) ** 2 <= part * gamma**2 * tau**2 * G**2)) == found


def test_two_late_copies_of_two_iterates() -> None:
    T = theorem("mine.copies")
    T.bounded_gradient(f, G)
    T.iterate(x, x - gamma * f.grad(x), k)
    T.iterate(y, y - 2 * gamma * f.grad(x), k)
    T.delayed(old, x, tau)
    T.delayed(s, y, tau)
    near, far = (x - old) ** 2, (y - s) ** 2
    assert is_found(T.shows(near + far <= 5 * gamma**2 * tau**2 * G**2))
