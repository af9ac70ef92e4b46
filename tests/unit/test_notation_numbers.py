"""Numbers where constants may stand, and what counts iterations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from theory.errors import TheoryError
from theory.kernel import Theorem
from theory.kernel.relations import Relation
from theory.kernel.theorem import Hypothesis
from theory.notation import (
    count,
    function,
    index,
    iterates,
    mean,
    nonnegative,
    positive,
    theorem,
    total,
    vector,
    vectors,
)
from theory.notation.building import offered
from theory.notation.draft import Draft
from theory.proving.search import search

f, k = function("f"), index("k")
x, star, u, v, g = vectors("x x* u v g")


def found(made: Theorem) -> bool:
    """Whether the statement follows from what is offered."""
    full = offered(made)
    facts: dict[str, Relation] = {
        one.name: one.relation for one in full.hypotheses if isinstance(one, Hypothesis)
    }
    facts |= {step.name: step.relation for step in full.steps}
    return search(full, full.goal, facts).combine is not None


def smooth(c: Any) -> Theorem:
    T = theorem("n.smooth")
    T.smooth(f, c)
    return T.shows(f(x - f.grad(x) / c) <= f(x) - f.grad(x) ** 2 / (2 * c))


def strongly_convex(c: Any) -> Theorem:
    T = theorem("n.strong")
    T.strongly_convex(f, c)
    T.minimum(f, star)
    return T.shows(c * (x - star) ** 2 / 2 + f(star) <= f(x))


def quasi_strongly_convex(c: Any) -> Theorem:
    T = theorem("n.quasi")
    T.quasi_strongly_convex(f, star, c)
    return T.shows(f(x) - f(star) + c * (x - star) ** 2 / 2 <= f.grad(x) @ (x - star))


def bounded(c: Any) -> Theorem:
    T = theorem("n.bounded")
    T.bounded_gradient(f, c)
    T.pl(f, c, c)
    return T.shows(2 * c * f(x) <= 3 * c**2)


def cited(c: Any) -> Theorem:
    a, T = positive("a"), theorem("n.cited")
    young = theorem("n.young").shows((u + v) ** 2 <= (1 + a) * u**2 + (1 + 1 / a) * v**2)
    T.cite(young, {a: c})
    return T.shows((u + v) ** 2 <= (1 + c) * u**2 + (1 + 1 / Fraction(c)) * v**2)


@pytest.mark.parametrize("number", [1, 2, Fraction(1, 3)])
@pytest.mark.parametrize("make", [smooth, strongly_convex, quasi_strongly_convex, bounded, cited])
def test_numbers_may_stand_for_constants(make: Callable[[Any], Theorem], number: Any) -> None:
    assert found(make(number))


def test_halves_of_python_are_named() -> None:
    with pytest.raises(TheoryError, match="since 1/2 is one in Python"):
        theorem("n.half").shows(u**2 / 2 <= (1 / 2) * positive("a") * u**2)


@pytest.mark.parametrize(
    ("counter", "kind"),
    [
        (count("k"), "k, which is never 0"),
        (positive("k"), "k, which is never 0"),
        (nonnegative("k"), "k, which need not be one"),
        (3, "3, which need not be one"),
        (None, "found none"),
    ],
)
def test_what_counts_iterations_is_an_index(counter: Any, kind: str) -> None:
    T = theorem("n.counter")
    with pytest.raises(TheoryError, match=f"^n.counter: .*{kind}; .*index") as caught:
        T.iterate(x, x - f.grad(x), counter)
    assert "k + 1" in caught.value.fix


def test_counter_of_iterates_and_of_blocks() -> None:
    K = count("k")
    X = iterates("x", K)
    with pytest.raises(TheoryError, match="never 0"):
        theorem("n.iterates").iterate(X, X[K] - f.grad(X[K]) / K)
    with pytest.raises(TheoryError, match="never 0"):
        theorem("n.along").along(K)


def test_a_step_is_defined_at_0() -> None:
    with pytest.raises(TheoryError, match=r"iterations count from 0.*write k \+ 1 for k"):
        theorem("n.first").iterate(x, x - f.grad(x) / k, k)
    theorem("n.first").iterate(x, x - f.grad(x) / (k + 1), k)


def test_a_line_that_is_not_defined_at_0_hides_no_other() -> None:
    K, T = count("K"), theorem("n.line")
    T.smooth(f, 1)
    T.iterate(x, x - f.grad(x), k)
    F, S = T.sequence("F", f(x)), T.sequence("S", f.grad(x) ** 2)
    T.have(S(k) / k <= 2 * (F(k) - F(k + 1)) / k)
    T.have(S(k) <= 2 * (F(k) - F(k + 1)))
    assert found(T.shows(total(S(k), k, K) <= 2 * (F(0) - F(K))))


def moved(T: Draft, then: Any) -> Theorem:
    T.smooth(f, 1)
    T.iterate(x, then, k)
    return T.shows((x - u) ** 2 >= 0)


def test_a_step_moves() -> None:
    with pytest.raises(TheoryError, match=r"n.still: x never moves; say T.constant\(x\)"):
        moved(theorem("n.still"), x)
    T = theorem("n.goes")
    T.constant(u)
    with pytest.raises(TheoryError, match=r"n.goes: the next x is u in every iteration.*T.iterate"):
        moved(T, u)
    moved(theorem("n.drawn"), vector("w"))


def test_means_may_name_what_is_drawn_again() -> None:
    E, T = mean("E", g), theorem("n.again")
    T.unbiased(E, g, 0 * g)
    with pytest.raises(TheoryError, match="g never moves"):
        T.iterate(g, g, k)


def test_the_index_is_that_of_a_recurrence() -> None:
    n, T = index("n"), theorem("n.gronwall")
    A = T.sequence("A")
    rec = T.assume(A(k + 1) <= A(k) / 2 + 1)
    T.induction(A(n) <= A(0) / 2**n + 2, rec)
    assert found(T.shows(A(n) <= A(0) / 2**n + 2))


def test_the_index_is_that_of_a_sum() -> None:
    a, K, T = nonnegative("a"), count("K"), theorem("n.sum")
    T.varying(a)
    A = T.sequence("A", a)
    T.assume(A(k) >= 1)
    assert found(T.shows(total(A(k), k, K) >= K))


def test_an_index_that_nothing_says_is_asked_for() -> None:
    n, j = index("n j")
    for known in ((), (k, j)):
        T = theorem("n.which")
        A = T.sequence("A")
        for one in known:
            T.assume(A(one + 1) <= A(one))
        with pytest.raises(TheoryError, match=r"^n.which: .*index.*A\(n\).*T.along\(k\)"):
            T.induction(A(n) <= A(0), "line")
        T.along(k)
        T.induction(A(n) <= A(0), "line")


def test_a_sequence_without_a_meaning_has_the_sign_that_is_said() -> None:
    T = theorem("n.any")
    assert T.sequence("A")(k).is_nonnegative is None
    assert T.sequence("A", nonnegative=True)(k).is_nonnegative
    with pytest.raises(TheoryError, match="leave the sign out"):
        T.sequence("A", x @ u, nonnegative=True)


def test_two_functions_of_one_name_are_refused() -> None:
    other, T = function("f"), theorem("n.two", "ours", f)
    with pytest.raises(TheoryError, match=r"^n.two: two functions are called f, .*function"):
        T.smooth(other, 1)
    T.smooth(f, 1)


def test_a_delay_of_its_own_is_bounded_by_a_constant() -> None:
    d = nonnegative("d")
    for delay, more in ((d, ()), (index("d"), (index("d"),))):
        T = theorem("n.delay", "ours", f)
        T.iterate(x, x - f.grad(u), k)
        T.delayed(u, x, delay)
        T.varying(*more)
        with pytest.raises(TheoryError, match=r"found d; write T.delayed\(u, x, tau\)"):
            T.shows((x - u) ** 2 >= 0)


def test_what_is_handed_on_is_a_vector_of_its_own() -> None:
    X, G, T = iterates("x", k), iterates("g", k), theorem("n.before")
    T.smooth(f, 1)
    T.iterate(X, X[k] - G[k])
    with pytest.raises(TheoryError, match=r"g\[k - 1\].*T.iterate\(last, g\[k\], k\)"):
        T.shows((G[k] - G[k - 1]) ** 2 >= 0)
