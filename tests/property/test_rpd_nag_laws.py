"""Appendices H and I against brute force: every way to draw blocks, every delay."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.judging.decide import verdict_of
from theory.papers.rpd import eq_15, lemma_i2
from theory.papers.rpd.lemmas import draw_counts, sharp_lemma_i2_any_beta, sharp_nag_drift
from theory.papers.rpd.lemmas.draw_counts import w
from theory.papers.rpd.symbols import Delta, G, K, L, beta, gamma, mu, p, tau
from theory.papers.rpd.witnesses.nag_paths import Path
from theory.verdicts import Verdict

SMALL = [(1, 0), (1, 3), (2, 1), (2, 2), (3, 1), (2, 3), (3, 2)]
FACTORS = st.fractions(0, 8, max_denominator=6)


def exact(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)


def reach(stages: int, drawn: tuple[int, ...], extrapolation: Fraction) -> Fraction:
    """The largest Σ_i (n_i + βb_i)² of any delays, oldest draw first, signs at their worst."""
    most = Fraction(0)
    for block in range(stages):
        hits = [one == block for one in reversed(drawn)]
        most += max(
            (sum(hits[:late]) + extrapolation * hits[late]) ** 2 for late in range(len(drawn))
        )
    return most


@pytest.mark.parametrize(("stages", "delay"), SMALL)
@given(extrapolation=FACTORS)
@settings(max_examples=8)
def test_largest_distance_of_all_draws(stages: int, delay: int, extrapolation: Fraction) -> None:
    found = max(
        reach(stages, drawn, extrapolation) for drawn in product(range(stages), repeat=delay + 1)
    )
    assert found == sharp_lemma_i2_any_beta.largest(stages, delay, extrapolation)
    if extrapolation**2 <= 2 * extrapolation + delay:
        assert found == (delay + extrapolation) ** 2
    printed = sympy.Add(*lemma_i2.CLAIM.printed.values())
    at = {gamma: 1, G: 1, tau: delay, p: stages, beta: exact(extrapolation)}
    assert exact(found) <= printed.subs(at) ** 2


@pytest.mark.parametrize(("stages", "delay"), SMALL)
@given(extrapolation=FACTORS, data=st.data())
@settings(max_examples=8)
def test_no_path_is_farther(
    stages: int, delay: int, extrapolation: Fraction, data: st.DataObject
) -> None:
    blocks, signs = st.integers(0, stages - 1), st.sampled_from((-1, 1))
    draws = data.draw(st.lists(st.tuples(blocks, signs), min_size=delay + 1, max_size=delay + 1))
    late = data.draw(st.tuples(*[st.integers(0, delay)] * stages))
    path = Path(stages, tuple(draws), late)
    assert path.replay(extrapolation) <= sharp_lemma_i2_any_beta.largest(
        stages, delay, extrapolation
    )


@pytest.mark.parametrize(("stages", "delay"), SMALL)
@given(extrapolation=st.fractions(0, 1, max_denominator=6))
@settings(max_examples=4)
def test_mean_over_all_draws(stages: int, delay: int, extrapolation: Fraction) -> None:
    every = list(product(range(stages), repeat=delay + 1))
    weights = [
        sum(
            (drawn[1:].count(block) + extrapolation * (drawn[0] == block)) ** 2
            for block in range(stages)
        )
        for drawn in every
    ]
    mean = exact(Fraction(sum(weights), len(every)))
    at = {p: stages, tau: delay, w: delay, gamma: 1, G: 1, beta: exact(extrapolation)}
    assert mean == sympy.Add(*draw_counts.WITH_ONE_BEFORE.terms.values()).subs(at)
    assert mean == sharp_nag_drift.THEOREM.terms["drift"].subs(at)
    # and whatever the delays are, chosen with sight of the past, no path is farther than its weight
    assert all(
        reach(stages, drawn, extrapolation) == weight
        for drawn, weight in zip(every, weights, strict=True)
    )


@given(
    stages=st.integers(1, 6),
    curvature=st.fractions(Fraction(1, 4), 4, max_denominator=5),
    excess=st.fractions(-3, 3, max_denominator=5),
    slope=st.fractions(Fraction(1, 3), 5, max_denominator=4),
)
@settings(max_examples=60)
def test_eq_15_fails_exactly_beyond_its_stepsize(
    stages: int, curvature: Fraction, excess: Fraction, slope: Fraction
) -> None:
    stepsize = stages / curvature * (1 + excess / 4)
    bound = sympy.Add(*eq_15.CLAIM.printed.values()).subs(
        {
            K: 1,
            Delta: 0,
            tau: 0,
            p: stages,
            mu: exact(curvature),
            L: exact(curvature),
            gamma: exact(stepsize),
            G: exact(slope),
        }
    )
    violated = exact(eq_15.one_update(curvature, stepsize, slope)) > bound
    assert violated == (excess > 0)


def test_beyond_is_decided_by_the_formulas() -> None:
    assert verdict_of(eq_15.beyond(eq_15.CLAIM.printed)) is Verdict.REFUTED
    wider = {**eq_15.CLAIM.printed, "sampling": mu * gamma**2 * G**2}
    assert verdict_of(eq_15.beyond(wider)) is Verdict.UNKNOWN
    # violated by the instance that is replayed, but not at γ = 2p/μ
    somewhere = mu * gamma**2 * G**2 / 2 - mu * G**2 * (gamma - 2 * p / mu) ** 2
    nearer = {**eq_15.CLAIM.printed, "sampling": somewhere}
    assert verdict_of(eq_15.beyond(nearer)) is Verdict.UNKNOWN
