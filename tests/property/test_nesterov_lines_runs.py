"""The lines (19) to (30) on exact runs of the method, which is written here once more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction as Q
from itertools import product
from math import prod

import pytest

from theory.kernel import Theorem
from theory.kernel.vectors import Scalar
from theory.papers.nesterov import eq_22, eq_23, eq_24, eq_25, eq_26, eq_27
from theory.papers.nesterov.eq_27 import AFTER, AFTER_MOMENTUM
from theory.papers.nesterov.lemmas import eq_30_later
from theory.papers.nesterov.symbols import beta, gamma, lam, t, theta
from theory.papers.nesterov.witnesses.replays import at_numbers

STEPS = 9


@dataclass(frozen=True)
class Function:
    """A convex function of one variable with its minimum 0 at 0."""

    smoothness: Q
    value: Callable[[Q], Q]
    slope: Callable[[Q], Q]


def huber(smoothness: Q, width: Q) -> Function:
    edge = smoothness * width

    def value(w: Q) -> Q:
        return smoothness * w * w / 2 if abs(w) <= width else edge * abs(w) - edge * width / 2

    def slope(w: Q) -> Q:
        return smoothness * w if abs(w) <= width else edge * (1 if w > 0 else -1)

    return Function(smoothness, value, slope)


FUNCTIONS = {
    "parabola": huber(Q(3, 2), Q(100)),
    "huber": huber(Q(1), Q(1, 3)),
    "far": huber(Q(2), Q(1, 50)),
}


@dataclass
class Run:
    """w_t, d_t and ḡ_t by t, from 1 on; w_t = w_1 and d_t = 0 before."""

    f: Function
    tau: int
    w: dict[int, Q] = field(default_factory=dict)
    d: dict[int, Q] = field(default_factory=dict)
    g: dict[int, Q] = field(default_factory=dict)

    def y(self, i: int) -> Q:
        seen = max(i - self.tau, 1)
        return self.w[seen] + self.d[seen]


def momentum(i: int) -> Q:
    return Q(i - 2, i) if i > 1 else Q(0)


def play(f: Function, tau: int, start: Q) -> Run:
    run = Run(f, tau, {0: start, 1: start})
    for i in range(1, STEPS):
        run.d[i] = momentum(i) * (run.w[i] - run.w[i - 1])
        run.g[i] = f.slope(run.y(i))
        run.w[i + 1] = run.w[i] + run.d[i] - (1 - momentum(i)) / f.smoothness * run.g[i]
    run.d[STEPS] = momentum(STEPS) * (run.w[STEPS] - run.w[STEPS - 1])
    return run


RUNS = [
    play(f, tau, start) for f, tau, start in product(FUNCTIONS.values(), range(4), (Q(1), Q(7, 2)))
]


def line(run: Run, i: int) -> dict[str, Q]:
    """Numbers for the vectors of iteration i."""
    seen = run.w[max(i - run.tau, 1)]
    return {
        "w": run.w[i],
        "d": run.d[i],
        "y": run.y(i),
        "∇f(y)": run.g[i],
        "w*": Q(0),
        "w̄": seen,
        "v": Q(5, 3),
    }


def numbers(run: Run, i: int) -> dict[Scalar, Q]:
    """Numbers for the symbols of iteration i, and for the values of f."""
    symbols: dict[Scalar, Q] = {
        beta: run.f.smoothness,
        gamma: momentum(i),
        theta: 1 - momentum(i),
        lam: Q(i),
        t: Q(i),
        AFTER: Q(i + 1),
        AFTER_MOMENTUM: momentum(i + 1),
    }
    values = {"f(w)": run.w[i], "f(y)": run.y(i), "f(w⁺)": run.w[i + 1], "f*": Q(0)}
    theorem = eq_26.THEOREM.goal.gap.free_symbols | eq_22.THEOREM.goal.gap.free_symbols
    named = {symbol.name: symbol for symbol in theorem | eq_23.THEOREM.goal.gap.free_symbols}
    return symbols | {named[name]: run.f.value(w) for name, w in values.items()}


def gap(theorem: Theorem, run: Run, i: int) -> Q:
    return at_numbers(theorem.goal.gap, line(run, i), numbers(run, i))


@pytest.mark.parametrize(
    "theorem", [one.THEOREM for one in (eq_22, eq_23, eq_24, eq_25, eq_26)], ids=lambda one: one.id
)
def test_inequality_holds_in_every_iteration(theorem: Theorem) -> None:
    found = [gap(theorem, run, i) for run in RUNS[::3] for i in range(1, STEPS, 2)]
    assert min(found) >= 0
    assert max(found) > 0


@pytest.mark.slow
def test_second_line_of_30_holds_from_the_second_iteration_on() -> None:
    found = [gap(eq_30_later.THEOREM, run, i) for run in RUNS for i in range(2, STEPS, 2)]
    assert min(found) >= 0
    assert max(found) > 0


def test_second_line_of_30_fails_in_the_first_iteration_only() -> None:
    def u(run: Run, i: int) -> Q:
        return run.f.smoothness / 2 * (run.w[i] + i * run.d[i]) ** 2

    def holds(run: Run, i: int) -> bool:
        fall = i * run.f.value(run.w[i + 1]) - (i - 1) * run.f.value(run.w[i])
        return fall <= excess(run, i) + (u(run, i) - u(run, i + 1)) / 2

    assert {i for run in RUNS for i in range(1, STEPS) if not holds(run, i)} == {1}


def test_27_is_an_equality_in_every_iteration() -> None:
    assert all(gap(eq_27.THEOREM, run, i) == 0 for run in RUNS for i in range(1, STEPS))


def moves(run: Run, i: int) -> Q:
    return run.d[i] - (1 - momentum(i)) / run.f.smoothness * run.g[i]


def by_19(run: Run, at: int, first: int) -> Q:
    """The right-hand side of (19) at t − i = `at`, where t − τ = `first`."""
    ahead = prod((momentum(j) for j in range(first + 1, at + 1)), start=Q(1)) * run.d[first]
    late = sum(
        prod((momentum(j) for j in range(k + 1, at + 1)), start=Q(1)) * (1 - momentum(k)) * run.g[k]
        for k in range(first, at + 1)
    )
    return ahead - late / run.f.smoothness


def test_19_and_20_on_runs_also_across_vanishing_momenta() -> None:
    for run in RUNS:
        for first, last in ((1, 5), (2, 3), (3, 8), (2, 2)):
            window = range(first, last)
            assert all(moves(run, at) == by_19(run, at, first) for at in window)
            assert run.w[last] - run.w[first] == sum(by_19(run, at, first) for at in window)


def excess(run: Run, i: int) -> Q:
    away = run.w[i] + run.d[i] - run.y(i)
    return i * run.f.smoothness / 2 * away**2 + i * (momentum(i) - 1) * run.g[i] * away


def test_last_line_of_30_holds_at_every_iteration() -> None:
    for run in RUNS:
        total = Q(0)
        for i in range(1, STEPS):
            total += excess(run, i)
            bound = total / i + run.f.smoothness / (2 * i) * run.w[1] ** 2
            assert run.f.value(run.w[i + 1]) <= bound
            assert run.tau or total == 0


def test_half_of_the_start_is_nearly_reached_without_delay() -> None:
    """β/(4t + 2) by Huber's function with its edge at R/(2t + 1): β/(2t) is loose by at most 2."""
    for i in range(1, STEPS):
        width = Q(1, 2 * i + 1)
        run = play(huber(Q(1), width), 0, Q(1))
        assert run.f.value(run.w[i + 1]) == Q(1, 4 * i + 2)
