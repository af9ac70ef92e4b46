"""Edits of the cookbook are false, not just unproved: exact runs satisfy all and break them."""

from __future__ import annotations

from fractions import Fraction

from mpmath import iv


def horizon(rate: int) -> bool:
    """Whether f(x_n) − f_low ≤ ε after ln(Δ/ε)/(rate·γμ) steps on f = x²/2, so L = μ = 1."""
    gamma, n, start = Fraction(1, 100), 100, Fraction(1)
    x = start
    for _ in range(n):
        x -= gamma * x
    reached, gap = x**2 / 2, start**2 / 2
    epsilon = gap * Fraction(1, 19 if rate == 3 else 2)  # ln(Δ/ε) is below rate · γμn
    assert iv.log(iv.mpf(int(gap / epsilon))).b <= rate * float(gamma) * n
    return reached <= epsilon


def test_three_times_as_fast_is_too_fast() -> None:
    assert horizon(1)
    assert not horizon(3)


def late(part: Fraction) -> bool:
    """Whether f(x − γy) ≤ f(x) − γx²/2 − γ(1 − γ)y²/2 + part·γ(x − y)² on f = x²/2, at y = 0."""
    gamma, x = Fraction(1, 6), Fraction(1)
    return x**2 / 2 <= x**2 / 2 - gamma * x**2 / 2 + part * gamma * x**2


def test_half_the_drift_is_needed() -> None:
    assert late(Fraction(1, 2))
    assert not late(Fraction(1, 4))


def polyak(part: Fraction) -> bool:
    """Whether f(x_0) + f(x_1) ≤ part·L·x_0² in Polyak's steps s = 1/2 on f = x²/2, where L = 1."""
    x = Fraction(1), Fraction(1, 2)
    return sum(one**2 / 2 for one in x) <= part * x[0] ** 2


def test_it_does_not_fall_four_times_as_much() -> None:
    assert polyak(Fraction(2))
    assert not polyak(Fraction(1, 2))


def convex(part: int) -> bool:
    """Whether Σ f(x_k) ≤ x_0²/(part·γ) down the slope of Huber's function, where Lγ = 1."""
    gamma, bend = Fraction(1, 100), Fraction(1, 100)
    places = [1 - k * gamma for k in range(1, 100)]
    return sum(x - bend / 2 for x in places) <= 1 / (part * gamma)


def test_a_third_is_too_little_on_a_long_slope() -> None:
    assert convex(2)
    assert not convex(3)


def noiseless(times: int) -> bool:
    """Whether ‖∇f(x_0)‖² ≤ times·L·(f(x_0) − f_low) for K = 1 on f = x²/2, without noise."""
    x = Fraction(1)
    return x**2 <= times * x**2 / 2


def test_of_a_parabola_the_gradient_is_no_smaller() -> None:
    assert noiseless(2)
    assert not noiseless(1)


def decreasing(one: int, part: Fraction) -> bool:
    """Whether f(x_0) − f* ≤ part·(one + ln K) for K = 1, on f = x²/2 at x = G = 1."""
    return float(part) * one >= 0.5


def test_the_logarithm_is_not_enough() -> None:
    assert decreasing(1, Fraction(1, 2))
    assert not decreasing(0, Fraction(1, 4))


def averaged(part: Fraction) -> bool:
    """Whether f(x_0) ≤ x_0²/(2γ) + γG²·part for K = 1, on Huber's function with a short bend."""
    bend, gamma, x = Fraction(1, 10), Fraction(1), Fraction(1)  # f = |x| − bend/2 there, and G = 1
    return x - bend / 2 <= x**2 / (2 * gamma) + gamma * part


def test_half_of_the_last_term_is_too_little() -> None:
    assert averaged(Fraction(1, 2))
    assert not averaged(Fraction(1, 4))
