"""The energy of `nesterov.one-delay` along exact runs of the method itself, outside the kernel."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import sympy

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Scalar, huber
from theory.papers.nesterov.lemmas import delayed_horizon_step as delayed
from theory.papers.nesterov.lemmas import one_delay_horizon_step as step
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


@pytest.mark.parametrize("tau", [1, 2])
@pytest.mark.parametrize("width", [Fraction(1, 100), Fraction(1, 9), Fraction(1, 4), Fraction(2)])
def test_no_run_is_above_what_a_known_horizon_gives(width: Fraction, tau: int) -> None:
    eta = Fraction(1, 4 * tau)
    problem = Problem("one delay", ((huber(1, width),),), (Fraction(1),), (0,))
    heights = map(problem.value, run(problem, Delayed(eta, tau, Fraction(1)), LAST).points)
    bounds = [1 / (4 * eta * s + 2) for s in range(LAST + 1)]
    assert all(height <= bound for height, bound in zip(heights, bounds, strict=True))


class At:
    """A function of one variable with β = 1 and w* = 0, for the formulas of a row."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def __call__(self, at: Any) -> Any:
        return sympy.sympify(self.problem.value(_exact(at)))

    def grad(self, at: Any) -> Any:
        return np.array([sympy.sympify(one) for one in self.problem.gradient(_exact(at))])


def _exact(at: Any) -> tuple[Fraction, ...]:
    return tuple(Fraction(int(one.p), int(one.q)) for one in at)


@pytest.mark.parametrize("width", [Fraction(1, 9), Fraction(1, 4), Fraction(1, 2)])
def test_the_energy_of_a_known_horizon_falls_along_the_points_of_the_method(
    width: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    last, e, one = sympy.Integer(9), sympy.Rational(1, 4), sympy.Integer(1)
    problem = Problem("one delay", ((huber(1, width),),), (Fraction(1),), (0,))
    zero: Any = np.array([0 * one])
    a = np.array([one / (2 * e * last + 1)])
    for name, value in {"f": At(problem), "e": e, "beta": one, "star": zero, "a": a}.items():
        monkeypatch.setattr(step, name, value)
    w = [zero, *(np.array(list(map(sympy.sympify, at))) for at in _points(problem, int(last)))]
    h, x = [zero], [zero]
    for t in range(1, int(last)):
        x.append(w[t] + sympy.Rational(max(t - 2, 0), t) * (w[t] - w[t - 1]))
        h.append(step.apart(x[t]))
    S, B, kept = h[1] / 2, zero, [zero[0]]
    for t in map(sympy.Integer, range(2, int(last))):
        assert t == 2 or (x[t] == step.place(t, last, S, B)).all()
        weights = step.kappa(t, last), *step.held(t + 1, last)
        kept += list(step.energy(t, last, x[t], S, B, h[t - 1], *weights))
        S, B = S + h[t - 1], B + (t - 1) * h[t - 1]
    assert all(then <= now for now, then in pairwise(kept))
    assert kept[-1] < 0


def _points(problem: Problem, last: int) -> tuple[Any, ...]:
    return run(problem, Delayed(Fraction(1, 4), 1, Fraction(1)), last).points


def test_so_does_the_energy_for_a_longer_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    tau, last, one = 3, sympy.Integer(9), sympy.Integer(1)
    e = sympy.Rational(1, 8 * tau + 3)
    problem = Problem("late", ((huber(1, Fraction(1, 4)),),), (Fraction(1),), (0,))
    zero: Any = np.array([0 * one])
    a = np.array([one / (2 * e * last + 1)])
    known = {"f": At(problem), "e": e, "beta": one, "star": zero, "a": a}
    for module in (step, delayed):
        for name, value in known.items():
            monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(delayed, "tau", sympy.Integer(tau))
    found = run(problem, Delayed(Fraction(1, 8 * tau + 3), tau, Fraction(1)), int(last)).points
    w = [zero, *(np.array(list(map(sympy.sympify, at))) for at in found)]
    h, x = [zero], [zero]
    for t in range(1, int(last)):
        x.append(w[t] + sympy.Rational(max(t - 2, 0), t) * (w[t] - w[t - 1]))
        h.append(delayed.apart(x[t]))
    used = [zero, h[1] / 2, *(h[max(s - tau, 1)] for s in range(2, int(last) + 1))]

    def sums(upto: int) -> tuple[Any, Any]:
        return sum(used[:upto], zero), sum((s - 1) * used[s] for s in range(1, upto))

    kept = [zero[0]]
    for t in map(sympy.Integer, range(2, int(last) - tau + 1)):
        before = [h[max(t - s, 1)][0] ** 2 for s in range(tau)]
        seen, weights = sums(t), (delayed.kappa(t, last), delayed.gain(t + 1, last))
        rest = sum(sympy.Rational(tau - s, 2) * size for s, size in enumerate(before))
        assert t == 2 or (x[t] == step.place(t, last, *seen)).all()
        all_, v = sums(t + tau + 1), h[max(t - tau, 1)]
        paid = sum(delayed.charge(t - s + tau, last) * size for s, size in enumerate(before))
        windows = rest, sum(before), paid
        kept += list(delayed.energy(t, last, x[t], all_, seen, v, *weights, *windows))
    assert all(then <= now for now, then in pairwise(kept))
    assert kept[-1] < 0
