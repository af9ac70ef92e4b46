"""How look-ahead and delay align, and how z moves, on exact runs of (10)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import pytest
import sympy

from tests.oracle.nesterov_machine import FUNCTIONS, LAST, STEPS, Vec, inner, plus, run, size
from theory.papers.nesterov.lemmas import aligned


def cosine_squared(way: Vec, rest: Vec) -> Fraction:
    """Of the angle between way + rest and way."""
    delay = plus(way, rest)
    return inner(delay, way) ** 2 / (size(delay) * size(way))


@pytest.mark.parametrize(
    ("way", "rest"),
    [
        ((Fraction(25), Fraction(0)), (Fraction(-9), Fraction(12))),
        ((Fraction(3), Fraction(4)), (Fraction(-1), Fraction(1))),
        ((Fraction(1), Fraction(0)), (Fraction(-1), Fraction(1, 9))),
        ((Fraction(2), Fraction(1)), (Fraction(1), Fraction(-2))),
        ((Fraction(1), Fraction(0)), (Fraction(-1, 2), Fraction(0))),
    ],
)
def test_the_cosine_bound_where_the_rest_is_outweighed_or_not(way: Vec, rest: Vec) -> None:
    """1 − cos² ≤ x², with equality where r is orthogonal to Δ = a d̄ + r."""
    (bound,) = aligned.THEOREM.terms.values()
    ratio = size(rest) / size(way)
    at = {aligned.a: 1, aligned.d: 1, aligned.rho: sympy.sqrt(sympy.Rational(ratio))}
    assert bound.subs(at) == sympy.Rational(ratio)
    sine = 1 - cosine_squared(way, rest)
    assert sine <= ratio
    assert (sine == ratio) == (inner(rest, plus(way, rest)) == 0)
    assert (inner(way, plus(way, rest)) >= 0) or ratio > 1


def test_beyond_the_outweighed_the_cosine_may_be_any() -> None:
    way, rest = (Fraction(1), Fraction(0)), (Fraction(-3, 2), Fraction(0))
    assert inner(way, plus(way, rest)) < 0
    assert cosine_squared(way, rest) == 1


def test_the_cosine_is_bounded_along_runs_by_what_20_says() -> None:
    """Δ_t = a d̄_t + r_t on runs, with a as in (20) and r_t what is left."""
    met = 0
    for name, delay in product(FUNCTIONS, STEPS):
        path = run(name, delay, STEPS[delay])
        for now in range(delay + 3, delay + LAST):
            then = now - delay
            gammas = [Fraction(s - 2, s) for s in range(then + 1, now)]
            weight = sum((prod(gammas[:i], start=Fraction(1)) for i in range(delay)), Fraction(0))
            moved, ahead = plus(path.w[now], path.w[then], -1), path.turn(then)
            rest = plus(moved, ahead, -weight)
            ratio = size(rest) / (weight**2 * size(ahead))
            if ratio <= 1:
                met += 1
                assert inner(moved, ahead) >= 0
                assert 1 - inner(moved, ahead) ** 2 / (size(moved) * size(ahead)) <= ratio
    assert met > 10


@pytest.mark.parametrize("name", FUNCTIONS)
def test_z_moves_by_two_gradients_from_the_second_iteration_on(name: str) -> None:
    """And by one in the first, where 1 − γ_1 is 1 and not 2."""
    path = run(name, 2, STEPS[2])
    for now in range(1, 9):
        step = -path.step * (1 if now == 1 else 2)
        assert path.z(now + 1) == plus(path.z(now), path.late[now], step)
        mean = plus(path.z(now + 1), plus(path.f.star, path.w[now], now - 1))
        assert tuple(now * entry for entry in path.w[now + 1]) == mean
