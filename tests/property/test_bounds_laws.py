"""Laws of bounds: no stepsize beats the tuned one, crossovers hold, sharper is never more."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from theory.bounds import METHODS, SYMBOLS, Bound, bounds_of, crossover, evaluate, tune
from theory.bounds.errors import OutsideDomainError
from theory.bounds.isolation import roots_above_zero
from theory.bounds.model import AtMost
from theory.bounds.tuning import best_of, coefficients, smallest
from theory.papers.rpd.symbols import H, K, beta, gamma, p, tau

Numbers = dict[sympy.Symbol, sympy.Rational]
OF_RPD = [method for method in METHODS if bounds_of(method)[0].stepsize == gamma]
ALL = [bound for method in OF_RPD for bound in bounds_of(method)]
NAMES = [f"{bound.method}-{bound.form}" for bound in ALL]


def rationals(low: int = -3, high: int = 3) -> st.SearchStrategy[sympy.Rational]:
    """Positive numbers of several sizes."""
    return st.builds(
        lambda digits, power: sympy.Rational(digits) * sympy.Rational(10) ** power,
        st.integers(1, 99),
        st.integers(low, high),
    )


@st.composite
def parameters(draw: st.DrawFn) -> Numbers:
    """Numbers inside the domain of every bound, but for γ."""
    stages = draw(st.integers(1, 9))
    found = {
        "p": sympy.Integer(stages),
        "N": sympy.Integer(stages),
        "K": sympy.Integer(stages**2 * draw(st.integers(1, 10**5))),
        "tau": sympy.Integer(draw(st.integers(0, 80))),
        "H": sympy.Integer(draw(st.integers(1, 30))),
        "beta": sympy.Rational(draw(st.integers(0, 4)), 4),
    }
    found |= {name: draw(rationals()) for name in ("L", "G", "Delta", "sigma", "Gtilde")}
    found["mu"] = found["L"] / draw(st.integers(1, 50))
    return {SYMBOLS[name]: value for name, value in found.items()}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("bound", [b for b in ALL if b.method != "rpd-pl"], ids=lambda b: b.method)
@settings(max_examples=5)
@given(values=parameters(), factor=st.fractions(Fraction(1, 50), 50).filter(lambda f: f > 0))
def test_no_other_stepsize_is_better(bound: Bound, values: Numbers, factor: Fraction) -> None:
    found = tune(bound, values)
    step = (found.stepsize.number.interval.low or Fraction(1)) * factor
    other = values | {gamma: sympy.Rational(step.numerator, step.denominator)}
    try:
        there = evaluate(bound, other)
    except OutsideDomainError:
        assert bound.method == "localsgd"
        return
    assert found.total.interval.low <= there.total.interval.high
    assert found.paper is None or found.total.interval.low <= found.paper.total.interval.high


@settings(max_examples=6)
@given(values=parameters(), part=st.integers(1, 99))
@pytest.mark.parametrize("form", ["printed", "sharpened"])
def test_no_other_stepsize_is_better_under_pl(form: str, values: Numbers, part: int) -> None:
    (bound,) = bounds_of("rpd-pl", form)
    values[SYMBOLS["G"]] = values[SYMBOLS["G"]] / 10**6
    drop = values[K] * values[SYMBOLS["mu"]] * values[SYMBOLS["Delta"]] / values[p]
    cost = values[p] * values[SYMBOLS["L"]] * values[SYMBOLS["G"]] ** 2
    assume(drop > cost / (2 * values[SYMBOLS["mu"]]))
    found = tune(bound, values)
    inside = values[p] / values[SYMBOLS["mu"]] * sympy.Rational(part, 100)
    near = sympy.Rational(str(float(found.stepsize.number))) * sympy.Rational(part + 50, 100)
    for step in (inside, near):
        if step <= values[p] / values[SYMBOLS["mu"]]:
            there = evaluate(bound, values | {gamma: step})
            assert found.total.interval.low <= there.total.interval.high


@settings(max_examples=40)
@given(parts=st.tuples(rationals(), rationals(), rationals()), limit=st.none() | rationals(-6, 6))
def test_two_ways_to_the_least_value_agree(
    parts: tuple[sympy.Rational, ...], limit: sympy.Rational | None
) -> None:
    a, b, c = parts
    form = coefficients(a / gamma + b * gamma + c * gamma**2)
    step = best_of(form, limit).number.interval
    exact = [Fraction(int(n.p), int(n.q)) for n in parts]
    most = None if limit is None else Fraction(int(limit.p), int(limit.q))
    found = smallest(exact[0], exact[1], exact[2], most)
    middle = (step.low + step.high) / 2
    value = exact[0] / middle + exact[1] * middle + exact[2] * middle**2
    assert found.low <= value
    assert float(found) == pytest.approx(float(value), rel=1e-14)


PAIRS = [("pd", "localsgd"), ("rpd", "localsgd"), ("nag-rpd", "localsgd")]


@pytest.mark.parametrize("tuned", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["p", "K", "H", "sigma", "L"])
@settings(max_examples=3, phases=[Phase.generate])
@given(values=parameters(), pair=st.sampled_from(PAIRS), probe=rationals(-4, 6), step=rationals())
def test_a_stretch_tells_the_smaller_bound_everywhere(
    tuned: bool,
    name: str,
    values: Numbers,
    pair: tuple[str, str],
    probe: sympy.Rational,
    step: sympy.Rational,
) -> None:
    """At the ends of all stretches and at a point anywhere: compare with plain evaluation."""
    first, second = (bounds_of(each, "sharpened")[0] for each in pair)
    symbol = SYMBOLS[name]
    values[gamma] = step / (1000 * values[SYMBOLS["L"]])
    if not tuned and name == "L":
        values[gamma] = sympy.Rational(1, 1000)
    assume(tuned or values[gamma] * values[SYMBOLS["L"]] <= 1)
    found = crossover(first, second, symbol, values, tuned=tuned)
    probes = [sympy.ceiling(probe) if symbol.is_integer else probe]
    if symbol.is_integer:
        ends = [end for stretch in found.stretches for end in (stretch.start, stretch.end)]
        probes += [sympy.Integer(end.text) for end in ends if end is not None]
    for value in probes:
        better = [s.better for s in found.stretches if _inside(s.start, s.end, value)]
        gap = _gap(first, second, values | {symbol: value}, tuned)
        if gap is None or not better:
            assert (gap is None) == (not better)
            continue
        if gap == 0 and not symbol.is_integer and better[0] != "equal":
            # Where two stretches meet, neither bound is the smaller one.
            places = (*found.points, *found.touches)
            assert any(_inside(place, place, value) for place in places)
            continue
        assert better[0] == {-1: pair[0], 0: "equal", 1: pair[1]}[gap], (value, found)


def _inside(start: object, end: object, value: sympy.Rational) -> bool:
    exact = Fraction(int(value.p), int(value.q))
    after = start is None or start.interval.low <= exact  # type: ignore[attr-defined]
    before = end is None or exact <= end.interval.high  # type: ignore[attr-defined]
    return bool(after and before)


def _gap(first: Bound, second: Bound, values: Numbers, tuned: bool) -> int | None:
    """The sign of first − second by evaluating both; None outside the domain."""
    totals = []
    for bound in (first, second):
        plain = tuple(c for c in bound.conditions if isinstance(c, AtMost))
        read = replace(bound, conditions=plain)
        try:
            done = tune(read, values) if tuned else evaluate(read, values)
        except OutsideDomainError:
            return None
        totals.append(done.total.interval)
    if totals[0].high < totals[1].low:
        return -1
    return 1 if totals[0].low > totals[1].high else 0


@settings(max_examples=60)
@given(
    roots=st.lists(rationals(-6, 6), unique=True, max_size=5),
    others=st.lists(st.integers(1, 50), unique=True, max_size=3),
)
def test_roots_are_isolated_one_by_one(roots: list[sympy.Rational], others: list[int]) -> None:
    x = sympy.Symbol("x")
    poly = sympy.Poly(1, x, domain="QQ")
    for root in roots:
        poly *= sympy.Poly(x - root, x)
    for other in others:
        poly *= sympy.Poly((x + other) * (x**2 + other), x)
    found = roots_above_zero(poly)
    assert len(found) == len(roots)
    for number, root in zip(found, sorted(roots), strict=True):
        assert number.interval.low <= Fraction(int(root.p), int(root.q)) <= number.interval.high


def certified(gap: sympy.Expr) -> bool:
    """Whether an expression is nonnegative for all p ≥ 1, H ≥ 1, 0 ≤ β ≤ 1 and τ = 0 or τ ≥ 1.

    Each bounded symbol is its end plus something nonnegative; then no coefficient is negative.
    """
    s, b, h, t = sympy.symbols("s b h t", nonnegative=True)
    cases = ({tau: sympy.Integer(0)}, {tau: 1 + t})
    for case in cases:
        there = {p: (1 + s) ** 2, H: 1 + h, beta: 1 / (1 + b), **case}
        numerator = sympy.numer(sympy.together(sympy.powdenest(gap.subs(there), force=True)))
        parts = sympy.Poly(sympy.expand(numerator), s, b, h, t).coeffs()
        if any(not part.is_nonnegative for part in parts):
            return False
    return True


SHARPER = [
    (bounds[k], bounds[k + 1])
    for method in OF_RPD
    for bounds in [bounds_of(method)]
    for k in range(len(bounds) - 1)
    if method != "pd"
]


@pytest.mark.parametrize(("larger", "smaller"), SHARPER, ids=lambda bound: bound.form)
def test_sharpened_is_never_above_printed(larger: Bound, smaller: Bound) -> None:
    assert certified(larger.total() - smaller.total())


@pytest.mark.parametrize(("larger", "smaller"), SHARPER, ids=lambda bound: bound.form)
def test_the_certificate_refuses_the_converse(larger: Bound, smaller: Bound) -> None:
    assert not certified(smaller.total() - larger.total())
