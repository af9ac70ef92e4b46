"""SAPipe-DC and SAPipe-WP with option 3, run exactly: they obey their bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from typing import Any, Final

import numpy as np
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from schedules.methods import SAPipeDC, SAPipeWP, run
from theory.kernel.vectors import Scalar, square
from theory.papers.sapipe.dc_method import COMPENSATED, E_T, FRESH
from theory.papers.sapipe.lemmas import (
    dc_fourths_full,
    dc_squares,
    repaired_thm_6,
    sharp_thm_3_full,
    wp_3_moment,
    wp_3_outer,
)
from theory.papers.sapipe.lemmas.dc_fourths_drawn import DRAWN
from theory.papers.sapipe.symbols import R0, V1, V2, Delta, L, M, T, eta, kappa, lambda_, n
from theory.papers.sapipe.witnesses.wp_3_flaws import Capped, Fleet

MOST: Final = Fraction(29, 100)
"""A little less than 1 − 1/√2."""

CONSTANTS: Final = {L: 1, V1: 0, V2: 4, M: Fraction(1, 4), Delta: 4, kappa: 1}
"""Of workers with the slopes of `Capped`, all of them exact; |f'² − f''| is at most 4."""

Numbers = dict[str, Fraction | int]

rates = st.fractions(Fraction(1, 10), 1, max_denominator=10)
starts = st.fractions(-1, 1, max_denominator=8)
shares = st.fractions(0, 1, max_denominator=8)


def at(form: Scalar, **values: Fraction | int) -> Fraction:
    """A formula at these values and the constants of the losses."""
    given_ = {symbol: values[symbol.name] for symbol in _SYMBOLS if symbol.name in values}
    known = {**CONSTANTS, **given_}
    number = sympy.sympify(form).subs(
        {one: sympy.Rational(str(value)) for one, value in known.items()}
    )
    return Fraction(int(number.p), int(number.q))


_SYMBOLS: Final = (R0, T, eta, lambda_, n)


def bound(theorem: Any, **values: Fraction | int) -> Fraction:
    return at(sympy.Add(*theorem.terms.values()), **values)


def models(method: SAPipeDC, start: Fraction, updates: int) -> list[Fraction]:
    """x_0 = x_{−1}, x_1, … from the first update that is done."""

    def gradient(x: Any, worker: int, draw: None) -> Any:
        return np.array([Capped().slope(x[0])], dtype=object)

    found = run(method, np.array([start], dtype=object), gradient, [(None,)] * (updates + 1))
    return [state.model[0] for state in found][1:]


@given(rates, starts, shares)
@settings(max_examples=25, deadline=None)
def test_delay_compensation_keeps_its_bounds(
    rate: Fraction, start: Fraction, share: Fraction
) -> None:
    """Steps never exceed √2 η√V₂, and the averages stay below the sharp theorems."""
    weight = share * MOST / (rate * 4)
    run_ = models(SAPipeDC(1, rate, weight), start, 8)
    assert run_[0] == start
    steps = [(later - now) ** 2 for now, later in pairwise([start, *run_])]
    count = len(run_)
    assert max(steps) <= 2 * rate**2 * 4
    assert sum(steps) / count <= rate**2 * at(sympy.Add(*dc_squares.THEOREM.terms.values()))
    fourth = sum(one**2 for one in steps) / count
    assert fourth <= rate**4 * at(sympy.Add(*dc_fourths_full.THEOREM.terms.values()))
    average = sum(Capped().slope(x) ** 2 for x in run_) / count
    known: Numbers = {"eta": rate, "lambda": weight, "T": count, "n": 1, "R0": start**2 / 2}
    assert average <= bound(sharp_thm_3_full.THEOREM, **known)


@given(rates, starts, shares, st.lists(starts, min_size=1, max_size=3))
@settings(max_examples=25, deadline=None)
def test_option_3_keeps_the_repaired_bounds(
    rate: Fraction, start: Fraction, weight: Fraction, centres: list[Fraction]
) -> None:
    middle = sum(centres, Fraction(0)) / len(centres)
    losses = tuple(Capped(centre - middle) for centre in centres)
    fleet = Fleet(losses, rate, weight, start)
    run_ = [start, *(x for x, _ in fleet.iterations(7))]
    # Slopes are those of parabolas as long as no worker is further than 1 from its centre.
    assume(all(abs(x - one.centre) <= 1 for x in [Fraction(0), *run_] for one in losses))
    slopes = [sum((one.slope(x) for one in losses), Fraction(0)) / len(losses) for x in run_]
    average = sum((slope**2 for slope in slopes), Fraction(0)) / len(run_)
    known: Numbers = {
        "eta": rate,
        "lambda": weight,
        "T": len(run_),
        "n": len(losses),
        "R0": start**2 / 2,
    }
    assert average <= bound(wp_3_moment.THEOREM, **known)
    if 3 * (1 + (1 + 8 * weight * rate) ** 2) * rate**2 < 1:
        assert average <= bound(repaired_thm_6.THEOREM, **known)


@given(rates, starts, shares)
@settings(max_examples=15, deadline=None)
def test_one_worker_predicts_perfectly(rate: Fraction, start: Fraction, weight: Fraction) -> None:
    method = SAPipeWP(1, rate, 3, weight)

    def gradient(x: Any, worker: int, draw: None) -> Any:
        return np.array([Capped().slope(x[0])], dtype=object)

    states = list(run(method, np.array([start], dtype=object), gradient, [(None,)] * 6))
    for now, later in pairwise(states):
        assert method.points(now)[0][0] == later.model[0]


WEIGHTS: Final[dict[str, Any]] = {
    "fresh": lambda share: 1 - share,
    "stale": lambda share: share,
    "both": lambda share: 2 * share * (1 - share),
}
"""What `DRAWN` gives ‖f‖⁴, ‖c‖⁴ and ‖f‖²‖c‖²."""

coordinates = st.fractions(-2, 2, max_denominator=4)
pairs = st.tuples(coordinates, coordinates)


@given(pairs, pairs, pairs)
@settings(max_examples=60, deadline=None)
def test_rank_one_matrices_are_as_close_as_their_vectors(
    p: tuple[Fraction, Fraction], a: tuple[Fraction, Fraction], x: tuple[Fraction, Fraction]
) -> None:
    """‖ppᵀΔx − aaᵀΔx‖² ≤ 4η²V₂²‖p − a‖², with the least V₂ and η."""

    def inner(u: tuple[Fraction, ...], v: tuple[Fraction, ...]) -> Fraction:
        return sum((i * j for i, j in zip(u, v, strict=True)), Fraction(0))

    largest = max(inner(p, p), inner(a, a))
    assume(largest > 0)
    outer = tuple(inner(p, x) * i - inner(a, x) * j for i, j in zip(p, a, strict=True))
    apart = tuple(i - j for i, j in zip(p, a, strict=True))
    assert inner(outer, outer) <= 4 * largest * inner(x, x) * inner(apart, apart)
    # η² = ‖Δx‖²/V₂ turns 4η²V₂² into 4V₂‖Δx‖²
    factor = sympy.cancel(wp_3_outer.THEOREM.terms["apart"] / (eta**2 * V2**2))
    assert factor.as_coeff_Mul()[0] == 4


@given(st.lists(pairs, min_size=1, max_size=4), shares)
@settings(max_examples=60, deadline=None)
def test_the_fourth_moment_of_an_independent_draw(
    elements: list[tuple[Fraction, Fraction]], share: Fraction
) -> None:
    """Every draw of fresh and stale elements with its probability, against `DRAWN`."""
    fresh, stale = (sum((one[k] ** 2 for one in elements), Fraction(0)) for k in (0, 1))
    mean = Fraction(0)
    for drawn in product((0, 1), repeat=len(elements)):
        weight = share ** sum(drawn) * (1 - share) ** (len(drawn) - sum(drawn))
        size = sum((one[k] ** 2 for one, k in zip(elements, drawn, strict=True)), Fraction(0))
        mean += weight * size**2
    moments = {"fresh": fresh**2, "stale": stale**2, "both": fresh * stale}
    assert mean <= sum((WEIGHTS[name](share) * one for name, one in moments.items()), Fraction(0))


def test_the_weights_are_those_of_the_hypothesis() -> None:
    forms = {
        "fresh": square(FRESH) ** 2,
        "stale": square(COMPENSATED) ** 2,
        "both": square(FRESH) * square(COMPENSATED),
    }
    stated = sum((WEIGHTS[name](kappa) * E_T.of(one) for name, one in forms.items()), sympy.S.Zero)
    assert sympy.expand(DRAWN.relation.rhs - stated) == 0


def test_the_recurrence_of_an_independent_draw_stays_at_most_at_4() -> None:
    """Its fixed point for V₂ = 1, over a grid of κ and of q up to 1 − 1/√2."""
    for part in range(41):
        kappa_ = part / 40
        for q in np.linspace(0, 1 - 0.5**0.5, 25):
            c = 1 / (1 - q)
            mean = (1 - kappa_ + kappa_ * c) / (1 - kappa_ * q)
            added = kappa_ * (c * c + 2 * c * q * mean)
            added += 2 * kappa_ * (1 - kappa_) * (c + q * mean)
            assert (1 - kappa_ + added) / (1 - kappa_ * q * q) <= 4 + 1e-12
