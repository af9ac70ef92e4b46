"""Algorithms 1, 2 and 3 of SAPipe, line by line as printed, on lists of numbers.

Written from the listings and independent of `schedules.methods`: every quantity is kept under its
index of the paper, matrices are formed, nothing is shared between the algorithms. `stale` has a
bool for each element; all are stale in the algorithms as printed. Where not all are, `reading`
says what the fresh ones and the compensation see, as in `schedules.methods.SAPipe`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from schedules.methods import Method, PipeSGD, SAPipe, SAPipeDC, SAPipeWP, run

Vec: TypeAlias = list[Any]
Samples: TypeAlias = Mapping[tuple[int, int], Any]
"""z_{i,t} by (worker, iteration); workers count from 0, iterations as in the paper."""


@dataclass(frozen=True)
class Case:
    """n workers with different coupled, curved f_i, and samples that scale and shift."""

    n: int
    x0: tuple[Any, ...]
    eta: Any = Fraction(1, 4)
    lambda_: Any = Fraction(2, 3)

    def gradient(self, x: Sequence[Any], i: int, z: Any) -> Vec:
        d = len(x)
        return [
            sum((x[k] * (i + j + 2 * k + 1) / 8 for k in range(d)), 0 * x[0])
            + x[j] * x[(j + 1) % d] / 16
            + z * (i + 1) * (x[j] + j + 1) / 4
            for j in range(d)
        ]

    def on_arrays(self, x: Any, worker: int, draw: Any) -> Any:
        """The same for numpy arrays, exact ones as well."""
        return np.array(self.gradient(x.tolist(), worker, draw), dtype=x.dtype)


def average(vectors: Sequence[Vec]) -> Vec:
    return [sum(column[1:], column[0]) / len(vectors) for column in zip(*vectors, strict=True)]


def pick(stale: Sequence[bool], yes: Vec, no: Vec) -> Vec:
    return [a if choose else b for choose, a, b in zip(stale, yes, no, strict=True)]


def minus(a: Vec, b: Vec) -> Vec:
    return [p - q for p, q in zip(a, b, strict=True)]


def compensate(g: Vec, dx: Vec, lam: Any, form: str) -> Vec:
    """Equation (1) with its matrix g gᵀ, or with the diagonal of it."""
    size = range(len(g))
    matrix = [[g[j] * g[k] if form == "full" or j == k else 0 * g[j] for k in size] for j in size]
    return [g[j] + lam * sum((matrix[j][k] * dx[k] for k in size), 0 * g[j]) for j in size]


def algorithm_1(case: Case, z: Samples, T: int, stale: Sequence[bool], z2: Samples) -> list[Vec]:
    """Blue where fresh, orange where stale. z2: the samples of stale elements."""
    x: dict[int, Vec] = {0: list(case.x0)}
    for t in range(1, T + 1):
        blue = average([case.gradient(x[t - 1], i, z[i, t]) for i in range(case.n)])
        x[t] = [a - case.eta * g for a, g in zip(x[t - 1], blue, strict=True)]
        orange = x[t - 1]
        if t > 1:
            g_t = average([case.gradient(x[t - 2], i, z2[i, t - 1]) for i in range(case.n)])
            orange = [a - case.eta * g for a, g in zip(x[t - 1], g_t, strict=True)]
        x[t] = pick(stale, orange, x[t])
    return [x[t] for t in range(T + 1)]


def algorithm_2(
    case: Case,
    z: Samples,
    T: int,
    stale: Sequence[bool],
    z2: Samples,
    form: str = "full",
    reading: str = "system",
) -> list[Vec]:
    x: dict[int, Vec] = {0: list(case.x0)}
    for t in range(1, T + 1):
        fresh = average([case.gradient(x[t - 1], i, z[i, t]) for i in range(case.n)])
        g_dc = [0 * a for a in x[0]]
        if t > 1:
            g_t = average([case.gradient(x[t - 2], i, z2[i, t - 1]) for i in range(case.n)])
            dx = minus(x[t - 1], x[t - 2])
            if reading == "system":
                dx = pick(stale, dx, [0 * a for a in dx])
            g_dc = compensate(g_t, dx, case.lambda_, form)
        step = pick(stale, g_dc, fresh)
        x[t] = [a - case.eta * g for a, g in zip(x[t - 1], step, strict=True)]
    return [x[t] for t in range(T + 1)]


def algorithm_3(
    case: Case,
    z: Samples,
    T: int,
    stale: Sequence[bool],
    z2: Samples,
    option: int,
    form: str = "full",
    reading: str = "system",
) -> list[Vec]:
    """z2: the samples of the gradients at predicted weights."""
    n, zero = case.n, [0 * a for a in case.x0]
    x: dict[int, Vec] = {-1: list(case.x0), 0: list(case.x0)}
    ahead = {(i, 0): list(case.x0) for i in range(n)}  # x̃_{i,0}
    g_i = {(i, 0): zero for i in range(n)}  # as applied
    g: dict[int, Vec] = {0: zero}
    for t in range(1, T + 1):
        local = {i: case.gradient(ahead[i, t - 1], i, z2[i, t - 1]) for i in range(n)}  # line 7
        for i in range(n):
            dx = minus(x[t - 1], x[t - 2])
            if reading == "system":
                dx = pick(stale, dx, zero)
            rest = minus(g[t - 1], [a / n for a in g_i[i, t - 1]])
            third = [
                a + b / n
                for a, b in zip(compensate(rest, dx, case.lambda_, form), local[i], strict=True)
            ]
            guess = {1: local[i], 2: g[t - 1], 3: third}[option]
            ahead[i, t] = [a - case.eta * b for a, b in zip(x[t - 1], guess, strict=True)]
            if reading == "system":
                ahead[i, t] = pick(stale, ahead[i, t], x[t - 1])
            at = ahead[i, t] if reading == "system" else x[t - 1]
            g_i[i, t] = pick(stale, local[i], case.gradient(at, i, z[i, t]))
        g[t] = average([g_i[i, t] for i in range(n)])  # line 13
        x[t] = [a - case.eta * b for a, b in zip(x[t - 1], g[t], strict=True)]  # line 14
    return [x[t] for t in range(T + 1)]


@dataclass(frozen=True)
class Variant:
    """An algorithm with its choices, to be run by this machine and by `schedules.methods`."""

    name: str
    case: Case
    stale: tuple[bool, ...] = ()
    reading: str = "system"
    option: int = 1
    form: str = "full"

    def expected(self, z: Samples, z2: Samples, T: int) -> list[Vec]:
        """x_0 … x_T by the listings."""
        stale = self.stale or (True,) * len(self.case.x0)
        if self.name == "pipesgd":
            return algorithm_1(self.case, z, T, stale, z2)
        if self.name == "dc":
            return algorithm_2(self.case, z, T, stale, z2, self.form, self.reading)
        return algorithm_3(self.case, z, T, stale, z2, self.option, self.form, self.reading)

    def method(self) -> PipeSGD | SAPipeDC | SAPipeWP | SAPipe:
        """The same as a method."""
        case = self.case
        inner: PipeSGD | SAPipeWP
        if self.name == "pipesgd":
            inner = PipeSGD(case.n, case.eta)
        elif self.name == "dc":
            inner = SAPipeDC(case.n, case.eta, case.lambda_, self.form)
        else:
            weight = case.lambda_ if self.option == 3 else 0
            inner = SAPipeWP(case.n, case.eta, self.option, weight, self.form)
        return SAPipe(inner, self.stale, self.reading) if self.stale else inner

    def rounds(self, z: Samples, z2: Samples, T: int) -> list[list[Any]]:
        """The samples of each round, as `run` takes them."""
        found = [[z2[i, 0] for i in range(self.case.n)]] if self.name == "wp" else []
        for t in range(1, T + 1):
            fresh = [z[i, t] for i in range(self.case.n)]
            own = [z2[i, t] for i in range(self.case.n)]
            if not self.stale:
                found.append(own)
            else:
                found.append(fresh + own if self.reading == "proofs" else fresh)
        return found


def models(method: Method, case: Case, rounds: Sequence[Sequence[Any]], dtype: Any) -> list[Vec]:
    """x_0, x_1, … as `schedules.methods` computes them."""
    states = run(method, np.array(case.x0, dtype=dtype), case.on_arrays, rounds)
    return list({state.t: state.model.tolist() for state in states}.values())
