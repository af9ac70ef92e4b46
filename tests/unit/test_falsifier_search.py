"""`falsify`: what it compares, what it refuses, what it reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from schedules.delays import delays
from schedules.families import build
from schedules.timeline import timeline
from tests.challenges import CHALLENGES
from theory.falsifier import Challenge, Instance, falsify
from theory.falsifier.errors import RejectedInstanceError, UnmeasuredSymbolError
from theory.falsifier.numbers import Enclosure, Root, exact
from theory.falsifier.zoo import (
    BOUNDED,
    GENERAL,
    LINES,
    LOCAL,
    LONG_LOCAL,
    QUADRATICS,
    SMOOTH,
    LocalMaker,
)
from theory.papers.localsgd.runs.local import (
    LocalSetting,
    descending,
    local_instance,
    local_totals,
    tuned_local,
)
from theory.papers.localsgd.runs.replicas import Local
from theory.papers.rpd.runs.blocks import (
    Setting,
    bounded_below,
    course,
    instance,
    last_step,
    satisfying_pl,
    setting_of,
    tuned,
)
from theory.papers.rpd.runs.delays import checked, pipedream_delays, rule
from theory.papers.rpd.runs.stacked import follow_stacked
from theory.papers.rpd.symbols import G, K, L, N, gamma, p, tau

ONE, HALF = Fraction(1), Fraction(1, 2)
DRIFT = CHALLENGES["rpd-drift"]


def alone(challenge: Challenge, *instances: Instance) -> Challenge:
    """A challenge with these instances only, and no shrinking."""

    def nothing(one: Instance) -> Iterator[Instance]:
        return iter(())

    return replace(challenge, instances=lambda deep: iter(instances), smaller=nothing)


def test_constants_by_hand() -> None:
    """½x² from 1 with γ = 1 and τ = 1: x = 1, 0, −1 and x̂ = 1, 1, 0."""
    one = instance(Setting(QUADRATICS[0](1), 3, 1, ONE))
    at = one.parameters
    assert (at["p"], at["n"], at["K"], at["tau"], at["gamma"]) == (1, 1, 3, 1, 1)
    assert (at["L"], at["mu"], at["G"], at["Delta"]) == (1, 1, 1, sympy.Rational(1, 2))
    found = course(setting_of(one), values=True)
    assert found.gradients == (1, 0, 1)
    assert found.drifts == (0, 1, 1)
    assert found.values == (HALF, 0, HALF, HALF)


def test_the_largest_block_gradient_is_along_the_tree() -> None:
    """From 0 with noise ±1 and γ = 1 the second gradient is up to 2."""
    noisy = QUADRATICS[1](2)
    assert instance(Setting(noisy, 1, 0, ONE, delays="zero")).numbers["G"] == Root(ONE)
    assert instance(Setting(noisy, 2, 0, ONE, delays="zero")).numbers["G"] == Root(Fraction(4))


def test_extremal_drift_has_ratio_one() -> None:
    """On a line with d = min(τ, k): γ²G²τ(τ + p − 1)/p exactly."""
    for stages, delay in ((1, 3), (2, 2), (3, 2), (4, 1)):
        one = instance(Setting(LINES[0](stages), delay + 1, delay, ONE))
        expected = sympy.Rational(delay * (delay + stages - 1), stages)
        assert DRIFT.measured(one) == expected == exact(DRIFT.replay(one))


def test_hypotheses_are_checked_and_named() -> None:
    line = instance(Setting(LINES[0](1), 2, 1, ONE))
    with pytest.raises(RejectedInstanceError, match=r"\(i\) f is bounded below"):
        bounded_below(line)
    huber = instance(Setting(BOUNDED[0](1), 2, 1, ONE))
    with pytest.raises(RejectedInstanceError, match="Polyak–Łojasiewicz"):
        satisfying_pl(huber)
    with pytest.raises(RejectedInstanceError, match=r"Assumption B\.2"):
        checked((2, 0), 3, 1)
    with pytest.raises(RejectedInstanceError, match=r"min\(τ, k\) = 1 at k = 1"):
        checked((2, 0), 1, 3)
    with pytest.raises(RejectedInstanceError, match=r"Assumption B\.2"):
        instance(Setting(QUADRATICS[0](2), 4, 2, ONE, delays="pipedream"))
    with pytest.raises(RejectedInstanceError, match="no delay rule is called 'late'"):
        rule("late", QUADRATICS[0](1), 1)
    steep = local_instance(LocalSetting(LOCAL[0](1, 1), Local(1, 1, 1, Fraction(2))))
    with pytest.raises(RejectedInstanceError, match="γ ≤ 1/L"):
        descending(steep)
    with pytest.raises(RejectedInstanceError, match="second moments"):
        local_instance(LocalSetting(QUADRATICS[0](1), Local(1, 1, 1, ONE)))
    with pytest.raises(RejectedInstanceError, match="G > 0"):
        instance(Setting(replace(QUADRATICS[0](1), start=(Fraction(0),)), 1, 0, ONE))


def test_engines_refuse_what_they_cannot_follow() -> None:
    noisy, joined, huber = QUADRATICS[1](1), QUADRATICS[4](2), BOUNDED[0](1)
    for problem, late in ((noisy, 1), (joined, 0), (huber, 0)):
        with pytest.raises(RejectedInstanceError, match="take the engine `tree`"):
            instance(Setting(problem, 2, late, ONE, delays="zero", engine="moments"))
    with pytest.raises(RejectedInstanceError, match="delays that look at k only"):
        follow_stacked(noisy, 2, 1, ONE, "farthest")
    with pytest.raises(RejectedInstanceError, match="take the engine `tree`"):
        follow_stacked(huber, 2, 1, ONE, "max")
    with pytest.raises(RejectedInstanceError, match="the adversary's game"):
        instance(Setting(QUADRATICS[1](3), 4, 3, ONE, delays="worst"))
    with pytest.raises(RejectedInstanceError, match="N equal shares"):
        local_instance(LocalSetting(LOCAL[0](3, 1), Local(2, 1, 1, ONE)))


@pytest.mark.parametrize(
    ("make", "gamma", "start"),
    [
        (LONG_LOCAL[0], Fraction(1, 2), 2),  # starts outside the parabola
        (LONG_LOCAL[0], Fraction(3, 2), 0),  # steps over its end
        (LOCAL[0], Fraction(1, 2), 3),  # starts on a line
        (LOCAL[3], Fraction(1, 2), 3),  # starts outside, with asymmetric noise
        (LOCAL[5], Fraction(1, 2), 0),  # unequal data
    ],
)
def test_geometric_sums_stay_on_the_parabola(make: LocalMaker, gamma: Fraction, start: int) -> None:
    problem = replace(make(2, 1), start=(Fraction(start),))
    with pytest.raises(RejectedInstanceError, match="the engine `tree`"):
        local_totals(LocalSetting(problem, Local(2, 2, 1, gamma), "moments"))


def test_the_tuned_stepsize_is_exact() -> None:
    one = tuned(instance(Setting(QUADRATICS[0](1), 2, 0, HALF, delays="zero")))
    at = one.parameters
    best = sympy.Min(1 / at["L"], sympy.sqrt(2 * at["Delta"] / (at["L"] * at["G"] ** 2 * at["K"])))
    assert at["gamma"] == best
    with pytest.raises(RejectedInstanceError, match="γ is larger"):
        tuned(instance(Setting(QUADRATICS[1](1), 2, 0, HALF, delays="zero")))
    local = local_instance(LocalSetting(LONG_LOCAL[0](4, 1), Local(4, 16, 2, HALF), "moments"))
    assert tuned_local(local).numbers["gamma"] == HALF
    few = local_instance(LocalSetting(LOCAL[0](3, 1), Local(3, 2, 1, ONE)))
    assert tuned_local(few).numbers["gamma"] == 1  # N > T: cut off at 1/L
    with pytest.raises(RejectedInstanceError, match="assumes γ = min"):
        tuned_local(local_instance(LocalSetting(LOCAL[0](1, 1), Local(1, 2, 1, HALF))))


def test_in_one_step_the_gap_before_it_is_given() -> None:
    one = last_step(instance(Setting(QUADRATICS[0](1), 3, 1, ONE)))
    assert one.numbers["Delta"] == HALF  # f(x²) − f*, x² = −1


def test_a_bound_outside_the_instances_is_refused() -> None:
    with pytest.raises(UnmeasuredSymbolError, match="no value for N, zeta"):
        falsify(DRIFT, N * sympy.Symbol("zeta"))
    with pytest.raises(UnmeasuredSymbolError, match="no value for N"):
        falsify(DRIFT, gamma, where=sympy.Le(N, 1))


def test_a_condition_selects_instances_exactly() -> None:
    bound = gamma**2 * tau**2 * G**2 / p
    assert falsify(DRIFT, bound, where=sympy.Eq(p, 1)).witness is None
    found = falsify(DRIFT, bound, where=sympy.Ge(p, 3)).witness
    assert found is not None
    assert int(found["parameters"]["p"]) >= 3


def test_without_an_instance_nothing_is_said() -> None:
    attempt = falsify(DRIFT, gamma, where=sympy.Gt(p, 100))
    assert attempt.tried == 0
    assert attempt.evidence.points == "neither"
    assert attempt.witness is None


def test_an_undefined_bound_is_not_tried() -> None:
    attempt = falsify(DRIFT, G**2 * gamma**2 * tau**3 * K**2 / tau, where=sympy.Eq(tau, 0))
    assert attempt.evidence.data["undefined"] == 0  # sympy cancels τ
    attempt = falsify(DRIFT, sympy.sqrt(tau - 1), where=sympy.Eq(tau, 0))
    assert attempt.tried == 0
    assert attempt.evidence.data["undefined"] > 0


def test_the_closest_instance_is_reported() -> None:
    one = instance(Setting(LINES[0](2), 3, 2, ONE))
    attempt = falsify(alone(DRIFT, one), 2 * gamma**2 * G**2 * tau * (tau + p - 1) / p)
    assert attempt.closest == one
    assert attempt.ratio == 0.5
    assert not attempt.attained
    assert attempt.evidence.data["closest"] == one.describe()


def test_an_equality_is_no_violation() -> None:
    one = instance(Setting(LINES[0](2), 3, 2, ONE))
    attempt = falsify(alone(DRIFT, one), gamma**2 * G**2 * tau * (tau + p - 1) / p)
    assert attempt.witness is None
    assert attempt.attained


def test_a_witness_is_plain_and_small() -> None:
    found = falsify(DRIFT, gamma**2 * G**2 * tau**2 / p).witness
    assert found is not None
    at = found["parameters"]
    assert (at["p"], at["tau"], at["K"], at["gamma"]) == ("2", "1", "2", "1")
    assert found["problem"]["name"].endswith("made smaller")
    assert (found["measured"], found["bound"]) == ("1", "1/2")


def test_smooth_instances_are_certified() -> None:
    """The drift on log-cosh is enclosed, and compared by its certain ends."""
    one = instance(Setting(SMOOTH[0](1), 3, 2, ONE))
    measured = DRIFT.measure(one)
    assert isinstance(measured, Enclosure)
    assert 0 < measured.high - measured.low < Fraction(1, 10**9)
    middle = exact(Enclosure(measured.low, (measured.low + measured.high) / 2))
    lower = exact(Enclosure(measured.low, measured.low - Fraction(1, 10**9)))
    assert falsify(alone(DRIFT, one), middle).witness is None
    assert falsify(alone(DRIFT, one), lower).witness is not None


def test_drawn_problems_tell_their_seed() -> None:
    one = instance(Setting(GENERAL[2](1), 1, 0, ONE, delays="zero"))
    assert one.seed == 2
    assert one.describe()["seed"] == 2
    assert GENERAL[2](3) == GENERAL[2](3) != GENERAL[3](3)


def test_pipedream_delays_are_those_of_the_run() -> None:
    matrix = delays(timeline(build("pipedream", 3, 20))).matrix
    assert [pipedream_delays(3, k) for k in range(12)] == [tuple(row) for row in matrix[:12]]


def test_bounds_may_use_any_of_the_symbols() -> None:
    assert falsify(CHALLENGES["rpd-average-gradient"], p * G**2 * (1 + L * gamma * tau) ** 2).tried
