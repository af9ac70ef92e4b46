"""Worst cases of the delayed method against closed forms and exact runs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theory.falsifier.convexity import nearest_minimizer
from theory.falsifier.scalars import huber
from theory.falsifier.zoo import alike
from theory.papers.nesterov.runs import worst_case as delayed
from theory.papers.nesterov.runs.challenges import CONVEX
from theory.papers.nesterov.runs.delayed import Delayed, run
from theory.papers.nesterov.runs.worst_case import extremal_gap, one_delay_evidence, worst_gap
from theory.tightness.worst_case import MissingProgramError, available

ONE = Fraction(1)
needs_sdp = pytest.mark.skipif(not available(), reason="the extra sdp is not installed")


@pytest.mark.parametrize("tau", [0, 1, 4])
@pytest.mark.parametrize("eta", [ONE, Fraction(1, 8)])
@pytest.mark.parametrize("t", [2, 5, 30])
def test_a_huber_function_has_the_extremal_gap_at_any_delay(
    tau: int, eta: Fraction, t: int
) -> None:
    slope = 1 / (2 * eta * (t - 1) + 1)
    problem = alike("Huber", [huber(1, slope)], 1)(1)
    last = run(problem, Delayed(eta, tau, ONE), t - 1).points[-1]
    assert problem.value(last) - (problem.minimum or 0) == extremal_gap(t, eta)
    other = alike("Huber", [huber(1, slope * Fraction(9, 10))], 1)(1)
    less = run(other, Delayed(eta, tau, ONE), t - 1).points[-1]
    assert other.value(less) - (other.minimum or 0) < extremal_gap(t, eta)


@needs_sdp
def test_one_step_is_gradient_descent() -> None:
    """β‖w_1 − w*‖²/(4k + 2) after k steps of 1/β (Drori and Teboulle)."""
    for tau in (0, 1, 3):
        assert worst_gap(2, tau, ONE) == pytest.approx(1 / 6, abs=1e-5)


@needs_sdp
@pytest.mark.parametrize(("tau", "eta"), [(0, ONE), (1, Fraction(1, 4)), (2, Fraction(1, 8))])
def test_with_proved_steps_nothing_is_worse_than_huber(tau: int, eta: Fraction) -> None:
    for t in (2, 5, 9):
        assert worst_gap(t, tau, eta) == pytest.approx(float(extremal_gap(t, eta)), abs=1e-5)


@needs_sdp
@pytest.mark.parametrize(("tau", "t"), [(1, 4), (2, 5)])
def test_with_longer_steps_something_is(tau: int, t: int) -> None:
    assert worst_gap(t, tau, ONE) > 2 * float(extremal_gap(t, ONE))


@needs_sdp
@pytest.mark.parametrize("tau", [0, 1, 2])
def test_no_exact_run_beats_the_worst_case(tau: int) -> None:
    for t in (3, 6):
        worst = worst_gap(t, tau, ONE)
        for make, beta in CONVEX:
            problem = make(1)
            found = nearest_minimizer(problem)
            if beta != 1 or found is None or not problem.rational:
                continue
            away = sum((a - b) ** 2 for a, b in zip(problem.start, found, strict=True))
            last = run(problem, Delayed(ONE, tau, ONE), t - 1).points[-1]
            gap = problem.value(last) - (problem.minimum or 0)
            assert float(gap / away) <= worst * (1 + 1e-6)


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delayed, "available", lambda: False)
    with pytest.raises(MissingProgramError, match="staleproof\\[sdp\\]"):
        worst_gap(3, 1, ONE)
    assert one_delay_evidence() is None


@needs_sdp
def test_the_open_case_is_neither_for_nor_against() -> None:
    evidence = one_delay_evidence(5)
    assert evidence is not None
    assert evidence.points == "neither"
    assert [row["worst"] for row in evidence.data["rows"]] == pytest.approx(
        [1 / 3, 1.5, 3.556, 2.812], abs=2e-3
    )
