"""The energy of `nesterov.one-delay` along exact runs of the method itself, outside the kernel."""

from fractions import Fraction
from itertools import pairwise

import pytest

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Scalar, huber
from theory.papers.nesterov.runs.delayed import Delayed, momentum, run

LAST = 62


def energies(
    slope: Scalar, eta: Fraction, since: int, cross: int, held: Fraction
) -> list[Fraction]:
    """An energy at s = since, …, LAST − 3 on one function with β = 1 and w* = 0, from w_1 = 1.

    It is ‖z‖² + 4ηs(f(x_s) − f*) + cross·η⟨g_s, z⟩ + held·(s − 1)‖g_s − g_{s−1}‖².
    """
    problem = Problem("one delay", ((slope,),), (Fraction(1),), (0,))
    w = [
        Fraction(0),
        *(point for (point,) in run(problem, Delayed(eta, 1, Fraction(1)), LAST).points),
    ]
    d = [Fraction(0)] + [
        momentum(t) * (w[t] - w[t - 1]) if t > 1 else Fraction(0) for t in range(1, len(w))
    ]
    x = [now + ahead for now, ahead in zip(w, d, strict=True)]
    g = [problem.gradient((at,))[0] for at in x]
    z = [now + t * ahead for t, (now, ahead) in enumerate(zip(w, d, strict=True))]
    return [
        z[s + 2] ** 2
        + 4 * eta * s * (problem.value((x[s],)) - problem.value((Fraction(0),)))
        + cross * eta * g[s] * z[s + 2]
        + held * (s - 1) * (g[s] - g[s - 1]) ** 2
        for s in range(since, LAST - 3)
    ]


@pytest.mark.parametrize("eta", [Fraction(1), Fraction(1, 3)])
@pytest.mark.parametrize("slope", [huber(1, Fraction(1, 100)), huber(1, Fraction(1, 4))])
def test_the_energy_grows_no_faster_than_the_ratio_that_the_theorem_rests_on(
    slope: Scalar, eta: Fraction
) -> None:
    for s, (now, then) in enumerate(pairwise(energies(slope, eta, 49, 1, eta**2)), 49):
        assert 0 <= then <= (1 + Fraction(1, 2 * (s + 1))) * now


@pytest.mark.parametrize("width", [Fraction(1, 100), Fraction(1, 4)])
def test_below_half_of_the_stepsize_the_energy_never_grows(width: Fraction) -> None:
    eta = Fraction(9, 20)
    kept = energies(huber(1, width), eta, 10, 0, 2 * eta)
    assert all(0 <= then <= now for now, then in pairwise(kept))
