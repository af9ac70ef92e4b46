"""Bounds at numbers worked out by hand, and refusals with the condition that fails."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
import sympy

from schedules.closed_forms.floor_sums import p_
from schedules.delays import delays
from schedules.families import build
from schedules.timeline import timeline
from theory.bounds import METHODS, SYMBOLS, bounds_of, evaluate, tune
from theory.bounds.errors import (
    BoundParameterError,
    NoStepsizeError,
    OutsideDomainError,
    UnknownMethodError,
)
from theory.bounds.numbers import Interval, enclose
from theory.errors import UnsupportedFormError
from theory.papers.rpd.bounds import PIPEDREAM_DELAYS
from theory.papers.rpd.lemmas.laws import closed, largest
from theory.papers.rpd.symbols import p


def numbers(**given: float | str) -> dict[sympy.Symbol, sympy.Rational]:
    return {SYMBOLS[name]: sympy.Rational(str(value)) for name, value in given.items()}


BASE = numbers(p=4, K=1000, L=2, G=3, Delta=5, gamma="1/10", tau=6, sigma=2, H=3, mu=1, N=5)


@pytest.mark.parametrize(
    ("method", "form", "terms"),
    [
        ("rpd", "printed", ["2/5", "36/5", "324/25"]),
        ("rpd", "sharpened", ["2/5", "36/5", "243/50"]),
        ("nag-rpd", "printed", ["2/5", "36/5", "441/25"]),
        ("nag-rpd", "pathwise", ["2/5", "36/5", "1521/100"]),
        ("nag-rpd", "sharpened", ["2/5", "36/5", "549/100"]),
        ("rpd-pl", "printed", ["5*(39/40)**1000", "18/5", "162/25"]),
        ("rpd-pl", "sharpened", ["5*(39/40)**1000", "18/5", "243/100"]),
        ("localsgd", "printed", ["2", "1296/25", "4/25"]),
        ("localsgd", "sharpened", ["2", "144/25", "4/25"]),
    ],
)
def test_terms_by_hand(method: str, form: str, terms: list[str]) -> None:
    given = {**BASE, **numbers(beta="1/2", Gtilde=6)}
    (bound,) = bounds_of(method, form)
    found = evaluate(bound, given)
    exact = [sympy.sympify(text) if "**" not in text else None for text in terms]
    for term, value, text in zip(found.terms.values(), exact, terms, strict=True):
        assert term.text == (text if value is None else sympy.sstr(value))
    rest = sum(value for value in exact if value is not None)
    power = float(5 * Fraction(39, 40) ** 1000) if "**" in terms[0] else 0.0
    assert float(found.total) == pytest.approx(float(rest) + power, rel=1e-15)
    assert found.dominant in found.terms


def test_sharpened_never_names_a_larger_term() -> None:
    printed, sharpened = (evaluate(bound, BASE) for bound in bounds_of("rpd"))
    assert float(sharpened.total) < float(printed.total)


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 5, 8, 9])
def test_delays_of_pipedream_are_those_of_its_runs(stages: int) -> None:
    run = delays(timeline(build("pipedream", stages, 6 * stages)), "ascending").matrix
    law = PIPEDREAM_DELAYS["whole-run"][stages % 2]
    assert law.subs(p, stages) == int(run.max())


def test_delays_of_pipedream_are_the_proved_ones() -> None:
    run = closed().whole
    assert run is not None
    whole, steady = run.supremum, largest()
    for residue in (0, 1):
        for name, proved in (("whole-run", whole), ("steady", steady)):
            law = PIPEDREAM_DELAYS[name][residue]
            at = 2 * sympy.Symbol("k") + residue
            assert sympy.expand(law.subs(p, at) - proved[residue].subs(p_, at)) == 0


def test_pd_takes_the_parity_of_p() -> None:
    for stages, delay in ((4, 16), (5, 26)):
        given = {**BASE, p: sympy.Integer(stages)}
        rpd = evaluate(bounds_of("rpd")[0], {**given, SYMBOLS["tau"]: sympy.Integer(delay)})
        assert evaluate(bounds_of("pd")[0], given).total == rpd.total
    steady = evaluate(bounds_of("pd", reading="steady")[0], BASE)
    rpd = evaluate(bounds_of("rpd")[0], {**BASE, SYMBOLS["tau"]: sympy.Integer(14)})
    assert steady.total == rpd.total


def test_localsgd_takes_n_from_p_and_its_gradient_bound_from_the_blocks() -> None:
    given = {s: v for s, v in BASE.items() if str(s) != "N"} | numbers(K=1600)
    (bound,) = bounds_of("localsgd", "printed")
    said = evaluate(bound, given | numbers(N=4, Gtilde=6))
    assert evaluate(bound, given).total == said.total


def test_a_superfluous_condition_is_named_and_does_not_refuse() -> None:
    found = evaluate(bounds_of("rpd")[0], BASE | numbers(gamma=3))
    assert [str(condition) for condition in found.unmet] == ["gamma <= 1/L"]
    assert evaluate(bounds_of("rpd")[0], BASE).unmet == ()


@pytest.mark.parametrize(
    ("method", "changes", "condition"),
    [
        ("rpd-pl", {"gamma": "41/10"}, "gamma <= p/mu"),
        ("rpd-pl", {"mu": 3}, "mu <= L"),
        ("localsgd", {"K": 1001}, "N*p divides K"),
        ("localsgd", {"K": 19}, "N*p <= K"),
    ],
)
def test_outside_the_domain(method: str, changes: dict[str, float], condition: str) -> None:
    with pytest.raises(OutsideDomainError) as caught:
        evaluate(bounds_of(method)[0], BASE | numbers(**changes))
    assert f"needs {condition} (" in caught.value.what
    assert all(f"{name} = {value}" in caught.value.what for name, value in changes.items())


def test_localsgd_as_printed_holds_for_every_stepsize() -> None:
    given = BASE | numbers(gamma="3/5")
    found = evaluate(bounds_of("localsgd", "printed")[0], given)
    assert [str(condition) for condition in found.unmet] == ["gamma <= 1/L"]
    with pytest.raises(OutsideDomainError, match="gamma <= 1/L"):
        evaluate(bounds_of("localsgd", "sharpened")[0], given)


@pytest.mark.parametrize(
    ("beta", "tau", "forms"),
    [
        ("1", 0, ["printed", "pathwise", "sharpened"]),
        ("2", 0, ["printed", "pathwise"]),
        ("3/2", 3, ["printed", "pathwise"]),
        ("3", 3, ["printed", "pathwise"]),
        ("301/100", 3, ["printed"]),
    ],
)
def test_how_far_ahead_each_form_reaches(beta: str, tau: int, forms: list[str]) -> None:
    holds = []
    for bound in bounds_of("nag-rpd"):
        with suppress(OutsideDomainError):
            evaluate(bound, BASE | numbers(beta=beta, tau=tau))
            holds.append(bound.form)
    assert holds == forms


@pytest.mark.parametrize(
    ("name", "value"),
    [("p", 0), ("p", "3/2"), ("tau", -1), ("tau", "1/2"), ("gamma", 0), ("Delta", -1), ("K", 0)],
)
def test_numbers_that_a_symbol_cannot_have(name: str, value: float | str) -> None:
    with pytest.raises(BoundParameterError, match=f"{name} is a"):
        evaluate(bounds_of("rpd")[0], BASE | numbers(**{name: value}))


def test_a_missing_number_is_named() -> None:
    given = {symbol: value for symbol, value in BASE.items() if str(symbol) != "G"}
    with pytest.raises(BoundParameterError) as caught:
        evaluate(bounds_of("rpd")[0], given)
    assert "needs a value for G" in caught.value.what
    with pytest.raises(BoundParameterError) as caught:
        evaluate(bounds_of("localsgd")[0], given)
    assert caught.value.fix.endswith("or give G that it can be taken from")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("lokalsgd",), "did you mean 'localsgd'?"),
        (("rpd", "pathwise"), "only printed, sharpened"),
        (("rpd", "sharp"), "did you mean 'sharpened'?"),
        (("pd", None, "wholerun"), "did you mean 'whole-run'?"),
    ],
)
def test_unknown_names(arguments: tuple[str, ...], expected: str) -> None:
    method, form, reading = (*arguments, None, None)[:3]
    with pytest.raises(UnknownMethodError) as caught:
        bounds_of(str(method), form, reading)
    assert expected in str(caught.value)


def test_every_method_has_a_printed_bound_and_a_better_one() -> None:
    for method in METHODS:
        forms = [bound.form for bound in bounds_of(method)]
        assert forms[0] == "printed"
        assert forms[-1] in ("sharpened", "repaired")
        assert {bound.quantity for bound in bounds_of(method)} == {bounds_of(method)[0].quantity}


def test_tuned_by_hand() -> None:
    # 2pΔ/K = 3, pLG² = 4·1/4 = 1 and L²τ²G² = 1: 2γ³ + γ² = 3 at γ = 1, value 3 + 1 + 1.
    given = numbers(p=1, K=2, L=1, G=1, Delta=3, tau=1)
    found = tune(bounds_of("rpd", "printed")[0], given)
    assert (found.stepsize.number.text, found.total.text) == ("1", "5")
    assert found.paper is not None
    # The paper's stepsize is min{1, sqrt(3)} = 1 too.
    assert (found.paper.total.text, found.ratio) == ("5", 1.0)


def test_tuning_without_staleness_is_a_square_root() -> None:
    given = numbers(p=2, K=8, L=1, G=1, Delta=1, tau=0)
    found = tune(bounds_of("rpd", "printed")[0], given)
    assert (found.stepsize.number.text, found.total.text) == ("1/2", "2")
    found = tune(bounds_of("rpd", "printed")[0], given | numbers(K=4))
    assert (found.stepsize.number.text, found.total.text) == ("sqrt(2)/2", "2*sqrt(2)")


def test_tuning_stops_at_the_end_of_the_domain() -> None:
    given = numbers(p=1, K=1, N=1, L=4, Gtilde=1, Delta=1000, sigma=0, H=1)
    found = tune(bounds_of("localsgd", "sharpened")[0], given)
    assert (found.stepsize.number.text, found.stepsize.at_limit) == ("1/4", True)
    assert found.total.text == "8000"


def test_irrational_coefficients_are_tuned_too() -> None:
    given = numbers(p=2, K=100, L=1, G=1, Delta=1, tau=1, beta=1)
    found = tune(bounds_of("nag-rpd", "printed")[0], given)
    step = float(found.stepsize.number)
    stale = (1 + 2**0.5) ** 2
    assert 2 * stale * step**3 + 2 * step**2 == pytest.approx(4 / 100, rel=1e-12)


@pytest.mark.parametrize(
    ("method", "changes", "says"),
    [
        ("rpd", {"Delta": 0}, "Delta = 0"),
        ("rpd-pl", {"Delta": "1/1000000"}, "every step makes the bound larger"),
    ],
)
def test_no_stepsize_is_best(method: str, changes: dict[str, float], says: str) -> None:
    with pytest.raises(NoStepsizeError, match=says):
        tune(bounds_of(method)[0], BASE | numbers(**changes))


def test_tuning_under_pl_finds_the_end_of_the_domain() -> None:
    given = numbers(p=1, K=1, L=1, G="1/1000", Delta=100, tau=0, mu=1)
    found = tune(bounds_of("rpd-pl", "printed")[0], given)
    assert (found.stepsize.number.text, found.stepsize.at_limit) == ("1", True)


def test_enclosures_contain_and_are_narrow() -> None:
    x = sympy.Symbol("x")
    third = enclose(1 / (2 + x), {x: sympy.Integer(1)})
    assert third.low < Fraction(1, 3) < third.high
    assert third.high - third.low < Fraction(1, 2**250)
    spread = enclose(x**2, {x: Interval(Fraction(1, 2), Fraction(2))})
    assert spread.low <= Fraction(1, 4)
    assert spread.high >= 4
    with pytest.raises(UnsupportedFormError):
        enclose(sympy.exp(x), {x: sympy.Integer(1)})
    with pytest.raises(UnsupportedFormError):
        enclose(x ** sympy.Rational(1, 3), {x: sympy.Integer(1)})


def test_a_root_that_is_not_rational_is_enclosed() -> None:
    given = numbers(p=1, K=2, L=1, G=1, Delta=2, tau=1)
    step = tune(bounds_of("rpd", "printed")[0], given).stepsize.number
    assert step.text == "CRootOf(2*x**3 + x**2 - 2, 0)"
    low, high = step.interval.low, step.interval.high
    assert 2 * low**3 + low**2 < 2 < 2 * high**3 + high**2
