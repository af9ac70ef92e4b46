"""Crossovers worked out by hand, and what cannot be compared."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from theory.bounds import SYMBOLS, Bound, bounds_of, crossover
from theory.bounds.differences import at_stepsize
from theory.bounds.errors import BoundParameterError, NotComparableError, OutsideDomainError
from theory.bounds.isolation import product_of, roots_above_zero
from theory.bounds.model import AtMost
from theory.papers.rpd.symbols import G, H, K, L, gamma, p, sigma, tau

x = sympy.Symbol("x", positive=True)


def numbers(**given: float | str) -> dict[sympy.Symbol, sympy.Rational]:
    return {SYMBOLS[name]: sympy.Rational(str(value)) for name, value in given.items()}


BASE = numbers(p=4, K=10**6, L=1, G=1, Gtilde=2, Delta=1, gamma="1/100", sigma=1, H=4)


def made(name: str, *terms: sympy.Expr, period: int = 1) -> Bound:
    """A bound of another method than those of the catalog."""
    per_residue = tuple({"term": term} for term in terms)
    assert len(per_residue) == period
    return Bound(name, "printed", "made up", "anything", "none", per_residue)


def test_updates_from_which_localsgd_is_better() -> None:
    # 2pΔ(N − 1)/(γK) = 2400/K against 0.04 + 0.0256 − 0.0256 − 0.0025 = 0.0375: K = 64000.
    pd, local = bounds_of("pd")[0], bounds_of("localsgd")[0]
    found = crossover(pd, local, K, BASE)
    assert [stretch.better for stretch in found.stretches] == ["pd", "equal", "localsgd"]
    assert [point.text for point in found.points] == ["64000", "64001"]


def test_noise_up_to_which_localsgd_is_better_in_closed_form() -> None:
    pd, local = bounds_of("pd")[0], bounds_of("localsgd")[0]
    given = {symbol: value for symbol, value in BASE.items() if symbol != sigma}
    found = crossover(pd, local, sigma, given)
    assert [stretch.better for stretch in found.stretches] == ["localsgd", "pd"]
    (closed,) = found.symbolic
    form = sympy.sympify(closed.removeprefix("sigma = "), locals=dict(SYMBOLS))
    assert sympy.simplify(form.subs(given) - sympy.sympify(found.points[0].text)) == 0


def test_a_touch_is_no_crossover() -> None:
    one, two = made("one", (L - 3) ** 2 + 1 + L), made("two", 1 + L)
    found = crossover(one, two, L, {})
    assert [stretch.better for stretch in found.stretches] == ["two"]
    assert [point.text for point in found.touches] == ["3"]
    assert found.points == ()


def test_three_real_crossovers_are_all_found() -> None:
    one, two = made("one", (L - 1) * (L**2 - 5 * L + 5)), made("two", sympy.Integer(0))
    found = crossover(one, two, L, {})
    assert [stretch.better for stretch in found.stretches] == ["one", "two", "one", "two"]
    assert found.points[0].text == "1"
    assert [float(point.interval) for point in found.points[1:]] == pytest.approx(
        [(5 - 5**0.5) / 2, (5 + 5**0.5) / 2]
    )


def test_whole_numbers_switch_after_the_root_and_say_where_equal() -> None:
    one, two = made("one", (K - 4) * (2 * K - 17)), made("two", sympy.Integer(0))
    found = crossover(one, two, K, {})
    ends = [(s.start and s.start.text, s.end and s.end.text, s.better) for s in found.stretches]
    assert ends == [
        ("1", "3", "two"),
        ("4", "4", "equal"),
        ("5", "8", "one"),
        ("9", None, "two"),
    ]


def test_parities_that_disagree_are_told_apart() -> None:
    one = made("one", p, 2 * p, period=2)
    found = crossover(one, made("two", 3 * p / 2 + 4), p, {})
    ends = [(s.start and s.start.text, s.end and s.end.text, s.better) for s in found.stretches]
    # Odd p: 2p against 1.5p + 4 turns at 8; even p never does.
    assert ends == [("1", "8", "one"), ("9", None, "even p: one, odd p: two")]


def test_the_domain_ends_a_stretch() -> None:
    pd, local = bounds_of("pd")[1], bounds_of("localsgd")[1]
    found = crossover(pd, local, gamma, BASE | numbers(L=10))
    assert found.stretches[-1].end is not None
    assert found.stretches[-1].end.text == "1/10"
    over_k = crossover(pd, local, K, BASE)
    assert over_k.stretches[0].start is not None
    assert over_k.stretches[0].start.text == "16"


def test_nothing_left_of_the_domain() -> None:
    one = Bound(
        "one",
        "printed",
        "made up",
        "anything",
        "none",
        ({"a": L},),
        (AtMost(L + 1, L, "never true"),),
    )
    with pytest.raises(OutsideDomainError):
        crossover(one, made("two", 2 * L), L, {})


def test_conditions_that_do_not_change_are_required() -> None:
    with pytest.raises(OutsideDomainError, match="gamma <= 1/L"):
        crossover(bounds_of("pd")[1], bounds_of("localsgd")[1], K, BASE | numbers(gamma=2))


@pytest.mark.parametrize(
    ("first", "second", "symbol", "says"),
    [
        ("rpd", "rpd-pl", K, "mean squared gradient norm, rpd-pl the E f"),
        ("rpd", "pd", H, "neither rpd nor pd depends on H"),
    ],
)
def test_what_is_not_comparable(first: str, second: str, symbol: sympy.Symbol, says: str) -> None:
    with pytest.raises(NotComparableError, match=says):
        crossover(bounds_of(first)[0], bounds_of(second)[0], symbol, BASE)


def test_a_missing_number_is_named() -> None:
    with pytest.raises(BoundParameterError, match="needs a value for tau"):
        crossover(bounds_of("rpd")[0], bounds_of("localsgd")[0], K, BASE)


def test_equal_bounds_are_equal_everywhere() -> None:
    given = BASE | numbers(beta=0, tau=5)
    for tuned in (False, True):
        found = crossover(bounds_of("nag-rpd")[0], bounds_of("rpd")[0], G, given, tuned=tuned)
        assert [stretch.better for stretch in found.stretches] == ["equal"]


def test_square_roots_of_the_symbol_are_squared_away() -> None:
    # (τ + β√p)² = 49 at τ = 5, β = 1, p = 4 against τ² = 49 for the other.
    other = made("other", *(form.subs(tau, 7) for form in (bounds_of("rpd")[0].total(),)))
    nag = Bound(
        "nag", "printed", "made up", "anything", "none", (dict(bounds_of("nag-rpd")[0].terms[0]),)
    )
    found = crossover(nag, other, p, BASE | numbers(tau=5, beta=1))
    ends = [(s.start and s.start.text, s.better) for s in found.stretches]
    assert ends == [("1", "nag"), ("4", "equal"), ("5", "other")]


def test_isolation_of_wildly_different_roots() -> None:
    roots = [
        Fraction(1, 10**12),
        Fraction(3, 7),
        Fraction(3, 7) + Fraction(1, 10**9),
        Fraction(10**15),
    ]
    poly = sympy.Poly(1, x, domain="QQ")
    for root in roots:
        poly *= sympy.Poly(x - sympy.Rational(root.numerator, root.denominator), x)
    found = roots_above_zero(poly * sympy.Poly(x + 5, x) * sympy.Poly(x**2 + 1, x))
    assert len(found) == 4
    assert all(n.interval.low <= r <= n.interval.high for n, r in zip(found, roots, strict=True))


def test_a_root_in_the_middle_of_the_first_interval() -> None:
    assert [root.text for root in roots_above_zero(sympy.Poly((x - 1) * (x - 2) * (x - 3), x))] == [
        "1",
        "2",
        "3",
    ]
    assert roots_above_zero(sympy.Poly(x**2 + 1, x)) == []
    assert roots_above_zero(sympy.Poly(5, x)) == []


def test_product_has_every_root_once() -> None:
    whole = product_of([(x - 1) ** 3 / x, x**2 - 2, sympy.Integer(4)], x)
    assert sorted(map(str, whole.real_roots())) == ["-sqrt(2)", "1", "sqrt(2)"]
    rooted = product_of([x - sympy.sqrt(3)], x)
    assert rooted.eval(sympy.sqrt(3)) == 0


def test_edges_become_roots() -> None:
    plain = at_stepsize(x, 2 * x + 1, x)
    assert roots_above_zero(plain.zeros) == []
    edged = at_stepsize(x, 2 * x + 1, x, edges=[7 - x])
    assert [root.text for root in roots_above_zero(edged.zeros)] == ["7"]
