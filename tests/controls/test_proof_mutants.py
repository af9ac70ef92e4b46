"""Negative controls: provers of a delay law must not prove a changed law.

Every coefficient and constant of every proved closed form is moved by one. A mutant may be
proved only where it is the same function on the whole domain, which a table of values decides
independently of the provers. Each test also names the mutants that are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, product
from typing import Any

import numpy as np
import pytest
import sympy

from schedules import FAMILIES, LINEARIZATIONS
from schedules.closed_forms.affine import Affine, Piecewise
from schedules.closed_forms.counts import CountForm, Region
from schedules.closed_forms.floor_sums import (
    FloorTerm,
    K,
    antidifference,
    floor_sum,
    floor_terms,
    p_,
    x_,
)
from schedules.linearization import get_linearization
from schedules.rules import GreedyRule
from schedules.stamps import StampedOrder
from theory.derive import derive
from theory.laws.delays import counts as count_proofs
from theory.laws.delays import matrix as delay_law
from theory.laws.delays.closed import Closed
from theory.laws.delays.counts import prove_counts, prove_floor_sums, prove_telescoping
from theory.laws.delays.matrix import prove_extremes, prove_mean
from theory.laws.delays.staleness import prove_staleness
from theory.laws.delays.start_times import prove_start_times
from theory.laws.delays.symbols import Size, Times
from theory.laws.delays.whole_run import prove_whole_run
from theory.smt.solver import Outcome
from theory.verdicts import Verdict, weakest

AFFINE = [name for name, family in FAMILIES.items() if family.affine]
every_family = pytest.mark.parametrize("family", AFFINE)

Mutants = Iterable[tuple[str, Any]]


@cache
def closed(family: str, linearization: str = "ascending") -> Closed:
    return derive(family, linearization).established


def times_of(family: str) -> Times:
    return Times(Size.symbolic(), closed(family).start_times)


def proved(outcomes: Outcome | list[Outcome]) -> bool:
    found = outcomes if isinstance(outcomes, list) else [outcomes]
    return weakest(outcome.verdict for outcome in found) is Verdict.PROVED


def survivors(mutants: Mutants, prove: Callable[[Any], Outcome | list[Outcome]]) -> set[str]:
    return {name for name, mutant in mutants if proved(prove(mutant))}


# Moving a form by one


def affine_mutants(form: Affine) -> Mutants:
    for step in (1, -1):
        yield f"{step:+}", form.plus(Affine((), step))
        for name, _ in form.terms:
            yield f"{step:+}*{name}", form.plus(Affine(((name, step),)))


def piecewise_mutants(form: Piecewise) -> Mutants:
    for position, piece in enumerate(form.pieces):
        for part, old in (("guard", piece.guard), ("value", piece.value)):
            for change, new in affine_mutants(old) if old else ():
                changed = replace(piece, **{part: new})
                pieces = (*form.pieces[:position], changed, *form.pieces[position + 1 :])
                yield f"{part} {position} {change}", Piecewise(pieces)


def polynomial_mutants(form: sympy.Expr, symbols: tuple[sympy.Symbol, ...]) -> Mutants:
    """Every coefficient up to degree 2, those that are 0 too, up and down by 1 and by 1/2."""
    monomials = sympy.itermonomials(symbols, 2)
    for monomial in sorted(monomials, key=sympy.default_sort_key):
        for step in (1, -1, sympy.Rational(1, 2), -sympy.Rational(1, 2)):
            yield f"plus {step}*{monomial}", sympy.expand(form + step * monomial)


def table_mutants(
    table: Mapping[Any, sympy.Expr], symbols: tuple[sympy.Symbol, ...] = (p_,)
) -> Mutants:
    for key, form in table.items():
        for change, mutant in polynomial_mutants(form, symbols):
            yield f"{key}: {change}", {**table, key: mutant}


@dataclass(frozen=True)
class Nudged(Piecewise):
    """A form that is off by a constant at one edge of its domain."""

    edge: Affine
    by: int

    def at(self, values: Mapping[str, Any], select: Callable[[Any, Any, Any], Any]) -> Any:
        value = super().at(values, select)
        return select(self.edge.at(values) >= 0, value + self.by, value)


EDGES = {
    "first microbatch": Affine((("m", -1),)),
    "last microbatch": Affine((("m", 1), ("M", -1)), 1),
    "first stage": Affine((("s", -1),)),
    "last stage": Affine((("s", 1), ("p", -1)), 1),
}


def nudges(form: Piecewise) -> Mutants:
    for name, edge in EDGES.items():
        for step in (1, -1):
            yield f"{name} {step:+}", Nudged(form.pieces, edge, step)


# The same function or not, by values


def start_grid() -> dict[str, Any]:
    rows = [
        (s, m, p, M) for p in range(2, 10) for M in (1, 3 * p) for s in range(p) for m in range(M)
    ]
    s, m, p, M = np.array(rows).T
    return {"s": s, "m": m, "p": p, "M": M, "pm": p * m}


def stage_grid(region: Region) -> dict[str, Any]:
    """All stages u and x, u in a region relative to x, of small pipelines."""
    rows = [(u, x, p) for p in range(2, 10) for u in range(p) for x in range(p)]
    u, x, p = np.array(rows).T
    inside = {Region.BELOW: u < x, Region.AT: u == x, Region.ABOVE: u > x}[region]
    return {"u": u[inside], "x": x[inside], "p": p[inside]}


def same_times(one: Piecewise, other: Piecewise) -> bool:
    values = start_grid()
    return np.array_equal(*(form.at(values, np.where) + 0 * values["s"] for form in (one, other)))


def same_floors(one: Affine, other: Affine, period: int, region: Region) -> bool:
    values = stage_grid(region)
    zero = 0 * values["u"]
    return np.array_equal(*((form.at(values) + zero) // period for form in (one, other)))


# Start times


def start_time_mutants(family: str) -> Mutants:
    guess = closed(family).start_times
    for which in ("forward", "backward"):
        form = getattr(guess, which)
        for change, mutant in chain(piecewise_mutants(form), nudges(form)):
            yield f"{which} {change}", replace(guess, **{which: mutant})


@pytest.mark.slow
@every_family
def test_start_times(family: str) -> None:
    guess, rule = closed(family).start_times, FAMILIES[family].rule
    admission = FAMILIES[family].admission
    assert isinstance(rule, (GreedyRule, StampedOrder))
    equal = {
        name
        for name, mutant in start_time_mutants(family)
        if same_times(mutant.forward, guess.forward) and same_times(mutant.backward, guess.backward)
    }
    assert equal == SAME_START_TIMES.get(family, set())
    alive = survivors(start_time_mutants(family), lambda g: prove_start_times(rule, admission, g))
    assert alive == equal


SAME_START_TIMES = {"pipedream": {"forward guard 1 -1"}}
"""Where m = 2p − 2s − 2 the two start-up formulas agree, so either piece may hold the border."""


# Counts of updates


def count_mutants(counts: CountForm) -> Mutants:
    for kind, by_region in counts.numerator.items():
        for region, form in by_region.items():
            for change, mutant in affine_mutants(form):
                changed = {**by_region, region: mutant}
                numerator = {**counts.numerator, kind: changed}
                yield f"{kind.name} {region.name} {change}", replace(counts, numerator=numerator)


def same_counts(one: CountForm, other: CountForm) -> bool:
    return all(
        same_floors(form, other.numerator[kind][region], one.period, region)
        for kind, by_region in one.numerator.items()
        for region, form in by_region.items()
    )


@pytest.mark.slow
@every_family
def test_counts(family: str) -> None:
    counts, lines = closed(family).counts, get_linearization("ascending")
    equal = {name for name, mutant in count_mutants(counts) if same_counts(mutant, counts)}
    assert equal == SAME_COUNTS.get(family, set())
    alive = survivors(count_mutants(counts), lambda c: prove_counts(times_of(family), c, lines))
    assert alive == equal


SAME_COUNTS = {name: {"F AT +1", "B AT -1"} for name in ("pipedream", "pipedream-runtime")}
"""At u = x the numerator 2x − 2p + 2 of F is even and the 1 of B odd: half of it rounds alike."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("linearization", "other"), [*product(LINEARIZATIONS, LINEARIZATIONS)])
def test_counts_belong_to_their_linearization(linearization: str, other: str) -> None:
    counts, foreign = (closed("pipedream", name).counts for name in (linearization, other))
    found = prove_counts(times_of("pipedream"), foreign, get_linearization(linearization))
    assert proved(found) == same_counts(counts, foreign)


@pytest.mark.parametrize(
    "change",
    [{"from_start": True}, {"per_microbatch": False}, {"period": 1}, {"period": 3}],
    ids=str,
)
def test_shape_of_counts(change: dict[str, Any]) -> None:
    wrong = replace(closed("pipedream").counts, **change)
    assert not proved(prove_counts(times_of("pipedream"), wrong, get_linearization("ascending")))


# Floors and their sums


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", ["value", "first", "stop"])
def test_floors(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = closed("pipedream").counts
    assert proved(prove_floor_sums(counts))

    def changed(*arguments: Any) -> list[FloorTerm]:
        first, *others = floor_terms(*arguments)
        return [replace(first, **{part: getattr(first, part) + 1}), *others]

    monkeypatch.setattr(count_proofs, "floor_terms", changed)
    assert not proved(prove_floor_sums(counts))


def test_telescoping(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proved(prove_telescoping())
    for wrong in (K, K**2, K**3, sympy.Integer(1)):
        monkeypatch.setattr(
            count_proofs, "antidifference", lambda g, k, wrong=wrong: antidifference(g, k) + wrong
        )
        assert not proved(prove_telescoping())


def test_matrix_that_is_not_the_sum_of_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip in adding up proved floors must cost the law its verdict: here D is off by i − j.

    PipeDream's rule has another law, which adds up no floors.
    """
    monkeypatch.setattr(delay_law, "floor_sum", lambda *at: floor_sum(*at) + x_)
    assert derive("1f1b").verdict is not Verdict.PROVED
    assert not isinstance(derive("pipedream").closed, Closed)


# Polynomials


@pytest.mark.sampled(4)
@every_family
def test_mean(family: str) -> None:
    law = closed(family)
    assert proved(prove_mean(law.matrix, law.mean))
    assert not survivors(table_mutants(law.mean), lambda table: prove_mean(law.matrix, table))


def test_mean_of_another_matrix() -> None:
    law = closed("pipedream")
    for key, form in law.matrix.index.items():
        other = replace(law.matrix, index={**law.matrix.index, key: form + 1})
        assert not proved(prove_mean(other, law.mean))


def test_extremes_of_a_matrix_that_grows() -> None:
    matrix = closed("pipedream").matrix
    assert proved(prove_extremes(matrix))
    for part, sign in (("index", 1), ("recorded", -1)):
        table = getattr(matrix, part)
        for key, form in table.items():
            growing: dict[str, Any] = {part: {**table, key: form + sign * p_ * x_}}
            assert not proved(prove_extremes(replace(matrix, **growing)))


@pytest.mark.slow
@every_family
@pytest.mark.parametrize("part", ["supremum", "least_m"])
def test_whole_run(family: str, part: str) -> None:
    law, times, lines = closed(family), times_of(family), get_linearization("ascending")
    assert law.whole is not None

    def prove(table: Mapping[int, sympy.Expr]) -> Outcome:
        assert law.whole is not None
        claimed = replace(law.whole, **{part: table})
        return prove_whole_run(times, law.counts, lines, law.matrix, claimed)

    table = getattr(law.whole, part)
    assert proved(prove(table))
    assert not survivors(table_mutants(table), prove)


@pytest.mark.slow
@every_family
def test_steady_staleness(family: str) -> None:
    law, times = closed(family), times_of(family)

    def prove(table: Mapping[tuple[int, int], sympy.Expr]) -> list[Outcome]:
        return prove_staleness(times, law.counts, replace(law.staleness, steady=table))

    assert proved(prove(law.staleness.steady))
    assert not survivors(table_mutants(law.staleness.steady, (p_, x_)), prove)


@pytest.mark.slow
@every_family
def test_largest_staleness(family: str) -> None:
    law, times = closed(family), times_of(family)
    largest = law.staleness.largest
    assert largest is not None

    def prove(form: Piecewise) -> list[Outcome]:
        return prove_staleness(times, law.counts, replace(law.staleness, largest=form))

    assert proved(prove(largest))
    mutants = dict(piecewise_mutants(largest))
    equal = {name for name, mutant in mutants.items() if same_times(mutant, largest)}
    assert equal == SAME_LARGEST.get(family, set())
    assert survivors(mutants.items(), prove) == equal


SAME_LARGEST = {"pipedream": {"guard 0 -1"}}
"""At 2s = p − 1 both pieces give p − 1, so either may hold the border."""
