"""Random exact runs do what the lemmas about all runs say."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.falsifier.numbers import fraction
from theory.papers.nesterov.witnesses.energy import (
    LANDING,
    NO_CONVERGENCE,
    energy,
    error_bound,
    growth,
    k,
    landing,
    t,
)
from theory.papers.nesterov.witnesses.growth import HUBER, replayed
from theory.papers.nesterov.witnesses.turning import cosines, departs

DELAYS = st.integers(2, 6)
NUMBERS = st.fractions(-3, 3, max_denominator=12)
SHORT = settings(max_examples=25)


@SHORT
@given(DELAYS, st.fractions(-20, 20, max_denominator=9), st.fractions(0, 2, max_denominator=7))
def test_steps_are_short_and_the_look_ahead_is_near(
    tau: int, start: Fraction, stepsize: Fraction
) -> None:
    c = stepsize + Fraction(1, 9)
    found = replayed(tau, c, start, 40)
    w, kappa = found.points, c * (tau - 1)
    moves = [(then - now) / c for now, then in pairwise(w)]  # A_1, A_2, …
    assert all(abs(move) <= 1 for move in moves)
    assert all(abs(now - last) * at <= 4 for at, (last, now) in enumerate(pairwise(moves), start=2))
    for at in range(tau + 2, 41):
        error = found.read[at - 1] - (w[at - 1] - kappa * moves[at - 2])
        assert abs(error) * (at - tau) <= 2 * kappa * (tau - 1)


@SHORT
@given(DELAYS, st.integers(2, 5000), NUMBERS, NUMBERS, NUMBERS)
def test_the_matrix_is_that_of_one_step(
    tau: int, at: int, w: Fraction, move: Fraction, error: Fraction
) -> None:
    one, c, now = NO_CONVERGENCE, Fraction(1, tau - 1), Fraction(at)
    y = w - move + error
    then = (1 - 2 / now) * move - 2 / now * y
    half = Fraction(1, 2)
    before = energy(w, move, at, c, half)
    rise = energy(w + c * then, then, at + 1, c, half) - before
    b = fraction(error_bound(one).subs(k, tau - 1))
    slack = Fraction(8, tau - 1) * (b * before / now - error**2)
    matrix = growth(one).subs({k: tau - 1, t: at})
    at_point = sympy.Matrix([sympy.Rational(str(x)) for x in (w, move, error)])
    assert fraction((at_point.T * matrix * at_point)[0]) == rise - slack


@SHORT
@given(DELAYS, st.integers(2, 5000), NUMBERS, NUMBERS)
def test_the_landing_matrix_is_that_of_the_energy(
    tau: int, at: int, w: Fraction, move: Fraction
) -> None:
    c = Fraction(1, tau - 1)
    x = w - c * tau * move
    value = energy(w, move, at, c, Fraction(1, 2)) - fraction(LANDING) * x**2
    point = sympy.Matrix([sympy.Rational(str(number)) for number in (x, move)])
    matrix = landing(NO_CONVERGENCE).subs({k: tau - 1, t: at})
    assert fraction((point.T * matrix * point)[0]) == value


@SHORT
@given(st.integers(0, 4), NUMBERS)
def test_gaps_are_heights_above_the_minimum(tau: int, start: Fraction) -> None:
    found = replayed(tau, Fraction(1), start, 5)
    for at, w in enumerate(found.points, start=1):
        assert found.gap(at) == HUBER.value(w) - HUBER.value(Fraction(0)) >= 0
    assert found.passes(10**6) is None


def test_no_turn_is_later_than_the_proof_allows() -> None:
    """From t on, w crosses 0 before 2t; turns of the run come at about t = (nπ)²/8."""
    turns = [at for at, cosine in cosines(1, 300).items() if cosine != 1]
    assert departs()
    assert all(then < 2 * now for now, then in pairwise(turns))
