"""Rates of long runs: a measured quantity along one parameter, and the exponent it follows.

Runs are second-moment recursions in doubles, or closed forms, never samples. An exponent is
evidence: whatever it is, it refutes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np

from theory.falsifier.problem import Problem
from theory.falsifier.replica_moments import geometric_totals
from theory.falsifier.replicas import Local, follow_replicas
from theory.falsifier.scalars import huber, linear, quadratic
from theory.falsifier.stacked import follow_stacked
from theory.falsifier.zoo import LOCAL_LINES, alike, equal_data
from theory.ledger import Evidence


@dataclass(frozen=True)
class Rate:
    """A quantity along one parameter.

    Attributes
    ----------
    says : str
        What was run.
    along : str
        The parameter, by its name in `theory.papers.rpd.symbols`.
    at : tuple of int
        Its values, rising.
    measured : tuple of float
    """

    says: str
    along: str
    at: tuple[int, ...]
    measured: tuple[float, ...]

    def slopes(self) -> list[float]:
        """Exponents between neighbouring points."""
        points = [(math.log(x), math.log(y)) for x, y in self._points()]
        return [(v - y) / (u - x) for (x, y), (u, v) in pairwise(points)]

    @property
    def exponent(self) -> float:
        """The least-squares slope on logarithmic axes.

        Examples
        --------
        >>> round(Rate("squares", "K", (1, 2, 4), (3.0, 12.0, 48.0)).exponent, 6)
        2.0
        """
        slope, _ = np.polyfit(np.log(self.at), np.log(self.measured), 1)
        return float(slope)

    @property
    def fitted(self) -> tuple[float, ...]:
        """The power law through the middle of the points."""
        logs = [math.log(y) - self.exponent * math.log(x) for x, y in self._points()]
        factor = math.exp(sum(logs) / len(logs))
        return tuple(factor * x**self.exponent for x in self.at)

    def _points(self) -> list[tuple[int, float]]:
        return list(zip(self.at, self.measured, strict=True))

    def evidence(self) -> Evidence:
        """The series, its exponent and spread, with the data of a picture of curves."""
        slopes = self.slopes()
        spread = f"{min(slopes):.2f} … {max(slopes):.2f}"
        law = f"{self.along}^{self.exponent:.2f}"
        return Evidence(
            "neither",
            f"{self.says}: grows as {law} (between neighbouring points: {spread})",
            {
                "figure": "curves",
                "title": self.says,
                "note": f"fitted exponent {self.exponent:.3f}, between neighbours {spread}",
                "across": self.along,
                "up": "measured",
                "places": list(self.at),
                "curves": [
                    {"label": label, "group": label, "values": [float(f"{v:.6g}") for v in values]}
                    for label, values in (("measured", self.measured), (law, self.fitted))
                ],
                "exponent": f"{self.exponent:.3f}",
                "spread": [f"{min(slopes):.3f}", f"{max(slopes):.3f}"],
            },
        )


NOISY: Final = [quadratic(1, tilt=-1), quadratic(1, tilt=1)]


def descent() -> Rate:
    """RPD on a noisy parabola, p = 2, with d = min(3, k) and γ = 1/√K."""
    lengths = tuple(4**power for power in range(3, 7))
    problem = alike("noisy parabola", NOISY, 2)(2)
    measured = []
    for K in lengths:
        run = follow_stacked(problem, K, 3, Fraction(1, math.isqrt(K)), "max", "double")
        measured.append(sum(run.gradients) / K)
    says = "mean of E‖∇f(x^k)‖² on a noisy parabola, p = 2, d = min(3, k), γ = 1/√K"
    return Rate(says, "K", lengths, tuple(measured))


def square_delays() -> Rate:
    """The drift of RPD on lines with τ = p² and γ = 1."""
    stages = (2, 3, 4, 5, 6, 7)
    measured = [_line_drift(p, p * p) for p in stages]
    return Rate("E‖x^k − x̂^k‖² on a line, γ = G = 1, d = τ = p²", "p", stages, tuple(measured))


def long_delays() -> Rate:
    """The drift of RPD on lines with p = 4 and growing τ."""
    delays = (1, 4, 16, 64)
    measured = [_line_drift(4, tau) for tau in delays]
    return Rate("E‖x^k − x̂^k‖² on a line, p = 4, γ = G = 1, d = τ", "tau", delays, tuple(measured))


def _line_drift(p: int, tau: int) -> float:
    line = alike("line", [linear(1)], 0)(p)
    return float(follow_stacked(line, tau + 1, tau, Fraction(1), "max", "double").drifts[-1])


def neighbourhood() -> Rate:
    """The gap at which RPD stays on a noisy parabola, by the stepsize."""
    inverses = (4, 16, 64)
    problem: Problem = alike("noisy parabola", NOISY, 0)(2)
    measured = []
    for inverse in inverses:
        run = follow_stacked(problem, 24 * inverse, 2, Fraction(1, inverse), "max", "double")
        measured.append(float(run.values[-1]))
    says = "E f(x^K) − f* on a noisy parabola, p = 2, d = min(2, k), K = 24/γ, along 1/γ"
    return Rate(says, "1/gamma", inverses, tuple(measured))


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


_RUNS: Final[dict[str, Sequence[Callable[[], Rate]]]] = {
    "rpd-average-gradient": (descent,),
    "rpd-average-gradient-tuned": (descent,),
    "rpd-drift": (square_delays, long_delays),
    "rpd-pl-gap": (neighbourhood,),
    "localsgd-average-gradient": (local_descent,),
    "localsgd-average-gradient-tuned": (local_descent, speed_up),
    "localsgd-drift": (local_drift,),
}


def _evidence(run: Callable[[], Rate]) -> Evidence:
    return run().evidence()


RATES: Final[dict[str, Sequence[Callable[[], Evidence]]]] = {
    name: tuple(partial(_evidence, run) for run in runs) for name, runs in _RUNS.items()
}
"""What is run for a challenge in a deep search, by its name."""
