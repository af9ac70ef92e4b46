"""Draws that no line lists: false statements that were proved, each with its counterexample."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import sympy

from theory.errors import TheoryError
from theory.kernel import Operator, Theorem, Vector
from theory.kernel.vectors import Scalar
from theory.notation import (
    Draft,
    Expectation,
    average,
    count,
    equal,
    function,
    index,
    iterates,
    mean,
    named,
    nonnegative,
    norm,
    positive,
    real,
    theorem,
    total,
    vector,
    vectors,
)

from .test_notation import is_found

gamma, G, B, L, c = positive("gamma G B L c")
k, K = index("k"), count("K")
x, y, z, g, h, m, u, p, star = vectors("x y z g h m u p x*")
noise, bar = vectors("n_i x̄")
s, r = real("s"), real("r")
nothing = 0 * x
f, f_i, w = function("f"), function("f_i"), function("w")


def sgd() -> Theorem:
    """One step of SGD on a convex function, by the mean of g."""
    E = mean("E", g)
    T = theorem("mine.sgd")
    T.convex(f)
    T.minimum(f, star)
    T.unbiased(E, g, f.grad(x))
    T.assume(E(g**2) <= G**2)
    T.iterate(x, x - gamma * g, k)
    F, D = T.sequence("F", f(x) - f(star)), T.sequence("D", (x - star) ** 2)
    return T.shows(D(k + 1) <= D(k) - 2 * gamma * F(k) + gamma**2 * G**2)


def averaged() -> Theorem:
    """f is Huber's, and noise is ±100 with probability 1/20000 each: at one outcome, 99/20."""
    T = theorem("mine.averaged")
    T.convex(f)
    T.iterate(x, x - gamma * g, k)
    T.averaged(bar, x, K)
    T.cite(sgd())
    D = (x - star) ** 2
    return T.shows(f(bar) - f(star) <= T.sequence("D", D)(0) / (2 * gamma * K) + gamma * G**2 / 2)


def moved_noise() -> Theorem:
    """E‖x + g‖² ≤ ‖x‖² + c², of noise g."""
    E = mean("E", g)
    T = theorem("mine.moved-noise")
    T.unbiased(E, g, nothing)
    T.assume(E(g**2) <= c**2)
    return T.shows(E((x + g) ** 2) <= x**2 + c**2)


def cited_elsewhere() -> Theorem:
    """y = g = ±1: 4 > 2."""
    T = theorem("mine.cited-elsewhere")
    T.cite(moved_noise(), vectors={x: y})
    T.assume((y - g) ** 2 <= g**2 / 4)
    T.along(k)
    V, Y = T.sequence("V", (y + g) ** 2), T.sequence("Y", y**2)
    return T.shows(V(k) <= Y(k) + c**2)


def minibatch() -> Theorem:
    """Two workers with ±1: E‖m‖² is 1/2."""
    E, avg = mean("E", noise, over="sample"), average("avg", noise, over="worker")
    T = theorem("mine.minibatch")
    T.unbiased(E, noise, nothing)
    T.unbiased(avg, noise, m)
    return T.shows(m**2 <= 0)


def batch() -> Theorem:
    """g = y = ±1, and Q is given the batch: 1."""
    E, Q = mean("E", g, law="P"), mean("Q", g, law="P")
    T = theorem("mine.batch")
    T.unbiased(E, g, nothing)
    T.unbiased(Q, g, y)
    return T.shows(equal(E(g @ y), 0))


def another_is_listed() -> Theorem:
    """The mean is over h, and g is drawn: ‖g‖² has a variance."""
    E = mean("E", h)
    T = theorem("mine.another", "ours", f)
    T.unbiased(E, g, f.grad(x))
    return T.shows(E(g**2) + E(h**2) <= f.grad(x) ** 2 + E(h**2))


def nothing_is_listed() -> Theorem:
    """Nothing that E is over is named."""
    E = mean("E", h)
    return theorem("mine.nothing").shows(E(g**2) <= g**2)


def mean_is_drawn() -> Theorem:
    """f = x²/2, x = 10 with probability 1/100, else 0, g = x, x* = G = 1: 100 > 1."""
    E = mean("E", x, g)
    T = theorem("mine.total", "ours", f)
    T.constant(star)
    T.unbiased(E, g, f.grad(x))
    T.assume(E(g**2) <= G**2)
    T.have(E(g @ star) ** 2 <= E(g**2) * star**2)
    return T.shows((f.grad(x) @ star) ** 2 <= G**2 * star**2)


def least_value() -> Theorem:
    """f_1 = x²/2 + 10, f_2 = x²/2, at x = 0: 10 > 5."""
    E = mean("E", f_i(x), f_i.grad(x))
    T = theorem("mine.least", "ours", w)
    T.varying(s)
    T.lower_bound(f_i, s)
    T.assume(equal(E(f_i(x)), w(x)))
    return T.shows(s <= w(x))


def constant_of(assumed: Callable[[Draft], object]) -> Callable[[], Theorem]:
    """Slopes 1 and 3, or curvatures: the constant is that of the function that is drawn."""

    def made() -> Theorem:
        E = mean("E", f_i(x), f_i.grad(x), f_i(y), f_i.grad(y))
        T = theorem("mine.constant", "ours", f_i)
        T.varying(B)
        assumed(T)
        return T.shows(E(f_i.grad(x) @ (y - x)) <= E(f_i(y) - f_i(x)) + B * (x - y) ** 2)

    return made


def weighted() -> Theorem:
    """s is 1/P(g): it varies with g."""
    E = mean("E", g)
    T = theorem("mine.weighted", "ours", f)
    T.varying(s)
    T.unbiased(E, s * g, f.grad(x))
    return T.shows(equal(E(s * g @ y), f.grad(x) @ y))


def extragradient() -> Theorem:
    """x = 0, f = 0, y = −g, g = ±1, γ = 1: 1, claimed 0."""
    E = mean("E", g, h)
    T = theorem("mine.extragradient", "ours", f)
    T.unbiased(E, g, f.grad(x))
    T.unbiased(E, h, f.grad(y))
    T.assume((y - x + gamma * g) ** 2 <= gamma**2 * g**2 / 4)
    return T.shows(equal(E(g @ (x - y)), f.grad(x) @ (x - y)))


def two_stages() -> Theorem:
    """f(y) ≤ f(g), and y is what h is in the mean: y = g = ±1."""
    E = mean("E", g, h, f(g))
    T = theorem("mine.stages", "ours", f)
    T.unbiased(E, g, nothing)
    T.unbiased(E, h, y)
    T.assume(f(y) <= f(g))
    return T.shows(equal(E(g @ y), 0))


def fetched(
    then: object, step: object, *random: object, lines: tuple[object, ...] = (), vary: bool = False
) -> Callable[[], Theorem]:
    """g⁺ and y⁺ share a draw: ‖y + g‖² has a product, of signs it may be 4 and not 2."""

    def made() -> Theorem:
        E = mean("E", g, *random)
        T = theorem("mine.fetched", "ours", f, f_i, w)
        T.varying(r)
        T.constant(p)
        T.unbiased(E, g, nothing)
        for line in lines:
            T.assume(line)
        T.iterate(g, then, k)  # type: ignore[arg-type]
        T.iterate(y, step, k)  # type: ignore[arg-type]
        V, Y, N = T.sequence("V", (y + g) ** 2), T.sequence("Y", y**2), T.sequence("N", g**2)
        return T.shows(equal(V(k), Y(k) + N(k)))

    return made


def two_ago() -> Theorem:
    """g⁺ = m, m⁺ = h, x⁺ = h, y⁺ = y + x: h two iterations ago is in g and in y."""
    E = mean("E", g, m, h, x)
    T = theorem("mine.two-ago")
    T.unbiased(E, g, nothing)
    for now, then in ((g, m), (m, h), (x, h), (y, y + x)):
        T.iterate(now, then, k)
    V, Y, N = T.sequence("V", (y + g) ** 2), T.sequence("Y", y**2), T.sequence("N", g**2)
    return T.shows(equal(V(k), Y(k) + N(k)))


def late_value() -> Theorem:
    """x̂ is a late x, f(u) ≤ f(x) and y⁺ = y + u: y is made of what x̂ was."""
    late, tau = vector("x̂"), index("tau")
    E = mean("E", late)
    T = theorem("mine.late-value", "ours", f)
    T.unbiased(E, late, nothing)
    T.iterate(x, x / 2, k)
    T.delayed(late, x, tau)
    T.assume(f(u) <= f(x))
    T.iterate(y, y + u, k)
    V, Y, N = T.sequence("V", (y + late) ** 2), T.sequence("Y", y**2), T.sequence("N", late**2)
    return T.shows(equal(V(k), Y(k) + N(k)))


def value_stays() -> Theorem:
    """x is put elsewhere, and f(x) is not: f = x²/2, x = 1, y = −1, x* = 0 is 1/2 > −1."""
    lemma = theorem("mine.below")
    lemma.convex(f)
    lemma.constant(star)
    below = lemma.shows(f(x) - f(star) <= f.grad(x) @ (x - star))
    T = theorem("mine.stays")
    T.cite(below, vectors={x: y})
    return T.shows(f(x) - f(star) <= f.grad(x) @ (y - star))


def by_sequences() -> Theorem:
    """U(k) ≤ H(k)/4 of ‖y − g‖² and ‖g‖²: y = g = ±1."""
    E = mean("E", g)
    T = theorem("mine.sequences")
    T.unbiased(E, g, nothing)
    T.iterate(z, z / 2, k)
    U, H = T.sequence("U", (y - g) ** 2), T.sequence("H", g**2)
    T.assume(U(k) <= H(k) / 4)
    return T.shows(equal(T.sequence("V", g @ y)(k), 0))


def by_a_sum() -> Theorem:
    """Σ‖u − h‖² ≤ 0, g⁺ = h, y⁺ = y + u: 5, and not 3."""
    E = mean("E", g, h)
    T = theorem("mine.sum")
    T.unbiased(E, g, nothing)
    T.iterate(g, h, k)
    T.iterate(y, y + u, k)
    T.assume(total((u - h) ** 2, k, K) <= 0)
    V, Y, N = T.sequence("V", (y + g) ** 2), T.sequence("Y", y**2), T.sequence("N", g**2)
    return T.shows(equal(V(k), Y(k) + N(k)))


def some_ago() -> Theorem:
    """x⁺ = u, y⁺ = y + u: of signs, τ = 1 and k = 2, 5 and not 3."""
    ago, X = count("tau"), iterates("x", k)
    E = mean("E", X[k - ago])
    T = theorem("mine.ago")
    T.iterate(X, u, k)
    T.iterate(y, y + u, k)
    T.unbiased(E, X[k - ago], nothing)
    V, Y = T.sequence("V", (y + X[k - ago]) ** 2), T.sequence("Y", y**2)
    return T.shows(equal(V(k), Y(k) + T.sequence("N", X[k - ago] ** 2)(k)))


def smooth_by_rows() -> Theorem:
    """f_i = a_i²x²/2 of a_i ∈ {1, 3}, from 0 to 1: 5/2 > 1/2."""
    E = mean("E", f_i(x), f_i.grad(x), f_i(y), f_i.grad(y))
    T = theorem("mine.rows", "ours", f_i)
    T.smooth(f_i, m**2)
    bound = m**2 / 2 * (y - x) ** 2
    return T.shows(E(f_i(y) - f_i(x) - f_i.grad(x) @ (y - x)) <= bound)


def weighted_by_a_square() -> Theorem:
    """P(g = 1) = 1/4 with a² = 2, else g = −1 with a² = 2/3: E a²g = 0, and −1 comes out."""
    E = mean("E", g)
    T = theorem("mine.square-weight", "ours", f)
    T.unbiased(E, m**2 * g, f.grad(x))
    return T.shows(equal(m**2 * E(g @ y), f.grad(x) @ y))


def combined() -> Theorem:
    """E(g + h) = y, and ‖y − g‖² ≤ ‖g‖²/4: y = g = ±1."""
    E = mean("E", g, h)
    T = theorem("mine.combined")
    T.unbiased(E, g, nothing)
    T.unbiased(E, g + h, y)
    T.assume((y - g) ** 2 <= g**2 / 4)
    return T.shows(equal(E(g @ y), 0))


def compressed_in_the_mean() -> Theorem:
    """c is g/2, so E‖c − g‖² ≤ E‖g‖²/4: of a c that is the same always, g would be 0."""
    E = mean("E", g)
    T = theorem("mine.compressed")
    T.unbiased(E, g, nothing)
    T.assume(E((u - g) ** 2) <= E(g**2) / 4)
    return T.shows(E(g**2) <= 0)


def under_the_mean(line: Callable[[Expectation], object]) -> Callable[[], Theorem]:
    """u is g/2, or −g; s is 1/‖g‖; f(y) is drawn with g: each is a product that has a mean."""

    def made() -> Theorem:
        E = mean("E", g)
        T = theorem("mine.under", "ours", f)
        T.varying(s)
        T.unbiased(E, g, nothing)
        T.assume(line(E))
        return T.shows(E((g - u) ** 2) <= 2 * E(g**2))

    return made


def of_the_next() -> Theorem:
    """e⁺ = g − u, and ‖e⁺‖² ≤ ‖g‖²/4 in the mean: u = g = ±1."""
    E = mean("E", g)
    T = theorem("mine.next")
    T.unbiased(E, g, nothing)
    T.iterate(y, g - u, k)
    after, Q, N = T.sequence("A", y**2), T.sequence("Q", g**2), T.sequence("N", u**2)
    T.assume(after(k + 1) <= Q(k) / 4)
    T.have(equal(after(k + 1), N(k) + Q(k)))
    return T.shows(Q(k) <= 0)


def stale_by_worker() -> Theorem:
    """x_1 = x, x_2 is older: the mean of g_i is another gradient for each worker."""
    own = vector("x_i")
    E, avg = mean("E", noise, u, over="sample"), average("avg", noise, over="worker")
    T = theorem("mine.own-points", "ours", f)
    T.unbiased(E, noise, f.grad(own))
    T.unbiased(avg, noise, u)
    return T.shows(f.grad(own) ** 2 <= E(u**2))


def what_another_is_in_the_mean() -> Theorem:
    """y is what h is in the mean, and near g under it: y = g/2."""
    E = mean("E", g, h)
    T = theorem("mine.near")
    T.unbiased(E, g, nothing)
    T.unbiased(E, h, y)
    T.assume(E((y - g) ** 2) <= E(g**2) / 4)
    return T.shows(E(g**2) <= 0)


def two_averages() -> Theorem:
    """n_1j = 1, n_2j = −1: the mean over samples is ±1, and not 0."""
    over_workers, over_samples = average("avg1", noise), average("avg2", noise)
    T = theorem("mine.averages")
    T.unbiased(over_workers, noise, nothing)
    T.unbiased(over_samples, noise, m)
    return T.shows(m**2 <= 0)


def heterogeneous() -> Theorem:
    """g_i = ∇f_i(x) = ±1, whose mean over workers is 0: 1 > 0."""
    E, avg = mean("E", noise, u, over="sample"), average("avg", noise, over="worker")
    T = theorem("mine.heterogeneous", "ours", f_i)
    T.unbiased(E, noise, f_i.grad(x))
    T.unbiased(avg, noise, u)
    return T.shows(f_i.grad(x) ** 2 <= E(u**2))


def averaged_by_the_kernel() -> Theorem:
    """As `averaged`, with a mean of the kernel: 99/2 > 1."""
    E = Operator("E", ("g",))
    T = theorem("mine.kernel-average")
    T.convex(f)
    T.iterate(x, x - gamma * g, k)
    T.averaged(bar, x, K)
    T.assume(E.of(g**2) <= G**2)
    return T.shows(f(bar) - f(star) <= G**2)


def stepped(step: Vector, *drawn: Vector, given: tuple[Vector, ...] = ()) -> Callable[[], Theorem]:
    """E‖x⁺‖² ≤ E‖x‖² + G² where ‖u‖ ≤ G and E g = 0: u = g = ±1, and s = 1 where g = x/‖x‖ is."""

    def made() -> Theorem:
        E = mean("E", *drawn, given=given)
        T = theorem("mine.stepped")
        T.assume(u**2 <= G**2)
        if g in drawn:
            T.assume(E(g**2) <= G**2)
            T.assume(equal(E(x @ g), 0)) if x in drawn else T.unbiased(E, g, nothing)
        else:
            T.unbiased(E, x, nothing)
        T.varying(s)
        T.iterate(x, step, k)
        D = T.sequence("D", x**2)
        return T.shows(D(k + 1) <= D(k) + G**2)

    return made


def mean_over(over: str) -> Theorem:
    """f is t²/2, γ is 1/2: the mean over k = 0, 1 is 5/8 in every iteration, and no half of it."""
    avg = average("avg", x, over=over)
    T = theorem("mine.over-k")
    T.strongly_convex(f, c)
    T.minimum(f, star)
    T.smooth(f, L)
    T.assume(gamma <= 1 / L)
    T.iterate(x, x - gamma * f.grad(x), k)
    D = T.sequence("D", avg((x - star) ** 2))
    return T.shows(D(k + 1) <= (1 - gamma * c) * D(k))


def one_for_all(*drawn: Vector | Scalar, over: str = "") -> Callable[[], Theorem]:
    """f_1 and f_2 are ±t, i is drawn anew: f is 0, and ‖∇f_i‖ is 1. Nothing falls."""

    def made() -> Theorem:
        E = mean("E", x, *drawn, over=over)
        T = theorem("mine.one-for-all")
        T.smooth(f_i, L)
        T.assume(gamma <= 1 / L)
        T.assume(E(f_i.grad(x) ** 2) >= G**2)
        T.iterate(x, x - gamma * f_i.grad(x), k)
        F = T.sequence("F", f_i(x))
        return T.shows(F(k + 1) <= F(k) - gamma / 2 * G**2)

    return made


up, beside = y + r * p, y + f(h) * p
FALSE: dict[str, tuple[Callable[[], Theorem], str]] = {
    "a step that is drawn": (stepped(x - s * g, g), "s moves x, and nothing says"),
    "a step where x is drawn": (stepped(x - s * g, x, g), "s moves x, and nothing says"),
    "a step by a norm": (stepped(x - norm(u) * g, g), "u moves x, and nothing says"),
    "a step by a product": (stepped(x - (u @ h) * g, g), "h moves x, and nothing says"),
    "a step by a value": (stepped(x - f(u) * g, g), "and nothing is said of f"),
    "beside the draw": (stepped(x + g + u, g), "u moves x, and nothing says"),
    "where x alone is drawn": (stepped(x + u, x), "u moves x, and nothing says"),
    "over iterations": (partial(mean_over, "k"), "avg is over k, which the theorem names"),
    "over k, beside": (partial(mean_over, " k"), "avg is over k, which the theorem names"),
    "listed at x": (one_for_all(f_i(x)), r"f_i\(x\) is drawn under E, and so is x"),
    "a slope at x": (one_for_all(f_i.grad(x)), "whether f_i is drawn anew in each iteration"),
    "over i": (one_for_all(over="i"), "whether f_i is drawn anew in each iteration"),
    "a mean that is cited alone": (averaged, "x̄ depends on all that is drawn"),
    "a draw that is cited alone": (cited_elsewhere, "y stands in a line with g"),
    "the mean of a batch": (minibatch, "m is the mean of n_i under avg"),
    "a mean given the batch": (batch, "y is the mean of g under Q"),
    "another is listed": (another_is_listed, "nothing of it is drawn there"),
    "nothing is listed": (nothing_is_listed, "nothing of that is named"),
    "a mean that is drawn": (mean_is_drawn, r"∇f\(x\) is random to E, and cannot be"),
    "the least value": (least_value, "s may vary, and nothing says"),
    "smooth": (constant_of(lambda T: T.smooth(f_i, B)), "B may vary, and nothing says"),
    "convex": (constant_of(lambda T: T.strongly_convex(f_i, B)), "B may vary, and nothing says"),
    "steep": (constant_of(lambda T: T.bounded_gradient(f_i, B)), "B may vary, and nothing says"),
    "a weight": (weighted, "s may vary, and nothing says"),
    "half a step": (extragradient, "y stands in a line with g"),
    "two stages": (two_stages, "y stands in a line with"),
    "tied by values": (
        fetched(h, y + u, h, u, lines=(f(u) <= f(h),)),
        "g is random to E, and has moved y",
    ),
    "tied by a scalar": (
        fetched(h, up, h, r, f(up), f.grad(up), lines=(r <= h**2, r >= h**2 / 2)),
        "g is random to E, and has moved y",
    ),
    "by a factor": (
        fetched(h, beside, h, f(beside), f.grad(beside)),
        "g is random to E, and has moved y",
    ),
    "from a gradient to its point": (
        fetched(f.grad(h), y + h, h),
        "g is random to E, and has moved y",
    ),
    "one function at two points": (
        fetched(f_i.grad(p), y - gamma * f_i.grad(y), f_i.grad(p), f_i.grad(y)),
        "g is random to E, and has moved y",
    ),
    "a part that is not listed": (fetched(h + m, y + h, m), "h moves g, and nothing says"),
    "two iterations": (two_ago, "g is random to E, and has moved y"),
    "a late value": (late_value, "x̂ is random to E, and has moved y"),
    "tied by sequences": (by_sequences, "y stands in a line with g"),
    "tied by a sum": (by_a_sum, "u stands in a line with h"),
    "some iterations ago": (some_ago, r"x\[k - tau\] is random to E, and has moved"),
    "rows": (smooth_by_rows, "m may vary, and nothing says"),
    "a square as weight": (weighted_by_a_square, "m may vary, and nothing says"),
    "combined": (combined, "y stands in a line with g"),
    "compressed in the mean": (compressed_in_the_mean, "u stands under E"),
    "an equation in the mean": (
        under_the_mean(lambda E: equal(E((u - g) ** 2), E(g**2) / 4)),
        "u stands under E",
    ),
    "strictly": (under_the_mean(lambda E: E((u - g) ** 2) < c**2), "u stands under E"),
    "by lengths": (under_the_mean(lambda E: E(u**2) <= E(g**2)), "u stands under E"),
    "a step by what is drawn": (
        under_the_mean(lambda E: E((s * g) ** 2) <= c**2),
        "s stands under E",
    ),
    "a value": (under_the_mean(lambda E: E(f(y)) <= f(x) - E(g**2)), "y stands under E"),
    "the next iteration": (of_the_next, "u stands in a line with g"),
    "points of workers": (stale_by_worker, r"∇f\(x_i\) is the mean of n_i under E"),
    "what another is in the mean": (what_another_is_in_the_mean, "y stands under E"),
    "two averages": (two_averages, "m is the mean of n_i under avg2"),
    "workers that differ": (heterogeneous, r"∇f_i\(x\) is the mean of n_i under E"),
    "a mean of the kernel": (averaged_by_the_kernel, "x̄ depends on all that is drawn"),
    "a value stays": (value_stays, r"f\(x\) would stay where it is"),
}


@pytest.mark.parametrize("name", FALSE)
def test_false_of_what_is_drawn(name: str) -> None:
    make, asked = FALSE[name]
    with pytest.raises(TheoryError, match=asked):
        make()


@pytest.mark.parametrize("label", ["x - g", "x−g", "-x", "x + 2*g", "γ·g", "x = g"])
def test_a_point_is_called_by_a_name(label: str) -> None:
    """Of f at x + g, called x − g, every line would read falsely."""
    with pytest.raises(TheoryError, match="is a formula"):
        named(label, x + g)


@pytest.mark.parametrize("label", ["x⁺", "x^+", "x_{k+1}", "x̄⁺", "x[k + 1]", "w*", "y_i"])
def test_names_of_points_are_names(label: str) -> None:
    assert str(function("f")(named(label, x + g))) == f"f({label})"


@pytest.mark.parametrize(
    "given", [f_i, iterates("x", k), g**2, norm(g), f.grad, [g, h], s * f(x)], ids=str
)
def test_what_names_nothing_is_not_drawn(given: object) -> None:
    """The mean of anything would be the thing itself: E⟨g, g⟩ of signs is 1, and not 0."""
    with pytest.raises(TheoryError, match="a vector, a value or a scalar by name"):
        mean("E", given)
    with pytest.raises(TheoryError, match="a vector, a value or a scalar by name"):
        average("avg", g, given=(given,))


def test_twins_that_say_it_are_found() -> None:
    """What is fetched ahead and moves what comes later; a random stepsize, and a cited mean."""
    assert (
        is_found(fetched(h, y - gamma * g, h)()) is False
    )  # y and g of one iteration are not tied
    step = nonnegative("s")
    E = mean("E", step)
    T = theorem("mine.random-step")
    T.convex(f)
    T.minimum(f, star)
    T.varying(step)
    T.iterate(x, x - step * f.grad(x), k)
    T.assume(equal(E(step), B))
    T.assume(E(step**2) <= 2 * B**2)
    T.bounded_gradient(f, L)
    D, F = T.sequence("D", (x - star) ** 2), T.sequence("F", f(x) - f(star))
    T.have(D(k + 1) <= D(k) - 2 * B * F(k) + 2 * B**2 * L**2)
    assert is_found(T.shows(total(F(k), k, K) / K <= D(0) / (2 * B * K) + B * L**2))
    E, avg = mean("E", noise, u, over="sample"), average("avg", noise, f_i.grad(x), over="worker")
    T = theorem("mine.workers", "ours", f_i, f)
    T.unbiased(E, noise, f_i.grad(x))
    T.unbiased(avg, noise, u)
    T.unbiased(avg, f_i.grad(x), f.grad(x))
    assert is_found(T.shows(f.grad(x) ** 2 <= avg(f_i.grad(x) ** 2)))
    T = theorem("mine.cited")
    T.cite(moved_noise(), vectors={x: y})
    T.along(k)
    V, Y = T.sequence("V", (y + g) ** 2), T.sequence("Y", y**2)
    assert is_found(T.shows(V(k) <= Y(k) + 2 * sympy.S.One * c**2))


def test_a_cited_theorem_asks_for_no_more_than_it_says() -> None:
    """Of iterates at which no function is looked at, and of a strict bound put at a draw."""
    lemma = theorem("mine.halved")
    lemma.iterate(x, x / 2, k)
    D = lemma.sequence("D", x**2)
    halved = lemma.shows(equal(D(k + 1), D(k) / 4))
    T = theorem("mine.halved-too")
    T.iterate(y, y / 2, k)
    T.cite(halved, vectors={x: y})
    assert is_found(T.shows(D(k + 1) <= D(k)))
    q, drawn = nonnegative("q"), nonnegative("s")
    lemma = theorem("mine.small-too")
    lemma.assume(q < 1)
    less = lemma.shows(q * y**2 <= y**2)
    E = mean("E", drawn)
    T = theorem("mine.drawn")
    T.varying(drawn)
    T.cite(less, scalars={q: drawn})
    assert is_found(T.shows(E(drawn * y**2) <= y**2))


def test_a_factor_that_is_0_in_another_form_is_seen() -> None:
    """Heavy ball by z = x − γβ/(1 − β)·m, without a mean and without a function."""
    beta = nonnegative("beta")
    T = theorem("mine.heavy-ball")
    T.assume(beta < 1)
    T.iterate(m, beta * m + g, k)
    T.iterate(x, x - gamma * (beta * m + g), k)
    ahead = x - gamma * beta / (1 - beta) * m - star
    T.constant(star)
    Z, N, P = T.sequence("Z", ahead**2), T.sequence("N", g**2), T.sequence("P", g @ ahead)
    step = gamma / (1 - beta)
    assert is_found(T.shows(Z(k + 1) <= Z(k) - 2 * step * P(k) + step**2 * N(k)))


def test_the_gap_of_a_bound_varies_where_it_is_put_at_what_varies() -> None:
    """‖x_{k+1}‖² = r_k²‖x_k‖² with another r_k < 1 each time is no geometric sequence."""
    q, small = nonnegative("q"), nonnegative("r")
    lemma = theorem("mine.small")
    lemma.assume(q < 1)
    less = lemma.shows(q * x**2 <= x**2)
    T = theorem("mine.changing")
    T.varying(small)
    T.cite(less, scalars={q: small})
    T.iterate(x, small * x, k)
    D = T.sequence("D", x**2)
    made = T.shows(equal(D(1) ** 2, D(0) * D(2)))
    assert any(one.name.startswith("gap(") for one in made.scalars)
