"""Long runs of LocalSGD, and the exponents that they follow."""

import math
from fractions import Fraction

from theory.falsifier.rates import Rate
from theory.falsifier.scalars import huber
from theory.falsifier.zoo import LOCAL_LINES, alike, equal_data
from theory.papers.localsgd.runs.replica_moments import geometric_totals
from theory.papers.localsgd.runs.replicas import Local, follow_replicas


def local_descent() -> Rate:
    """LocalSGD on a noisy parabola, N = 4, H = 2, with γ = √N/√T."""
    lengths = tuple(4 * 4**power for power in range(2, 9))
    problem = equal_data(alike("noisy", [huber(1, 1, tilt=b) for b in (-1, 1)], 0))(4, 1)
    measured = []
    for T in lengths:
        method = Local(4, T, 2, Fraction(1, math.isqrt(T // 4)))
        measured.append(float(geometric_totals(problem, method).gradient))
    says = "mean of E‖∇f(x̄^t)‖² on a noisy parabola, N = 4, H = 2, γ = √(N/T)"
    return Rate(says, "T", lengths, tuple(measured))


def speed_up() -> Rate:
    """The same along N, with T = 4096."""
    replicas = (1, 4, 16, 64)
    measured = []
    for N in replicas:
        problem = equal_data(alike("noisy", [huber(1, 1, tilt=b) for b in (-1, 1)], 0))(N, 1)
        method = Local(N, 4096, 1, Fraction(math.isqrt(N), 64))
        measured.append(float(geometric_totals(problem, method).gradient))
    says = "mean of E‖∇f(x̄^t)‖² on a noisy parabola, H = 1, T = 4096, γ = √(N/T)"
    return Rate(says, "N", replicas, tuple(measured))


def local_drift() -> Rate:
    """The drift of LocalSGD on opposite lines, along H."""
    periods = (2, 4, 8, 16, 32)
    problem = LOCAL_LINES[0](2, 1)
    measured = [
        float(max(follow_replicas(problem, Local(2, H, H, Fraction(1))).drifts)) for H in periods
    ]
    return Rate(
        "the largest spread of two replicas on opposite lines", "H", periods, tuple(measured)
    )
