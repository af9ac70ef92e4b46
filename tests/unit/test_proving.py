"""The search for certificates: what it finds the kernel accepts, and false statements stay open."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.kernel import (
    Combine,
    Hypothesis,
    Relation,
    Theorem,
    Vector,
    dot,
    eq,
    le,
    prove,
    square,
    vectors,
)
from theory.kernel.theorem import Given
from theory.notation import function, named
from theory.notation import theorem as notated
from theory.notation.building import offered
from theory.proving import search as searching
from theory.proving.search import Searched, search
from theory.proving.squares import determinant
from theory.verdicts import Verdict

L, gamma, a, mu = sympy.symbols("L gamma a mu", positive=True)
r = sympy.Symbol("r", real=True)
fx, fy, fs = sympy.symbols("f(x) f(y) f*", real=True)
u, v, w = vectors("u v w")
g, x, s, h = vectors("g x x* h")
CONSTANTS = (L, gamma, a, mu)

STEP = le(gamma, 1 / L)
DESCENT = le(fy, fx - gamma * square(g) + L * gamma**2 / 2 * square(g))
TRUE = {
    "descent": (le(fy, fx - gamma / 2 * square(g)), {"descent": DESCENT, "step": STEP}),
    "young": (le(2 * dot(u, v), a * square(u) + square(v) / a), {}),
    "contraction": (
        le(square(x - s - gamma * g), (1 - gamma * mu) * square(x - s)),
        {
            "convex": le(fx + dot(g, s - x) + mu / 2 * square(x - s), fs),
            "smooth": le(square(g) / (2 * L), fx - fs),
            "step": STEP,
        },
    ),
    "delayed": (
        le(fy, fx - gamma / 2 * square(g) + gamma / 2 * L**2 * square(w)),
        {
            "descent": le(fy, fx - gamma * dot(g, h) + L * gamma**2 / 2 * square(h)),
            "stale": le(square(g - h), L**2 * square(w)),
            "step": STEP,
        },
    ),
    "three points": (
        le(2 * dot(u - v, w - u), square(w - v) - square(u - v) - square(w - u)),
        {},
    ),
    "a bound of parameters with room": (  # the squares are settled at γL = 1 alone
        le(square(g + h), 9 * square(g)),
        {"stale": le(square(g - h), L**2 * gamma**2 * square(g)), "step": STEP},
    ),
    "two vertices": (  # γ(2 − γ(L + μ)) times what the facts show to be at least 0
        le(square(x - s - gamma * g), (1 - gamma * mu) ** 2 * square(x - s)),
        {
            "both": le(square(g) + L * mu * square(x - s), (L + mu) * dot(g, x - s)),
            "long": le(mu**2 * square(x - s), square(g)),
            "step": le(gamma * (L + mu), 2),
        },
    ),
    "square of a scalar": (le(2 * r * dot(u, v), r**2 * square(u) + square(v)), {}),
    "equation": (eq(fx, 2 * L), {"one": eq(fx, a), "other": eq(a, 2 * L)}),
}
FALSE = {
    "descent with too much": (le(fy, fx - gamma * square(g)), TRUE["descent"][1]),
    "descent without a step size": (TRUE["descent"][0], {"descent": DESCENT}),
    "young with too little": (le(2 * dot(u, v), a * square(u) + square(v) / (2 * a)), {}),
    "contraction too fast": (
        le(square(x - s - gamma * g), (1 - 3 * gamma * mu) * square(x - s)),
        TRUE["contraction"][1],
    ),
    "a bound with less room": (
        le(square(g + h), 8 * square(g)),
        TRUE["a bound of parameters with room"][1],
    ),
    "beyond two vertices": (
        TRUE["two vertices"][0],
        {**TRUE["two vertices"][1], "step": le(gamma * (L + mu), sympy.Rational(9, 4))},
    ),
    "cosine": (le(dot(u, v), square(u) / 2), {}),
    "an equation from an inequality": (eq(fx, a), {"below": le(fx, a)}),
    "sign": (le(0, r), {}),
}


def theorem(goal: Relation, facts: dict[str, Relation]) -> Theorem:
    named = [Hypothesis(name, name, fact) for name, fact in facts.items()]
    return Theorem(
        id="test.searched",
        where="here",
        statement="",
        latex="",
        symbols=CONSTANTS,
        scalars=(r, fx, fy, fs),
        vectors=(u, v, w, g, x, s, h),
        lhs=goal.lhs,
        terms={"right": goal.rhs},
        kind=goal.kind,
        hypotheses=tuple(named),
        conclude=Combine(),
    )


def searched(goal: Relation, facts: dict[str, Relation]) -> Searched:
    return search(theorem(goal, facts), goal, facts)


@pytest.mark.parametrize("name", TRUE)
def test_certificates_are_found_and_accepted(name: str) -> None:
    goal, facts = TRUE[name]
    found = searched(goal, facts)
    assert found.combine is not None, found.why
    checked = found.combine.check(goal, Given(theorem(goal, facts), facts))
    assert checked.verdict is Verdict.PROVED, checked.note


@pytest.mark.parametrize("name", FALSE)
def test_nothing_is_found_for_what_is_false(name: str) -> None:
    goal, facts = FALSE[name]
    found = searched(goal, facts)
    assert found.combine is None
    assert found.why


@pytest.mark.parametrize(("momentum", "rate", "free"), [(4, 11, 3), (0, 9, 1), (4, 20, 0)])
def test_multipliers_that_nothing_settles_are_chosen(momentum: int, rate: int, free: int) -> None:
    """Two accelerated steps, or plain ones; where there is room, no square has to vanish."""
    f, (at, least) = function("f"), vectors("x x*")
    T = notated("test.accelerated")
    T.smooth(f, L)
    T.convex(f)
    T.minimum(f, least)
    y = named("y", at - f.grad(at) / L)
    ahead = named("m", y + (y - at) / momentum) if momentum else y
    last = named("z", ahead - f.grad(ahead) / L)
    made = offered(T.shows(f(last) - f(least) <= L * square(at - least) / rate))
    facts = {h.name: h.relation for h in made.hypotheses if isinstance(h, Hypothesis)}
    facts |= {step.name: step.relation for step in made.steps}
    assert (search(made, made.goal, facts).combine is not None) is (free > 0)


def test_failure_names_a_point() -> None:
    goal, facts = FALSE["young with too little"]
    assert "a = " in searched(goal, facts).why


def test_a_search_gives_the_same_twice() -> None:
    goal, facts = TRUE["contraction"]
    assert searched(goal, facts) == searched(goal, facts)


def test_the_step_size_is_a_fact_and_no_domain() -> None:
    """Under a domain, a mutant of the step size would survive more often."""
    found = searched(*TRUE["descent"])
    assert found.combine is not None
    assert found.combine.facts["step"] != 0
    assert found.combine.domain == ()


def test_squares_need_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.proving.squares.available", lambda: False)
    goal, facts = TRUE["young"]
    found = searched(goal, facts)
    assert found.combine is None
    assert "clarabel" in found.why


def test_a_certificate_that_the_kernel_refuses_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Combine(squares=((sympy.Integer(-1), u - v),))
    monkeypatch.setattr(searching, "_candidates", lambda *arguments: iter([wrong]))
    found = searched(*TRUE["three points"])
    assert found.combine is None
    assert "sign" in found.why or ">= 0" in found.why


FACTORS = st.sampled_from([0, 1, 2, L, 1 / L, gamma / 2, gamma * L + 1, sympy.Rational(1, 3)])
PLAIN = st.lists(st.integers(-2, 2), min_size=3, max_size=3)


def combined(numbers: list[int]) -> Vector:
    total: Vector = u * numbers[0] + v * numbers[1] + w * (numbers[2] * gamma)
    return total


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(PLAIN, PLAIN, FACTORS), min_size=1, max_size=3))
def test_random_combinations_of_facts_are_found(
    drawn: list[tuple[list[int], list[int], sympy.Expr]],
) -> None:
    """A goal that is made from facts has a certificate, and the search meets one."""
    facts, gap = {}, sympy.S.Zero
    for number, (left, right, factor) in enumerate(drawn):
        fact = le(dot(combined(left), combined(right)) - fx * number, square(combined(left)) + fy)
        facts[f"fact {number}"] = fact
        gap += factor * fact.gap
    goal = le(0, sympy.expand(gap))
    found = searched(goal, facts)
    assert found.combine is not None, found.why


def test_what_is_found_proves_the_theorem() -> None:
    goal, facts = TRUE["descent"]
    found = searched(goal, facts)
    assert found.combine is not None
    made = theorem(goal, facts)
    proved = Theorem(**{**vars(made), "conclude": found.combine})
    assert prove(proved).verdict is Verdict.PROVED


def test_what_is_divided_by_0_at_a_bound_is_not_looked_at_there() -> None:
    """At r = 0 the right side means nothing."""
    u, v = vectors("u v")
    T = notated("mine.bound")
    T.assume(r >= 0)
    full = offered(T.shows(2 * u @ v <= r * u**2 + v**2 / r))
    given = {h.name: h.relation for h in full.hypotheses if isinstance(h, Hypothesis)}
    assert search(full, full.goal, given).combine is None


@given(st.lists(st.lists(st.integers(-2, 2), min_size=12, max_size=12), min_size=3, max_size=3))
@settings(max_examples=30, deadline=None)
def test_a_determinant_is_that_of_sympy(rows: list[list[int]]) -> None:
    """Entries are a + bp + cpq + dq."""
    ring, p, q = sympy.ring("p q", sympy.QQ)
    parts = (ring.one, p, p * q, q)
    entries = [
        [
            sum((c * one for c, one in zip(row[k : k + 4], parts, strict=True)), ring.zero)
            for k in (0, 4, 8)
        ]
        for row in rows
    ]
    matrix = sympy.Matrix([[entry.as_expr() for entry in row] for row in entries])
    found = ring.zero + determinant(entries)
    assert sympy.expand(found.as_expr() - matrix.det()) == 0
