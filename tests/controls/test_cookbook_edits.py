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


def late(factor: int) -> bool:
    """Whether ‖x_2 − x_0‖² ≤ γ²·factor·(‖g_0‖² + ‖g_1‖²) for τ = 2 on f = x, without noise."""
    gamma, tau, g = Fraction(1, 6), 2, Fraction(1)  # L = 1: 2Lγ(τ + 1) = 1
    x = [Fraction(0)]
    for _ in range(tau):
        x.append(x[-1] - gamma * g)
    return (x[tau] - x[0]) ** 2 <= gamma**2 * factor * tau * g**2


def test_without_tau_the_drift_is_too_small() -> None:
    assert late(2)
    assert not late(1)


def polyak(part: Fraction) -> bool:
    """Whether x² falls by part·f(x)/L in Polyak's step s = 1/2 on f = x²/2, where L = 1."""
    x = Fraction(1)
    return (x / 2) ** 2 <= x**2 - part * x**2 / 2


def test_it_does_not_fall_four_times_as_much() -> None:
    assert polyak(Fraction(1, 2))
    assert not polyak(Fraction(2))


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
