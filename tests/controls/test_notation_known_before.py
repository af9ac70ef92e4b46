"""False theorems about what was known before a draw, each with a run in which it fails.

Iterates are there before what is drawn in their iteration. They are not before what was drawn some
iterations ago, and workers have iterates of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.controls.test_notation import is_found
from theory.errors import TheoryError
from theory.kernel.theorem import Theorem
from theory.notation import (
    average,
    count,
    equal,
    function,
    index,
    iterates,
    mean,
    positive,
    theorem,
    vector,
    vectors,
)

(k, t), tau, n = index("k t"), count("tau"), count("n")
x, y, g, m, h, u, z, old = vectors("x y g m h u z ẑ")
y_i, g_i, u_i, old_i = vectors("y_i g_i u_i x̂_i")
f, f_i, f_j = function("f"), function("f_i"), function("f_j")
L, L_i, p_i = positive("L L_i p_i")


def workers_iterate(*, in_the_mean: bool) -> Theorem:
    """Two workers, g = (1, −1) and y = g: avg g = 0, and avg‖g‖² = 1."""
    avg = average("avg", g_i, over="worker")
    T = theorem("mine.workers")
    T.unbiased(avg, g_i, 0 * y_i)
    T.iterate(y_i, u_i, k)
    near = (y_i - g_i) ** 2 <= g_i**2 / 4
    T.assume(avg((y_i - g_i) ** 2) <= avg(g_i**2) / 4 if in_the_mean else near)
    return T.shows(avg(g_i**2) <= 0)


def copies_of_workers() -> Theorem:
    """x is 1 and −1 in turn, one worker has x and one the x before, and g is what it has."""
    avg = average("avg", g_i, over="worker")
    T = theorem("mine.copies")
    T.unbiased(avg, g_i, 0 * x)
    T.iterate(x, u, k)
    T.delayed(old_i, x, t)
    T.assume((old_i - g_i) ** 2 <= g_i**2 / 4)
    return T.shows(avg(g_i**2) <= 0)


def known_before(*, in_the_mean: bool, stale: bool = False) -> Theorem:
    """Signs m that are u as well, so that y = g in every iteration: E‖g‖² = 1."""
    E = mean("E", g, m)
    T = theorem("mine.known")
    T.unbiased(E, g, 0 * y)
    T.iterate(g, m, k)
    T.iterate(z if stale else y, u, k)
    if stale:
        T.delayed(y, z, t)
    T.assume(E((y - g) ** 2) <= E(g**2) / 4 if in_the_mean else (y - g) ** 2 <= g**2 / 4)
    V, Y, N = T.sequence("V", (y + g) ** 2), T.sequence("Y", y**2), T.sequence("N", g**2)
    return T.shows(equal(V(k), Y(k) + N(k)))


def drawn_late() -> Theorem:
    """x stays where it is, at 1 or −1: V = 4, and Y + N = 2."""
    xs = iterates("x", k)
    E = mean("E", xs[k - tau])
    T = theorem("mine.late")
    T.iterate(xs, u)
    T.assume((xs[k] - xs[k - tau]) ** 2 <= xs[k - tau] ** 2 / 4)
    T.unbiased(E, xs[k - tau], 0 * y)
    V, Y = T.sequence("V", (xs[k] + xs[k - tau]) ** 2), T.sequence("Y", xs[k] ** 2)
    N = T.sequence("N", xs[k - tau] ** 2)
    return T.shows(equal(V(k), Y(k) + N(k)))


def by_a_copy(*, gradient: bool) -> Theorem:
    """Signs u, a copy that is x itself, and y = 0 at first: after 2 iterations V = 5, Y + N = 3."""
    xs = iterates("x", k)
    E = mean("E", xs[k - tau])
    T = theorem("mine.by-a-copy", "ours", f)
    T.iterate(xs, u)
    T.delayed(old, xs[k], t)
    T.iterate(y, y - L * f.grad(old) if gradient else y + old, k)
    T.unbiased(E, xs[k - tau], 0 * y)
    V, Y = T.sequence("V", (y + xs[k - tau]) ** 2), T.sequence("Y", y**2)
    N = T.sequence("N", xs[k - tau] ** 2)
    return T.shows(equal(V(k), Y(k) + N(k)))


def two_ago_by_a_copy() -> Theorem:
    """Signs h, and ẑ that is z itself: after 2 iterations V = 5, Y + N = 3."""
    E = mean("E", g, m, h, z)
    T = theorem("mine.two-ago")
    T.unbiased(E, g, 0 * y)
    for now, then in ((g, m), (m, h), (z, h)):
        T.iterate(now, then, k)
    T.delayed(old, z, t)
    T.iterate(y, y + old, k)
    V, Y, N = T.sequence("V", (y + g) ** 2), T.sequence("Y", y**2), T.sequence("N", g**2)
    return T.shows(equal(V(k), Y(k) + N(k)))


def constants_of_workers() -> Theorem:
    """L = (2, 0), y = (1, 0), x = 0 and f = (y², 0): 1/2 on the left, and avg L/2·avg‖y‖² = 1/4."""
    avg = average("avg", y_i, f_i(x), f_i.grad(x), f_i(y_i), f_i.grad(y_i), over="worker")
    T = theorem("mine.constants")
    T.smooth(f_i, L_i)
    T.assume(avg(L_i) <= L)
    tangent = avg(f_i(x) + f_i.grad(x) @ (y_i - x))
    return T.shows(avg(f_i(y_i)) <= tangent + L / 2 * avg((y_i - x) ** 2))


def probabilities() -> Theorem:
    """Gradients drawn with probabilities p_i that differ: there is no one p_i to pull out."""
    E = mean("E", f_i.grad(x))
    T = theorem("mine.sampled", "ours", f, f_i)
    T.unbiased(E, f_i.grad(x) / (n * p_i), f.grad(x))
    return T.shows(equal(E(f_i.grad(x) @ f.grad(x)), n * p_i * f.grad(x) ** 2))


def iterates_of_workers() -> Theorem:
    """y_i that differ are in the mean as well: ‖y_i‖² is no mean of theirs."""
    avg = average("avg", g_i, over="worker")
    T = theorem("mine.iterates")
    T.unbiased(avg, g_i, 0 * y_i)
    T.iterate(y_i, y_i / 2, k)
    return T.shows(equal(avg((y_i + g_i) ** 2), y_i**2 + avg(g_i**2)))


def gradients_at_copies() -> Theorem:
    """Gradients at copies that differ: with f = x²/2, x̂ = (1, −1) and w = 0 the left is 1."""
    avg = average("avg", f.grad(old_i), over="worker")
    T = theorem("mine.at-copies", "ours", f)
    T.iterate(x, x - L * u, k)
    T.delayed(old_i, x, t)
    T.unbiased(avg, f.grad(old_i), u)
    return T.shows(equal(avg(f.grad(old_i) @ old_i), u @ old_i))


def of_drawn_functions() -> Theorem:
    """f_i = (x − s_i)²/2 with s = ±1, x = 0 and y_i = s_i: the left is 0, the right −1/2."""
    E = mean("E", f_i(x), f_i.grad(x), f_i(y_i), f_i.grad(y_i))
    T = theorem("mine.functions", "ours", f, f_i)
    T.convex(f_i)
    T.unbiased(E, f_i.grad(x), f.grad(x))
    return T.shows(f.grad(x) @ (y_i - x) <= E(f_i(y_i) - f_i(x)))


def memory() -> Theorem:
    """What each function had for its gradient: with h_i = ∇f_i(x) the left is 0, the right 2."""
    E = mean("E", f_i(x), f_i.grad(x))
    T = theorem("mine.memory", "ours", f, f_i)
    T.unbiased(E, f_i.grad(x), f.grad(x))
    T.iterate(u_i, f_i.grad(x), k)
    away = E((f_i.grad(x) - u_i) ** 2)
    return T.shows(equal(away, E(f_i.grad(x) ** 2) - 2 * f.grad(x) @ u_i + u_i**2))


def spelled(name: str) -> Theorem:
    """‖y‖² of two workers with y = g = (1, −1)."""
    own = vector(name)
    avg = average("avg", g_i, over="worker")
    T = theorem("mine.spelled")
    T.unbiased(avg, g_i, 0 * z)
    return T.shows(equal(avg((own + g_i) ** 2), own**2 + avg(g_i**2)))


def a_sequence_for_each() -> Theorem:
    """Two workers with y = (2, 0) and L = 2: ‖y‖² of the first is 4, and 2 in the mean."""
    avg = average("avg", y_i, u_i, over="worker")
    T = theorem("mine.for-each")
    T.iterate(y_i, u_i, k)
    D = T.sequence("D", y_i**2)
    T.assume(avg(D(k)) <= L)
    return T.shows(D(k) <= L)


def bound_by_name() -> Theorem:
    """What is over i is over all y_i too: ‖y‖² of two workers with y = g = (1, −1)."""
    avg = average("avg", g, over="i")
    T = theorem("mine.bound")
    T.unbiased(avg, g, 0 * z)
    return T.shows(equal(avg((y_i + g) ** 2), y_i**2 + avg(g**2)))


def weights_of_pairs() -> Theorem:
    """Two workers with g = (1, −1), and p_ij = (1, 2): 3/2 on the left, 1 or 2 on the right."""
    avg = average("avg", g_i, over="worker")
    T = theorem("mine.pairs")
    T.unbiased(avg, g_i, 0 * z)
    p_ij = positive("p_ij")
    return T.shows(equal(avg(p_ij * g_i**2), p_ij * avg(g_i**2)))


def of_a_theorem_that_is_cited() -> Theorem:
    """Two workers with y = (1, −1) = −g and L = 1/2: the mean is 0, and ‖y‖² is 1."""
    avg = average("avg", g_i, over="worker")
    lemma = theorem("mine.same-for-all")
    lemma.unbiased(avg, g_i, 0 * z)
    lemma.assume(avg((u + g_i) ** 2) <= L)
    made = lemma.shows(u**2 <= L)
    T = theorem("mine.citing-averages")
    T.cite(made, vectors={u: y_i})
    return T.shows(y_i**2 <= L)


def cited_at_another_vector(*, given: bool) -> Theorem:
    """What is so of a u that is there before, or constant, is not so of h = g: E‖g‖² = 1."""
    own = mean("E", g, given=(u,) if given else ())
    lemma = theorem("mine.of-one-before")
    lemma.unbiased(own, g, 0 * z)
    if not given:
        lemma.constant(u)
    lemma.assume((u - g) ** 2 <= g**2 / 4)
    made = lemma.shows(own(g**2) <= 0)
    E = mean("E", g)
    T = theorem("mine.of-another")
    if not given:
        T.assume((h - g) ** 2 <= g**2 / 4)
    T.cite(made, vectors={u: h})
    return T.shows(E(g**2) <= 0)


def gradients_that_differ() -> Theorem:
    """Two workers with ∇f_i(x) = g_i = ±1: the assumption reads 0 ≤ 1/4."""
    avg = average("avg", g_i, over="worker")
    T = theorem("mine.gradients", "ours", f_i)
    T.unbiased(avg, g_i, 0 * z)
    T.assume(avg((f_i.grad(x) - g_i) ** 2) <= avg(g_i**2) / 4)
    return T.shows(avg(g_i**2) <= 0)


def another_function() -> Theorem:
    """h_i = f_i with slopes ±1, and f = 0: the left is 1."""
    other = function("h_i")
    E = mean("E", f_i(x), f_i.grad(x))
    T = theorem("mine.another", "ours", f, f_i, other)
    T.unbiased(E, f_i.grad(x), f.grad(x))
    return T.shows(equal(E(f_i.grad(x) @ other.grad(z)), f.grad(x) @ other.grad(z)))


def varies_unlisted() -> Theorem:
    """g = (2, −1, −1) and p = (3, 1, 1): 14/3 on the left, 2 p_i on the right."""
    avg = average("avg", g_i, over="worker")
    T = theorem("mine.unlisted")
    T.unbiased(avg, g_i, 0 * z)
    T.varying(p_i)
    return T.shows(equal(avg(p_i * g_i**2), p_i * avg(g_i**2)))


def sequences_of_workers() -> Theorem:
    """g = (2, −1, −1) and B = (1, 0, 0): 4/3 on the left, 0 for the second worker."""
    avg = average("avg", g_i, over="worker")
    T = theorem("mine.sequences")
    T.unbiased(avg, g_i, 0 * z)
    B = T.sequence("B_i", nonnegative=True)
    T.along(k)
    return T.shows(avg(B(k) * g_i**2) <= B(k) * avg(g_i**2))


def of_what_comes(*, under: bool, given: bool = False) -> Theorem:
    """Noise g of mean 0, and y = g, which is said to move: E⟨g, y⟩ is 1, and ⟨h, y⟩ is 0."""
    E, T = mean("E", g, given=(u,) if given else ()), theorem("mine.compressed")
    T.unbiased(E, g, h)
    T.assume(E((y - g) ** 2) <= E(g**2) / 4 if under else (y - g) ** 2 <= g**2 / 4)
    T.iterate(y, u, k)
    T.iterate(x, x - y, k)
    return T.shows(E(g @ y) <= h @ y)


def projected(*, workers: bool = False) -> Theorem:
    """Nothing is cut off: y is x − g, of which the square is 1 in the mean at x = h = 0."""
    drawn = g_i if workers else g
    E = average("avg", drawn, over="worker") if workers else mean("E", drawn)
    T = theorem("mine.projected")
    T.unbiased(E, drawn, h)
    T.assume(y**2 <= (x - drawn) @ y, "projected")
    T.iterate(x, y, k)
    T.iterate(y, u, k)
    D, M = T.sequence("D", x**2), T.sequence("M", (x - h) ** 2)
    return T.shows(D(k + 1) <= M(k))


def in_the_next_iteration(how: str) -> Theorem:
    """x is what u is, so the next x is made of g: at x = h = 0, E⟨u, x⟩ is 1 later, not 1/2."""
    E = mean("E", g)
    T = theorem("mine.later")
    T.convex(f)
    T.unbiased(E, g, h)
    T.iterate(u, x - g, k)
    T.iterate(x, y, k)
    P, D = T.sequence("P", u @ x), T.sequence("D", x**2)
    M = T.sequence("M", (x - h) ** 2)
    T.assume(
        {
            "vectors": x**2 <= u @ x,
            "values": f(x) <= f(u),
            "sequences": D(k) <= P(k),
        }[how]
    )
    return T.shows(P(k + 1) <= M(k) / 2 + D(k + 1) / 2)


def of_a_forgotten_mean(*, by_average: bool) -> Theorem:
    """f_1 and f_2 = (x ∓ 1)²/2 in turn, from 1 on: F does not fall for ever."""
    listed = f_j(x), f_j.grad(x)
    average("avg j", *listed) if by_average else mean("E j", *listed)
    T = theorem("mine.forgotten")
    T.smooth(f_j, L)
    T.iterate(x, x - f_j.grad(x) / L, k)
    F = T.sequence("F", f_j(x))
    return T.shows(F(k + 1) <= F(k))


FALSE: dict[str, tuple[Callable[[], Theorem], str]] = {
    "workers": (lambda: workers_iterate(in_the_mean=False), "y_i stands in a line with g_i"),
    "workers, avg": (lambda: workers_iterate(in_the_mean=True), "y_i stands under avg"),
    "copies of workers": (copies_of_workers, "x̂_i stands in a line with g_i"),
    "known before": (lambda: known_before(in_the_mean=False), "y stands in a line with g"),
    "known, E": (lambda: known_before(in_the_mean=True), "y stands under E"),
    "known, stale": (
        lambda: known_before(in_the_mean=False, stale=True),
        "y stands in a line with g",
    ),
    "drawn late": (drawn_late, r"x\[k\] stands in a line with x\[k - tau\]"),
    "by a copy": (lambda: by_a_copy(gradient=False), r"x\[k - tau\] .* has moved y since"),
    "by a gradient": (lambda: by_a_copy(gradient=True), r"x\[k - tau\] .* has moved y since"),
    "two ago": (two_ago_by_a_copy, "has moved y since"),
    "constants": (constants_of_workers, "L_i is the same for all"),
    "iterates of workers": (iterates_of_workers, "y_i is the same for all"),
    "gradients at copies": (gradients_at_copies, "x̂_i is the same for all"),
    "functions": (of_drawn_functions, "y_i is the same for all"),
    "memory": (memory, "u_i is the same for all"),
    **{
        f"spelled {name}": (partial(spelled, name), "is the same for all")
        for name in (
            "y_i[k]",
            "y_i^+",
            "y_{i}",
            "yᵢ",
            "ȳ_i'",
            "y_star_i",
            "y^(i)",
            "y_{k,i}",
            "y(i)",
            "y_ij",
            "y.i",
        )
    },
    "a sequence for each": (a_sequence_for_each, "D is another one for each that avg is over"),
    "bound by name": (bound_by_name, "y_i is the same for all"),
    "pairs": (weights_of_pairs, "p_ij is the same for all"),
    "cited": (of_a_theorem_that_is_cited, "y_i is the same for all"),
    "given, cited": (lambda: cited_at_another_vector(given=True), "h stands in a line with g"),
    "constant, cited": (lambda: cited_at_another_vector(given=False), "h stands in a line with g"),
    "gradients": (gradients_that_differ, r"∇f_i\(x\) is the same for all"),
    "another function": (another_function, r"∇h_i\(z\) is the same for all"),
    "varies unlisted": (varies_unlisted, "p_i is the same for all"),
    "sequences of workers": (sequences_of_workers, "B_i is the same for all"),
    "probabilities": (probabilities, "p_i is the same for all"),
    "compressed": (lambda: of_what_comes(under=False), "y stands in a line with g"),
    "compressed, E": (lambda: of_what_comes(under=True), "y stands under E"),
    "compressed, given": (
        lambda: of_what_comes(under=False, given=True),
        "y stands in a line with g",
    ),
    "projected": (projected, "x stands in a line with g"),
    "projected by workers": (lambda: projected(workers=True), "x stands in a line with g_i"),
    **{
        f"later, {how}": (
            partial(in_the_next_iteration, how),
            "x stands, one iteration later, in a line with g",
        )
        for how in ("vectors", "values", "sequences")
    },
    "forgotten": (lambda: of_a_forgotten_mean(by_average=False), "is listed in the mean"),
    "forgotten avg": (lambda: of_a_forgotten_mean(by_average=True), "is listed in the mean"),
}


@pytest.mark.parametrize("name", FALSE)
def test_false_of_what_was_known_before(name: str) -> None:
    make, asked = FALSE[name]
    with pytest.raises(TheoryError, match=asked):
        make()


def test_a_mean_of_iterates_is_of_a_number_of_them() -> None:
    T = theorem("mine.averaged")
    T.convex(f)
    T.iterate(x, x - L * f.grad(x), k)
    with pytest.raises(TheoryError, match="another in each iteration"):
        T.averaged(z, x, k + 1)


def test_constants_that_vary_with_workers_stay_in_the_mean() -> None:
    points = (f_i(x), f_i.grad(x), f_i(y_i), f_i.grad(y_i))
    avg = average("avg", y_i, L_i, *points, over="worker")
    T = theorem("mine.own-constants")
    T.varying(L_i)
    T.smooth(f_i, L_i)
    tangent = avg(f_i(x) + f_i.grad(x) @ (y_i - x))
    assert is_found(T.shows(avg(f_i(y_i)) <= tangent + avg(L_i * (y_i - x) ** 2) / 2))


def test_with_an_iterate_that_is_listed_a_line_is_used() -> None:
    """‖y − g‖² ≤ ‖g‖²/4 bounds ‖y‖, where y is drawn with g."""
    E = mean("E", g, m, y, u)
    T = theorem("mine.listed")
    T.iterate(g, m, k)
    T.iterate(y, u, k)
    T.assume((y - g) ** 2 <= g**2 / 4)
    assert is_found(T.shows(2 * E(y**2) <= 5 * E(g**2)))


def test_what_is_drawn_in_a_cited_theorem_keeps_its_name() -> None:
    """The mean of h would be h, as the cited mean is over g alone."""
    E = mean("E", g)
    lemma = theorem("mine.lemma")
    lemma.unbiased(E, g, u)
    made = lemma.shows(equal(E(g @ u), u**2))
    T = theorem("mine.citing")
    with pytest.raises(TheoryError, match=r"g is random to E in mine\.lemma"):
        T.cite(made, vectors={g: h})
