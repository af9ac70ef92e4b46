"""Nothing is taken for fixed, or for constant, that an author has not said to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import sympy

from theory.errors import TheoryError, VacuousError
from theory.judging.as_claim import as_claim
from theory.judging.judge import judged
from theory.kernel import Theorem
from theory.notation import (
    Draft,
    average,
    count,
    equal,
    function,
    index,
    iterates,
    mean,
    positive,
    theorem,
    total,
    vector,
    vectors,
)
from theory.notation.stating import WEIGHED
from theory.proving.certify import certify
from theory.verdicts import Verdict

from .test_notation import is_found

gamma, sigma, c = positive("gamma sigma c")
k, K = index("k"), count("K")
x, y, z, g, h, m, star = vectors("x y z g h m x*")
nothing = 0 * x


def tied(another: bool) -> Theorem:
    """y = g = ±1, and h = y: E g = 0, and E‖g‖² = 1."""
    E, Q = mean("E", g, law="P"), mean("Q", h, law="P")
    T = theorem("mine.tied")
    T.unbiased(E, g, nothing)
    if another:
        T.unbiased(Q, h, y)
    T.assume(equal(y, g))
    return T.shows(E(g**2) <= 0)


def remembered(another: bool) -> Theorem:
    """g⁺ = g/2 + h moves x: of x₀ = 0 and signs, ‖x₂‖² is 13/4, and not 9/4."""
    E, Q = mean("E", g, h, law="P"), mean("Q", z, law="P")
    T = theorem("mine.remembered")
    T.unbiased(E, g, nothing)
    T.unbiased(E, h, nothing)
    if another:
        T.unbiased(Q, z, x)
    T.iterate(g, g / 2 + h, k)
    T.iterate(x, x - gamma * g, k)
    X, N = T.sequence("X", x**2), T.sequence("N", g**2)
    return T.shows(equal(X(k + 1), X(k) + gamma**2 * N(k)))


@pytest.mark.parametrize("another", [False, True])
@pytest.mark.parametrize("make", [tied, remembered])
def test_another_mean_does_not_make_it_fixed(
    make: Callable[[bool], Theorem], another: bool
) -> None:
    with pytest.raises(TheoryError, match="is random to E, and"):
        make(another)


def test_what_a_line_relates_to_a_draw_is_asked_for() -> None:
    """A contraction y of g is drawn with it, or x is there before: nobody else knows."""
    E, Q = mean("E", g, law="P"), mean("Q", h, law="P")
    T = theorem("mine.contracted")
    T.unbiased(E, g, nothing)
    T.unbiased(Q, h, y)
    T.assume((y - g) ** 2 <= g**2 / 2)
    with pytest.raises(TheoryError, match="y stands in a line with g, which is random to E"):
        T.shows(E(g**2) <= 0)


def test_a_point_at_which_a_drawn_function_is_looked_at_need_not_be_named() -> None:
    f, whole = function("f_i"), function("f")
    E = mean("E", f(x), f.grad(x))
    T = theorem("mine.drawn", "ours", whole, f)
    T.constant(star)
    T.assume(f(x) - f(star) <= f.grad(x) @ (x - star))
    T.unbiased(E, f.grad(x), whole.grad(x))
    assert is_found(T.shows(E(f(x)) - E(f(star)) <= whole.grad(x) @ (x - star)))


def test_what_workers_move_apart_is_not_the_same_for_all() -> None:
    """z_i⁺ = z_i + y_i with y = ±1 and z₀ = 0: avg⟨z_i, y_i⟩ is 1 at k = 1."""
    avg = average("avg", y, over="worker")
    T = theorem("mine.workers")
    T.unbiased(avg, y, nothing)
    T.iterate(z, z + y, k)
    C = T.sequence("C", avg(z @ y))
    with pytest.raises(TheoryError, match="z is the same for all that avg is over"):
        T.shows(equal(C(k), 0))


@pytest.mark.parametrize("moved", [True, False])
def test_what_is_fetched_ahead_has_moved_something(moved: bool) -> None:
    """g⁺ = h, y⁺ = y + h, z⁺ = y + g: with signs, ‖z₂‖² may be 4."""
    E = mean("E", h, g)
    T = theorem("mine.prefetched")
    T.unbiased(E, g, nothing)
    T.unbiased(E, h, nothing)
    T.assume(equal(E(g**2), sigma**2))
    T.iterate(g, h, k)
    T.iterate(y, y + (h if moved else g), k)
    Y = T.sequence("Y", y**2)
    if moved:
        with pytest.raises(TheoryError, match="g is random to E, and has moved y since"):
            T.shows(Y(k + 1) <= Y(k) + sigma**2)
    else:
        T.have(E((y + g) ** 2) <= y**2 + sigma**2)
        T.shows(Y(k + 1) <= Y(k) + sigma**2)


@pytest.mark.parametrize("average_of", [False, True])
def test_the_least_values_of_drawn_functions_differ(average_of: bool) -> None:
    """f₁ = x²/2 and f₂ = x²/2 + 10: f₂(0) = 10 is above f(0) = 5."""
    f, whole = function("f_i"), function("f")
    E = (average if average_of else mean)("E", f(x), f.grad(x))
    T = theorem("mine.least", "ours", whole)
    T.convex(f)
    T.minimum(f, star)
    T.assume(equal(E(f(x)), whole(x)))
    assert not is_found(T.shows(f(star) <= whole(x)))
    assert is_found(T.shows(E(f(star)) <= whole(x)))


@pytest.mark.parametrize("ago", [1, "tau"])
def test_nothing_has_moved_before_the_start(ago: int | str) -> None:
    """‖x[k] − x[k − 1]‖² ≥ c > 0 is false in iteration 0."""
    late = sympy.Integer(ago) if isinstance(ago, int) else index(ago)
    of = iterates("x", k)
    T = theorem("mine.start")
    T.iterate(of, of[k] - g)
    T.assume((of[k] - of[k - late]) ** 2 >= c)
    D = T.sequence("D", (of[k] - of[k - late]) ** 2)
    made = T.shows(total(D(k), k, K) >= c * K)
    with pytest.raises(VacuousError, match="iteration 0"):
        judged(as_claim(made))


def test_a_mean_is_over_something() -> None:
    with pytest.raises(TheoryError, match="nothing is random to E"):
        mean("E")


def test_a_place_is_no_file() -> None:
    with pytest.raises(TheoryError, match="behind the place stand functions"):
        theorem("mine.one", "ours", "mine.py")  # type: ignore[arg-type]


def searched(compared: bool) -> Theorem:
    """y is at least as good as a noisy step, or near it by its gradient: y = x − γg is."""
    f, mirror = function("f"), function("h")
    E = mean("E", g)
    T = theorem("mine.searched", "ours", mirror)
    T.smooth(f, gamma)
    T.unbiased(E, g, f.grad(x))
    if compared:
        T.assume(f(y) <= f(x - gamma * g))
    else:
        T.assume((mirror.grad(y) - g) ** 2 <= g**2 / 4)
    return T.shows(equal(E(g @ (y - x)), f.grad(x) @ (y - x)))


@pytest.mark.parametrize("compared", [True, False])
def test_values_and_gradients_tie_their_points(compared: bool) -> None:
    with pytest.raises(TheoryError, match="y stands in a line with"):
        searched(compared)


def test_where_a_drawn_function_is_looked_at_may_be_drawn_with_it() -> None:
    """An inexact proximal step y is made of the function that is drawn."""
    f, whole = function("f_i"), function("f")
    E = mean("E", f.grad(y))
    T = theorem("mine.proximal", "ours", whole, f)
    T.unbiased(E, f.grad(x), whole.grad(x))
    T.assume((y - x + gamma * f.grad(y)) ** 2 <= sigma**2)
    with pytest.raises(TheoryError, match="stands in a line with ∇f_i\\(y\\)"):
        T.shows(equal(E(f.grad(x) @ (y - x)), whole.grad(x) @ (y - x)))


@pytest.mark.parametrize("relation", ["mean", "compressed", "average"])
def test_what_is_fetched_ahead_has_moved_something_by_what_is_made_of_it(relation: str) -> None:
    """g⁺ = h, y⁺ = y + u, and u is the mean of h, near h, or what h is the mean of."""
    u = vector("u")
    E = mean("E", h, g, u) if relation != "average" else mean("E", h, g)
    T = theorem("mine.relatives")
    T.unbiased(E, g, nothing)
    if relation == "mean":
        T.unbiased(mean("Q", u), u, h)
    elif relation == "compressed":
        T.assume((u - h) ** 2 <= h**2 / 4)
    else:
        T.unbiased(average("avg", h, g), h, u)
    T.iterate(g, h, k)
    T.iterate(y, y + u, k)
    V = T.sequence("V", (y + g) ** 2)
    asked = "is the mean of h" if relation == "average" else "g is random to E, and has moved y"
    with pytest.raises(TheoryError, match=asked):
        T.shows(V(k + 1) <= V(k) + sigma**2)


def test_a_sequence_that_starts_at_0_is_not_above_it(tmp_path: Path) -> None:
    def made() -> Theorem:
        tau = index("tau")
        T = Draft("mine.late", "ours", str(tmp_path / "mine.py"), [])
        T.iterate(x, x - g, k)
        T.delayed(y, x, tau)
        D, N = T.sequence("D", (x - y) ** 2), T.sequence("N", g**2)
        T.assume(D(k) >= c)
        return T.shows(tau**2 * total(N(k), k, K) >= c * K)

    certify([as_claim(made())])
    with pytest.raises(VacuousError, match="iteration 0"):
        judged(as_claim(made()))


def test_one_name_is_one_sequence_and_one_mean() -> None:
    T = theorem("mine.names")
    T.sequence("A", x**2)
    T.sequence("A", x**2)
    with pytest.raises(TheoryError, match="A is the name of two sequences"):
        T.sequence("A", y**2)
    with pytest.raises(TheoryError, match="two means are called E, over g and over h"):
        T.shows(equal(mean("E", g)(g**2), mean("E", h)(h**2)))


@pytest.mark.parametrize("last", ["any", "mean", "cited"])
def test_any_sequence_is_not_made_the_mean_of_something(last: str) -> None:
    """A(n) ≤ A(0) is so of ‖x‖² for x⁺ = x/2, and not of any sequence."""
    lemma = theorem("mine.halved")
    lemma.iterate(x, x / 2, k)
    A = lemma.sequence("A", x**2)
    halved = lemma.shows(A(k + 1) <= A(k))
    T = theorem("mine.any")

    def told() -> None:
        T.cite(halved) if last == "cited" else T.sequence("A", x**2)

    if last == "any":
        told()
        with pytest.raises(TheoryError, match="A may be any sequence by one line"):
            T.sequence("A", nonnegative=True)
    else:
        T.sequence("A", nonnegative=True)
        with pytest.raises(TheoryError, match="A may be any sequence by one line"):
            told()


@pytest.mark.parametrize("before", [True, False])
def test_any_sequence_is_not_made_a_mean_by_its_name(before: bool) -> None:
    """A sum of ‖x‖² makes a sequence of that name by itself."""
    K = count("K")
    T = theorem("mine.named")
    T.iterate(x, x / 2, k)
    if before:
        T.assume(total(x**2, k, K) <= 1)
        with pytest.raises(TheoryError, match="may be any sequence by one line"):
            T.sequence("‖x‖²", nonnegative=True)
    else:
        T.sequence("‖x‖²", nonnegative=True)
        with pytest.raises(TheoryError, match="may be any sequence by one line"):
            T.assume(total(x**2, k, K) <= 1)


def test_a_sequence_that_is_called_like_a_part_is_none() -> None:
    """Nothing is taken of how far a stale iterate is, where an author's sequence has its name."""
    f, g, old, (gamma, L) = function("f"), vector("g"), vector("x̂"), positive("gamma L")
    T = theorem("mine.parts")
    T.smooth(f, L)
    T.iterate(x, x - gamma * g, k)
    T.delayed(old, x, index("tau"))
    S, F = T.sequence("‖move of x‖²", nonnegative=True), T.sequence("F", f(x))
    made = T.shows(total(S(k), k, count("K")) <= F(0))
    assert not any(part.parts for part in WEIGHED.get(made, ()))
    assert {str(one) for one in made.sequences} == {"F"}


def test_what_is_so_of_any_sequence_is_so_of_a_mean() -> None:
    b = positive("b")
    lemma = theorem("mine.bounded")
    A = lemma.sequence("A", nonnegative=True)
    lemma.assume(A(k) <= b)
    bounded = lemma.shows(A(k + 1) <= 2 * b)
    T = theorem("mine.of-x")
    T.iterate(x, x / 2, k)
    T.cite(bounded)
    A = T.sequence("A", x**2)
    assert T.shows(A(k + 1) <= 3 * b).sequences == {A: x**2}


def test_the_mean_of_iterates_is_none_where_something_is_drawn() -> None:
    """Nor where a theorem says so that is cited."""
    f, of = function("f"), iterates("x", k)
    mid = vector("x̄")
    L = theorem("mine.jensen")
    L.convex(f)
    L.iterate(of, of[k] - gamma * g)
    L.averaged(mid, of, K)
    F = L.sequence("F", f(of[k]))
    lemma = L.shows(f(mid) <= total(F(k), k, K) / K)
    E = mean("E", g)
    T = theorem("mine.sgd")
    T.iterate(of, of[k] - gamma * g)
    T.unbiased(E, g, f.grad(of[k]))
    T.cite(lemma)
    with pytest.raises(TheoryError, match="depends on all that is drawn"):
        T.shows(f(mid) <= total(F(k), k, K) / K)


@pytest.mark.parametrize("strict", [True, False])
def test_a_strict_bound_of_a_draw_is_one_of_its_mean(strict: bool) -> None:
    E = mean("E", g)
    T = theorem("mine.strict")
    T.assume(g**2 < c if strict else g**2 <= c)
    assert is_found(T.shows(E(g**2) <= c))


@pytest.mark.slow
def test_a_point_whose_value_is_a_bound_is_gone_through() -> None:
    """f(z) ≤ f(x) in the mean: a function through x alone may lie above f(z) at z."""
    f = function("f")
    E = mean("E", f(x), f.grad(x))
    T = theorem("mine.value")
    T.convex(f)
    T.assume(E(f.grad(x) ** 2) <= c**2)
    T.constant(z)
    T.assume(E(f(x)) >= E(f(z)))
    T.iterate(x, x - gamma * f.grad(x), k)
    D = T.sequence("D", (x - z) ** 2)
    n = index("n")
    claim = as_claim(T.shows(D(n) <= D(0) + n * gamma**2 * c**2))
    assert judged(replace(claim, source="mine.py")).verdict is Verdict.UNKNOWN
