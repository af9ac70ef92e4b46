"""Exact extremal instances: runs in fractions in which a bound is attained.

Every instance is played by one recursion, the update (2) of RPD with or without the extrapolation
of NAG-RPD, on blocks of one number each.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

from theory.tightness.evidence import Extremal

Model = tuple[Fraction, ...]
Slope = Callable[[int, int, Model], Fraction]
"""Derivative of component m by block i at a model."""

G = Fraction(3)
"""Bound of the block gradients in every instance; each one attains it."""


def play(
    start: Model,
    slope: Slope,
    draws: Sequence[tuple[int, int]],
    tau: int,
    gamma: Fraction,
    beta: Fraction = Fraction(0),
) -> list[tuple[Model, Model]]:
    """The models x^0, …, x^K of a run, each with the stale model that belongs to it.

    Parameters
    ----------
    start : tuple of Fraction
    slope : callable
    draws : sequence of (int, int)
        Block and component of every update.
    tau : int
        Every block is read min(τ, k) updates back.
    gamma : Fraction
    beta : Fraction
        Extrapolation; 0 for RPD.

    Examples
    --------
    >>> one = (Fraction(0),)
    >>> path = play(one, lambda i, m, x: Fraction(1), [(0, 0)] * 2, 1, Fraction(1, 2))
    >>> [(str(x), str(stale)) for (x,), (stale,) in path]
    [('0', '0'), ('-1/2', '0'), ('-1', '-1/2')]
    """
    models = [start]
    stale = [start]
    for i, m in draws:
        x = list(models[-1])
        x[i] -= gamma * slope(i, m, stale[-1])
        models.append(tuple(x))
        read = max(0, len(models) - 1 - tau)
        old, before = models[read], models[max(0, read - 1)]
        stale.append(tuple(a + beta * (a - b) for a, b in zip(old, before, strict=True)))
    return list(zip(models, stale, strict=True))


def _distance(pair: tuple[Model, Model]) -> Fraction:
    return sum(((x - y) ** 2 for x, y in zip(*pair, strict=True)), Fraction(0))


def _linear(i: int, m: int, x: Model) -> Fraction:
    return G


def stale_distance(p: int, tau: int, gamma: Fraction) -> Extremal:
    """Lemma B.2: all draws hit one block of f(x) = G(x_1 + … + x_p).

    Examples
    --------
    >>> stale_distance(3, 4, Fraction(1, 2)).ratio
    Fraction(1, 1)
    """
    path = play((Fraction(0),) * p, _linear, [(0, 0)] * tau, tau, gamma)
    says = f"f = G·(sum of {p} blocks), all {tau} draws hit block 1, every delay is {tau}"
    return Extremal(says, _distance(path[-1]), (gamma * tau * G) ** 2)


def expected_stale_distance(p: int, tau: int, gamma: Fraction) -> Extremal:
    """The second moment of Lemma B.2's distance: all p^τ draws of f(x) = G(x_1 + … + x_p).

    Examples
    --------
    >>> expected_stale_distance(3, 2, Fraction(1, 2)).ratio
    Fraction(1, 1)
    """
    draws = list(product(range(p), repeat=tau))
    start = (Fraction(0),) * p
    runs = (play(start, _linear, [(i, 0) for i in drawn], tau, gamma)[-1] for drawn in draws)
    mean = sum(map(_distance, runs), Fraction(0)) / len(draws)
    bound = gamma**2 * G**2 * Fraction(tau * (tau + p - 1), p)
    says = f"f = G·(sum of {p} blocks), mean over all {p}^{tau} draws, every delay is {tau}"
    return Extremal(says, mean, bound)


def extrapolated_distance(p: int, tau: int, gamma: Fraction, beta: Fraction) -> Extremal:
    """Lemma I.2 with (τ + β)² in place of (τ + β√p)²: f_1 = Gx_1 and f_2 = −Gx_1.

    The oldest update goes up, all later ones down, so extrapolation points away from the model.

    Examples
    --------
    >>> extrapolated_distance(2, 3, Fraction(1, 2), Fraction(9, 10)).ratio
    Fraction(1, 1)
    """
    draws = [(0, 1), *[(0, 0)] * tau]
    slopes: Slope = lambda i, m, x: (-G if m else G) if i == 0 else Fraction(0)  # noqa: E731
    path = play((Fraction(0),) * p, slopes, draws, tau, gamma, beta)
    says = f"f_1 = Gx_1, f_2 = −Gx_1; block 1 is drawn with f_2 once, then {tau} times with f_1"
    return Extremal(says, _distance(path[-1]), (gamma * G * (tau + beta)) ** 2)


def gap_after_one_step(p: int, mu: Fraction, gamma: Fraction) -> Extremal:
    """Theorem H.1 for k = 0: f_m = (μ/2)‖x‖² ± ⟨b, x⟩, from the minimizer of f.

    Examples
    --------
    >>> gap_after_one_step(3, Fraction(2), Fraction(1, 5)).ratio
    Fraction(1, 1)
    """
    return Extremal(_two_quadratics(p), _mean_gap(p, mu, gamma), mu * gamma**2 * G**2 / 2)


def gap_at_largest_stepsize(p: int, mu: Fraction) -> Extremal:
    """(15) at γ = p/μ and K = 1: the same two quadratics, L = μ and Δ = 0.

    Examples
    --------
    >>> gap_at_largest_stepsize(3, Fraction(2)).ratio
    Fraction(1, 1)
    """
    gamma = p / mu
    says = f"{_two_quadratics(p)}, γ = p/μ"
    return Extremal(says, _mean_gap(p, mu, gamma), p * mu * gamma * G**2 / (2 * mu))


def _two_quadratics(p: int) -> str:
    return f"f_m = (μ/2)‖x‖² ± G·(sum of {p} blocks), x⁰ = x*, mean over the draws of one update"


def _mean_gap(p: int, mu: Fraction, gamma: Fraction) -> Fraction:
    """Mean of f(x¹) − f* over all draws of block and component."""

    def slope(i: int, m: int, x: Model) -> Fraction:
        return mu * x[i] + (-G if m else G)

    draws = list(product(range(p), range(2)))
    ends = (play((Fraction(0),) * p, slope, [draw], 0, gamma)[-1][0] for draw in draws)
    return sum((mu / 2 * sum(x**2 for x in end) for end in ends), Fraction(0)) / len(draws)
