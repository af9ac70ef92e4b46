"""Affine forms, their search, counts of updates and sums of floors.

What is searched for is untrusted and proved elsewhere; here it is checked that forms mean what
they say, that the search finds what is there, and that sums of floors are sums of floors.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import FAMILIES, Kind, build, get_linearization, timeline
from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.closed_forms.counts import CountForm, Region, guess_counts
from schedules.closed_forms.fit import MAX_PIECES, exact_affine, fit
from schedules.closed_forms.floor_sums import antidifference, floor_sum, p_, x_
from schedules.closed_forms.start_times import StartTimes, guess_start_times, sample
from schedules.delays import history
from schedules.dependencies import tables
from schedules.families.family import Family

AFFINE = [name for name, family in FAMILIES.items() if family.affine]

small = st.integers(-4, 4)


def affine(*names: str) -> st.SearchStrategy[Affine]:
    """Forms in some of the named symbols, without zero coefficients."""
    coefficients = st.fixed_dictionaries(dict.fromkeys(names, small))
    return st.builds(
        lambda table, constant: Affine(tuple((n, c) for n, c in table.items() if c), constant),
        coefficients,
        small,
    )


forms = affine("s", "m", "p", "M", "pm")
points = st.fixed_dictionaries(dict.fromkeys(("s", "m", "p", "M", "pm"), st.integers(-50, 50)))


def choose(test: Any, yes: Any, no: Any) -> Any:
    return yes if test else no


# Affine forms


@given(forms, forms, small, points)
def test_sums_of_forms(one: Affine, other: Affine, factor: int, at: dict[str, int]) -> None:
    assert one.plus(other, factor).at(at) == one.at(at) + factor * other.at(at)
    assert all(coefficient for _, coefficient in one.plus(other, factor).terms)


@given(forms, points)
def test_renaming_adds_up_symbols_that_become_one(form: Affine, at: dict[str, int]) -> None:
    renamed = form.renamed({"s": "p", "m": "x"})
    assert renamed.at(at | {"x": at["m"]}) == form.at(at | {"s": at["p"]})


@given(forms, points)
def test_sympy_writes_the_product_out(form: Affine, at: dict[str, int]) -> None:
    at["pm"] = at["p"] * at["m"]
    symbols = {symbol: at[str(symbol)] for symbol in form.to_sympy().free_symbols}
    assert form.to_sympy().subs(symbols) == form.at(at)


def test_coefficients() -> None:
    form = Affine((("m", 2), ("s", -1)), 7)
    assert [form.coefficient(name) for name in ("m", "s", "p")] == [2, -1, 0]
    assert str(form) == "2*m - s + 7"


# Decision lists

decision_lists = st.builds(
    lambda pieces, last: Piecewise((*pieces, Piece(None, last))),
    st.lists(st.builds(Piece, affine("s", "m", "p"), affine("s", "m", "p")), max_size=2),
    affine("s", "m", "p"),
)


@given(decision_lists, points)
def test_first_piece_that_applies_decides(form: Piecewise, at: dict[str, int]) -> None:
    expected = next(
        piece.value.at(at)
        for piece in form.pieces
        if piece.guard is None or piece.guard.at(at) >= 0
    )
    assert form.at(at, choose) == expected
    arrays = {name: np.array([value, value]) for name, value in at.items()}
    assert set(np.ravel(form.at(arrays, np.where))) == {expected}


@given(decision_lists, points)
def test_described_pieces_are_disjoint_and_exhaustive(form: Piecewise, at: dict[str, int]) -> None:
    values = {name: at[name] for name in ("s", "m", "p")}
    holding = [
        row["expr"]
        for row in form.described()
        if sympy.S(sympy.sympify(row["when"])).subs(values) == sympy.true
    ]
    assert len(holding) == 1
    assert sympy.sympify(holding[0]).subs(values) == form.at(at, choose)


# Search


def grid() -> dict[str, Any]:
    rows = [(s, m, p) for p in range(2, 7) for s in range(p) for m in range(3 * p)]
    s, m, p = np.array(rows).T
    return {"s": s, "m": m, "p": p}


@given(affine("s", "m", "p"))
def test_search_finds_an_affine_form(form: Affine) -> None:
    columns = grid()
    target = form.at(columns) + 0 * columns["s"]
    found = fit(columns, target, [("m", "s", "p")])
    assert found is not None
    assert len(found.pieces) == 1
    assert (found.at(columns, np.where) == target).all()


def test_search_finds_several_pieces() -> None:
    columns = grid()
    target = np.where(columns["m"] >= columns["p"], 2 * columns["m"], columns["s"])
    found = fit(columns, target, [("m", "s", "p")])
    assert found is not None
    assert 1 < len(found.pieces) <= MAX_PIECES
    assert (found.at(columns, np.where) == target).all()


def test_search_gives_up_on_what_is_not_affine() -> None:
    columns = grid()
    assert fit(columns, columns["m"] ** 2, [("m", "s", "p")]) is None
    assert fit(columns, columns["m"] // 3, [("m", "s", "p")]) is None


def test_few_rows_determine_nothing() -> None:
    columns = {name: column[:7] for name, column in grid().items()}
    chosen = np.ones(7, dtype=np.bool_)
    assert exact_affine(columns, columns["s"], chosen, ("m", "s", "p")) is None


@pytest.mark.parametrize("family", AFFINE)
def test_guessed_start_times_hold_beyond_the_sample(family: str) -> None:
    guess = guess_start_times(sample(FAMILIES[family], FAMILIES[family].admission))
    assert isinstance(guess, StartTimes)
    p, M = 11, 37
    line = timeline(build(family, p, M))
    index = tables(line.schedule)
    s, m = np.indices((p, M))
    at = {"s": s, "m": m, "p": p, "M": M, "pm": p * m}
    assert (guess.forward.at(at, np.where) == line.start[index.forward]).all()
    assert (guess.backward.at(at, np.where) == line.start[index.backward]).all()


def test_no_guess_where_start_times_are_not_affine() -> None:
    family = FAMILIES["pipedream"]
    assert guess_start_times(sample(family, lambda p: 9)) in (Kind.F, Kind.B)


# Counts


def counts_of(family: Family, linearization: str) -> CountForm:
    found = guess_counts(family, get_linearization(linearization), family.admission)
    assert found is not None
    return found


@pytest.mark.parametrize("linearization", ["ascending", "descending", "slot-start"])
@pytest.mark.parametrize("family", AFFINE)
def test_counts_sum_to_the_history(family: str, linearization: str) -> None:
    """What F and B count, summed over the updating stages, is what the history says."""
    counts = counts_of(FAMILIES[family], linearization)
    p, M = 5, 16
    past = history(timeline(build(family, p, M)), get_linearization(linearization))
    microbatches = range(M) if counts.from_start else range(p, M - p)
    for x, m in product(range(p), microbatches):
        for kind, expected in ((Kind.F, past.recorded), (Kind.B, past.position)):
            total = 0
            for u in range(p):
                region = (Region.BELOW, Region.AT, Region.ABOVE)[(u >= x) + (u > x)]
                numerator = counts.numerator[kind][region].at({"u": u, "x": x, "p": p})
                total += numerator // counts.period + m * counts.per_microbatch
            assert total == expected[x, m]


# Sums


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=3), st.integers(0, 30))
def test_antidifference_telescopes(coefficients: list[int], n: int) -> None:
    k = sympy.Symbol("k", integer=True)
    polynomial = sum(c * k**power for power, c in enumerate(coefficients))
    total = sum(c * i**power for i in range(n) for power, c in enumerate(coefficients))
    assert antidifference(sympy.S(polynomial), k).subs(k, n) == total


def test_antidifference_of_a_high_degree() -> None:
    k = sympy.Symbol("k", integer=True)
    with pytest.raises(ValueError, match="degree above 2"):
        antidifference(k**3, k)


def region_of(u: int, x: int) -> Region:
    return Region.AT if u == x else Region.BELOW if u < x else Region.ABOVE


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.fixed_dictionaries({region: affine("u", "x", "p") for region in Region}),
    st.integers(1, 3),
)
def test_floor_sum_is_the_sum_of_floors(numerators: dict[Region, Affine], period: int) -> None:
    table = tuple(numerators.items())
    for p in range(1, 2 * period + 2):
        for x in range(p):
            direct = sum(
                numerators[region_of(u, x)].at({"u": u, "x": x, "p": p}) // period for u in range(p)
            )
            closed = floor_sum(table, period, p % period, x % period)
            assert closed.subs({p_: p, x_: x}) == direct
