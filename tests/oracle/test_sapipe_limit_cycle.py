"""The circling run against the shared update rule, doubles, and the function's own constants."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest

from schedules.methods import SAPipeWP, run
from theory.papers.sapipe.witnesses.limit_cycle import RUN, Circling, enclosed


def slope(one: Circling, u: float) -> float:
    """p'(u), on the whole line: its curvature falls at the rate 6kU until it is 0."""
    size = abs(u)
    k, reach = float(one.bend), float(one.reach)
    if size <= reach:
        return u - k * u**3
    left, rate = float(one.curvature_at_reach), 6 * k * reach
    beyond = min(size - reach, left / rate)
    return float(np.sign(u) * (reach - k * reach**3 + left * beyond - rate * beyond**2 / 2))


def test_it_is_what_the_shared_rule_does() -> None:
    rounds, few = 5, 3
    one = replace(RUN, n=few, iterations=rounds)

    def gradient(x: Any, worker: int, draw: None) -> Any:
        return x - one.bend * x**3

    method = SAPipeWP(few, one.eta, 3, one.weight)
    states = run(
        method, np.array(one.start, dtype=object), gradient, [(None,) * few] * (rounds + 1)
    )
    models = {state.t: state.model for state in states}
    norms = [sum(gradient(models[t], 0, None) ** 2) for t in range(rounds)]
    mean, seen = sum(norms) / rounds, enclosed(one).mean_at_least
    assert 0 <= mean - seen < Fraction(1, 2**150)


def test_doubles_agree_with_the_enclosure() -> None:
    x = np.array([float(u) for u in RUN.start])
    eta, own, weight = float(RUN.eta), 1 / RUN.n, float(RUN.weight)
    before = predicted = x
    last = np.zeros(2)
    norms, largest = [], 0.0
    for _ in range(RUN.iterations):
        here = np.array([slope(RUN, u) for u in x])
        drawn = np.array([slope(RUN, u) for u in predicted])
        norms.append(here @ here)
        largest = max(largest, drawn @ drawn)
        stale = (1 - own) * last
        predicted = x - eta * (stale + weight * stale * (stale @ (x - before)) + own * drawn)
        before, x, last = x, x - eta * drawn, drawn
    seen = enclosed(RUN)
    assert np.mean(norms) == pytest.approx(float(seen.mean_at_least), rel=1e-4)
    assert largest == pytest.approx(float(seen.largest_at_most), rel=1e-4)


def test_the_constants_hold_on_the_whole_line() -> None:
    points = np.linspace(-0.2, 0.2, 4001)
    values = np.array([slope(RUN, u) for u in points])
    bends = np.diff(values) / np.diff(points)
    assert bends.min() >= -1e-9
    assert bends.max() <= float(RUN.smoothness) + 1e-9
    assert np.abs(np.diff(bends) / np.diff(points)[1:]).max() <= 2 * float(RUN.remainder) + 1e-6
    assert values.max() == pytest.approx(float(RUN.steepest), abs=1e-9)
    corners = [(u, v) for u in points[::40] for v in points[::40]]
    for u, v in islice(corners, 0, None, 7):
        g = np.array([slope(RUN, u), slope(RUN, v)])
        hessian = np.diag([(slope(RUN, w + 1e-7) - slope(RUN, w - 1e-7)) / 2e-7 for w in (u, v)])
        assert np.linalg.norm(np.outer(g, g) - hessian, 2) <= float(RUN.misfit) + 1e-5
