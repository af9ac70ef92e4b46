"""Two ways to run Nesterov's method with a delay agree, and doubles follow them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.falsifier.compare import enclosure
from theory.falsifier.numbers import Root
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import asymmetric_huber, huber, quadratic
from theory.falsifier.zoo import SMOOTH, Maker, alike
from theory.papers.nesterov.runs.challenges import CONVEX, NesterovSetting, nesterov_instance
from theory.papers.nesterov.runs.delayed import Delayed, momentum, replay, run
from theory.papers.nesterov.runs.long_runs import FIRST, Column, extremes, gaps

MAKERS = [make for make, _ in CONVEX if make(1).rational]
stepsizes = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 8), Fraction(7, 3)])
delays = st.integers(0, 6)


@settings(max_examples=60)
@given(st.sampled_from(MAKERS), st.integers(1, 2), stepsizes, delays, st.integers(1, 12))
def test_the_update_equals_the_weighted_sums(
    make: Maker, p: int, eta: Fraction, tau: int, T: int
) -> None:
    problem, method = make(p), Delayed(eta, tau, Fraction(3))
    assert run(problem, method, T) == replay(problem, method, T)


@pytest.mark.parametrize("make", [SMOOTH[0], SMOOTH[2]])
def test_intervals_of_both_meet_and_are_narrow(make: Maker) -> None:
    method = Delayed(Fraction(1, 2), 2, Fraction(1))
    one, other = run(make(1), method, 6), replay(make(1), method, 6)
    for (a,), (b,) in zip((*one.points, *one.read), (*other.points, *other.read), strict=True):
        first, second = enclosure(a), enclosure(b)
        assert first.low <= second.high
        assert second.low <= first.high
        assert first.high - first.low < Fraction(1, 10**10)


@settings(max_examples=30)
@given(st.sampled_from(MAKERS), stepsizes, delays)
def test_a_longer_run_begins_with_the_shorter_one(make: Maker, eta: Fraction, tau: int) -> None:
    long, short = (run(make(1), Delayed(eta, tau, Fraction(1)), T) for T in (9, 5))
    assert long.points[:6] == short.points
    assert long.read[:5] == short.read
    assert long.excess[:5] == short.excess


@settings(max_examples=30)
@given(st.sampled_from(MAKERS), stepsizes, st.integers(1, 10))
def test_without_delay_the_read_point_is_ahead_and_nothing_is_in_excess(
    make: Maker, eta: Fraction, T: int
) -> None:
    path = run(make(1), Delayed(eta, 0, Fraction(1)), T)
    assert not any(path.excess)
    for t in range(2, T + 1):
        now, before = path.points[t - 1], path.points[t - 2]
        ahead = tuple(w + momentum(t) * (w - b) for w, b in zip(now, before, strict=True))
        assert path.read[t - 1] == ahead


@settings(max_examples=30)
@given(st.sampled_from(MAKERS), stepsizes, delays, st.integers(1, 12))
def test_no_step_is_longer_than_the_gradients_allow(
    make: Maker, eta: Fraction, tau: int, t: int
) -> None:
    problem = make(1)
    method = Delayed(eta, tau, max(problem.smoothness, Fraction(1)))
    one = nesterov_instance(NesterovSetting(problem, t, method))
    if "G" not in one.numbers:
        return
    G = one.numbers["G"]
    assert isinstance(G, Root)
    before, after = run(problem, method, t).points[-2:]
    assert sum((b - a) ** 2 for a, b in zip(before, after, strict=True)) <= eta**2 * G.square


COLUMNS = {
    "parabola": (quadratic(Fraction(1, 2)), Column("parabola", 2, Fraction(1), Fraction(1, 2))),
    "Huber": (
        huber(1, 1),
        Column("Huber", 3, Fraction(1, 2), start=Fraction(4), below=1.0, above=1.0),
    ),
    "asymmetric": (
        asymmetric_huber(1, Fraction(1, 2), 2),
        Column("asymmetric", 1, Fraction(1), start=Fraction(-3), below=0.5, above=2.0),
    ),
    "no delay": (quadratic(1), Column("parabola", 0, Fraction(1, 4))),
}


def test_doubles_follow_the_exact_run() -> None:
    """All columns side by side, with delays of their own."""
    columns = [column for _, column in COLUMNS.values()]
    low, high = extremes(columns, FIRST + 1)
    found = gaps(columns, FIRST + 1)
    for n, (part, column) in enumerate(COLUMNS.values()):
        problem = Problem(column.says, ((part,),), (column.start,), (0,))
        path = run(problem, Delayed(column.eta, column.tau, Fraction(1)), 2 ** (FIRST + 1) - 2)
        window = [w for (w,) in path.points[2**FIRST - 1 :]]
        assert len(window) == 2**FIRST
        assert low[0, n] == pytest.approx(float(min(window)), rel=1e-9)
        assert high[0, n] == pytest.approx(float(max(window)), rel=1e-9)
        least = problem.minimum
        assert least is not None
        worth = max(problem.value((w,)) - least for w in window)
        assert found[0, n] == pytest.approx(float(worth), rel=1e-9)


def test_columns_do_not_disturb_one_another() -> None:
    columns = [column for _, column in COLUMNS.values()]
    together = gaps(columns, FIRST + 2)
    alone = np.column_stack([gaps([column], FIRST + 2)[:, 0] for column in columns])
    assert np.array_equal(together, alone)


@settings(max_examples=20)
@given(st.integers(0, 9), st.integers(1, 8))
def test_on_a_line_every_step_is_the_stepsize(tau: int, inverse: int) -> None:
    far = alike("Huber from afar", [huber(1, 1)], 100)(1)
    path = run(far, Delayed(Fraction(1, inverse), tau, Fraction(1)), 20)
    assert [w for (w,) in path.points] == [100 - Fraction(k, inverse) for k in range(21)]
