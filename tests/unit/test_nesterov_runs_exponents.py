"""Exponents of the delayed method: derived by two formal ways, and measured on runs in doubles."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
import sympy

from theory.papers.nesterov.runs import local_analysis, long_runs
from theory.papers.nesterov.runs.local_analysis import (
    EXPONENT,
    a,
    characteristic,
    equations,
    exponent,
    formal_exponent,
    frozen_exponent,
    largest_share,
    resting_level,
    tau,
)
from theory.papers.nesterov.runs.long_runs import (
    Column,
    edge,
    family,
    hubers,
    parabolas,
    picture,
    trends,
)

ONE = Fraction(1)
SHORT = 14


def test_the_exponent_is_derived_in_two_ways() -> None:
    assert formal_exponent() == sympy.expand(EXPONENT)
    assert frozen_exponent() == sympy.expand(EXPONENT)


def test_it_is_half_less_than_two_powers_of_the_friction() -> None:
    assert sympy.expand(sympy.Rational(1, 2) - 2 * (1 + a * (1 - tau)) - EXPONENT) == 0


def test_another_update_has_another_exponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """With γ_t = (t−1)/t the friction is half as strong: the derivation sees it."""
    monkeypatch.setattr(local_analysis, "_pull", lambda t: 1 - 1 / t)
    _, second = equations()
    assert sympy.expand(second).has(tau)
    monkeypatch.setattr(local_analysis, "_pull", lambda t: 1 - 3 / t)
    assert equations()[1] != second


def test_the_characteristic_equation_is_that_of_the_update() -> None:
    """Its value at z^t is the update's residue, whatever z, where coefficients are frozen at t."""
    z, t = sympy.symbols("z t")

    def w(k: int) -> sympy.Expr:
        return z**k

    for delay in (0, 1, 3):
        pull, pull_then = 1 - 2 / t, 1 - 2 / (t - delay)
        read = w(-delay) + pull_then * (w(-delay) - w(-delay - 1))
        left = w(1) - w(0) - pull * (w(0) - w(-1)) + 2 * a / t * read
        assert sympy.simplify(left - characteristic(z, t).subs(tau, delay)) == 0


@pytest.mark.parametrize("delay", [2, 3, 7])
def test_the_largest_stepsize_is_where_the_exponent_is_minus_one(delay: int) -> None:
    share = largest_share(delay)
    assert share is not None
    assert exponent(delay, share) == -1
    assert exponent(delay, share, Fraction(1, 3)) < -1
    assert exponent(delay, share * Fraction(101, 100)) > -1


def test_parabolas_follow_their_exponent() -> None:
    columns = parabolas(range(1, 7), [ONE, Fraction(1, 2)])
    for trend in trends(columns, SHORT):
        one = trend.column
        wanted = float(exponent(one.tau, one.eta, one.curvature))
        assert trend.exponent == pytest.approx(wanted, abs=0.12), one
        assert trend.spread[0] <= trend.exponent <= trend.spread[1]


def test_huber_functions_stay_where_averaging_says() -> None:
    columns = hubers(range(1, 7), lambda _: ONE)
    for trend in trends(columns, SHORT):
        level = resting_level(trend.column.tau, ONE)
        if level is None:
            assert trend.exponent == pytest.approx(-1.5, abs=0.1)
        else:
            assert trend.gaps[-1] == pytest.approx(level, rel=0.02)


def test_resting_levels_rise_with_the_delay_and_the_stepsize() -> None:
    levels = [resting_level(delay, ONE) for delay in range(2, 9)]
    known = [level for level in levels if level is not None]
    assert known == sorted(known)
    assert len(known) == 7
    assert resting_level(3, Fraction(1, 2)) == resting_level(2, ONE)
    just = resting_level(2, Fraction(76, 100))
    assert just is not None
    assert 0.5 < just < 0.6  # hardly beyond the parabola


def test_small_steps_have_the_rate_on_all_functions() -> None:
    found = [column for delay in (1, 2, 5) for column in family(delay, Fraction(1, 4 * delay))]
    assert all(trend.exponent < long_runs.SLOW for trend in trends(found, SHORT))


def test_evidence_points_both_ways_and_is_plain_data() -> None:
    bent, flat = long_runs.at_full_step(SHORT)
    (small,) = long_runs.at_small_steps(16)
    assert (bent.points, flat.points, small.points) == ("against", "against", "for")
    for evidence in (bent, flat, small):
        assert json.loads(json.dumps(evidence.data)) == evidence.data
    assert "to t = 2^14" in bent.says
    assert "to t = 2^16" in small.says
    assert len(bent.data["curves"]) == 6
    assert bent.data["places"] == [2**k for k in range(long_runs.FIRST, SHORT)]


def test_a_slow_run_turns_evidence_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_runs, "with_small_steps", lambda taus: family(3, Fraction(1, 2)))
    (evidence,) = long_runs.at_small_steps(12)
    assert evidence.points == "against"


def test_pictures_have_one_curve_a_run() -> None:
    found = trends(hubers((1, 2), lambda _: ONE), 12)
    data = picture(found)
    assert [curve["group"] for curve in data["curves"]] == ["τ = 1", "τ = 2"]
    assert all(len(curve["values"]) == 6 for curve in data["curves"])


def test_the_edge_is_found_between_neighbours() -> None:
    assert edge([1, 2, 3], [-2.0, -1.5, -0.5], -1.0) == 2.5
    assert edge([1, 2], [-0.5, -0.4], -1.0) is None


def test_a_start_in_the_minimum_stays_there() -> None:
    low, high = long_runs.extremes([Column("parabola", 3, ONE, start=Fraction(0))], 8)
    assert not low.any()
    assert not high.any()
