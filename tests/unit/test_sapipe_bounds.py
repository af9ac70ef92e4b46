"""Bounds of SAPipe at numbers worked out by hand, their domains, and what is proved of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from theory.bounds import (
    METHODS,
    SYMBOLS,
    bounds_of,
    crossover,
    evaluate,
    named,
    smallest,
    standings,
    tune,
)
from theory.bounds.errors import BoundParameterError, NoStepsizeError, OutsideDomainError
from theory.bounds.model import AtMost, Below, Bound
from theory.bounds.standing import verdict_of
from theory.judging.catalogue import CLAIMS
from theory.papers.sapipe.error_terms import PRINTED
from theory.papers.sapipe.symbols import kappa
from theory.verdicts import Verdict


def numbers(**given: float | str) -> dict[sympy.Symbol, sympy.Rational]:
    names = {"lambda_": "lambda"}
    return {
        SYMBOLS[names.get(name, name)]: sympy.Rational(str(value)) for name, value in given.items()
    }


BASE = numbers(
    L=2,
    eta="1/8",
    V1=3,
    V2=4,
    rho="1/2",
    n=6,
    M="1/2",
    Delta=5,
    lambda_="1/4",
    kappa=1,
    R0=7,
    T=112,
)
# Lη = 1/4, L²η² = 1/16, 2R₀/(ηT) = 1, Var₀ = (1/4)·3/6 = 1/8, ληV₂ = 1/8, nρ = 3, ρ/n = 1/12.
BY_HAND = {
    "sapipe.thm-2": "1/4",  # 4/16
    "sapipe.pipe-sgd": "1/4",
    "sapipe.prefix-repaired": "1/4",
    # η⁴M²V₂² = 1/1024, η²(1 − λ)²L²V₂ = 9/64, η²λ²Δ²V₂ = 25/256, η³λ²LV₂³ = 1/64
    "sapipe.thm-3": "8",  # 1/8 + 9/2 + 25/8 + 1/4
    "sapipe.sharp-thm-3": "253/128",  # 1/128 + 9/8 + 25/32 + 1/16
    "sapipe.sharp-thm-3-full": "253/128",
    "sapipe.thm-4": "61/192",  # (−11/12·4 + 35/12·3)/16
    "sapipe.wp-1-moment": "1/4",
    "sapipe.repaired-thm-4": "37/28",  # (1/16)/(7/8)·(5/2 + 16)
    "sapipe.thm-5": "13/28",  # (1/14)·(6 + 1/2)
    "sapipe.sharp-thm-5": "3/28",  # (1/14)·(1 + 1/2)
    "sapipe.repaired-thm-5": "1",  # 4·(1/16)·4
    # 8V₁/n = 4, 4η⁴M²V₂² = 1/256, 2η²V₂·(9/4 + 25/16) = 61/128
    "sapipe.thm-6": "1147/4096",
    "sapipe.wp-3-moment": "7225/9216",  # (1/4)·(5/6)²·(17/8)²
    # r = 3(1 + 25/16)/16 = 123/256: (16/133)·(91/32 + 3/512 + 183/64) and, over T, 75·4/133
    "sapipe.repaired-thm-6": "21061/29792",
}
# The whole bound at κ = 1/2, where κErr_0 = 1/8; 1 + 2κ − κ² = 2 − Lη = 7/4.
MIXED = {
    "sapipe.thm-2-same-samples": "5/4",
    "sapipe.same-samples-rational": "23/28",  # 4/7 + 1/8 + 1/8
    "sapipe.thm-2-own-samples": "5/4",
}
EACH = [bound for method in named("sapipe") for bound in bounds_of(method)]
ALL = [bound for bound in EACH if bound.claim not in MIXED]
"""Those for κ = 1."""


@pytest.mark.parametrize("bound", ALL, ids=lambda bound: bound.claim)
def test_error_terms_by_hand(bound: Bound) -> None:
    found = evaluate(bound, BASE)
    (error,) = found.named.values()
    assert error.text == BY_HAND[bound.claim]
    doubled = bound.method == "sapipe-dc" or bound.claim == "sapipe.prefix-repaired"
    rest = 1 + Fraction(1, 8) * (2 if doubled else 1)
    assert Fraction(found.total.text) == Fraction(error.text) + rest


def test_every_bound_has_a_number_by_hand() -> None:
    assert {bound.claim for bound in ALL} == set(BY_HAND)
    assert {bound.claim for bound in EACH} == {*BY_HAND, *MIXED}


@pytest.mark.parametrize("bound", [b for b in EACH if b.claim in MIXED], ids=lambda b: b.claim)
def test_vanilla_with_fresh_elements_by_hand(bound: Bound) -> None:
    found = evaluate(bound, BASE | numbers(kappa="1/2"))
    assert found.total.text == MIXED[bound.claim]
    assert [error.text for error in found.named.values()] == ["1/4"]
    with pytest.raises(OutsideDomainError, match="kappa < 1"):
        evaluate(bound, BASE)


def test_short_steps_end_where_samples_used_twice_add_too_much() -> None:
    # κ = 3/4: Lη ≤ 1 − (3/2)·(1/2) = 1/4, so η ≤ 1/8.
    (bound,) = (b for b in EACH if b.claim == "sapipe.thm-2-same-samples")
    there = BASE | numbers(kappa="3/4")
    assert evaluate(bound, there).values[SYMBOLS["eta"]] == sympy.Rational(1, 8)
    with pytest.raises(OutsideDomainError, match="sqrt"):
        evaluate(bound, there | numbers(eta="0.126"))
    assert tune(bound, there | numbers(R0=10**6)).stepsize.number.text == "1/8"


OWN = ("thm-2-own-samples", "sharp-thm-3", "wp-1-moment", "repaired-thm-4", "repaired-thm-5")


def test_who_takes_samples_of_their_own() -> None:
    half = numbers(kappa="1/2")
    otherwise = {bound.claim for bound in EACH if bound.read_otherwise(half)}
    assert otherwise == {*(f"sapipe.{name}" for name in OWN), "sapipe.prefix-repaired"}
    for value in (0, 1):
        [bound] = (b for b in EACH if b.read_otherwise(numbers(kappa=value)))
        assert bound.claim == "sapipe.prefix-repaired"
    [bound] = (b for b in EACH if b.claim == "sapipe.wp-1-moment")
    assert not bound.read_otherwise({})
    assert bound.read_otherwise({}, {kappa})


@pytest.mark.slow
def test_another_reading_vouches_for_nothing() -> None:
    bounds = [*bounds_of("sapipe-vanilla")[:1], *bounds_of("sapipe-vanilla")[-2:]]
    given = BASE | numbers(kappa="1/4", eta="9/20")
    own = standings([evaluate(bound, given) for bound in bounds], given)
    assert [one.given_by is None for one in own] == [True, False, False]
    assert [bool(one.reading) for one in own] == [False, True, True]
    assert smallest(own, printed=False) == ()
    moment = [evaluate(bound, given) for bound in bounds_of("sapipe-wp-1")[:2]]
    printed, ours = standings(moment, given)
    assert (printed.given_by, ours.given_by) == (None, ours.found)


def test_printed_error_terms_are_those_of_the_paper() -> None:
    for name, form in PRINTED.items():
        method = "sapipe-vanilla" if name == "0" else f"sapipe-{name.lower()}"
        (bound,) = bounds_of(method, "printed")
        assert bound.named == {f"Err_{name}": form}


@pytest.mark.parametrize("bound", ALL, ids=lambda bound: bound.claim)
def test_kappa_multiplies_the_error(bound: Bound) -> None:
    if AtMost(sympy.Integer(1), kappa, "") in [
        AtMost(c.left, c.right, "") for c in bound.conditions if isinstance(c, AtMost)
    ]:
        with pytest.raises(OutsideDomainError, match="1 <= kappa"):
            evaluate(bound, BASE | numbers(kappa="1/2"))
        return
    if bound.claim == "sapipe.prefix-repaired":
        assert evaluate(bound, BASE | numbers(kappa="1/2")).total == evaluate(bound, BASE).total
        return
    without, half, whole = (
        Fraction(evaluate(bound, BASE | numbers(kappa=share)).total.text) for share in (0, "1/2", 1)
    )
    assert without == Fraction(9, 8)
    assert whole - half == half - without


def test_kappa_is_one_unless_given() -> None:
    given = {symbol: value for symbol, value in BASE.items() if symbol != kappa}
    for bound in ALL:
        assert evaluate(bound, given).total == evaluate(bound, BASE).total


def test_pipesgd_is_vanilla_with_everything_stale() -> None:
    for pipe, vanilla in zip(bounds_of("pipesgd"), bounds_of("sapipe-vanilla"), strict=False):
        half = BASE | numbers(kappa="1/2")
        assert evaluate(pipe, half).total == evaluate(vanilla, BASE).total
        assert kappa not in pipe.symbols


@pytest.mark.parametrize(
    ("methods", "changes", "condition"),
    [
        (named("sapipe"), {"eta": "5/8"}, "eta <= 1/L"),
        (named("sapipe"), {"kappa": "9/8"}, "kappa <= 1"),
        (named("sapipe"), {"V1": "33/8"}, "V1 <= V2"),
        (("sapipe-dc", "sapipe-wp-3"), {"lambda_": "9/8", "V2": "4"}, "lambda <= 1"),
        (("sapipe-dc",), {"lambda_": "3/4"}, "V2*eta*lambda <= 1 - sqrt(2)/2"),
        (("sapipe-wp-1",), {"rho": "1/7"}, "1 <= n*rho"),
        (("sapipe-wp-2",), {"eta": "1/2", "V2": "4"}, "2*L**2*eta**2 < 1"),
    ],
)
def test_outside_the_domain(
    methods: tuple[str, ...], changes: dict[str, str], condition: str
) -> None:
    for method in methods:
        with pytest.raises(OutsideDomainError) as caught:
            evaluate(bounds_of(method, "printed")[0], BASE | numbers(**changes))
        assert f"needs {condition} (" in caught.value.what
        assert all(
            f"{name.strip('_')} = {value}" in caught.value.what
            for name, value in changes.items()
            if name in condition.replace("lambda", "lambda_")
        )


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("n", "3/2", "a whole number above 0"),
        ("T", 0, "a whole number above 0"),
        ("V2", 0, "a number above 0"),
        ("V1", -1, "a number of 0 or more"),
        ("R0", -1, "a number of 0 or more"),
        ("rho", -1, "a number above 0"),
        ("kappa", "-1/2", "a number of 0 or more"),
        ("lambda", "-1/2", "a number of 0 or more"),
    ],
)
def test_impossible_numbers(name: str, value: float | str, kind: str) -> None:
    given = BASE | {SYMBOLS[name]: sympy.Rational(str(value))}
    bounds = [bound for bound in ALL if SYMBOLS[name] in bound.symbols]
    assert bounds
    for bound in bounds:
        with pytest.raises(BoundParameterError, match=f"{name} is {kind}, found {value}"):
            evaluate(bound, given)


def test_the_domain_of_dc_ends_between_two_rational_numbers() -> None:
    # ληV₂ = λ/2, and 1 − 1/√2 lies between 0.29289 and 0.29290.
    (bound,) = bounds_of("sapipe-dc", "printed")
    evaluate(bound, BASE | numbers(lambda_="0.58578"))
    with pytest.raises(OutsideDomainError, match="sqrt"):
        evaluate(bound, BASE | numbers(lambda_="0.58580"))


def test_a_stepsize_at_which_wp_2_is_infinite_is_outside() -> None:
    condition = Below(2 * sympy.Symbol("x"), sympy.Integer(1), "")
    assert not condition.holds({sympy.Symbol("x"): sympy.Rational(1, 2)})
    assert condition.holds({sympy.Symbol("x"): sympy.Rational(1, 3)})


def test_a_smoothness_that_assumption_4_forbids_is_said() -> None:
    for method in ("sapipe-dc", "sapipe-wp-3"):
        (bound,) = bounds_of(method, "printed")
        assert evaluate(bound, BASE).unmet == ()
        assert evaluate(bound, BASE | numbers(Delta=1)).unmet == ()
        (unmet,) = evaluate(bound, BASE | numbers(Delta="7/8")).unmet
        assert str(unmet) == "L <= 2*Delta"
        assert "sapipe.assumption-4-gradient" in unmet.why


def test_tuned_by_hand() -> None:
    # 2R₀/T = 4, LV₁/n = 0 and L²V₂ = 2: 4/η + 2η² is smallest at η = 1, where it is 6.
    given = numbers(L=1, V1=0, V2=2, n=1, R0=2, T=1)
    found = tune(bounds_of("pipesgd", "printed")[0], given)
    assert (found.stepsize.number.text, found.total.text) == ("1", "6")
    assert not found.stepsize.at_limit
    # With L = 2 it would be 1/4^(1/3) > 1/2 = 1/L.
    found = tune(bounds_of("pipesgd", "printed")[0], given | numbers(L=2))
    assert (found.stepsize.number.text, found.total.text) == ("1/2", "10")
    assert found.stepsize.at_limit


def test_tuning_of_dc_stops_where_its_condition_does() -> None:
    given = BASE | numbers(R0=7000, lambda_=1)
    for bound in bounds_of("sapipe-dc"):
        found = tune(bound, given)
        assert found.stepsize.at_limit
        # λV₂η = 4η reaches 1 − 1/√2.
        assert float(found.stepsize.number) == pytest.approx((1 - 0.5**0.5) / 4, rel=1e-14)


def test_tuning_of_wp_2_stays_below_its_pole() -> None:
    given = BASE | numbers(R0=10**9)
    found = tune(bounds_of("sapipe-wp-2", "printed")[0], given)
    assert not found.stepsize.at_limit
    assert 0.99 < float(found.stepsize.number) * 2 * 2**0.5 < 1


@pytest.mark.parametrize(
    ("method", "changes", "says"),
    [
        ("pipesgd", {"R0": 0}, "R0 = 0"),
        # With one worker and nρ = 1 the error of repaired-thm-4 is 0 up to a pole without weight.
        ("sapipe-wp-1", {"n": 1, "rho": 1, "R0": 10**9}, "falls up to the end of its domain"),
    ],
)
def test_no_best_stepsize(method: str, changes: dict[str, int], says: str) -> None:
    with pytest.raises(NoStepsizeError, match=says):
        tune(bounds_of(method)[-1], BASE | numbers(**changes))


def test_crossover_of_wp_2_and_vanilla_by_hand() -> None:
    # 4L²η² = 1 − 2V₁/V₂ with L = 1, V₁ = 1/4 and V₂ = 1: η² = 1/8.
    given = BASE | numbers(L=1, V1="1/4", V2=1)
    first, second = (bounds_of(name, "printed")[0] for name in ("sapipe-wp-2", "sapipe-vanilla"))
    found = crossover(first, second, SYMBOLS["eta"], given)
    assert [point.text for point in found.points] == ["sqrt(2)/4"]
    assert [stretch.better for stretch in found.stretches] == ["sapipe-wp-2", "sapipe-vanilla"]
    pipe = bounds_of("pipesgd", "printed")[0]
    tuned = crossover(second, pipe, kappa, given, tuned=True)
    assert [stretch.better for stretch in tuned.stretches] == ["sapipe-vanilla"]


def test_claims_are_in_the_ledger() -> None:
    for method in METHODS:
        for bound in bounds_of(method):
            assert bound.claim in CLAIMS, bound.claim


@pytest.mark.slow
def test_bounds_that_are_not_printed_are_proved() -> None:
    for bound in EACH:
        if bound.form != "printed":
            assert verdict_of(bound) is Verdict.PROVED, bound.claim


@pytest.mark.slow
def test_what_is_known_of_a_number() -> None:
    bounds = [*bounds_of("sapipe-wp-1"), *bounds_of("sapipe-wp-2")]
    found = standings([evaluate(bound, BASE) for bound in bounds], BASE)
    by_claim = {one.found.bound.claim: one for one in found}
    # 13/28 is more than 3/28, and 61/192 than 1/4: both hold although both theorems are false.
    for printed, ours in (("thm-5", "sharp-thm-5"), ("thm-4", "wp-1-moment")):
        one = by_claim[f"sapipe.{printed}"]
        assert (one.verdict, one.proved) == (Verdict.REFUTED, False)
        assert one.given_by is by_claim[f"sapipe.{ours}"].found
    # Without noise Err_WP-1 is −11/48.
    without = standings([evaluate(bound, BASE | numbers(V1=0)) for bound in bounds], BASE)
    (fourth,) = (one for one in without if one.found.bound.claim == "sapipe.thm-4")
    assert fourth.given_by is None
    assert smallest(without, printed=True) == (fourth,)
    (best,) = smallest(without, printed=False)
    assert best.proved
    assert best.found.bound.claim == "sapipe.sharp-thm-5"


def test_a_tuned_bound_is_given_by_no_other() -> None:
    found = standings([tune(bound, BASE) for bound in bounds_of("sapipe-wp-2")], BASE)
    assert [one.given_by is None for one in found] == [not one.proved for one in found]


@pytest.mark.slow
def test_of_equal_bounds_all_are_the_smallest() -> None:
    there = BASE | numbers(kappa=0)
    zero = [evaluate(b, there) for m in named("sapipe") for b in bounds_of(m, "printed")]
    assert len(smallest(standings(zero, there), printed=True)) == 5
