"""The bound with stale gradients against exact moments, and the mixed chain against its network."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.kernel import Theorem
from theory.papers.amdp.convergence import Delta, L, T, eta, sigma
from theory.papers.amdp.lemmas import eta2_stash, synchronous
from theory.papers.amdp.witnesses import mixed_chain

STEPS = st.fractions(Fraction(1, 50), Fraction(3, 5), max_denominator=50)


def average(a: Fraction, noise: Fraction, start: Fraction, stale: list[bool]) -> Fraction:
    """Mean of E‖∇f(x_t)‖² on f = x²/2 with η = a, from the second moments of (x_t, x_{t−1})."""
    now, before, both = start**2, start**2, start**2
    total = Fraction(0)
    for late in stale:
        total += now
        spread = a**2 * noise
        if late:
            now, before, both = now - 2 * a * both + a**2 * before + spread, now, now - a * both
        else:
            now, before, both = (1 - a) ** 2 * now + spread, now, (1 - a) * now
    return total / len(stale)


def bound(theorem: Theorem, a: Fraction, noise: Fraction, start: Fraction, count: int) -> Fraction:
    values = {eta: a, L: 1, sigma**2: noise, Delta: start**2 / 2, T: count}
    found = theorem.goal.rhs.subs(values)
    return Fraction(int(found.p), int(found.q))


@given(
    a=STEPS,
    noise=st.fractions(0, 4, max_denominator=8),
    start=st.fractions(-3, 3, max_denominator=8),
    stale=st.lists(st.booleans(), min_size=1, max_size=12),
)
def test_no_run_with_gradients_one_step_old_passes_the_bound(
    a: Fraction, noise: Fraction, start: Fraction, stale: list[bool]
) -> None:
    if a + a**2 <= 1:
        found = average(a, noise, start, [False, *stale])
        assert found <= bound(eta2_stash.THEOREM, a, noise, start, len(stale) + 1)


@given(
    a=STEPS,
    noise=st.fractions(0, 4, max_denominator=8),
    start=st.fractions(-3, 3, max_denominator=8),
    count=st.integers(1, 12),
)
def test_no_synchronous_run_passes_its_bound(
    a: Fraction, noise: Fraction, start: Fraction, count: int
) -> None:
    found = average(a, noise, start, [False] * count)
    assert found <= bound(synchronous.THEOREM, a, noise, start, count)


def test_without_the_added_term_the_bound_is_passed() -> None:
    """From the minimum, all of the average is noise: late gradients need more than Lησ²."""
    a, noise, count = Fraction(3, 5), Fraction(1), 40
    late = average(a, noise, Fraction(0), [True] * count)
    assert late > bound(synchronous.THEOREM, a, noise, Fraction(0), count)
    assert late <= bound(eta2_stash.THEOREM, a, noise, Fraction(0), count)


def network(weight: float, steepness: float) -> float:
    """h(w), with h(1) = 1."""
    return weight + steepness * (weight - 1) ** 3 / 3


def inverse(activation: float, steepness: float) -> float:
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if network(middle, steepness) > activation else (middle, high)
    return (low + high) / 2


@pytest.mark.parametrize(("forward", "backward"), [(1.0, 0.875), (0.5, 2.0), (-1.5, 0.25)])
def test_mixed_product_is_that_of_the_two_stages_by_difference_quotients(
    forward: float, backward: float
) -> None:
    steepness, small = 7.0, 1e-4
    activation = network(forward, steepness)

    def loss(a: float) -> float:
        return inverse(a, steepness) ** 2 / 2

    signal = (loss(activation + small) - loss(activation - small)) / (2 * small)
    slope = network(backward + small, steepness) - network(backward - small, steepness)
    found = signal * slope / (2 * small)
    assert found == pytest.approx(mixed_chain.mixed(forward, backward, steepness), rel=1e-4)


@given(w=st.fractions(-3, 3, max_denominator=9), steepness=st.fractions(0, 90, max_denominator=3))
def test_at_equal_weights_the_mixed_product_is_the_gradient(
    w: Fraction, steepness: Fraction
) -> None:
    assert mixed_chain.mixed(w, w, steepness) == w


@given(
    window=st.integers(1, 6),
    late=st.integers(0, 6),
    pair=st.tuples(st.fractions(-3, 3, max_denominator=9), st.fractions(-3, 3, max_denominator=9)),
)
def test_the_mean_of_a_window_is_as_near_to_the_gradient_as_the_last_step_allows(
    window: int, late: int, pair: tuple[Fraction, Fraction]
) -> None:
    """Huber's function: the first of a window read the weights before, the others the newest."""
    before, now = pair

    def gradient(x: Fraction) -> Fraction:
        return max(Fraction(-1), min(Fraction(1), x))

    read = [before if place < late else now for place in range(window)]
    mean = sum((gradient(x) for x in read), Fraction(0)) / len(read)
    assert abs(mean - gradient(now)) <= abs(now - before)
