"""Laws of SAPipe's bounds: maps, borders and regions against plain evaluation at exact points."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory.bounds import (
    SYMBOLS,
    Bound,
    bounds_of,
    evaluate,
    named,
    points,
    regions,
    smallest_over,
    tune,
)
from theory.bounds.errors import NoStepsizeError, OutsideDomainError
from theory.bounds.regions import border
from theory.papers.sapipe.error_terms import ERR_0
from theory.papers.sapipe.lemmas.regions import REPAIRED_WINS, WINS, Region

Numbers = dict[sympy.Symbol, sympy.Rational]
PRINTED = [bounds_of(method, "printed")[0] for method in named("sapipe")]
OURS = [b for method in named("sapipe") for b in bounds_of(method) if b.form != "printed"]
ALL = [*PRINTED, *OURS]
eta = SYMBOLS["eta"]
BOTH = pytest.mark.parametrize(
    "bounds",
    [pytest.param(PRINTED, id="printed"), pytest.param(OURS, id="ours", marks=pytest.mark.slow)],
)


def rationals(low: int = -2, high: int = 1) -> st.SearchStrategy[sympy.Rational]:
    return st.builds(
        lambda digits, power: sympy.Rational(digits) * sympy.Rational(10) ** power,
        st.integers(1, 99),
        st.integers(low, high),
    )


def shares() -> st.SearchStrategy[sympy.Rational]:
    return st.integers(0, 8).map(lambda k: sympy.Rational(k, 8))


@st.composite
def parameters(draw: st.DrawFn) -> Numbers:
    """Numbers that meet the conditions that all bounds have in common."""
    found = {name: draw(rationals()) for name in ("L", "V2", "M", "Delta", "R0")}
    found |= {"n": sympy.Integer(draw(st.integers(1, 20))), "T": sympy.Integer(10**4)}
    found["rho"] = draw(st.integers(1, 8).map(sympy.Integer)) / found["n"]
    found["V1"] = found["V2"] * draw(shares())
    found["eta"] = draw(shares().filter(bool)) / found["L"]
    found["lambda"], found["kappa"] = (
        draw(shares()),
        draw(st.sampled_from([1, 1, sympy.Rational(1, 2)])),
    )
    return {SYMBOLS[name]: sympy.Rational(value) for name, value in found.items()}


def total(bound: Bound, values: Numbers) -> Fraction | None:
    """By plain evaluation; None outside the domain."""
    try:
        return Fraction(evaluate(bound, values).total.text)
    except OutsideDomainError:
        return None


NAMES = ("eta", "L", "V1", "V2", "n", "M", "Delta", "lambda", "rho")


@st.composite
def pairs(draw: st.DrawFn) -> tuple[sympy.Symbol, sympy.Symbol]:
    one, two = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True))
    return SYMBOLS[one], SYMBOLS[two]


def places(symbol: sympy.Symbol, at: sympy.Rational) -> list[sympy.Rational]:
    """Some around a value, and that."""
    if symbol.is_integer:
        return [sympy.Integer(k) for k in (1, 2, 7)]
    return sorted({at / 3, at, 2 * at} - {0})


@BOTH
@settings(max_examples=8)
@given(values=parameters(), symbols=pairs())
def test_the_map_is_what_evaluation_says(
    bounds: list[Bound], values: Numbers, symbols: tuple[sympy.Symbol, sympy.Symbol]
) -> None:
    across, up = (places(symbol, values[symbol]) for symbol in symbols)
    assume(across and up)
    grid = smallest_over(bounds, symbols, (across, up), values)
    for two, row in zip(up, grid, strict=True):
        for one, found in zip(across, row, strict=True):
            there = values | {symbols[0]: one, symbols[1]: two}
            totals = [total(bound, there) for bound in bounds]
            known = [value for value in totals if value is not None]
            expected = totals.index(min(known)) if known else None
            assert found == expected


@pytest.mark.slow
@settings(max_examples=20)
@given(
    values=parameters(),
    which=st.lists(st.sampled_from(ALL), min_size=2, max_size=2),
    free=st.sets(st.sampled_from(NAMES)),
)
def test_a_border_is_exactly_where_one_bound_is_at_most_the_other(
    values: Numbers, which: list[Bound], free: set[str]
) -> None:
    first, second = which
    one, two = (total(bound, values) for bound in which)
    assume(one is not None and two is not None)
    assert one is not None
    assert two is not None
    open_ones = {SYMBOLS[name] for name in free}
    left = {symbol: value for symbol, value in values.items() if symbol not in open_ones}
    found = border(first, second, left)
    assert found.where.holds(values) == (one <= two)
    assert not found.always or one <= two


@BOTH
@settings(max_examples=8)
@given(values=parameters(), symbols=pairs())
def test_regions_say_who_is_the_smallest(
    bounds: list[Bound], values: Numbers, symbols: tuple[sympy.Symbol, sympy.Symbol]
) -> None:
    """By their inequalities alone: the bound that holds and is at most all others that hold."""
    found = regions(bounds, values, symbols)
    holding = [
        region
        for region in found
        if region.fails is None and all(c.holds(values) for c in region.conditions)
    ]
    totals = {id(bound): total(bound, values) for bound in bounds}
    assert {id(r.bound) for r in holding} == {key for key, v in totals.items() if v is not None}
    for region in holding:
        mine = totals[id(region.bound)]
        assert mine is not None
        if region.above is not None:
            other = totals[id(region.above)]
            assert other is not None
            assert other <= mine
            continue
        wins = all(
            edge.where.holds(values)
            for edge in region.borders
            if any(edge.second is each.bound for each in holding)
        )
        assert wins == (mine == min(value for value in totals.values() if value is not None))


@pytest.mark.parametrize(
    ("method", "form", "win"),
    [
        *((f"sapipe-{name.lower()}", "printed", win) for name, win in WINS.items()),
        ("sapipe-wp-1", "repaired", REPAIRED_WINS["WP-1"]),
        ("sapipe-wp-2", "sharpened", REPAIRED_WINS["WP-2"]),
    ],
)
@settings(max_examples=8)
@given(values=parameters())
def test_the_papers_conditions_are_those_of_the_error_terms(
    method: str, form: str, win: Region, values: Numbers
) -> None:
    bound = bounds_of(method, form)[-1]
    values |= {SYMBOLS["kappa"]: sympy.Integer(1)}
    assume(total(bound, values) is not None)
    (error,) = bound.named.values()
    assert win.holds_at(values) == bool((ERR_0 - error).subs(values) >= 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("bound", ALL, ids=lambda bound: bound.claim)
@settings(max_examples=3)
@given(values=parameters(), factor=st.fractions(Fraction(1, 50), 50).filter(bool))
def test_no_other_stepsize_is_better(bound: Bound, values: Numbers, factor: Fraction) -> None:
    try:
        found = tune(bound, values)
    except (NoStepsizeError, OutsideDomainError):
        assume(False)
    if found.stepsize.at_limit:
        assert found.stepsize.closed is not None
    step = found.stepsize.number.interval.low * factor
    there = total(bound, values | {eta: sympy.Rational(step.numerator, step.denominator)})
    assert there is None or found.total.interval.low <= there


@settings(max_examples=20)
@given(values=parameters())
def test_repaired_wp_1_is_never_above_vanilla_and_other_repairs_can_be(values: Numbers) -> None:
    vanilla = total(bounds_of("sapipe-vanilla", "printed")[0], values)
    smallest = min(
        value
        for bound in bounds_of("sapipe-wp-1", "repaired")
        if (value := total(bound, values)) is not None
    )
    assert vanilla is not None
    assert smallest <= vanilla


@settings(max_examples=20)
@given(values=parameters())
def test_consistent_constants_never_favour_dc(values: Numbers) -> None:
    """Assumption 4 forces L ≤ 2Δ; then even the best constants lose by a factor of 8/5."""
    assume(values[SYMBOLS["L"]] <= 2 * values[SYMBOLS["Delta"]])
    for bound in bounds_of("sapipe-dc"):
        (error,) = bound.named.values()
        assert (error - sympy.Rational(8, 5) * ERR_0).subs(values) >= 0


def test_points_of_a_map_are_exact() -> None:
    values = points(eta, Fraction(1, 1000), Fraction(1))
    assert values[0] == sympy.Rational(1, 1000)
    assert values[-1] == 1
    assert all(value.is_Rational for value in values)


def test_equal_bounds_are_within_a_border_where_kappa_is_zero() -> None:
    ones = {
        SYMBOLS[name]: sympy.Integer(1) for name in ("L", "V1", "V2", "n", "M", "Delta", "lambda")
    }
    found = border(bounds_of("sapipe-dc")[0], bounds_of("sapipe-vanilla")[0], ones)
    there = {eta: sympy.Rational(1, 8), SYMBOLS["kappa"]: sympy.Integer(0)}
    assert found.where.holds(there)
    assert not found.where.holds(there | {SYMBOLS["kappa"]: sympy.Integer(1)})


def test_a_bound_that_holds_less_far_does_not_push_another_out() -> None:
    """With one worker and nρ = 1 the error of repaired-thm-4 is 0, but 2L²η² < 1 is needed."""
    ones = {SYMBOLS[name]: sympy.Integer(1) for name in ("L", "V2", "n", "rho", "R0", "T")}
    vanilla, repaired = bounds_of("sapipe-vanilla")[0], bounds_of("sapipe-wp-1")[-1]
    first, second = regions([vanilla, repaired], ones, [eta, SYMBOLS["V1"]])
    assert (first.above, second.above) == (None, None)
    assert second.borders[0].always
    (inside,) = regions([bounds_of("sapipe-wp-2")[0]], ones, [eta, SYMBOLS["V1"]])
    assert "2*eta**2 < 1" in map(str, inside.conditions)
