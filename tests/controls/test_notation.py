"""What the notation infers lets nothing false through: what is random, stale, or lasts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy

from theory.errors import TheoryError, VacuousError
from theory.judging.as_claim import as_claim
from theory.judging.judge import judged
from theory.kernel import (
    Combine,
    Everywhere,
    Expect,
    Found,
    Hypothesis,
    Induction,
    Operator,
    Relation,
    Step,
    Theorem,
    dot,
    eq,
    le,
    prove,
    square,
    vectors,
)
from theory.kernel.vectors import Scalar
from theory.notation import (
    average,
    count,
    equal,
    function,
    index,
    iterates,
    mean,
    named,
    nonnegative,
    positive,
    real,
    theorem,
    total,
    vector,
)
from theory.notation.building import offered
from theory.proving.search import search
from theory.verdicts import Verdict

delta, gamma = positive("delta gamma")
g, m, c, x, y, h = vectors("g m c x y h")


def facts(made: Theorem) -> dict[str, Relation]:
    known = {one.name: one.relation for one in made.hypotheses if isinstance(one, Hypothesis)}
    return known | {step.name: step.relation for step in made.steps}


def is_found(made: Theorem) -> bool:
    full = offered(made)
    return search(full, full.goal, facts(full)).combine is not None


def test_of_what_is_related_to_something_random_it_is_said_whether_it_is() -> None:
    """A compressed gradient that is not listed is no vector of its own."""
    E = mean("E", g)
    T = theorem("mine.compressed")
    T.unbiased(E, g, m)
    T.assume(square(g - c) <= (1 - delta) * square(g))
    with pytest.raises(TheoryError, match="c stands in a line with g, which is random to E"):
        T.shows(delta * E(square(g - m)) <= (1 - delta) * square(m))


def test_a_twin_with_a_vector_that_is_given_is_found() -> None:
    E = mean("E", g)
    T = theorem("mine.given")
    T.unbiased(E, g, m)
    T.assume(E(square(g - m)) <= delta)
    assert is_found(T.shows(E(square(g - c)) <= delta + square(m - c)))


def test_a_stale_vector_is_random_with_what_it_was() -> None:
    k, tau, E = index("k"), index("tau"), mean("E", g, given=(x,))
    T = theorem("mine.stale")
    T.unbiased(E, g, m)
    T.iterate(g, g + x, k)
    T.delayed(h, g, tau)
    made = T.shows(E(square(g - m)) <= E(square(g - h)))
    assert not is_found(made)


@pytest.mark.parametrize("listed", [True, False])
def test_an_inner_product_does_not_settle_its_vectors(listed: bool) -> None:
    """Y = x − γg in disguise: E⟨g, y⟩ = ⟨m, y⟩ leaves y as random as g."""
    E = Operator("E", ("g", "y") if listed else ("g",))
    hypotheses = (
        Hypothesis("step", "y is x − γg", le(square(y - (x - gamma * g)), 0)),
        Hypothesis("mean", "m is the mean of g", eq(E.of(dot(g, m)), square(m))),
        Hypothesis("against y", "", eq(E.of(dot(g, y)), E.of(dot(m, y)))),
    )

    def made() -> Theorem:
        return Theorem(
            "mine.y", "ours", "", "", (gamma,), 0, {"zero": 0}, Combine(), "<=", hypotheses,
            vectors=(g, m, x, y),
        )  # fmt: skip

    if listed:
        with pytest.raises(TheoryError, match="x stands"):
            made()
    else:
        with pytest.raises(TheoryError, match="stands in an equation"):
            made()


@pytest.mark.parametrize("slack", [nonnegative("s"), real("s") ** 2, (real("s") - real("q")) ** 2])
@pytest.mark.parametrize("listed", [True, False])
def test_what_is_added_to_a_square_that_vanishes_vanishes(slack: Scalar, listed: bool) -> None:
    """‖y − g‖² + s ≤ 0 says that y is g, and that E‖g‖² ≤ ‖m‖² if y is no random vector."""
    E = Operator("E", ("g", "y") if listed else ("g",), given=("s", "q"))
    hypotheses = (
        Hypothesis("tie", "", le(square(y - g) + slack, 0)),
        Hypothesis("against y", "", eq(E.of(dot(g, y)), E.of(dot(m, y)))),
    )

    def made() -> Theorem:
        return Theorem(
            "mine.tie", "ours", "", "", tuple(sorted(slack.free_symbols, key=str)),
            E.of(square(g)), {"all": square(m)},
            Combine({"mean": 1, "against y": 2}, squares=((1, m - y),), plus=(slack,)), "<=",
            hypotheses, (Step("mean", le(E.of(square(y - g)) + slack, 0), Expect("tie", E)),),
            vectors=(g, m, y),
        )  # fmt: skip

    if listed:
        assert prove(made()).verdict is Verdict.UNKNOWN
    else:
        with pytest.raises(TheoryError, match="stands in an equation"):
            made()


@pytest.mark.parametrize("factor", [real("c"), positive("c")])
def test_an_equation_with_a_factor_that_may_be_0_settles_nothing(factor: Scalar) -> None:
    """c·r = c·E s; where c is 0, r may be s, and E s = r is false."""
    r, s = real("r s")
    E = Operator("E", ("s",))
    hypotheses = (
        Hypothesis("tie", "", eq(r, s)),
        Hypothesis("mean", "", eq(factor * r, factor * E.of(s))),
    )

    def made() -> Theorem:
        return Theorem(
            "mine.factor", "ours", "", "", (factor,), E.of(s), {"r": r}, Expect("tie", E), "==",
            hypotheses, scalars=(r, s),
        )  # fmt: skip

    if factor.is_positive:
        assert prove(replace(made(), lhs=r, terms={"s": E.of(s)})).verdict is Verdict.PROVED
    else:
        with pytest.raises(TheoryError, match="r stands in an equation"):
            made()


@pytest.mark.parametrize(
    ("read", "delay", "refused"),
    [
        ("now", count("tau"), "has moved x"),
        ("late", count("tau"), ""),
        ("late", index("tau"), "has moved g"),
    ],
)
def test_what_was_drawn_some_iterations_ago_has_moved_iterates_since(
    read: str, delay: Scalar, refused: str
) -> None:
    """E⟨g_{k−τ}, x_k⟩ is no ⟨∇f(x_{k−τ}), x_k⟩, unless x takes g_{k−τ} in iteration k only."""
    k, f = index("k"), function("f")
    xs, gs = iterates("x", k), iterates("g", k)
    late = gs[k - delay]
    E = mean("E", late)
    T = theorem("mine.older", "ours", f)
    T.iterate(xs, xs[k] - gamma * (gs[k] if read == "now" else late))
    T.iterate(gs, y)
    T.unbiased(E, late, f.grad(xs[k - delay]))
    said = equal(E(dot(late, xs[k])), dot(f.grad(xs[k - delay]), xs[k]))
    if refused:
        with pytest.raises(TheoryError, match=refused):
            T.shows(said)
    else:
        assert is_found(T.shows(said))


@pytest.mark.parametrize("read", ["now", "late"])
def test_what_is_stale_by_an_unknown_delay_has_moved_iterates_too(read: str) -> None:
    """Even where x takes it: of delays 0 and 1 in turn x takes the same one twice."""
    k, tau, f = index("k"), count("tau"), function("f")
    old, before = vectors("ĝ x̂")
    E = mean("E", old)
    T = theorem("mine.stale", "ours", f)
    T.iterate(x, x - gamma * (g if read == "now" else old), k)
    T.iterate(g, y, k)
    T.delayed(old, g, tau)
    T.delayed(before, x, tau)
    T.unbiased(E, old, f.grad(before))
    said = equal(E(dot(old, x)), dot(f.grad(before), x))
    with pytest.raises(TheoryError, match="has moved x"):
        T.shows(said)


def test_a_zero_vector_is_the_same_at_every_outcome() -> None:
    """∇f(x*) = 0 is used with random vectors, and is no reason to take ∇f(x*) for random."""
    f, star = function("f"), vector("x*")
    E = mean("E", g)
    T = theorem("mine.star")
    T.minimum(f, star)
    T.unbiased(E, g, f.grad(x))
    made = T.shows(E(square(g - f.grad(star))) <= E(square(g)))
    assert is_found(made)


def test_a_run_that_cannot_last_is_refused() -> None:
    """F falls by 1 in every iteration and is bounded from below."""
    k, n = index("k n")
    F = sympy.Function("F", real=True)
    low = real("low")
    falling = Theorem(
        "mine.lasting", "ours", "", "", (low, n), n, {"first": F(0), "low": -low},
        Combine({"sum": 1, "below": 1}), "<=",
        (Hypothesis("falls", "", le(F(k + 1), F(k) - 1)), Hypothesis("bounded", "", le(low, F(k)))),
        (
            Step("below", le(low, F(n)), Everywhere("bounded", {k: n})),
            Step("same", eq(F(0), F(0)), Combine()),
            Step("sum", le(F(n), F(0) - n), Induction("falls", k, n, F, "same")),
        ),
    )  # fmt: skip
    with pytest.raises(VacuousError):
        prove(falling)


def cocoercive(share: int, assumed: str) -> Theorem:
    """⟨∇f(x) − ∇f(y), x − y⟩ is at least ‖∇f(x) − ∇f(y)‖²/(share · L)."""
    length, f, (x, y) = positive("L"), function("f"), vectors("x y")
    T = theorem("mine.cocoercive")
    if "smooth" in assumed:
        T.smooth(f, length)
    if "convex" in assumed:
        T.convex(f)
    turn = f.grad(x) - f.grad(y)
    return T.shows(square(turn) / (share * length) <= dot(turn, x - y))


def test_interpolation_needs_smoothness_and_convexity() -> None:
    assert is_found(cocoercive(1, "smooth convex"))
    assert is_found(cocoercive(2, "smooth convex"))
    assert not is_found(cocoercive(1, "smooth"))
    assert not is_found(cocoercive(1, "convex"))


def test_interpolation_is_not_sharper_than_it_is() -> None:
    length, f, (x, y) = positive("L"), function("f"), vectors("x y")
    for wrong in (sympy.Rational(1, 2), sympy.Rational(99, 100)):
        T = theorem("mine.cocoercive")
        T.smooth(f, length)
        T.convex(f)
        turn = f.grad(x) - f.grad(y)
        assert not is_found(T.shows(square(turn) / (wrong * length) <= dot(turn, x - y)))


def contracting(rate: Scalar, mu: Scalar, length: Scalar) -> Theorem:
    """One step of length 1/L towards a minimum."""
    f, (x, star) = function("f"), vectors("x x*")
    T = theorem("mine.contraction")
    T.smooth(f, length)
    T.strongly_convex(f, mu)
    T.minimum(f, star)
    T.assume(mu < length)
    after = x - f.grad(x) / length
    return T.shows(square(after - star) <= rate * square(x - star))


def test_strong_interpolation_gives_the_exact_contraction() -> None:
    mu, length = positive("mu L")
    assert is_found(contracting((1 - mu / length) ** 2, mu, length))
    assert not is_found(contracting((1 - mu / length) ** 2 / 2, mu, length))
    assert not is_found(contracting((1 - mu / length) ** 3, mu, length))


def test_an_equation_of_vectors_is_shown_for_any_vector() -> None:
    x, e, c, g = vectors("x e c g")
    moved = equal((x - c) - (e + g - c), (x - e) - g)
    assert is_found(theorem("mine.virtual").shows(moved))
    assert not is_found(theorem("mine.virtual").shows(equal((x - c) - (e + g), (x - e) - g)))


def moving(factor: int) -> Theorem:
    """How long a move is, by the size of the gradient."""
    f, (x, old), k, K = function("f"), vectors("x x̂"), index("k"), count("K")
    T = theorem("mine.moves", "ours", f)
    T.iterate(x, x - gamma * f.grad(old), k)
    G, M = T.sequence("G", square(f.grad(old))), T.sequence("M", square(gamma * f.grad(old)))
    T.have(M(k) <= factor * gamma**2 * G(k) / 2)
    return T.shows(total(M(k), k, K) <= factor * gamma**2 * total(G(k), k, K) / 2)


def test_two_sequences_of_one_quantity_are_compared() -> None:
    for factor, proved in ((1, False), (2, True), (3, True)):
        made = offered(moving(factor))
        given = facts(made)
        lines = [s for s in made.steps if s.name.startswith("line 1")]
        found = [
            search(made, s.relation, {n: r for n, r in given.items() if not n.startswith(s.name)})
            for s in lines
            if type(s.rule) is Found
        ]
        assert all(one.combine is not None for one in found[:1]) is proved


def test_nothing_is_known_of_any_vector() -> None:
    u, v = vectors("u v")
    assert not is_found(theorem("mine.pinned").shows(equal(u, v)))
    pinned = vector("any vector")
    for said in (equal(pinned, u - u), square(pinned) <= 0):
        T = theorem("mine.pinned")
        T.assume(said)
        with pytest.raises(TheoryError, match="stands for every vector"):
            T.shows(equal(u, v))


def test_a_length_does_not_settle_a_vector() -> None:
    u, m, w = vectors("u m w")
    E = Operator("E", ("u",))
    tie = Hypothesis("tie", "u is m", eq(dot(u, m), square(m)))
    length = Hypothesis("length", "m is as long as u on average", eq(square(m), E.of(square(u))))
    with pytest.raises(TheoryError, match="m stands in an equation with what is random to E"):
        Theorem(
            id="mine.length",
            where="ours",
            statement="",
            latex="",
            hypotheses=(tie, Hypothesis("u", "u is m", eq(square(u - m), 0)), length),
            lhs=E.of(dot(u, w)),
            terms={"mean": dot(m, w)},
            kind="==",
            symbols=(),
            vectors=(u, m, w),
            conclude=Combine(),
        )


def local_steps(part: int) -> Theorem:
    """Workers at x_i near x̄: their mean gradient makes x̄ descend, up to how far they are."""
    f, L, spread = function("f"), positive("L"), nonnegative("V")
    at, centre, slope = vectors("x_i x̄ ḡ")
    avg = average("avg", at, over="worker")
    T = theorem("mine.local")
    T.smooth(f, L)
    T.assume(L * gamma <= 1)
    T.unbiased(avg, f.grad(at), slope)
    T.assume(avg(square(at - centre)) <= spread)
    after = f(centre - gamma * slope)
    down = gamma / 2 * square(f.grad(centre))
    return T.shows(after <= f(centre) - down + gamma * L**2 / part * spread)


def test_a_gradient_that_is_averaged_is_that_of_a_function() -> None:
    made = local_steps(2)
    assert "x_i" in {name for one in made.points for name in one.position.names}
    assert is_found(made)
    assert not is_found(local_steps(8))


def test_values_that_are_summed_change_from_iteration_to_iteration() -> None:
    k, K, f = index("k"), count("K"), function("f")
    star = vector("x*")
    T = theorem("mine.values")
    T.minimum(f, star)
    T.iterate(x, x - gamma * f.grad(x), k)
    made = T.shows(le(0, total(f(x) - f(star), k, K)))
    (sum_,) = made.goal.rhs.atoms(sympy.Sum)
    (meant,) = made.sequences.values()
    assert sum_.function.args == (k,)
    assert meant == f(x) - f(star)


@pytest.mark.parametrize(("factor", "verdict"), [(1, Verdict.UNKNOWN), (2, Verdict.REFUTED)])
def test_no_function_is_more_convex_than_smooth(factor: int, verdict: Verdict) -> None:
    """Though the statement names no value of f; the true one has no certificate yet."""
    mu, L = positive("mu L")
    f, (x, star) = function("f"), vectors("x x*")
    T = theorem("test.moduli")
    T.smooth(f, L)
    T.strongly_convex(f, mu)
    stated = T.shows(factor * mu * square(x - star) <= L * square(x - star))
    assert judged(as_claim(stated)).verdict is verdict


def said_everywhere(kind: str, part: int) -> Theorem:
    """True statements for part = 1: what is said of f at every point is said of all its points."""
    (mu, L), low = positive("mu L"), real("low")
    f, (x, y, star) = function("f"), vectors("x y x*")
    T = theorem("test.everywhere")
    if kind != "quasi-convex":
        T.smooth(f, L)
        T.lower_bound(f, low)
    if kind == "smooth":
        return T.shows(part * square(f.grad(x)) <= 2 * L * (f(x) - low))
    if kind == "convex":
        T.strongly_convex(f, mu)
        return T.shows(part * mu * square(x - y) <= 4 * (f(x) + f(y) - 2 * low))
    if kind == "Polyak":
        T.pl(f, 2 * L / part, low)
        return T.shows(f(x) <= low)
    T.quasi_strongly_convex(f, star, mu)
    T.minimum(f, star)
    return T.shows(part * mu / 2 * square(x - star) <= f(x) - f(star))


@pytest.mark.parametrize("kind", ["smooth", "convex", "Polyak", "quasi-convex"])
def test_a_function_that_refutes_keeps_everywhere_what_is_said_at_points(kind: str) -> None:
    """A line is above 0 at x, and is not bounded from below."""
    true, false = (judged(as_claim(said_everywhere(kind, part))).verdict for part in (1, 16))
    assert (true, false) == (Verdict.UNKNOWN, Verdict.REFUTED)


def test_what_no_hypothesis_at_points_says_is_kept_too() -> None:
    """Σ⟨∇f(x̄), x_k − x̄⟩ = 0 makes no x̄ the mean of the x_k, nor E⟨g, x⟩ = ‖x‖² an x that of g."""
    k, K, f = index("k"), count("K"), function("f")
    T = theorem("test.mean")
    T.convex(f)
    T.iterate(x, x - f.grad(x), k)
    T.averaged(m, x, K)
    sizes = T.sequence("D", square(x))
    statements = [T.shows(square(m) <= total(sizes(k), k, K) / K)]
    E, C = mean("E", g, h, law="P"), mean("C", h, given=(g,), law="P")
    T = theorem("test.tower")
    T.unbiased(C, h, g)
    T.unbiased(E, g, x)
    statements.append(T.shows(equal(E(C(square(h))), E(square(h)))))
    f, L = function("f"), positive("L")
    E = mean("E", g, h)
    T = theorem("test.drawn")
    T.smooth(f, L)
    T.unbiased(E, g, x)
    T.unbiased(E, h, x)
    away = L / 2 * E(square(g - x)) + L / 2 * E(square(h - x))
    statements.append(T.shows(E(f(g)) - E(f(h)) <= away))
    assert {judged(as_claim(one)).verdict for one in statements} == {Verdict.UNKNOWN}
    assert judged(as_claim(T.shows(E(f(g)) - E(f(h)) <= away / 4))).verdict is Verdict.REFUTED


def test_values_of_a_function_that_is_not_listed_are_no_constants() -> None:
    """E f(x)² ≤ (E f(x))² holds of a number, and of no f(x) of a random x."""
    f, E = function("f"), mean("E", x)
    for listed in ((), (f,)):
        T = theorem("test.listed", "ours", *listed)
        T.assume(E(square(x)) <= 1)
        said = E(f(x) ** 2) + E(square(x)) <= E(f(x)) ** 2 + 1
        if listed:
            assert judged(as_claim(T.shows(said))).verdict is Verdict.REFUTED
        else:
            with pytest.raises(TheoryError, match="nothing is said of f"):
                T.shows(said)


def test_a_value_is_not_called_like_one_at_another_vector() -> None:
    """f(y) at the point y = x − ∇f(x) is no value at a vector y of which more is said."""
    f = function("f")
    T = theorem("test.called", "ours", f)
    T.assume(square(y) <= 1)
    with pytest.raises(TheoryError, match="y is the name of two vectors"):
        T.shows(f(named("y", x - f.grad(x))) + square(y) <= f(x))


@pytest.mark.parametrize("name", ["f(x) - f", "f - g", "f(x)"])
def test_a_function_is_not_called_a_formula(name: str) -> None:
    """0 <= h(y) of h = "f(x) - f" would read 0 <= f(x) - f(y)."""
    f, h = function("f"), function(name)
    T = theorem("test.called", "ours", f)
    T.convex(f)
    T.lower_bound(h, 0)
    with pytest.raises(TheoryError, match="is no formula"):
        T.shows(f(x) <= f(x) + h(y))


def test_gradients_are_bounded_by_what_is_at_least_0() -> None:
    """With r = -2 no function has ‖∇f‖ <= r, and many have ‖∇f‖² <= r²."""
    f = function("f")
    with pytest.raises(TheoryError, match="not shown to be at least 0"):
        theorem("test.steep", "ours", f).bounded_gradient(f, real("r"))


@pytest.mark.parametrize("modulus", [0, positive("mu")])
@pytest.mark.parametrize("kind", ["strongly_convex", "quasi_strongly_convex"])
def test_no_strongly_convex_function_has_bounded_gradients(kind: str, modulus: Scalar) -> None:
    """At the points of a theorem it may, and everywhere it has none: they grow with ‖x − x*‖."""
    f, G = function("f"), positive("G")
    T = theorem("test.bounded", "ours", f)
    T.bounded_gradient(f, G)
    getattr(T, kind)(f, *([x] if "quasi" in kind else []), modulus)
    by = Combine({"bounded gradient, at y": 1})
    made = T.shows(square(f.grad(y)) <= G**2, by=by)
    if modulus == 0:
        assert prove(made).verdict is Verdict.PROVED
    else:
        with pytest.raises(VacuousError, match="no function that is strongly convex"):
            prove(made)


@pytest.mark.parametrize(
    ("now", "then", "said"),
    [
        (vectors("x y"), vector("u"), "found a tuple"),
        (vector("x") + vector("y"), vector("u"), "found x"),
        (vector("x"), real("u"), "the next iterate is a vector, found a Symbol"),
    ],
)
def test_an_iterate_is_a_vector(now: Any, then: Any, said: str) -> None:
    with pytest.raises(TheoryError, match=said):
        theorem("mine.step", "ours").iterate(now, then, index("k"))
