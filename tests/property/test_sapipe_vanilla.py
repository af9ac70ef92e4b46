"""Laws of vanilla SAPipe, by running it: bounds, moments, and clipped gradients in many dimensions.

Nothing here takes the formulas of the provers: runs are written out anew, all coins and all drawn
elements of small runs are followed, and large ones are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.papers.sapipe import thm_2
from theory.papers.sapipe.lemmas import prefix, thm_2_mixture
from theory.papers.sapipe.witnesses.clipped_coins import Run, examine
from theory.papers.sapipe.witnesses.coin_moments import run as moments
from theory.papers.sapipe.witnesses.prefix_runs import average as squares
from theory.papers.sapipe.witnesses.prefix_runs import run as prefix_run
from theory.papers.sapipe.witnesses.thm_2_witness import RUNS, bound

Slope = Callable[[Fraction], Fraction]
Array = npt.NDArray[np.float64]
SHARES: Final = st.fractions(0, 1, max_denominator=6)
STEPS: Final = st.fractions(Fraction(1, 6), 1, max_denominator=6)


def models(
    slope: Slope, eta: Fraction, share: Fraction, count: int, *, own: bool, passes: bool
) -> Iterator[tuple[Fraction, list[Fraction]]]:
    """(probability, x_0 … x_{count−1}) for gradients F'(x) ± 1, all outcomes, x_0 = 1."""
    updates = count - 1
    for stale in product((False, True), repeat=updates):
        weight = Fraction(1)
        for one in stale:
            weight *= share if one else 1 - share
        if weight == 0:
            continue
        for coins in product((1, -1), repeat=updates + 1):
            for others in product((1, -1), repeat=updates) if own else ((),):
                run = [Fraction(1)]
                for t in range(updates):
                    late = others[t] if own else coins[t]
                    if stale[t] and t == 0 and passes:
                        run.append(run[0])
                    elif stale[t]:
                        run.append(run[-1] - eta * (slope(run[max(t - 1, 0)]) + late))
                    else:
                        run.append(run[-1] - eta * (slope(run[-1]) + coins[t + 1]))
                yield weight / 2 ** (updates * (2 if own else 1) + 1), run


def clip(edge: Fraction) -> Slope:
    return lambda x: max(-edge, min(edge, x))


def mean_square(slope: Slope, runs: list[tuple[Fraction, list[Fraction]]]) -> Fraction:
    count = len(runs[0][1])
    total = sum((p * slope(x) ** 2 for p, run in runs for x in run), Fraction(0))
    return total / count


def huber_bound(edge: Fraction, eta: Fraction, share: Fraction, count: int) -> Fraction:
    """Theorem 2 for L = V₁ = n = 1: Huber's function with gradients of at most its edge, ± 1."""
    start = Fraction(1, 2) if edge >= 1 else edge - edge**2 / 2
    return 2 * start / (eta * count) + share * eta**2 * (edge + 1) ** 2 + eta


@settings(max_examples=25, deadline=None)
@given(STEPS, SHARES, st.fractions(Fraction(1, 2), 2, max_denominator=3), st.integers(1, 4))
def test_runs_with_samples_of_their_own_keep_the_bound(
    eta: Fraction, share: Fraction, edge: Fraction, count: int
) -> None:
    for passes in (False, True):
        runs = list(models(clip(edge), eta, share, count, own=True, passes=passes))
        assert sum(p for p, _ in runs) == 1
        assert mean_square(clip(edge), runs) <= huber_bound(edge, eta, share, count)


@settings(max_examples=25, deadline=None)
@given(STEPS, SHARES, st.integers(1, 5))
def test_runs_that_reuse_samples_keep_the_bound_where_it_is_proved(
    eta: Fraction, share: Fraction, count: int
) -> None:
    runs = list(models(clip(Fraction(1)), eta, share, count, own=False, passes=False))
    average, printed = (
        mean_square(clip(Fraction(1)), runs),
        huber_bound(Fraction(1), eta, share, count),
    )
    if 4 * share**2 * (1 - share) <= (1 - eta) ** 2:
        assert average <= printed
    assert average <= printed + 2 * share * eta  # √(1 − κ) ≤ 1


@settings(max_examples=20, deadline=None)
@given(SHARES, st.booleans(), STEPS)
def test_moments_are_those_of_all_outcomes(share: Fraction, passes: bool, eta: Fraction) -> None:
    """On a parabola from 0: x + 1 takes the place of x, since runs above begin at 1."""
    count = 5
    followed = [(now[2, 0, 0], now[4, 0, 0]) for now in moments(share, count, passes, eta)]
    runs = list(models(lambda x: x - 1, eta, share, count, own=False, passes=passes))
    for t, (square, fourth) in enumerate(followed):
        assert sum(p * (run[t] - 1) ** 2 for p, run in runs) == square
        assert sum(p * (run[t] - 1) ** 4 for p, run in runs) == fourth


def drawn_average(
    share: float,
    count: int,
    dimension: int,
    second: float,
    passes: bool,
    eta: float,
    *,
    own: bool,
) -> float:
    """One run of clipped coins, elements and samples drawn; the mean square of ∇F per coordinate.

    ∇F(x) is x where gradients are not clipped; it is bounded by clipping x, which is what counts
    against the bound for these radii.
    """
    rng = np.random.default_rng(7)
    radius = np.sqrt(second * dimension)

    def clipped(y: Array) -> Array:
        shrunk: Array = y * min(1.0, radius / max(float(np.linalg.norm(y)), 1e-300))
        return shrunk

    def coins() -> Array:
        return rng.choice((-1.0, 1.0), size=dimension)

    x = np.zeros(dimension)
    late = np.zeros(dimension) if passes else clipped(x + coins())
    total = 0.0
    for _ in range(count):
        shorter = min(float(np.linalg.norm(x)), np.sqrt(second - 1) * np.sqrt(dimension))
        total += shorter**2 / dimension
        fresh = clipped(x + coins())
        stale = rng.random(dimension) < share
        now = x - eta * np.where(stale, late, fresh)
        late = clipped(x + coins()) if own else fresh
        x = now
    return total / count


@pytest.mark.slow
@pytest.mark.parametrize(
    "one",
    [run for runs in RUNS for run in runs],
    ids=lambda run: f"eta {run.eta} {'pass' if run.passes else 'rest'}",
)
def test_a_drawn_run_of_clipped_coins_is_as_large_as_shown(one: Run) -> None:
    shown = examine(one)
    limit = float(bound(thm_2.CLAIM.printed, one, shown.second))
    args = (float(one.share), one.count, 40_000, float(shown.second), one.passes, float(one.eta))
    measured = drawn_average(*args, own=False)
    assert measured > limit
    assert 0 < measured - float(shown.average) < 0.1  # what is shown allows for clipping
    assert drawn_average(*args, own=True) < limit


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 12), st.integers(1, 40))
def test_a_prefix_returns_every_six_updates(parameters: int, count: int) -> None:
    values = [1, 0, -1, -1, 0, 1]
    squares = sum(values[t % 6] ** 2 for t in range(count))
    assert prefix.replay(parameters, count) == Fraction(squares, count)


def saturating(
    a: Fraction, b: Fraction, c: Fraction
) -> Callable[[tuple[Fraction, ...]], tuple[Fraction, ...]]:
    """∇F of F(x) = h(x_1 + a)/3 + h(x_1 + x_2 + b)/3 + h(x_2 + c)/3, h Huber's function: L ≤ 1."""
    one = clip(Fraction(1))

    def gradient(x: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        both = one(x[0] + x[1] + b)
        return ((one(x[0] + a) + both) / 3, (both + one(x[1] + c)) / 3)

    return gradient


PLACES: Final = st.fractions(-2, 2, max_denominator=4)


@settings(max_examples=50, deadline=None)
@given(PLACES, PLACES, PLACES, STEPS, st.integers(2, 12))
def test_fresh_and_stale_parts_of_a_prefix_add_up_to_one_gradient_an_update(
    a: Fraction, b: Fraction, c: Fraction, eta: Fraction, count: int
) -> None:
    """Σ_{t ≤ T−2} ‖g_t‖² ≤ T·V₂, and so Σ ‖b_t‖² ≤ T·L²η²V₂, for the first layer stale."""
    gradient = saturating(a, b, c)
    points = prefix_run(gradient, (Fraction(0), Fraction(0)), (True, False), eta, count)
    largest = max(squares(gradient, [x]) for x in points)
    moves = [
        sum(((new - old) / eta) ** 2 for old, new in zip(x, y, strict=True))
        for x, y in pairwise(points)
    ]
    assert sum(moves) <= count * largest
    biases = [(gradient(y)[0] - gradient(x)[0]) ** 2 for x, y in pairwise(points)]
    assert sum(biases) <= count * eta**2 * largest


def test_a_single_update_of_a_prefix_may_be_longer_than_any_gradient() -> None:
    """Why the sum is what is bounded: ‖g_1‖² is 481/400 where V₂ = 1."""
    start = thm_2_mixture.START
    _, x, y = prefix_run(thm_2_mixture.gradient, start, (True, False), Fraction(1), 3)
    assert sum((one - two) ** 2 for one, two in zip(x, y, strict=True)) == Fraction(481, 400)
