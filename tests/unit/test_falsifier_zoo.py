"""The zoo's constants, against values by hand and against dense grids of points."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import (
    Piecewise,
    Smooth,
    asymmetric_huber,
    average,
    bent,
    greatest_square,
    huber,
    interval,
    linear,
    quadratic,
    wave,
)
from theory.falsifier.zoo import BENT, BOUNDED, GENERAL, LINES, LOCAL, QUADRATICS, Maker
from theory.papers.localsgd.runs.replicas import noise

HALF = Fraction(1, 2)
GRID = [Fraction(k, 8) for k in range(-64, 65)]

SCALARS = {
    "line": linear(2),
    "parabola": quadratic(3, centre=1, tilt=2),
    "huber": huber(2, 1, centre=HALF),
    "asymmetric": asymmetric_huber(1, HALF, 2),
    "steep outside": bent(1, 3, 1),
    "flat outside": bent(2, HALF, 1),
    "wave": wave(1, 4, 2),
    "a mean": average([huber(1, 1, -1), quadratic(1, tilt=1), bent(1, 3, 2)]),
}


@pytest.mark.parametrize("name", SCALARS)
def test_the_value_integrates_the_derivative(name: str) -> None:
    """Between grid points, which hold all knots, the derivative is linear: trapezia are exact."""
    part = SCALARS[name]
    assert isinstance(part, Piecewise)
    for a, b in pairwise(GRID):
        area = (b - a) * (part.derivative(a) + part.derivative(b)) / 2
        assert part.value(b) - part.value(a) == area
    assert part.value(part.knots[0]) == 0


@pytest.mark.parametrize("name", SCALARS)
def test_the_lipschitz_constant_is_the_least(name: str) -> None:
    part = SCALARS[name]
    slopes = [abs(part.derivative(b) - part.derivative(a)) / (b - a) for a, b in pairwise(GRID)]
    assert max(slopes) == part.lipschitz()


@pytest.mark.parametrize("name", [name for name in SCALARS if name != "line"])
def test_the_minimum_is_the_least_value(name: str) -> None:
    part = SCALARS[name]
    least = part.minimum()
    assert least is not None
    fine = [Fraction(k, 96) for k in range(-8 * 96, 8 * 96)]
    lowest = min(part.value(x) for x in fine)
    assert least <= lowest <= least + Fraction(1, 1000)


@pytest.mark.parametrize(
    "part", [linear(1), linear(-1), Piecewise((Fraction(0),), (HALF,), Fraction(-1))]
)
def test_no_minimum(part: Piecewise) -> None:
    assert part.minimum() is None
    assert part.pl() == 0


@pytest.mark.parametrize("name", SCALARS)
def test_the_pl_constant_is_the_greatest(name: str) -> None:
    part = SCALARS[name]
    mu, least = part.pl(), part.minimum()
    if least is None:
        return
    gaps = [(part.derivative(x) ** 2, part.value(x) - least) for x in GRID]
    assert all(slope >= 2 * mu * gap for slope, gap in gaps)
    more = mu + Fraction(1, 20)
    far = [Fraction(10**6), Fraction(-(10**6))]
    gaps += [(part.derivative(x) ** 2, part.value(x) - least) for x in far]
    assert any(slope < 2 * more * gap for slope, gap in gaps)


def test_pl_by_hand() -> None:
    # Inside |x| ≤ 1 the ratio is 2; outside it falls to the outer slope.
    assert bent(2, HALF, 1).pl() == HALF
    assert wave(1, 4, 2).pl() == 0
    # Two wells with a top at x = 3, between knots.
    knots, slopes = (0, 2, 4, 6), (-1, 1, -1, 1)
    wells = Piecewise(tuple(map(Fraction, knots)), tuple(map(Fraction, slopes)), HALF, HALF)
    assert wells.derivative(Fraction(3)) == 0
    assert wells.pl() == 0


def test_greatest_squares_by_hand() -> None:
    pair = [huber(1, 1, tilt=-1), huber(1, 1, tilt=1)]
    assert greatest_square(pair) == 2  # at |x| ≥ 1: (0² + 2²)/2
    assert greatest_square(pair, average(pair)) == 1
    assert greatest_square([quadratic(1), linear(0)], average([quadratic(1), linear(0)])) is None


@pytest.mark.parametrize("kind", ["log-cosh", "root"])
def test_smooth_functions_enclose_their_difference_quotients(kind: str) -> None:
    part = Smooth(kind, HALF)  # type: ignore[arg-type]
    x, h = Fraction(3, 4), Fraction(1, 2**20)
    rise = (part.value(interval(x + h)) - part.value(interval(x - h))) / interval(2 * h)
    slope = part.derivative(interval(x))
    assert abs(float(rise.mid - slope.mid)) < 1e-6
    assert float(slope.delta) < 1e-12


@pytest.mark.parametrize("make", [*LINES, *QUADRATICS, *BENT, *BOUNDED, *GENERAL])
@pytest.mark.parametrize("p", [1, 3])
def test_smoothness_and_minimum_of_problems(make: Maker, p: int) -> None:
    """L bounds the gradient's change along a few directions, and no point is below f*."""
    problem = make(p)
    d = len(problem.start)
    directions = [tuple(Fraction(k % (j + 2) - 1) for j in range(d)) for k in range(5)]
    points = [problem.start, *directions]
    for x in points:
        for y in points:
            apart = sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
            change = sum(
                (a - b) ** 2 for a, b in zip(problem.gradient(x), problem.gradient(y), strict=True)
            )
            assert change <= problem.smoothness**2 * apart
        if problem.minimum is not None:
            gap = problem.value(x) - problem.minimum
            assert gap >= 0
            assert sum(g * g for g in problem.gradient(x)) >= 2 * problem.mu * gap


@pytest.mark.parametrize("make", [*QUADRATICS, *GENERAL])
def test_the_gradient_is_the_mean_of_the_components(make: Maker) -> None:
    problem = make(2)
    x = tuple(Fraction(k, 3) for k in range(len(problem.start)))
    count = len(problem.components)
    rows = [problem.component_gradient(m, x) for m in range(count)]
    assert problem.gradient(x) == tuple(sum(column) / count for column in zip(*rows, strict=True))


def test_the_coupled_minimum_by_hand() -> None:
    """½|x|² + x₁ + x₂ + ¼(x₁ + x₂)² has its minimum −½ at x = (−½, −½)."""
    part = quadratic(1, tilt=1)
    problem = Problem("coupled", ((part, part),), (Fraction(0),) * 2, (0, 1), HALF)
    assert problem.minimum == -HALF
    assert problem.smoothness == 2
    assert problem.mu == 1


@pytest.mark.parametrize("make", LOCAL)
def test_noise_is_the_supremum_over_a_grid(make: object) -> None:
    """σ² and G̃² bound both at every grid point, and are reached at some (one coordinate)."""
    problem: Problem = make(2, 1)  # type: ignore[operator]
    variance, moment = noise(problem, 2)
    each = len(problem.components) // 2
    seen_variance, seen_moment = [], []
    for x in GRID:
        for n in range(2):
            slopes = [problem.component_gradient(n * each + m, (x,))[0] for m in range(each)]
            mean = sum(slopes) / each
            seen_variance.append(sum((g - mean) ** 2 for g in slopes) / each)
            seen_moment.append(sum(g * g for g in slopes) / each)
    assert max(seen_variance) == variance
    assert max(seen_moment) == moment
