"""`certify --merge`: what a theorem can do without, and the least constant of its statement."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from theory.kernel import Combine, Hypothesis, Step, Theorem, le, square, vectors
from theory.kernel.vectors import Scalar
from theory.notation import count, function, index, named, positive, real, theorem, total, vector
from theory.notation.building import offered
from theory.proving.merging import least, merge

a, b = sympy.symbols("a b", positive=True)
u, v = vectors("u v")
SMALL = Hypothesis("small", "", le(a, b))
IDLE = Hypothesis("idle", "", le(b, 2))

CHAIN = Theorem(
    id="mine.chain",
    where="ours",
    statement="",
    latex="",
    symbols=(a, b),
    vectors=(u,),
    hypotheses=(SMALL, IDLE),
    steps=(Step("twice", le(2 * a, 2 * b), Combine({"small": 2})),),
    lhs=a * square(u),
    terms={"right": b * square(u)},
    conclude=Combine({"twice": square(u) / 2}),
)


def test_an_unprinted_line_can_go() -> None:
    assert [(one.kind, one.name) for one in merge(CHAIN)] == [("step", "twice")]


def test_what_is_needed_stays() -> None:
    both = Combine({"twice": square(u) / 4, "small": square(u) / 2})
    kinds = {(one.kind, one.name) for one in merge(replace(CHAIN, conclude=both))}
    assert kinds == {("step", "twice")}
    alone = replace(CHAIN, steps=(), conclude=Combine({"small": square(u)}))
    assert [*merge(alone)] == []


def test_a_line_can_go_where_squares_take_its_place() -> None:
    T = theorem("mine.young")
    T.have(2 * (u @ v) <= a * square(u) + square(v) / a, "young")
    bound = b * (1 + a) * square(u) + b * (1 + 1 / a) * square(v)
    made = offered(T.shows(b * square(u + v) <= bound, by=Combine({"young": b})))
    assert ("step", "young") in {(one.kind, one.name) for one in merge(made)}


@pytest.mark.parametrize(("factor", "expected"), [(1, "1"), (3, "3")])
def test_the_least_constant_of_a_bound(factor: int, expected: str) -> None:
    c = positive("c")
    T = theorem("mine.least")
    T.assume(square(u) <= factor * square(v))
    made = T.shows(a * square(u) <= c * a * square(v))
    assert str(least(offered(made), c)) == expected
    (found,) = [one for one in merge(made) if one.kind == "constant"]
    assert found.says.endswith(f"is {expected}")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (square(u + v), square(u) + square(v), "2"),
        (2 * (u @ v) - a * square(u), square(v), "1/a"),
        (square(u + v) - (1 + a) * square(u), square(v), "(a + 1)/a"),
    ],
)
def test_the_least_constant_of_a_sum_of_squares(left: Scalar, right: Scalar, expected: str) -> None:
    c = positive("c")
    made = theorem("mine.squares").shows(left <= c * right)
    assert str(least(offered(made), c)) == expected


def test_the_least_constant_of_one_step() -> None:
    """1/6, the known rate of gradient descent with γ = 1/L; 1/4 without squares."""
    L, c = positive("L c")
    f, (x, star) = function("f"), vectors("x x*")
    T = theorem("mine.step")
    T.smooth(f, L)
    T.convex(f)
    T.minimum(f, star)
    y = named("y", x - f.grad(x) / L)
    made = T.shows(f(y) - f(star) <= c * L * square(x - star))
    assert least(offered(made), c) == sympy.Rational(1, 6)


def test_the_least_constant_of_a_rate() -> None:
    """The mean of ‖∇f‖² of gradient descent with γ = 1/L, against (f(x_0) − f_low)·L/K."""
    L, c = positive("L c")
    low = real("f_low")
    k, K = index("k"), count("K")
    f, x = function("f"), vector("x")
    T = theorem("mine.rate")
    T.smooth(f, L)
    T.lower_bound(f, low)
    T.iterate(x, x - f.grad(x) / L, k)
    F, S = T.sequence("F", f(x)), T.sequence("S", square(f.grad(x)))
    made = T.shows(total(S(k), k, K) / K <= c * (F(0) - low) * L / K)
    assert least(offered(made), c) == 2


def test_no_constant_no_answer() -> None:
    c = positive("c")
    made = theorem("mine.open").shows(square(u) <= c * square(v))
    assert least(offered(made), c) is None
