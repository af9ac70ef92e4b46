"""The second method: every sampling path on its own, from start to end, nothing merged.

Shares with `replicas` only the functions themselves. It replays whatever is called a violation.
"""

from fractions import Fraction
from itertools import product
from typing import Any

from theory.falsifier.problem import Problem
from theory.papers.localsgd.runs.replicas import Local, LocalCourse


def walk_replicas(problem: Problem, method: Local) -> LocalCourse:
    """Average a run of LocalSGD over all its sampling paths.

    Examples
    --------
    >>> from theory.papers.localsgd.runs.replicas import follow_replicas
    >>> from theory.falsifier.scalars import huber
    >>> noisy = tuple((huber(1, 2, tilt=b),) for b in (-1, 1, -1, 1))
    >>> problem = Problem("noisy", noisy, (Fraction(1),), (0,))
    >>> method = Local(2, 3, 2, Fraction(1, 2))
    >>> walk_replicas(problem, method) == follow_replicas(problem, method)
    True
    """
    N, T, each = method.N, method.T, len(problem.components) // method.N
    gradients, drifts = [Fraction(0)] * T, [Fraction(0)] * T
    count = each ** (N * T)
    for draws in product(product(range(each), repeat=N), repeat=T):
        replicas = [list(problem.start) for _ in range(N)]
        for t, chosen in enumerate(draws):
            middle = [sum(column) / N for column in zip(*replicas, strict=True)]
            gradients[t] += _norm(problem.gradient(tuple(middle)))
            drifts[t] += Fraction(
                sum(_norm([a - b for a, b in zip(x, middle, strict=True)]) for x in replicas), N
            )
            for n, choice in enumerate(chosen):
                slopes = problem.component_gradient(n * each + choice, tuple(replicas[n]))
                replicas[n] = [
                    x - method.gamma * g for x, g in zip(replicas[n], slopes, strict=True)
                ]
            if t % method.H == method.H - 1:
                middle = [sum(column) / N for column in zip(*replicas, strict=True)]
                replicas = [list(middle) for _ in range(N)]
    return LocalCourse(
        tuple(entry / count for entry in gradients), tuple(entry / count for entry in drifts)
    )


def _norm(entries: Any) -> Any:
    return sum(entry * entry for entry in entries)
