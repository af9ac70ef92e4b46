"""The energy of `nesterov.one-delay` along exact runs of the method itself, outside the kernel."""

from fractions import Fraction
from itertools import pairwise

import pytest

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Scalar, huber
from theory.papers.nesterov.runs.delayed import Delayed, momentum, run

LAST = 62


def energies(slope: Scalar, eta: Fraction) -> list[Fraction]:
    """The energy at s = 49, …, LAST − 3 on one function with β = 1 and w* = 0, from w_1 = 1."""
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
        + eta * g[s] * z[s + 2]
        + eta**2 * (s - 1) * (g[s] - g[s - 1]) ** 2
        for s in range(49, LAST - 3)
    ]


@pytest.mark.parametrize("eta", [Fraction(1), Fraction(1, 3)])
@pytest.mark.parametrize("slope", [huber(1, Fraction(1, 100)), huber(1, Fraction(1, 4))])
def test_the_energy_grows_no_faster_than_the_ratio_that_the_theorem_rests_on(
    slope: Scalar, eta: Fraction
) -> None:
    for s, (now, then) in enumerate(pairwise(energies(slope, eta)), 49):
        assert 0 <= then <= (1 + Fraction(1, 2 * (s + 1))) * now
