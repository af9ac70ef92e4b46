"""Gradient clipping: what is true of min(1, c/‖g‖) is found, and what is false is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy

from tests.controls.test_notation import is_found
from tests.controls.test_small_models import refuted_by
from theory.errors import TheoryError
from theory.falsifier.small_models import small_model
from theory.falsifier.small_runs import small_run
from theory.judging.decide import stands
from theory.kernel.relations import Relation, le
from theory.kernel.theorem import Given, Hypothesis, Theorem
from theory.notation import (
    Rational,
    count,
    equal,
    function,
    index,
    mean,
    norm,
    positive,
    real,
    theorem,
    total,
    vectors,
)
from theory.notation.clipping import Clipped
from theory.notation.draft import Draft
from theory.verdicts import Verdict

L, gamma, c, theta, eta = positive("L gamma c theta eta")
low, k, K = real("f_low"), index("k"), count("K")
f, (x, y, g, h, m) = function("f"), vectors("x y g h m")


def clipped() -> tuple[Draft, Any]:
    T = theorem("mine.clipped")
    return T, T.clipped(theta, g, c)


def step(part: Any) -> Theorem:
    T, cut = clipped()
    return T.shows((x - gamma * cut - x) ** 2 <= part * gamma**2 * c**2)


def length(part: Any) -> Theorem:
    T, cut = clipped()
    return T.shows(cut**2 <= part * g**2)


def along(part: Any) -> Theorem:
    T, cut = clipped()
    return T.shows(cut**2 <= part * (g @ cut))


def apart(part: Any) -> Theorem:
    """Two vectors that are clipped to one length come no further apart."""
    T, cut = clipped()
    other = T.clipped(eta, h, c)
    return T.shows((cut - other) ** 2 <= part * (g - h) ** 2)


def to_the_ball(part: Any) -> Theorem:
    """No vector of the ball is further than before."""
    T, cut = clipped()
    T.assume(y**2 <= c**2)
    T.have((1 - theta) * (g @ (y - cut)) <= 0)
    return T.shows((cut - y) ** 2 <= part * (g - y) ** 2)


def descent(part: Any) -> Theorem:
    T = theorem("mine.clipped")
    T.smooth(f, L)
    T.assume(gamma <= 1 / L)
    after = x - gamma * T.clipped(theta, f.grad(x), c)
    return T.shows(f(after) <= f(x) - gamma / (2 * part) * theta * f.grad(x) ** 2)


def noisy_descent(part: Any) -> Theorem:
    E, T = mean("E", g, theta), theorem("mine.clipped")
    T.smooth(f, L)
    cut = T.clipped(theta, g, c)
    rest = part * L * gamma**2 * c**2 / 2
    return T.shows(E(f(x - gamma * cut)) <= f(x) - gamma * E(f.grad(x) @ cut) + rest)


PAIRS: dict[str, Callable[[Any], Theorem]] = {
    "step": step,
    "length": length,
    "along": along,
    "apart": apart,
    "to the ball": to_the_ball,
    "descent": descent,
    "descent, noisy": noisy_descent,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PAIRS)
def test_what_is_true_of_a_clipped_vector_is_found_and_half_of_it_refuted(name: str) -> None:
    make = PAIRS[name]
    assert is_found(make(1))
    assert small_model(make(1)) is None
    twin = make(Rational(1, 2))
    assert not is_found(twin)
    model = small_model(twin)
    assert model is not None
    assert stands(refuted_by(model))


def test_norms_of_clipped_vectors() -> None:
    T, cut = clipped()
    assert is_found(T.shows(norm(gamma * cut) <= gamma * c))
    T, cut = clipped()
    other = T.clipped(eta, h, c)
    assert is_found(T.shows(norm(cut - other) <= norm(g - h)))


def biased(bound: Any) -> Theorem:
    E, T = mean("E", g, theta), theorem("mine.biased")
    cut = T.clipped(theta, g, c)
    T.unbiased(E, g, m)
    return T.shows(bound(m**2) <= E(cut @ m))


@pytest.mark.parametrize("bound", [lambda square: square, lambda square: 0 * square])
def test_clipping_has_a_bias_and_may_turn_the_mean(bound: Callable[[Any], Any]) -> None:
    """g = −2, 1/2 and 3/4, cut to −1, 1/2 and 3/4: the mean is −1/4, and then 1/12."""
    model = small_model(biased(bound))
    assert model is not None
    assert stands(refuted_by(model))


def rate(part: Any, unclipped: bool = False) -> Theorem:
    T = theorem("mine.rate")
    T.smooth(f, L)
    T.lower_bound(f, low)
    T.assume(gamma <= 1 / L)
    T.iterate(x, x - gamma * T.clipped(theta, f.grad(x), c), k)
    F = T.sequence("F", f(x))
    A = T.sequence("A", (1 if unclipped else theta) * f.grad(x) ** 2)
    return T.shows(total(A(k), k, K) / K <= part * (F(0) - low) / (gamma * K))


@pytest.mark.parametrize(("part", "unclipped"), [(1, False), (2, True)])
def test_a_false_rate_is_refuted_by_a_run(part: int, unclipped: bool) -> None:
    model = small_run(rate(part, unclipped))
    assert model is not None
    assert stands(refuted_by(model))
    moved = {**model.numbers, c: model.numbers[c] / 100}
    assert not stands(refuted_by(replace(model, numbers=moved))), "the steps would be shorter"


def test_a_true_rate_is_not() -> None:
    assert small_run(rate(2)) is None


NUMBERS = [Fraction(n, 4) for n in range(-12, 13)]


def test_the_facts_are_true_of_the_factor_alone_at_zero_too() -> None:
    """At every g, of all θ > 0 that are tried, min(1, c/|g|) alone satisfies all three."""
    made = Clipped(theta, g, c)
    facts = [one.relation.gap for one in made.facts()]
    kinds = [one.relation.kind for one in made.facts()]
    entry = g**2
    for size, most in product(NUMBERS, (Fraction(1, 2), Fraction(1), Fraction(5, 2))):
        right = Fraction(1) if abs(size) <= most else most / abs(size)
        for tried in {right, right / 2, right * 2, Fraction(1), Fraction(1, 3)}:
            put = {entry: size**2, c: most, theta: tried}
            gaps = [gap.subs({s: sympy.Rational(v) for s, v in put.items()}) for gap in facts]
            met = all(v == 0 if k == "==" else v >= 0 for v, k in zip(gaps, kinds, strict=True))
            assert met == (tried == right), (size, most, tried)


def test_the_way_to_the_nearest_point_needs_each_of_its_facts() -> None:
    one, other = Clipped(theta, g, c), Clipped(eta, h, c)
    made = apart(1)
    facts = {h.name: h.relation for h in made.hypotheses if isinstance(h, Hypothesis)}
    for step in (one.nearest(other), other.nearest(one)):
        assert step.rule.check(step.relation, Given(made, facts)).verdict is Verdict.PROVED
        assert len(step.rule.uses) == 3
        for name in step.rule.uses:
            fewer = {label: fact for label, fact in facts.items() if label != name}
            longer = {**facts, name: le(0, 1)}
            for known in (fewer, longer):
                found = step.rule.check(step.relation, Given(made, known))
                assert found.verdict is Verdict.UNKNOWN
        back = Relation(step.relation.rhs, "<=", step.relation.lhs)
        assert step.rule.check(back, Given(made, facts)).verdict is Verdict.UNKNOWN


def test_a_factor_of_what_is_drawn_is_drawn_as_well() -> None:
    """E⟨θg, m⟩ = θ‖m‖² would be no bias at all."""
    E, T = mean("E", g), theorem("mine.unlisted")
    cut = T.clipped(theta, g, c)
    T.unbiased(E, g, m)
    with pytest.raises(TheoryError, match="nothing says whether it is drawn"):
        T.shows(equal(E(cut @ m), theta * m**2))


@pytest.mark.parametrize(
    ("factor", "most"),
    [(real("t"), c), (2 * theta, c), (count("n"), c), (theta, real("r")), (theta, 0)],
    ids=str,
)
def test_lengths_and_factors_are_positive(factor: Any, most: Any) -> None:
    """With c = 0 the facts say that g = 0, and with θ = 0 that c = 0."""
    with pytest.raises(TheoryError, match="both are positive"):
        theorem("mine.bad").clipped(factor, g, most)


def test_a_factor_clips_one_vector() -> None:
    T, _ = clipped()
    with pytest.raises(TheoryError, match="theta clips g, and cannot clip h as well"):
        T.clipped(theta, h, c)
    T.clipped(eta, h, c)
