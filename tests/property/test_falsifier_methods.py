"""Independent implementations of each method agree, on random instances."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.falsifier.compare import enclosure
from theory.falsifier.problem import Problem
from theory.falsifier.zoo import (
    BENT,
    BOUNDED,
    GENERAL,
    LINES,
    LOCAL,
    LOCAL_LINES,
    LONG,
    LONG_LOCAL,
    QUADRATICS,
    SMOOTH,
    LocalMaker,
    Maker,
)
from theory.papers.localsgd.runs.local import LocalSetting, local_instance
from theory.papers.localsgd.runs.paths import walk_replicas
from theory.papers.localsgd.runs.replica_moments import geometric_totals, totals, unrolled_totals
from theory.papers.localsgd.runs.replicas import Local, follow_replicas
from theory.papers.rpd.runs.adversary import worst_rule
from theory.papers.rpd.runs.chain import Method, follow
from theory.papers.rpd.runs.delays import FIXED, PAST, checked, rule
from theory.papers.rpd.runs.moments import follow_moments
from theory.papers.rpd.runs.paths import walk
from theory.papers.rpd.runs.stacked import follow_stacked

EXACT = (*LINES, *QUADRATICS, *BENT, *BOUNDED, *GENERAL)
SIZES = {(1, 1): 5, (2, 1): 4, (3, 1): 3, (1, 2): 4, (2, 2): 3, (1, 3): 3, (2, 3): 2, (3, 2): 2}
"""Longest runs whose paths are walked, by blocks and components."""

gammas = st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(5, 2)])


@st.composite
def block_runs(draw: st.DrawFn, makers: tuple[Maker, ...]) -> tuple[Problem, Method]:
    p = draw(st.integers(1, 3))
    problem = draw(st.sampled_from(makers))(p)
    longest = SIZES.get((p, len(problem.components)), 2)
    tau = draw(st.integers(0, 3))
    reads = rule(draw(st.sampled_from((*FIXED, *PAST))), problem, tau)
    beta = draw(st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(2)]))
    return problem, Method(draw(st.integers(1, longest)), tau, draw(gammas), beta, reads)


@settings(max_examples=60)
@given(block_runs(EXACT))
def test_the_merged_chain_equals_all_paths(run: tuple[Problem, Method]) -> None:
    assert follow(*run, values=True) == walk(*run, values=True)


@pytest.mark.parametrize("make", SMOOTH)
def test_intervals_of_the_chain_and_of_the_paths_meet(make: Maker) -> None:
    problem = make(2)
    method = Method(2, 1, Fraction(3, 2), Fraction(1, 2), rule("max", problem, 1))
    one, other = follow(problem, method), walk(problem, method)
    for a, b in zip(
        (*one.gradients, *one.drifts, *one.farthest, one.block),
        (*other.gradients, *other.drifts, *other.farthest, other.block),
        strict=True,
    ):
        first, second = enclosure(a), enclosure(b)
        assert first.low <= second.high
        assert second.low <= first.high
        assert first.high - first.low < Fraction(1, 10**9)


@settings(max_examples=40)
@given(
    st.sampled_from((*LINES, *QUADRATICS)),
    st.integers(1, 3),
    st.integers(0, 3),
    gammas,
    st.sampled_from(FIXED),
)
def test_stacked_moments_equal_the_chain(
    make: Maker, p: int, tau: int, gamma: Fraction, delays: str
) -> None:
    problem = make(p)
    K = SIZES.get((p, len(problem.components)), 2) + 1
    method = Method(K, tau, gamma, Fraction(0), rule(delays, problem, tau))
    chain = follow(problem, method, values=True)
    stacked = follow_stacked(problem, K, tau, gamma, delays)
    assert stacked.gradients == chain.gradients
    assert stacked.drifts == chain.drifts
    origin = problem.value((Fraction(0),) * p)
    assert tuple(value + origin for value in stacked.values) == chain.values[:-1]


def test_doubles_follow_the_exact_moments() -> None:
    problem = QUADRATICS[1](2)
    exact = follow_stacked(problem, 40, 2, Fraction(1, 4), "max")
    double = follow_stacked(problem, 40, 2, Fraction(1, 4), "max", "double")
    assert double.gradients == pytest.approx([float(value) for value in exact.gradients])
    assert double.drifts == pytest.approx([float(value) for value in exact.drifts])


@settings(max_examples=40)
@given(st.sampled_from((*LONG, QUADRATICS[3], QUADRATICS[6])), st.integers(1, 3), gammas)
def test_moment_recursions_equal_the_chain(make: Maker, p: int, gamma: Fraction) -> None:
    problem = make(p)
    K = SIZES.get((p, len(problem.components)), 2) + 1
    method = Method(K, 0, gamma, Fraction(0), rule("zero", problem, 0))
    assert follow_moments(problem, method, values=True) == follow(problem, method, values=True)


@settings(max_examples=40)
@given(block_runs(EXACT), st.integers(0, 5))
def test_delays_stay_in_their_bounds(run: tuple[Problem, Method], k: int) -> None:
    problem, method = run
    past = tuple(tuple(x + j for x in problem.start) for j in range(min(k, method.tau) + 1))
    assert len(checked(method.reads(k, past), k, method.tau)) == problem.p


@pytest.mark.parametrize("make", [*QUADRATICS[:2], BOUNDED[2], BOUNDED[4]])
def test_no_fixed_rule_beats_the_adversary(make: Maker) -> None:
    problem, K, tau = make(2), 3, 2
    gamma = Fraction(3, 2)

    def total(reads: object) -> Fraction:
        method = Method(K, tau, gamma, Fraction(0), reads)  # type: ignore[arg-type]
        return Fraction(sum(follow(problem, method).gradients))

    worst = total(worst_rule(problem, K, tau, gamma, Fraction(0)))
    others = [total(rule(name, problem, tau)) for name in (*FIXED, *PAST)]
    assert worst >= max(others)


@st.composite
def local_runs(draw: st.DrawFn, makers: tuple[LocalMaker, ...]) -> tuple[Problem, Local]:
    N, p = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    problem = draw(st.sampled_from(makers))(N, p)
    draws = (len(problem.components) // N) ** N
    T = draw(st.integers(1, 4 if draws == 1 else 3 if draws <= 4 else 2 if draws <= 9 else 1))
    return problem, Local(N, T, draw(st.integers(1, 3)), draw(gammas))


@settings(max_examples=60)
@given(local_runs((*LOCAL_LINES, *LOCAL)))
def test_merged_replicas_equal_all_paths(run: tuple[Problem, Local]) -> None:
    assert follow_replicas(*run) == walk_replicas(*run)


@settings(max_examples=40)
@given(local_runs(LONG_LOCAL), st.sampled_from([Fraction(1, 3), Fraction(1)]))
def test_geometric_sums_equal_the_tree(run: tuple[Problem, Local], gamma: Fraction) -> None:
    problem, method = run[0], replace(run[1], gamma=gamma)
    found = geometric_totals(problem, method)
    assert found == totals(follow_replicas(problem, method))
    assert found == unrolled_totals(problem, method)


@settings(max_examples=20)
@given(st.integers(1, 5), st.integers(1, 60), st.integers(1, 9), st.integers(0, 5))
def test_long_runs_in_closed_form_equal_their_recursion(N: int, T: int, H: int, power: int) -> None:
    problem = LONG_LOCAL[1](N, 2)
    method = Local(N, T, H, Fraction(1, 2**power))
    assert geometric_totals(problem, method) == unrolled_totals(problem, method)


def test_block_updates_of_localsgd_are_counted() -> None:
    """K = pNT."""
    one = local_instance(LocalSetting(LOCAL[0](3, 2), Local(3, 4, 2, Fraction(1, 2))))
    assert one.numbers["K"] == 24
