"""Extremal instances attain the bounds that the claims state, and nothing goes beyond them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
import sympy

from theory.judging.catalogue import CLAIMS
from theory.papers.rpd import PAPER, lemma_b2
from theory.papers.rpd import symbols as s
from theory.papers.rpd.runs.extremal import (
    G,
    expected_stale_distance,
    extrapolated_distance,
    gap_after_one_step,
    gap_at_largest_stepsize,
    play,
    stale_distance,
)
from theory.papers.rpd.tightness import TIGHTNESS
from theory.record import Paper
from theory.tightness.evidence import Attained, Extremal

SIZES = [(1, 1), (1, 3), (2, 1), (2, 4), (3, 3), (4, 2)]
GAMMA = Fraction(2, 7)


def _value(term: sympy.Expr, **constants: object) -> Fraction:
    """A term of a bound at G as in the instances."""
    symbols = {getattr(s, name): sympy.sympify(value) for name, value in constants.items()}
    found = term.subs({s.G: sympy.Rational(G.numerator, G.denominator), **symbols})
    return Fraction(int(found.p), int(found.q))


@pytest.mark.parametrize(("p", "tau"), SIZES)
def test_lemma_b2_is_attained(p: int, tau: int) -> None:
    found = stale_distance(p, tau, GAMMA)
    printed = sum(lemma_b2.CLAIM.printed.values())
    assert found.attained == found.bound == _value(printed, tau=tau, gamma=GAMMA, p=p)


@pytest.mark.parametrize(("p", "tau"), SIZES)
def test_the_second_moment_is_attained_and_below_the_square(p: int, tau: int) -> None:
    found = expected_stale_distance(p, tau, GAMMA)
    term = CLAIMS["rpd.sharp-thm-4.1"].printed["staleness"]
    assert found.attained == found.bound == _value(term, tau=tau, gamma=GAMMA, p=p, L=1)
    assert (found.bound < stale_distance(p, tau, GAMMA).bound) == (p > 1 and tau > 1)


@pytest.mark.parametrize(("p", "tau"), SIZES)
@pytest.mark.parametrize("beta", [Fraction(0), Fraction(1, 3), Fraction(1)])
def test_lemma_i2_needs_no_root_of_p(p: int, tau: int, beta: Fraction) -> None:
    found = extrapolated_distance(p, tau, GAMMA, beta)
    term = CLAIMS["rpd.sharp-nag-pathwise"].printed["staleness"]
    stated = _value(term, tau=tau, gamma=GAMMA, p=p, L=1, beta=beta)
    assert found.attained == found.bound == stated


@pytest.mark.parametrize(("p", "tau", "beta"), [(2, 2, 1), (3, 2, 1), (2, 3, Fraction(1, 2))])
def test_no_signs_and_draws_go_beyond_lemma_i2(p: int, tau: int, beta: Fraction) -> None:
    bound = extrapolated_distance(p, tau, GAMMA, Fraction(beta)).bound
    choices = product(product(range(p), (0, 1)), repeat=tau + 1)
    reached = set()
    for draws in choices:
        path = play(
            (Fraction(0),) * p, lambda i, m, x: -G if m else G, draws, tau, GAMMA, Fraction(beta)
        )
        model, stale = path[-1]
        reached.add(sum((x - y) ** 2 for x, y in zip(model, stale, strict=True)))
    assert max(reached) == bound


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("mu", [Fraction(1, 2), Fraction(3)])
def test_eq_15_is_attained_at_the_largest_stepsize(p: int, mu: Fraction) -> None:
    found = gap_at_largest_stepsize(p, mu)
    total = sum(CLAIMS["rpd.eq-15"].printed.values())
    stated = _value(total, p=p, mu=mu, L=mu, gamma=p / mu, K=1, tau=0, Delta=0)
    assert found.attained == found.bound == stated


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("gamma", [Fraction(1, 9), Fraction(1), Fraction(7)])
def test_one_step_of_h1_is_attained_for_every_stepsize(p: int, gamma: Fraction) -> None:
    found = gap_after_one_step(p, Fraction(2), gamma)
    assert found.attained == found.bound == 2 * gamma**2 * G**2 / 2


def test_beyond_the_largest_stepsize_eq_15_fails() -> None:
    p, mu = 2, Fraction(1)
    gamma = p / mu + Fraction(1, 10)
    total = sum(CLAIMS["rpd.eq-15"].printed.values())
    stated = _value(total, p=p, mu=mu, L=mu, gamma=gamma, K=1, tau=0, Delta=0)
    assert gap_after_one_step(p, mu, gamma).attained > stated


ATTAINED = {name: one for name, one in TIGHTNESS.items() if isinstance(one, Attained)}


@pytest.mark.parametrize("claim", ATTAINED)
def test_every_instance_attains_the_whole_bound(claim: str) -> None:
    assert ATTAINED[claim].evidence().data["ratio"] == "1"


def test_an_instance_above_its_bound_speaks_against_it() -> None:
    evidence = Attained(lambda: Extremal("a run", Fraction(3), Fraction(2))).evidence()
    assert (evidence.points, evidence.data["ratio"]) == ("against", "3/2")


@pytest.mark.slow
def test_tightness_is_evidence_of_its_claim_that_takes_long() -> None:
    row = next(row for row in PAPER.rows if row.id == "rpd.lemma-b2")
    paper = Paper((row,), tightness={row.id: ATTAINED[row.id]})
    (claim,) = paper.claims
    assert claim.deeper is not None
    assert row.deeper is not None
    first, *_ = claim.deeper(claim.printed)
    assert first.says.startswith("tightness")
    assert Paper((row,)).claims == (row,)


def test_a_run_reads_min_tau_k_updates_back() -> None:
    path = play((Fraction(0),), lambda i, m, x: Fraction(-1), [(0, 0)] * 4, 2, Fraction(1))
    assert [int(stale[0]) for _, stale in path] == [0, 0, 0, 1, 2]
