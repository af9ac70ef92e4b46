"""Bounds about LocalSGD against runs of it, all samplings enumerated, on random functions.

The runs here are written from the method's definition and share nothing with the prover. A replica
has two draws; functions are given by continuous, piecewise linear derivatives with bounded values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.claims import Formulas
from theory.papers.localsgd import drift, eq_11, eq_13
from theory.papers.localsgd.lemmas import (
    crude,
    homogeneous_drift,
    homogeneous_eq_11,
    mean_gradient,
    noise_drift,
    sharp_drift,
    sharp_eq_11,
)

Slope = tuple[Fraction, ...]
"""A derivative at 0, 1, …, 6; constant outside, linear in between."""

KNOTS = 7
SIZES = st.integers(-2, 2).map(Fraction)


def at(slope: Slope, x: Fraction) -> Fraction:
    """The derivative at x."""
    if x <= 0:
        return slope[0]
    if x >= KNOTS - 1:
        return slope[-1]
    below = int(x)
    return slope[below] + (x - below) * (slope[below + 1] - slope[below])


def mean(slopes: Sequence[Slope]) -> Slope:
    return tuple(sum(column) / Fraction(len(slopes)) for column in zip(*slopes, strict=True))


def area(slope: Slope, x: Fraction) -> Fraction:
    """The function at a knot x, 0 at 0."""
    return sum((slope[k] + slope[k + 1] for k in range(int(x))), Fraction(0)) / 2


def lowest_value(slope: Slope) -> Fraction:
    """The least value at knots and where the derivative rises through 0."""
    knots = [area(slope, Fraction(k)) for k in range(KNOTS)]
    between = [
        knots[k] - a**2 / (2 * (b - a)) for k, (a, b) in enumerate(pairwise(slope)) if a < 0 < b
    ]
    return min(knots + between)


@dataclass(frozen=True)
class Run:
    """N replicas with two draws each, from a knot, T steps, period H."""

    draws: tuple[tuple[Slope, Slope], ...]
    start: int
    T: int
    H: int
    gamma: Fraction

    @property
    def each(self) -> list[Slope]:
        """f_r, by its derivative."""
        return [mean(pair) for pair in self.draws]

    def constants(self) -> dict[str, sympy.Expr]:
        """L, G̃², σ² and Δ as the theorem assumes them, G̃ above 0."""
        f = mean(self.each)
        bend = max(abs(b - a) for one in (*self.each, f) for a, b in pairwise(one))
        # squares of piecewise linear functions are convex between knots: knots decide
        moment = max(
            (one[k] ** 2 + two[k] ** 2) / 2 for one, two in self.draws for k in range(KNOTS)
        )
        spread = max((one[k] - two[k]) ** 2 / 4 for one, two in self.draws for k in range(KNOTS))
        lowest = lowest_value(f)
        gap = area(f, Fraction(self.start)) - lowest
        roots = {
            "Gtilde": sympy.sqrt(sympy.Rational(moment)),
            "sigma": sympy.sqrt(sympy.Rational(spread)),
        }
        plain = {"L": bend, "Delta": gap, "gamma": self.gamma, "T": self.T, "H": self.H}
        plain |= {"N": len(self.draws), "p": 1, "K": self.T * len(self.draws)}
        return roots | {name: sympy.Rational(number) for name, number in plain.items()}


@dataclass(frozen=True)
class Measured:
    """Exact expectations: the mean of ‖∇f(x̄)‖², and the largest drifts and mean gradient."""

    gradient: Fraction
    drift: Fraction
    worst_replica: Fraction
    slope: Fraction


def measured(run: Run) -> Measured:
    """Every sampling path on its own."""
    f, paths = mean(run.each), list(product(product((0, 1), repeat=len(run.draws)), repeat=run.T))
    gradients, slopes = Fraction(0), Fraction(0)
    away = [[Fraction(0)] * len(run.draws) for _ in range(run.T)]
    for path in paths:
        x = [Fraction(run.start)] * len(run.draws)
        for t, drawn in enumerate(path):
            middle = sum(x) / Fraction(len(x))
            gradients += at(f, middle) ** 2
            for r, model in enumerate(x):
                away[t][r] += (model - middle) ** 2 / Fraction(len(paths))
            h = sum(at(own, one) for own, one in zip(run.each, x, strict=True)) / Fraction(len(x))
            slopes = max(slopes, h**2)
            x = [one - run.gamma * at(run.draws[r][drawn[r]], one) for r, one in enumerate(x)]
            if (t + 1) % run.H == 0:
                x = [sum(x) / Fraction(len(x))] * len(x)
    drifts = [sum(row) / Fraction(len(row)) for row in away]
    return Measured(gradients / len(paths) / run.T, max(drifts), max(map(max, away)), slopes)


def bound(terms: Formulas, constants: dict[str, sympy.Expr]) -> sympy.Expr:
    form = sympy.Add(*terms.values())
    return form.xreplace({symbol: constants[symbol.name] for symbol in form.free_symbols})


def bounded_below(slope: Slope) -> Slope:
    """Falling before 0 and rising after the last knot, or flat."""
    return (min(slope[0], Fraction(0)), *slope[1:-1], max(slope[-1], Fraction(0)))


@st.composite
def runs(draw: st.DrawFn, equal: bool = False) -> Run:
    """Small runs with γ from far below to far above 1/L."""
    slope = st.tuples(*[SIZES] * KNOTS).map(bounded_below)
    pair = st.tuples(slope, slope)
    replicas = draw(st.integers(1, 2))
    draws = (draw(pair),) * replicas if equal else tuple(draw(pair) for _ in range(replicas))
    T = draw(st.integers(1, 4 if replicas == 1 else 3))
    gamma = draw(st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(3)]))
    return Run(draws, draw(st.integers(0, KNOTS - 1)), T, draw(st.integers(1, T)), gamma)


@pytest.mark.slow
@given(runs())
@settings(max_examples=120, deadline=None)
def test_no_run_exceeds_a_bound(run: Run) -> None:
    found, constants = measured(run), run.constants()
    if constants["L"] == 0 or constants["Gtilde"] == 0:
        return
    assert found.drift <= bound(sharp_drift.THEOREM.terms, constants)
    assert found.worst_replica <= bound(drift.THEOREM.terms, constants)
    assert found.slope <= bound(mean_gradient.THEOREM.terms, constants)
    assert found.gradient <= bound(crude.THEOREM.terms, constants)
    assert found.gradient <= bound(eq_11.THEOREM.terms, constants)  # whatever γ is
    if constants["gamma"] * constants["L"] <= 1:
        assert found.gradient <= bound(sharp_eq_11.THEOREM.terms, constants)


@given(runs(equal=True))
@settings(max_examples=80, deadline=None)
def test_replicas_of_one_function_drift_less(run: Run) -> None:
    constants = run.constants()
    if constants["Gtilde"] == 0:
        return
    whole = measured(run)
    found = whole.drift
    assert found <= bound(homogeneous_drift.THEOREM.terms, constants)
    if constants["L"] > 0:
        if constants["gamma"] * constants["L"] <= 1:
            assert whole.gradient <= bound(homogeneous_eq_11.THEOREM.terms, constants)
        longest = {"j": sympy.Integer(run.H - 1)}  # the bound rises with j
        assert found <= bound(noise_drift.THEOREM.terms, constants | longest)


@given(runs())
@settings(max_examples=60, deadline=None)
def test_tuned_runs_stay_below_13(run: Run) -> None:
    """Where √(N/T) is rational; on both branches, N = 2 with T = 1 being the first."""
    constants = run.constants()
    ratio = sympy.sqrt(sympy.Min(1, constants["N"] / constants["T"]))
    if constants["L"] == 0 or constants["Gtilde"] == 0 or not ratio.is_Rational:
        return
    step = Fraction(int(ratio.p), int(ratio.q)) / Fraction(str(constants["L"]))
    tuned = Run(run.draws, run.start, run.T, run.H, step)
    assert measured(tuned).gradient <= bound(eq_13.TERMS, tuned.constants())
