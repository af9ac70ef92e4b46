"""Second moments of the stacked history: RPD with delays on quadratics, for long runs.

With affine gradients z = (1, x^k, x^{k−1}, …, x^{k−τ}) moves by one of pN matrices, drawn
uniformly, so that S = E zzᵀ follows a linear recursion: exact in fractions, or in doubles for long
runs. Legend: n = 1 + d(τ+1) entries of z.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.problem import Problem
from theory.papers.rpd.runs.delays import FIXED, checked, rule
from theory.papers.rpd.runs.moments import affine

Array = NDArray[Any]


@dataclass(frozen=True)
class Series:
    """E‖∇f(x^k)‖², E‖x^k − x̂^k‖² and E f(x^k) − f(0), for k = 0 … K − 1."""

    gradients: tuple[Any, ...]
    drifts: tuple[Any, ...]
    values: tuple[Any, ...]


def follow_stacked(
    problem: Problem,
    K: int,
    tau: int,
    gamma: Fraction,
    delays: str,
    arithmetic: Literal["exact", "double"] = "exact",
) -> Series:
    """The second moments of a run with delays that do not depend on the past.

    Raises
    ------
    RejectedInstanceError
        A gradient is not affine, or the delays depend on the past.

    Examples
    --------
    >>> from theory.falsifier.scalars import linear
    >>> lines = Problem("lines", ((linear(1),) * 2,), (Fraction(0),) * 2, (0, 1))
    >>> follow_stacked(lines, 4, 2, Fraction(1), "max").drifts
    (Fraction(0, 1), Fraction(1, 1), Fraction(3, 1), Fraction(3, 1))
    """
    if delays not in (*FIXED, "pipedream"):
        raise RejectedInstanceError(
            f"stacked moments need delays that look at k only, found {delays!r}",
            "falsifier",
            f"take one of {', '.join(FIXED)}",
        )
    number = Fraction if arithmetic == "exact" else float
    reads, d = rule(delays, problem, tau), len(problem.start)
    maps = [_gradient(problem, m, number) for m in range(len(problem.components))]
    mean: Array = sum(maps[1:], maps[0]) / len(maps)
    step, share = number(gamma), number(Fraction(1, len(maps) * problem.p))
    at = np.array([number(1)] + [number(x) for x in problem.start] * (tau + 1), dtype=mean.dtype)
    S = np.outer(at, at)
    gradients, drifts, values = [], [], []
    for k in range(K):
        now = np.arange(1, d + 1)
        found = checked(reads(k, ()), k, tau)
        stale = np.array([1 + found[i] * d + j for j, i in enumerate(problem.blocks)])
        with_one, with_stale = np.r_[0, now], np.r_[0, stale]
        gradients.append(_trace(mean, S[np.ix_(with_one, with_one)]))
        away = S[now, now] - 2 * S[now, stale] + S[stale, stale]
        drifts.append(away.sum())
        values.append(_value(mean, S[np.ix_(with_one, with_one)], number))
        S = _step(problem, S, maps, mean, with_stale, step, share)
    return Series(tuple(gradients), tuple(drifts), tuple(values))


def _step(
    problem: Problem, S: Array, maps: list[Array], mean: Array, stale: Array, step: Any, share: Any
) -> Array:
    """E z⁺z⁺ᵀ from E zzᵀ."""
    d = len(problem.start)
    now = np.arange(1, d + 1)
    cross = S[now] - step * share * len(maps) * (mean @ S[stale])
    square = S[np.ix_(now, now)].copy()
    for slope in maps:
        joint = slope @ S[np.ix_(stale, now)]
        own = slope @ S[np.ix_(stale, stale)] @ slope.T
        for members in problem.members:
            rows = np.array(members)
            change = np.zeros_like(square)
            change[rows] -= step * joint[rows]
            change[:, rows] -= step * joint[rows].T
            change[np.ix_(rows, rows)] += step * step * own[np.ix_(rows, rows)]
            square = square + share * change
    following = np.empty_like(S)
    following[0, 0] = S[0, 0]
    following[0, 1 : d + 1] = following[1 : d + 1, 0] = cross[:, 0]
    following[1 : d + 1, 1 : d + 1] = square
    following[1 + d :, 1 + d :] = S[1:-d, 1:-d]
    following[0, 1 + d :] = following[1 + d :, 0] = S[0, 1:-d]
    following[1 : d + 1, 1 + d :] = cross[:, 1:-d]
    following[1 + d :, 1 : d + 1] = cross[:, 1:-d].T
    return following


def _gradient(problem: Problem, m: int, number: Any) -> Array:
    """∇f_m as a d × (1 + d) matrix on (1, x)."""
    d = len(problem.start)
    rows = []
    for j, part in enumerate(problem.components[m]):
        a, b = affine(part)
        row = [b, *(problem.coupling for _ in range(d))]
        row[1 + j] += a
        rows.append([number(entry) for entry in row])
    return np.array(rows, dtype=object if number is Fraction else float)


def _trace(mean: Array, moments: Array) -> Any:
    return np.trace(mean @ moments @ mean.T)


def _value(mean: Array, moments: Array, number: Any) -> Any:
    """E of b·x + ½xᵀAx."""
    b, A = mean[:, 0], mean[:, 1:]
    half = number(Fraction(1, 2))
    return b @ moments[1:, 0] + half * np.trace(A @ moments[1:, 1:])
