"""Falsehoods from values put in one after another and from what changes unseen; true twins."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from sympy.core.symbol import Str

from tests.stated import theorem, verdict
from theory.errors import TheoryError, VacuousError
from theory.kernel import (
    Average,
    Cite,
    Combine,
    Descent,
    Drift,
    Everywhere,
    Expect,
    Hypothesis,
    Induction,
    Lipschitz,
    Operator,
    Point,
    Sign,
    Smooth,
    Step,
    Theorem,
    Total,
    descent,
    dot,
    eq,
    le,
    lipschitz,
    point,
    square,
    vector,
    vectors,
)
from theory.kernel.context import measures
from theory.kernel.means import Mean
from theory.kernel.rules import Integral, Reread
from theory.kernel.theorem import Assumption, Delayed
from theory.kernel.vectors import Gram, Vector
from theory.notation import (
    average,
    count,
    equal,
    function,
    index,
    iterates,
    mean,
    real,
    total,
)
from theory.notation import theorem as begin
from theory.notation.building import offered

k = sympy.Symbol("k", integer=True, nonnegative=True)
n = sympy.Symbol("n", integer=True, nonnegative=True)
K = sympy.Symbol("K", integer=True, positive=True)
c, s = sympy.symbols("c s", real=True)
L = sympy.Symbol("L", positive=True)
D, F = sympy.Function("D", nonnegative=True), sympy.Function("F", real=True)
e, g, h, u, v, w, z = vectors("e g h u v w z")
x, y = point("x"), point("y")


def at(position: Any, name: str, of: str = "f") -> Point:
    return Point(position, sympy.Symbol(f"{of}({name})", real=True), vector(f"∇{of}({name})"), of)


@pytest.mark.parametrize(("which", "expected"), [("x", "PROVED"), ("x⁺", "UNKNOWN")])
def test_a_step_made_of_the_value_at_an_iterate(which: str, expected: str) -> None:
    """x⁺ = x − f(x)u: ‖x − f(x⁺)u‖² is not what ‖x‖² becomes (f(1) = −9, f(10) = 1, …)."""
    then = at(x.position - x.value * u, "x⁺")
    size = {"x": x, "x⁺": then}[which].value
    said = le(square(x.position - size * u), square(x.position) / 4)
    run: dict[str, Any] = {"points": (x, then), "vectors": (u,), "following": ((x, then),)}
    made = theorem(
        le(D(k + 1), D(k) / 4), Total("0", k), said, **run, sequences={D: square(x.position)}
    )
    assert verdict(made) == expected


@pytest.mark.parametrize(("inside", "expected"), [(z, "PROVED"), (v, "UNKNOWN")])
def test_a_vector_in_the_factor_of_a_vector_that_is_put_in(inside: Any, expected: str) -> None:
    """The point is at ‖z‖²w; with v := z beside x := ‖v‖²w the lemma would put it at ‖v‖²w."""
    smooth = (Smooth("smooth", "", L),)
    said = descent(L, x, y)
    lemma = theorem(
        said,
        Descent("smooth", x, y),
        id="test.lemma",
        symbols=(L,),
        points=(x, y),
        vectors=(v,),
        hypotheses=smooth,
    )
    real, claimed = (Point(square(o) * w, x.value, x.gradient) for o in (z, inside))
    made = theorem(
        descent(L, claimed, y),
        Cite("test.lemma", vectors={"x": square(inside) * w, "v": z}),
        symbols=(L,),
        points=(real, y),
        vectors=(v, w, z),
        hypotheses=smooth,
        cites=(lemma,),
    )
    assert verdict(made) == expected


def test_a_symbol_in_the_factor_of_a_vector_that_is_put_in() -> None:
    """At u := c·v and c := s the lemma is about c·v, and not about s·v."""
    said = le(c * square(u), 1), le(c**2 * square(u), c)
    one = {"symbols": (c, s), "vectors": (u, v)}
    lemma = theorem(said[1], Combine({"0": c}, domain=("1",)), said[0], le(0, c), **one, id="l.l")
    given = le(s * c**2 * square(v), 1), le(0, s)
    cite = Cite("l.l", {c: s}, {"u": c * v})
    true, false = (le(s**2 * a**2 * square(v), s) for a in (c, s))
    made = [theorem(goal, cite, *given, **one, cites=(lemma,)) for goal in (true, false)]
    assert list(map(verdict, made)) == ["PROVED", "UNKNOWN"]


@pytest.mark.parametrize(("factor", "expected"), [(2, "PROVED"), (square(x.position), "UNKNOWN")])
def test_what_stands_in_the_factor_of_a_point_moves_too(factor: Any, expected: str) -> None:
    """‖x‖²e is ‖x⁺‖²e⁺ in the next iteration, and not ‖x‖²e⁺."""
    far, then, last = point("e"), at(x.position * 2, "x⁺"), at(e * 3, "e⁺")
    now, later = at(factor * e, "P"), at(factor * 3 * e, "Q")
    run: dict[str, Any] = {
        "points": (x, then, far, last, now, later),
        "following": ((x, then), (far, last)),
        "sequences": {F: now.value},
    }
    assert verdict(
        theorem(le(F(k + 1), F(k)), Total("0", k), le(later.value, now.value), **run)
    ) == (expected)


@pytest.mark.parametrize(("bound", "expected"), [(c, "PROVED"), (s, "UNKNOWN")])
def test_the_bound_of_an_induction_is_the_same_in_every_iteration(
    bound: Any, expected: str
) -> None:
    """From a(k + 1) ≤ F(k) ≤ s, s being another one in each iteration, no a(n) ≤ s comes."""
    a, small = sympy.Function("a", real=True), sympy.Function("F", nonnegative=True)
    said = le(a(k + 1), small(k)), le(a(0), 0), le(small(k), bound)
    names = {"symbols": (n, c), "scalars": (s,)}
    induction = Induction("0", k, n, a, "1", ("2",))
    assert verdict(theorem(le(a(n), bound), induction, *said, **names)) == expected


@pytest.mark.parametrize(("random", "expected"), [(False, "PROVED"), (True, "UNKNOWN")])
def test_a_function_that_is_drawn_is_another_one_in_the_next_iteration(
    random: bool, expected: str
) -> None:
    """SGD on f_i: f_i(x⁺) ≤ f_i(x), but with noise at the minimum the mean of f_i(x_k) grows."""
    now = at(vector("x"), "x", "f_i")
    then = at(now.position - now.gradient / L, "x⁺", "f_i")
    names = (now.gradient, then.gradient)
    mean = Operator("E", ("f_i(x)", "f_i(x⁺)", *(n for one in names for n in one.names)))
    said = [eq(mean.of(square(now.gradient)), c)] if random else []
    run: dict[str, Any] = {"symbols": (L, c), "points": (now, then), "following": ((now, then),)}
    goal, fact = le(F(k + 1), F(k)), le(then.value, now.value)
    made = theorem(goal, Total("0", k), fact, *said, **run, sequences={F: now.value})
    assert verdict(made) == expected
    lemma = theorem(goal, Total("0", k), fact, **run, sequences={F: now.value}, id="test.lemma")
    cites = {"cites": (lemma,), "sequences": {F: now.value}}
    assert verdict(theorem(goal, Cite("test.lemma"), fact, *said, **run, **cites)) == expected
    tau = sympy.Symbol("tau", integer=True, nonnegative=True)
    late = at(vector("x̂"), "x̂", "f_i")
    old, new = (sympy.Function(name, nonnegative=True) for name in ("O", "S"))
    drawn = Operator("E", ("f_i(x̂)", "∇f_i(x̂)"))
    hypotheses: list[Assumption] = [Delayed("late", "", late, now, tau, exact=True)]
    if random:
        hypotheses.append(Hypothesis("drawn", "", eq(drawn.of(square(late.gradient)), c)))
    sums = [sympy.Sum(one(k), (k, 0, K - 1)) for one in (old, new)]
    again = theorem(
        le(sums[0], tau * new(0) + sums[1]),
        Reread("late", old, k, K),
        **run | {"points": (now, then, late), "symbols": (L, c, K, tau)},
        sequences={old: square(late.gradient), new: square(now.gradient)},
        hypotheses=tuple(hypotheses),
    )
    assert verdict(again) == expected


def test_what_says_that_a_function_is_drawn_is_kept() -> None:
    """The proof on one path uses no mean, and F(k + 1) is of another draw all the same."""
    f, iterate, slope = function("f_i"), vector("x"), vector("m")
    E = mean("E", f.grad(iterate))
    T = begin("mine.drawn")
    T.smooth(f, L)
    T.unbiased(E, f.grad(iterate), slope)
    after = iterate - f.grad(iterate) / L
    T.iterate(iterate, after, index("k"))
    size = T.sequence("F", f(iterate))
    made = T.shows(size(k + 1) <= size(k), by=Total("line", k))
    assert any(isinstance(one, Hypothesis) for one in made.hypotheses)


def test_what_is_drawn_last_is_random_to_the_means_before() -> None:
    """h compresses g without bias. Were h the same at every outcome of g, g had no variance."""
    f, (now, first, last) = function("f"), vectors("x g h")
    E, C = mean("E", first), mean("C", last)
    T = begin("mine.compressed", "ours", f)
    T.unbiased(E, first, f.grad(now))
    T.unbiased(C, last, first)
    made = T.shows(equal(E(C(square(last))), E(C(square(last - first))) + E(square(first))))
    known = {one.name: (set(one.random), set(one.given)) for one in measures(made)}
    assert known == {
        "C": ({"h"}, {"g", "x", "∇f(x)"}),
        "E": ({"g", "h"}, {"x", "∇f(x)"}),
    }


def test_a_vector_with_two_means() -> None:
    """The gradients of workers have one average, and each its expectation."""
    f, (now, each, mid) = function("f"), vectors("x g_i ḡ")
    E, avg = mean("E", each, mid, over="sample"), average("avg", each, over="worker")
    T = begin("mine.workers", "ours", f)
    T.unbiased(avg, each, mid)
    T.unbiased(E, each, f.grad(now))
    made = T.shows(square(f.grad(now)) <= E(square(each)))
    assert len({step.name for step in offered(made).steps}) == len(offered(made).steps)


def test_x_has_moved_by_a_value() -> None:
    """x_{k+1} = x_k − f(z_k)u, so x_k is made of the z that was drawn before."""
    drawn, late, later = map(point, ("z", "ẑ", "z⁺"))
    random = Operator("E", ("ẑ", "f(ẑ)", "∇f(ẑ)"))
    below = le(square(x.position), square(late.position))

    def made(size: Any) -> Theorem:
        then = at(x.position - size * u, "x⁺")
        return theorem(
            le(square(x.position), random.of(square(late.position))),
            Expect("below", random),
            vectors=(u,),
            points=(x, then, drawn, late, later),
            following=((x, then), (drawn, later)),
            hypotheses=(
                Delayed("late", "", late, drawn, sympy.S.One, exact=True),
                Hypothesis("below", "", below),
            ),
        )

    assert verdict(made(x.value)) == "PROVED"
    with pytest.raises(TheoryError, match="has moved x since"):
        made(drawn.value)


def test_x_has_moved_by_what_is_equal_to_a_draw() -> None:
    """x_{k+1} = x_k − m with m = z_k, so x_k is made of the z that was drawn before."""
    drawn, late, later, m = *map(point, ("z", "ẑ", "z⁺")), vector("m")
    random = Operator("E", ("ẑ", "f(ẑ)", "∇f(ẑ)"))
    below = le(square(x.position), square(late.position))

    def made(tied: Vector) -> Theorem:
        then = at(x.position - m, "x⁺")
        return theorem(
            le(square(x.position), random.of(square(late.position))),
            Expect("below", random),
            vectors=(m, u),
            points=(x, then, drawn, late, later),
            following=((x, then), (drawn, later)),
            hypotheses=(
                Delayed("late", "", late, drawn, sympy.S.One, exact=True),
                Hypothesis("below", "", below),
                Hypothesis("tied", "", eq(square(m - tied), 0)),
            ),
        )

    assert verdict(made(u)) == "PROVED"
    with pytest.raises(TheoryError, match="has moved x since"):
        made(drawn.position)


def test_a_name_is_declared_once() -> None:
    """A quantity that may change is no constant as well, which Total would take out of a mean."""
    size = square(x.position)
    said = le(s * size, 1)
    run: dict[str, Any] = {"points": (x,), "sequences": {D: size}}
    goal = le(s * D(k), 1), Total("0", k), said
    assert verdict(theorem(*goal, **run, symbols=(s,))) == "PROVED"
    assert verdict(theorem(*goal, **run, scalars=(s,))) == "UNKNOWN"
    with pytest.raises(TheoryError, match="s is declared twice"):
        theorem(*goal, **run, symbols=(s,), scalars=(s,))


@pytest.mark.parametrize(
    "odd",
    [
        Gram(Str("u"), c + 1, evaluate=False),
        sympy.Sum(F(k), (F(k), 0, n)),
    ],
)
def test_nothing_that_can_be_replaced_stands_for_a_name(odd: Any) -> None:
    with pytest.raises(TheoryError, match="inner products are of names"):
        theorem(le(odd, odd), Combine(), symbols=(c, n), vectors=(u, vector("c + 1")))


def test_a_scalar_that_an_assumption_ties_to_a_draw_is_drawn() -> None:
    """A step r with r‖g‖² ≤ 1 may be 1/‖g‖², and E r⟨g, v⟩ is no r⟨E g, v⟩ unless r is given."""
    f, (now, first) = function("f"), vectors("x g")
    r = real("r")

    def random(*drawn: Any, given: tuple[Any, ...] = ()) -> bool:
        E = mean("E", first, *drawn, given=given)
        T = begin("mine.normalised", "ours", f)
        T.varying(r)
        T.unbiased(E, first, f.grad(now))
        T.assume(r * square(first) <= 1)
        slope = dot(first, f.grad(now))
        made = T.shows(equal(E(r * slope), r * square(f.grad(now))))
        return "r" in {name for one in measures(made) for name in one.random}

    with pytest.raises(TheoryError, match="r stands in a line with g"):
        random()
    assert random(r)
    assert not random(given=(r,))


def test_a_sum_has_one_meaning() -> None:
    """K‖u‖² ≤ 1 says nothing of Σ‖x_k‖², though u is called x."""
    moving, count_of = iterates("x", k), count("K")
    own, other = total(square(moving[k]), k, count_of), total(square(vector("x")), k, count_of)
    assert own == total(square(moving[k]), k, count_of) != other
    assert str(own) == str(other)
    T = begin("mine.two")
    T.assume(other <= 1)
    with pytest.raises(TheoryError, match="two"):
        T.shows(own <= 1)


@pytest.mark.parametrize(("law", "expected"), [("P", "PROVED"), ("", "UNKNOWN")])
def test_means_of_draws_in_turn_disappear_under_one_law(law: str, expected: str) -> None:
    """E C ‖x⁺‖², h being drawn after g, is a mean of ‖x⁺‖² if both are conditional means of one."""
    then = at(x.position - h, "x⁺")
    last = ("h", "f(x⁺)", "∇f(x⁺)")
    first, second = Operator("E", ("g", *last), law=law), Operator("C", last, given=("g",), law=law)
    size = first.of(second.of(dot(g, h) + square(then.position)))
    made = theorem(
        le(D(k + 1) + F(k), D(k)),
        Total("0", k),
        le(size, square(x.position)),
        points=(x, then),
        vectors=(g,),
        following=((x, then),),
        sequences={D: square(x.position), F: dot(g, h)},
    )
    assert verdict(made) == expected


def test_a_line_may_bound_every_move() -> None:
    """Steps of r‖g‖ ≤ 1 times γ, and a stale iterate."""
    r, step = sympy.symbols("r gamma", nonnegative=True)
    now, old, slope = vectors("x x̂ g")
    T = begin("mine.normal")
    T.varying(r)
    T.assume(r**2 * square(slope) <= 1)
    T.iterate(now, now - step * r * slope, k)
    T.delayed(old, now, n)
    T.have(square(step * r * slope) <= step**2, "move")
    made = offered(T.shows(square(now - old) <= step**2 * n**2))
    drift = next(one for one in made.steps if one.name == "drift, x̂ is stale, by move")
    assert drift.relation == le(square(now - old), step**2 * n**2)


# Names that are two things


def along(value: Any) -> Theorem:
    """What f gains from x to y, by a slope that also knows how far f(y) is below its bound."""
    t, N = sympy.symbols("t N", positive=True)
    end = Point(y.position, t if value is None else value, y.gradient)
    way = end.position - x.position
    z = at(x.position + way * t, "z")
    room = x.value + dot(x.gradient, way) + L / 2 * square(way) - end.value
    slope = dot(x.gradient, way) + L * t * square(way) + N * room
    young = ((1 / (2 * L * t), z.gradient - x.gradient - L * t * way),)
    gain = sympy.integrate(sympy.expand(slope), (t, 0, 1))
    return theorem(
        le(end.value, x.value + gain),
        Combine({"rise": 1}),
        symbols=(L, N, *(() if value is None else (t,))),
        points=(x, end, z),
        hypotheses=(Smooth("smooth", "", L),),
        steps=(
            Step("near", lipschitz(L, x, z), Lipschitz("smooth", x, z)),
            Step("below", descent(L, x, end), Descent("smooth", x, end)),
            Step(
                "slope",
                le(dot(z.gradient, way), slope),
                Combine({"near": 1 / (2 * L * t), "below": N}, squares=young),
            ),
            Step("rise", le(end.value - x.value, gain), Integral("slope", t, x, end, z)),
        ),
    )


@pytest.mark.parametrize(("value", "expected"), [(y.value, "PROVED"), (None, "UNKNOWN")])
def test_a_value_called_like_the_time_is_no_time(value: Any, expected: str) -> None:
    """Integrated as if it were t, f(y) becomes 1/2: for f = 1/10 the bound is far below it."""
    assert verdict(along(value)) == expected


@pytest.mark.parametrize("which", ["scalars", "points"])
def test_a_quantity_called_like_the_index(which: str) -> None:
    """(s − 1)‖g‖² ≥ 0 for s = ‖h‖² in every iteration; that (k − 1)G(k) ≥ 0 is another thing."""
    G = sympy.Function("G", nonnegative=True)
    run: dict[str, Any] = {"vectors": (g, h), "sequences": {G: square(g)}}
    more: dict[str, Any] = {"scalars": (k,), "points": (Point(y.position, k, y.gradient),)}
    said = le(0, (k - 1) * square(g)), le(k, square(h))
    made = theorem(le(0, (k - 1) * G(k)), Total("0", k), *said, **run, **{which: more[which]})
    assert verdict(made) == "UNKNOWN"
    true = theorem(
        le(0, (k - 1) * G(k)),
        Total("0", k),
        said[0],
        vectors=(g,),
        sequences={G: square(g)},
        indices=(k,),
    )
    assert verdict(true) == "PROVED"


def test_what_follows_a_replica_is_one_as_well() -> None:
    """Were x⁺ the same for all replicas, so would be x from then on."""
    then = at(vector("x⁺"), "x⁺")
    every = ("x", "f(x)", "∇f(x)")

    def made(*more: str) -> Theorem:
        mean = Average("avg", (*every, *more))
        return theorem(
            le(D(k + 1), c),
            Total("mean", k),
            le(square(then.position), c),
            symbols=(c,),
            points=(x, then),
            following=((x, then),),
            sequences={D: mean.of(square(x.position))},
            steps=(Step("mean", le(mean.of(square(then.position)), c), Expect("0", mean)),),
        )

    assert verdict(made("x⁺", "f(x⁺)", "∇f(x⁺)")) == "PROVED"
    with pytest.raises(TheoryError, match="takes its place"):
        made()


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        *((pair, "PROVED") for pair in ("a α", "w_1 w_2", "x x⁺", "f* F*", "ẏ y⁻", "a ∆ξᵀ")),
        *(
            (pair, "look like")
            for pair in ("A \u0391", "\u00b5 \u03bc", "x_1 x₁", "gamma γ", "ā a\u0305")
        ),
        *(
            (f"a {name}", "hidden")
            for name in ("a\u200b", "a\ufe0f\u2063", "-1", "0", "a+a", "E[g]", "\u0430", "a\u0331")
        ),
        *((f"a {name}", "hidden") for name in ("\u0251", "\uab7a", "\u03f3", "\u05d0", "a\u2044")),
        *((f"a {name}", "hidden") for name in ("sqrt(a)", "F(0)", "F(k)")),
    ],
)
def test_names_that_look_the_same(pair: str, expected: str) -> None:
    """A Cyrillic а makes a theorem of a ≤ b that reads a ≤ a, and a constant called −1 another."""
    a, other = sympy.symbols(pair, real=True)

    def made() -> str:
        said = le(a, other), le(F(k), a)
        return verdict(theorem(said[0], Combine({"0": 1}), *said, symbols=(a, other)))

    if expected == "PROVED":
        assert made() == expected
    else:
        with pytest.raises(TheoryError, match=expected):
            made()


def test_a_sequence_called_a_norm_means_something() -> None:
    """The notation calls ‖g[k − τ]‖² so; where it means nothing, the name is a formula."""
    late = sympy.Function("‖g[-tau]‖²", real=True)
    said = le(late(k), c)
    with pytest.raises(TheoryError, match="hidden"):
        theorem(said, Combine({"0": 1}), said, symbols=(c,))


@pytest.mark.parametrize("listed", ["∇f_i(x)", "∇f_i(x) ∇f_i(y)", "∇F(x)"])
def test_a_function_is_drawn_at_all_of_its_points(listed: str) -> None:
    """E⟨∇f_i(x), ∇f_i(y)⟩ is not ⟨∇F(x), ∇f_i(y)⟩, and so not where ∇f_i(y) is left out."""
    names = tuple(listed.split())
    one, other = (at(where.position, name, "f_i") for where, name in ((x, "x"), (y, "y")))
    said = eq(Operator("E", names).of(dot(one.gradient, other.gradient)), c)

    def made() -> str:
        points = (one, other, at(x.position, "x", "F"))
        return verdict(theorem(said, Combine({"0": 1}), said, symbols=(c,), points=points))

    if names[1:] or names == ("∇F(x)",):
        assert made() == "PROVED"
    else:
        with pytest.raises(TheoryError, match="at one point"):
            made()


def test_the_notation_draws_a_function_at_all_of_its_points() -> None:
    f, whole, star = function("f_i"), function("F"), vector("x*")
    mean_of = mean("E", f.grad(x.position))
    T = begin("mine.drawn", "ours", f, whole)
    T.unbiased(mean_of, f.grad(x.position), whole.grad(x.position))
    T.constant(star)
    cross = mean_of(dot(f.grad(x.position), f.grad(star)))
    made = T.shows(equal(cross, dot(whole.grad(x.position), f.grad(star))), by=Combine())
    assert {"∇f_i(x)", "∇f_i(x*)"} <= measures(made)[0].random


@pytest.mark.parametrize(("most", "expected"), [(square(u), "stands"), (square(u) + 1, "")])
def test_an_equation_of_two_inequalities_ties(most: Any, expected: str) -> None:
    """Of ‖g − h‖² + ‖u‖² ≤ c and c ≤ ‖u‖² it follows that h is g, and so is random with it."""
    said = le(square(g - h) + square(u), c), le(c, most)
    zero = eq(Operator("E", ("g",)).of(dot(g, h)), 0)

    def made() -> str:
        return verdict(
            theorem(zero, Combine({"2": 1}), *said, zero, vectors=(g, h, u), scalars=(c,))
        )

    if expected:
        with pytest.raises(TheoryError, match=expected):
            made()
    else:
        assert made() == "PROVED"


@pytest.mark.parametrize(("name", "expected"), [("u − e", "PROVED"), ("u − v", "hidden")])
def test_no_vector_is_called_like_a_difference(name: str, expected: str) -> None:
    """Of a vector that is called u − v nothing is known from u = v."""
    other = vector(name)
    said = eq(square(other), 1)
    more: dict[str, Any] = {"vectors": (u, v, other)}
    if expected == "PROVED":
        assert verdict(theorem(said, Combine({"0": 1}), said, eq(dot(u, v), 1), **more)) == expected
    else:
        with pytest.raises(TheoryError, match=expected):
            theorem(said, Combine({"0": 1}), said, eq(dot(u, v), 1), **more)


def test_one_sequence_a_name() -> None:
    """F(k) ≥ 0 by its domain would read as a property of the mean F(k) of f."""
    positive = sympy.Function("F", nonnegative=True)
    with pytest.raises(TheoryError, match="two things"):
        theorem(le(0, positive(k)), Sign(), le(F(k), 0), sequences={F: x.value}, points=(x,))


@pytest.mark.parametrize(("from_", "expected"), [(0, "PROVED"), (5, "UNKNOWN")])
@pytest.mark.parametrize("rule", ["Drift", "Total"])
def test_what_holds_from_some_iteration_on(rule: str, from_: int, expected: str) -> None:
    """(k − 4)‖g‖² ≤ c and k ≥ 5 bound no move of an earlier iteration, by whatever index."""
    j, tau = sympy.symbols("j tau", integer=True, nonnegative=True)
    old, then = point("x̂"), at(x.position - g, "x⁺")
    late = k - 4 if from_ else sympy.S.One
    said = le(late * square(g), L), le(late * then.value, late * x.value), le(from_, k)
    held: tuple[Assumption, ...] = tuple(
        Hypothesis(str(i), "", one) for i, one in enumerate(said[: 3 if from_ else 2])
    )
    held += (Delayed("late", "", old, x, tau),)
    domain = ("2",) if from_ else ()
    each = Step("move", le(square(g), L), Combine({"0": 1 / late}, domain=domain))
    down = Step("down", le(then.value, x.value), Combine({"1": 1 / late}, domain=domain))
    drift = le(square(x.position - old.position), tau**2 * L), Drift("late", j, move="move")
    total = le(F(j + 1), F(j)), Total("down", j)
    made = theorem(
        *(drift if rule == "Drift" else total),
        symbols=(L, tau),
        indices=(k,) if from_ else (),
        points=(x, then, old),
        vectors=(g,),
        following=((x, then),),
        sequences={F: x.value},
        hypotheses=held,
        steps=(each, down),
    )
    assert verdict(made) == expected


def test_a_sum_over_an_index_says_nothing_of_it() -> None:
    """Of k + F(0) + … + F(3) ≤ 5 only k is named outside of the sum."""
    said = le(k + sympy.Sum(F(k), (k, 0, 3)), 5)
    made = theorem(said.replaced({k: n}), Everywhere("0", {k: n}), said, indices=(k, n))
    assert verdict(made) == "UNKNOWN"


class _Changing(list[str]):
    """A list that says something else when it is asked again."""

    def __iter__(self) -> Any:
        self.append("")
        return iter(["g"] if len(self) < 3 else ["h"])


def test_what_is_random_is_asked_once() -> None:
    under = Operator("E", _Changing())  # type: ignore[arg-type]
    rule = Expect("0", under)
    theorem(le(0, 1), rule, le(0, 1))
    assert type(rule.under.random) is tuple
    assert len({rule.under.marks for _ in range(5)}) == 1


@pytest.mark.parametrize(
    "odd",
    [
        Mean(Str("E"), sympy.Tuple(Str("g")), c, evaluate=False),
        Gram(Str("v"), Str("u"), evaluate=False),
    ],
)
def test_a_mean_has_one_form(odd: Any) -> None:
    """E[c] is c, and ⟨v, u⟩ is ⟨u, v⟩, however they are written down."""
    with pytest.raises(TheoryError, match="mean"):
        theorem(le(odd, 0), Combine({"0": 1}), le(odd, 0), symbols=(c,), vectors=(u, v))


@pytest.mark.parametrize("average", [True, False])
def test_an_average_does_not_disappear_in_the_total_mean(average: bool) -> None:
    """That ‖x_i‖² is at most 1 on average over workers bounds no worker's ‖x_i‖²."""
    mean = Average("avg", ("x", "f(x)", "∇f(x)"))
    size = mean.of(square(x.position))
    value = size if average else square(x.position)

    def made() -> Theorem:
        return theorem(le(D(k), 1), Total("0", k), le(size, 1), points=(x,), sequences={D: value})

    if average:
        assert verdict(made()) == "PROVED"
    else:
        with pytest.raises(TheoryError, match="another one for each that avg is over"):
            made()


def test_a_mean_is_an_average_or_an_expectation() -> None:
    """E[s] over workers and E[s] over draws would read as one thing."""
    one, other = Operator("E", ("s",)).of(s), Average("E", ("s",)).of(s)
    assert verdict(theorem(le(one, 1), Combine({"0": 1}), le(one, 1), scalars=(s,))) == "PROVED"
    with pytest.raises(TheoryError, match="found an expectation and an average"):
        theorem(le(one, 1), Combine({"0": 1}), le(one, 1), le(other, 2), scalars=(s,))


@pytest.mark.parametrize(("most", "refused"), [(0, True), (L, False)])
def test_a_square_with_the_mean_0_ties(most: Any, refused: bool) -> None:
    """Of E‖h − g‖² ≤ 0 it follows that h is g at every outcome, and E‖g‖² ≤ ‖v‖² if h is not."""
    E = Operator("E", ("g",))
    said = (
        le(E.of(square(h - g)), most),
        eq(E.of(dot(g, v)), square(v)),
        eq(E.of(dot(g, h)), dot(v, h)),
    )
    proof = Combine({"0": 1, "2": 2}, squares=((1, v - h),))

    def made() -> Theorem:
        goal = le(E.of(square(g)), square(v) + most)
        return theorem(goal, proof, *said, symbols=(L,), vectors=(g, h, v))

    if refused:
        with pytest.raises(TheoryError, match="h stands in an equation"):
            made()
    else:
        assert verdict(made()) == "PROVED"


@pytest.mark.parametrize(
    ("drawn", "followed", "refused"), [("g", "g", True), ("g", "h", False), ("g x", "g", False)]
)
def test_what_is_drawn_once_has_moved_what_it_moves(
    drawn: str, followed: str, refused: bool
) -> None:
    """x_k is −kg if g is the same in every iteration, and ‖x‖² grows by more than ‖g‖²."""
    noise, later = at(g, "g"), at(vector(followed), followed)
    then = at(x.position - g, "x⁺")
    points = (x, then, *dict.fromkeys((noise, later)))
    listed = [*drawn.split(), "h"]
    random = [f"{d}({n})" for n in (*listed, "x⁺") for d in ("f", "∇f")]
    random += [*listed, "x⁺"]
    E = Operator("E", tuple(random))
    said = eq(E.of(dot(g, x.position)), 0), le(E.of(square(g)), 1)
    each = E.of(square(then.position)), E.of(square(x.position)) + 1

    def made() -> Theorem:
        return theorem(
            le(D(k + 1), D(k) + 1),
            Total("step", k),
            *said,
            points=points,
            following=((x, then), (noise, later)),
            sequences={D: square(x.position)},
            steps=(Step("step", le(*each), Combine({"0": -2, "1": 1})),),
        )

    if refused:
        with pytest.raises(TheoryError, match="has moved x since"):
            made()
    else:
        assert verdict(made()) == "PROVED"


@pytest.mark.parametrize("names", ["x y", "y x", "x f_i", "x w"])
def test_values_are_called_after_their_points(names: str) -> None:
    """With f(y) for the value at x the descent lemma reads f(x) ≤ f(y) + ⟨∇f(y), y − x⟩ + …."""
    one, other = names.split()
    first = at(x.position, one)
    second = at(y.position, {"x": "y", "y": "x"}.get(one, other))
    if other == "f_i":
        second = Point(y.position, sympy.Symbol("f_i(y)", real=True), second.gradient)
    points = (first, second, point("z", "f_i"))

    def made() -> str:
        smooth = (Smooth("smooth", "", L),)
        goal = descent(L, first, second)
        rule = Descent("smooth", first, second)
        return verdict(theorem(goal, rule, symbols=(L,), points=points, hypotheses=smooth))

    if names in ("x y", "x w"):
        assert made() == "PROVED"
    else:
        with pytest.raises(TheoryError, match="is called like"):
            made()


@pytest.mark.parametrize(
    ("said", "possible"),
    [
        (eq(2 * n, 4), True),
        (eq(2 * n, 3), False),
        (le((3 * n - K) ** 2 + (K - 1) ** 2, 0), False),
        (le(x.value, at(x.position, "x'").value), True),
        (le(x.value + 1, at(x.position, "x'").value), False),
        (le(1, square(x.position - y.position)), True),
        (le(1, square(x.position - vector("x̂"))), False),
        *(
            (
                le(
                    c * L**2 * (square(x.position - y.position) + 1),
                    square(x.gradient - y.gradient),
                ),
                c < 1,
            )
            for c in (1, sympy.Rational(1, 2))
        ),
    ],
)
def test_what_no_integer_and_no_function_satisfies(said: Any, possible: bool) -> None:
    """2n is not 3, a function has one value at x, and a smooth one no larger slope than L."""
    names = {"symbols": (n, K, L), "points": (x, y, at(x.position, "x'"), point("x̂"))}
    names |= {"following": ((x, y),), "vectors": (g,)}
    held: tuple[Assumption, ...] = (Hypothesis("0", "", said), Smooth("smooth", "", L))
    held += (Delayed("late", "", point("x̂"), x, sympy.S.Zero),)
    made = theorem(said, Combine({"0": 1}), **names, hypotheses=held)
    if possible:
        assert verdict(made) == "PROVED"
    else:
        with pytest.raises(VacuousError):
            verdict(made)
