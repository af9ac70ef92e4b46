"""Laws of Assumptions 3 and 4 and of the comparisons of Remarks 3 to 6, on exact numbers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory.papers.sapipe.lemmas.regions import REPAIRED_WINS, WINS, Region
from theory.papers.sapipe.symbols import V1, V2, Delta, L, M, eta, lambda_, n, rho
from theory.papers.sapipe.witnesses.log_cosh import LogCosh, Workers

positive = st.fractions(Fraction(1, 20), 20, max_denominator=20)
share = st.fractions(0, 1, max_denominator=20)
slopes = st.lists(st.fractions(-5, 5, max_denominator=6), min_size=1, max_size=5)


@given(weights=slopes, u=st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9))
def test_diversity_of_workers(weights: list[Fraction], u: Fraction) -> None:
    assume(sum(weights) != 0)
    one = Workers(tuple(weights), u)
    count = len(weights)
    assert one.rho >= Fraction(1, count)
    assert one.spread == (count * one.rho - 1) * one.mean**2
    printed = (one.rho / count - 1) * one.mean**2
    assert (printed < one.spread) == (count > 1)


@given(
    gradients=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=6),
    slack=share,
)
def test_diversity_in_the_plane_with_any_rho(
    gradients: list[tuple[int, int]], slack: Fraction
) -> None:
    g = [tuple(map(Fraction, one)) for one in gradients]
    count = len(g)
    mean = [sum((one[axis] for one in g), Fraction(0)) / count for axis in (0, 1)]
    size = sum(part**2 for part in mean)
    assume(size > 0)
    squares = sum((a**2 + b**2 for a, b in g), Fraction(0))
    ratio = squares / (count**2 * size) + slack
    spread = sum(((a - mean[0]) ** 2 + (b - mean[1]) ** 2 for a, b in g), Fraction(0)) / count
    assert spread <= (count * ratio - 1) * size


@settings(max_examples=40)
@given(
    parts=st.lists(st.tuples(st.floats(0.05, 3), st.floats(0.1, 3)), min_size=1, max_size=3),
    slope=st.floats(-1.5, 1.5),
)
def test_assumption_4_bounds_gradient_and_curvature(
    parts: list[tuple[float, float]], slope: float
) -> None:
    """Sums of log-coshs and a line, on a grid that is wide and fine enough."""
    x = np.linspace(-150, 150, 30_001)
    a, b = np.array(parts).T[..., None]
    gradient = slope + (a * b * np.tanh(b * x)).sum(axis=0)
    curvature = (a * b**2 * (1 - np.tanh(b * x) ** 2)).sum(axis=0)
    delta = np.abs(gradient**2 - curvature).max()
    assert (gradient**2).max() <= delta * (1 + 1e-9)
    assert -delta <= curvature.min() <= curvature.max() <= 2 * delta * (1 + 1e-9)


@settings(max_examples=30)
@given(scale=positive, u=st.fractions(Fraction(-99, 100), Fraction(99, 100), max_denominator=100))
def test_log_cosh_keeps_to_its_constants(scale: Fraction, u: Fraction) -> None:
    one = LogCosh(scale)
    assert abs(one.gradient(u) ** 2 - one.curvature(u)) <= one.apart()
    assert one.gradient(u) ** 2 <= one.apart()
    assert -one.apart() <= one.curvature(u) <= one.smoothness <= 2 * one.apart()


@settings(max_examples=25)
@given(start=st.floats(1.05, 4), wiggle=st.floats(0, 1), speed=st.floats(0.1, 9))
def test_a_gradient_beyond_the_bound_runs_away(start: float, wiggle: float, speed: float) -> None:
    """φ″ anywhere within Δ = 1 of φ′²: from φ′ = a > 1 the slope has no value left at 1/(a − 1).

    That is where e^{−φ} would be 0 at the latest.
    """
    end, steps = 1 / (start - 1), 4000
    heights, falling = [1.0], -start  # h = e^{−φ}, h″ = (φ′² − φ″)h, between −h and h
    for step in range(steps):
        within = 1 - wiggle * (1 + np.sin(speed * end * step / steps))
        falling += end / steps * within * heights[-1]
        heights.append(heights[-1] + end / steps * falling)
    assert min(heights) <= 0


def agrees(region: Region, numbers: Mapping[Any, Any]) -> None:
    """The condition says what the two error terms say."""
    exact = {symbol: sympy.Rational(Fraction(value)) for symbol, value in numbers.items()}
    vanilla = exact[L] ** 2 * exact[eta] ** 2 * exact[V2]
    smaller = region.error.subs(exact) <= vanilla
    assert bool(region.condition.subs(exact)) == bool(smaller)
    assert region.factor.subs(exact) > 0


@settings(max_examples=25)
@given(big=positive, rate=positive, second=positive, taylor=share, off=positive, weight=share)
def test_where_dc_wins(
    big: Fraction,
    rate: Fraction,
    second: Fraction,
    taylor: Fraction,
    off: Fraction,
    weight: Fraction,
) -> None:
    numbers = {L: big, eta: rate / 100, V2: second, M: taylor, Delta: off / 10, lambda_: weight}
    agrees(WINS["DC"], numbers)
    if big <= 2 * off / 10:
        assert not WINS["DC"].condition.subs(numbers)


@settings(max_examples=25)
@given(
    big=positive,
    rate=positive,
    first=share,
    second=positive,
    count=st.integers(1, 9),
    ratio=positive,
)
def test_where_option_1_wins(
    big: Fraction, rate: Fraction, first: Fraction, second: Fraction, count: int, ratio: Fraction
) -> None:
    numbers = {L: big, eta: rate, V1: first * second, V2: second, n: count, rho: ratio}
    agrees(WINS["WP-1"], numbers)
    part = ratio / count
    if part < 3:
        wins = first * second <= (2 - part) / (3 - part) * second
        assert bool(WINS["WP-1"].condition.subs(numbers)) == wins
    if 2 * (big * rate) ** 2 < 1:
        agrees(REPAIRED_WINS["WP-1"], numbers)


@settings(max_examples=25)
@given(path=share, big=positive, first=share, second=positive, count=st.integers(1, 9))
def test_where_option_2_wins(
    path: Fraction, big: Fraction, first: Fraction, second: Fraction, count: int
) -> None:
    rate = (path * Fraction(7, 10) + Fraction(1, 1000)) / big  # 2L²η² < 1
    numbers = {L: big, eta: rate, V1: first * second, V2: second, n: count}
    agrees(WINS["WP-2"], numbers)
    agrees(REPAIRED_WINS["WP-2"], numbers)
    if bool(WINS["WP-2"].condition.subs(numbers)):
        assert bool(REPAIRED_WINS["WP-2"].condition.subs(numbers))
        assert 4 * (big * rate) ** 2 <= 1
    if 2 * first > 1:
        assert not WINS["WP-2"].condition.subs(numbers)


@settings(max_examples=25)
@given(
    big=positive,
    rate=positive,
    first=share,
    taylor=share,
    off=positive,
    weight=share,
    count=st.integers(1, 99),
)
def test_where_option_3_wins(
    big: Fraction,
    rate: Fraction,
    first: Fraction,
    taylor: Fraction,
    off: Fraction,
    weight: Fraction,
    count: int,
) -> None:
    numbers = {
        L: big,
        eta: rate / 20,
        V1: first,
        V2: Fraction(1),
        M: taylor,
        Delta: off,
        lambda_: weight,
        n: count,
    }
    agrees(WINS["WP-3"], numbers)


@given(big=positive, off=positive)
def test_the_best_lambda_against_a_grid(big: Fraction, off: Fraction) -> None:
    grid = [Fraction(i, 60) for i in range(61)]
    best = big**2 / (big**2 + off**2)

    def loss(weight: Fraction) -> Fraction:
        return (1 - weight) ** 2 * big**2 + weight**2 * off**2

    assert loss(best) == big**2 * off**2 / (big**2 + off**2)
    assert all(loss(weight) > loss(best) for weight in grid if weight != best)
    assert loss(best) < min(loss(Fraction(0)), loss(Fraction(1)))
    assert (loss(Fraction(0)) <= loss(Fraction(1))) == (big <= off)
    if big <= 2 * off:
        assert best <= Fraction(4, 5)
