"""Which instances of LocalSGD are tried; a quick search takes a rotating sample of them."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from theory.falsifier.zoo import LONG_LOCAL, LocalMaker
from theory.papers.localsgd.runs.local import LocalSetting
from theory.papers.localsgd.runs.replicas import Local
from theory.papers.rpd.runs.grids import KEPT, MOST_SAMPLINGS

SMALL_STEPS = tuple(Fraction(n, d) for n, d in ((1, 1), (1, 2), (1, 8), (2, 1)))
"""Stepsizes as multiples of 1/L; the last one for the drift only."""


def local_settings(makers: Sequence[LocalMaker], deep: bool) -> Iterator[LocalSetting]:
    """LocalSGD: every function with N ≤ 3 replicas, p ≤ 2 blocks, and few steps."""
    turn = 0
    for make, N, p, T in product(makers, (1, 2, 3), (1, 2), (1, 2, 3, 4, 24)):
        problem = make(N, p)
        draws = (len(problem.components) // N) ** N
        if draws**T > MOST_SAMPLINGS[deep]:
            continue
        choices = list(product(SMALL_STEPS, sorted({1, 2, min(T, 3), T})))
        for _ in range(min(3 * KEPT[deep], len(choices))):
            turn += 7
            step, H = choices[turn % len(choices)]
            yield LocalSetting(problem, Local(N, T, H, step / (problem.smoothness or 1)))


def long_local_settings(deep: bool) -> Iterator[LocalSetting]:
    """Long runs of LocalSGD on noisy parabolas, in closed form."""
    powers = range(0, 11 if deep else 9, 2)
    for make, N, p, power, H in product(LONG_LOCAL, (1, 4, 8), (1, 4), powers, (1, 2, 8)):
        problem = make(N, p)
        T, step = N * 4 ** (power // 2) * 2, Fraction(1, 2**power)
        yield LocalSetting(problem, Local(N, T, H, step / problem.smoothness), "moments")


def tuned_local_settings() -> Iterator[LocalSetting]:
    """Long runs of LocalSGD whose stepsize √N/(L√T) is rational."""
    for make, N, power, H in product(LONG_LOCAL, (1, 2, 3, 4, 8), range(0, 7), (1, 2, 4)):
        problem = make(N, 1)
        T, step = N * 4**power, Fraction(1, 2**power)
        yield LocalSetting(problem, Local(N, T, H, step / problem.smoothness), "moments")
