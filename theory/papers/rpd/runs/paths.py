"""The second method: every sampling path on its own, from start to end, nothing merged.

Shares with `chain` only the functions themselves and the delay rules. It replays
whatever is called a violation.
"""

from fractions import Fraction
from itertools import product
from typing import Any

from theory.falsifier.problem import Problem
from theory.papers.rpd.runs.chain import Course, Method, larger


def walk(problem: Problem, method: Method, values: bool = False) -> Course:
    """Average a run of RPD or NAG-RPD over all its sampling paths.

    Examples
    --------
    >>> from theory.papers.rpd.runs.chain import follow
    >>> from theory.papers.rpd.runs.delays import rule
    >>> from theory.falsifier.scalars import quadratic
    >>> noisy = tuple((quadratic(1, tilt=b), quadratic(2, tilt=b)) for b in (-1, 1))
    >>> problem = Problem("noisy", noisy, (Fraction(1), Fraction(0)), (0, 1))
    >>> method = Method(3, 1, Fraction(1, 2), Fraction(1, 3), rule("farthest", problem, 1))
    >>> walk(problem, method) == follow(problem, method)
    True
    """
    K, N, p = method.K, len(problem.components), problem.p
    zero = problem.point((Fraction(0),))[0]
    gradients, drifts, worth = [zero] * K, [zero] * K, [zero] * (K + 1)
    farthest, block, count = [zero] * K, zero, (p * N) ** K
    for draws in product(product(range(p), range(N)), repeat=K):
        history = [list(problem.point(problem.start))]
        for k, (i, m) in enumerate(draws):
            now = history[k]
            read = _read(problem, method, history)
            gradients[k] = gradients[k] + _norm(problem.gradient(tuple(now)))
            away = _norm([a - b for a, b in zip(now, read, strict=True)])
            drifts[k] = drifts[k] + away
            farthest[k] = larger(farthest[k], away)
            worth[k] = worth[k] + problem.value(tuple(now))
            slopes = problem.component_gradient(m, tuple(read))
            mine = [j for j in range(len(now)) if problem.blocks[j] == i]
            block = larger(block, _norm([slopes[j] for j in mine]))
            step = problem.point((method.gamma,))[0]
            history.append([x - step * slopes[j] if j in mine else x for j, x in enumerate(now)])
        worth[K] = worth[K] + problem.value(tuple(history[K]))
    return Course(
        tuple(entry / count for entry in gradients),
        tuple(entry / count for entry in drifts),
        tuple(farthest),
        tuple(entry / count for entry in (worth if values else worth[:1])),
        block,
    )


def _read(problem: Problem, method: Method, history: list[list[Any]]) -> list[Any]:
    """x̃_i = x_i^r + β(x_i^r − x_i^{r−1}), r = k − d_i, x^{−1} = x^0."""
    k = len(history) - 1
    found = method.reads(k, tuple(tuple(x) for x in history))
    beta = problem.point((method.beta,))[0]
    read = []
    for j, i in enumerate(problem.blocks):
        r = k - found[i]
        before = history[max(r - 1, 0)][j]
        read.append(history[r][j] + beta * (history[r][j] - before))
    return read


def _norm(entries: Any) -> Any:
    return sum(entry * entry for entry in entries)
