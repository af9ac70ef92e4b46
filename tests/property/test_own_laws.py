"""Laws of random rules, entry by entry against runs: what is printed as PROVED has to be so.

A rule is drawn: causality, preferences and a bound on active microbatches. Whatever `derive_rule`
proves of it is evaluated at numbers and compared with runs that are played here once more, slot by
slot, with nothing of the package's engine.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest
import sympy

from schedules import Kind
from schedules.closed_forms.affine import ONE, Piece, Piecewise, Quotient
from schedules.closed_forms.let_in import of_pipedream
from schedules.closed_forms.start_times import (
    StartTimes,
    guess_start_times,
    sample,
)
from schedules.families import Family, get_family
from schedules.families.family import Parameter
from schedules.families.one_f_one_b import ORDER as ONE_F_ONE_B
from schedules.linearization import LINEARIZATIONS
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from tests.own_runs import at, compare, entry, form
from theory.derive import derive, derive_rule, settled
from theory.errors import UnsupportedFormError
from theory.laws.delays import let_in, let_in_proof, rounds, stage_sums
from theory.laws.delays.law import DelayLaw
from theory.laws.delays.start_times import prove_start_times
from theory.verdicts import Verdict, weakest

F, B = Kind.F, Kind.B
Bound = Callable[[Any], Any] | None


def rule(strict: bool, first: Kind, after_b: Kind, after_f: Kind) -> GreedyRule:
    return GreedyRule(operator.lt if strict else operator.le, first, {B: after_b, F: after_f})


RULES = [
    rule(strict, *kinds) for strict in (True, False) for kinds in product((F, B), (F, B), (F, B))
]
BOUNDS: list[tuple[str, Bound]] = [
    ("none", None),
    *((f"p + {c}", lambda p, c=c: p + c) for c in range(4)),
    *((f"2p - {c}", lambda p, c=c: 2 * p - c) for c in range(-2, 3)),
    *((f"{a}p", lambda p, a=a: a * p) for a in (3, 5)),
    *((f"{c}", lambda p, c=c: c) for c in (1, 2, 3)),
    ("p - 1", lambda p: p - 1),
]


CAPS: dict[str, Callable[[Any, Any], Any]] = {
    "2(p - s) - 1": lambda s, p: 2 * (p - s) - 1,
    "p - s + 1": lambda s, p: p - s + 1,
    "p - s + 2": lambda s, p: p - s + 2,
    "p - s": lambda s, p: p - s,
    "p": lambda s, p: p,
    "max(2, p - s)": lambda s, p: max(2, p - s),
}


def family(own: GreedyRule, bound: Bound) -> Family:
    return Family("drawn", "drawn", "drawn", WeightPolicy("stash"), rule=own, admission=bound)


@cache
def law(which: int, bound: int, linearization: str) -> DelayLaw:
    own = BOUNDS[bound][1]
    return derive_rule(family(RULES[which], own), linearization, own)


def compared(which: int, bound: int, linearization: str, sizes: list[tuple[int, int]]) -> bool:
    """Whether a law is proved; if it is, it has been compared."""
    derived = law(which, bound, linearization)
    if derived.verdict is not Verdict.PROVED:
        assert derived.to_json()["delay"] is None
        return False
    own, found = family(RULES[which], BOUNDS[bound][1]), derived.to_json()
    for p, M in sizes:
        compare(found, own, linearization, p, M)
    return True


PIPEDREAM, IN_ITS_SLOT = (RULES.index(rule(strict, B, F, B)) for strict in (True, False))
KNOWN = {"p + 0": "(p**2 - 1)/2", "p + 1": "p**2/2 + p - 3/2", "2p - 0": "p**2 - p/2 - 1/2"}


@pytest.mark.parametrize("bound", KNOWN)
def test_known_means(bound: str) -> None:
    place = [name for name, _ in BOUNDS].index(bound)
    assert compared(PIPEDREAM, place, "ascending", [(2, 9), (3, 13), (4, 21), (5, 5)])
    found = law(PIPEDREAM, place, "ascending").to_json()
    assert sympy.expand(form(found["mean"]) - form(KNOWN[bound])) == 0


def test_an_action_may_feed_another_in_its_own_slot() -> None:
    """Slots of the rule are not start times; those of another rule prove nothing."""
    assert compared(IN_ITS_SLOT, 0, "ascending", [(2, 8), (4, 13)])
    own, finished = law(IN_ITS_SLOT, 0, "ascending").guess, RULES[IN_ITS_SLOT]
    slots = guess_start_times(sample(family(finished, None), None, slots=True))
    assert isinstance(own, StartTimes)
    assert isinstance(slots, StartTimes)
    late = replace(slots, forward=own.forward)
    for wrong in (None, own, late):
        proof = prove_start_times(finished, None, own, None, wrong)
        assert weakest(outcome.verdict for outcome in proof) is not Verdict.PROVED
    proof = prove_start_times(finished, None, own, None, slots)
    assert weakest(outcome.verdict for outcome in proof) is Verdict.PROVED


@pytest.mark.parametrize("bound", ["p - 1", "2", "3"])
def test_start_times_that_repeat_after_several_microbatches(bound: str) -> None:
    place = [name for name, _ in BOUNDS].index(bound)
    own = BOUNDS[place][1]
    found = law(PIPEDREAM, place, "ascending")
    guess = found.guess
    assert guess is not None
    assert isinstance(guess.period, Quotient)
    assert weakest(outcome.verdict for outcome in found.start_proof) is Verdict.PROVED
    whole_rounds = (4, 18)
    assert compared(PIPEDREAM, place, "ascending", [whole_rounds, (5, 14), (3, 1)])
    moved = Piecewise((Piece(None, guess.backward.pieces[-1].value.plus(ONE)),))
    for wrong in (
        replace(guess, backward=moved),
        replace(guess, period=replace(guess.period, form=guess.period.form.plus(ONE))),
        replace(guess, forward=Piecewise(guess.forward.pieces[-1:])),
        replace(guess, least=guess.least - 1),
    ):
        proof = prove_start_times(RULES[PIPEDREAM], own, wrong)
        assert weakest(outcome.verdict for outcome in proof) is not Verdict.PROVED


FEW: dict[str, Any] = {
    "5": lambda p: 5,
    "8": lambda p: 8,
    "p - 5": lambda p: max(1, p - 5),
    "half": lambda p: p // 2,
    "half, up": lambda p: (p + 1) // 2,
    "three quarters": lambda p: min(5 * p, (3 * p - 1) // 4),
    "two thirds, from 5 on": lambda p: 2 * p // 3 if p > 4 else 7,
    "a quarter, at least two": lambda p: max(2, p // 4),
    "a seventh, up": lambda p: (p + 6) // 7,
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("bound", FEW)
def test_fewer_are_let_in_than_there_are_stages(bound: str, linearization: str) -> None:
    own = family(RULES[PIPEDREAM], FEW[bound])
    derived = derive_rule(own, linearization, own.admission)
    found = derived.to_json()
    assert derived.verdict is Verdict.PROVED
    least = derived.proved.start_times.least
    for p in range(least, least + 2):
        N = FEW[bound](p)
        for M in (1, N, N + 1, 2 * N + 1, 3 * N + p):
            compare(found, own, linearization, p, M)
    numbers = derived.at(least, 0, 1, 0)
    assert numbers["delay"] == entry(found, p=least, i=0, j=1, r=0)
    assert numbers["max"] == at(found["max"], p=least)


def test_as_many_as_stages_let_in_at_the_first_stage_alone() -> None:
    """A bound in flight at stage 0 lets in as many; one that a later stage has more is another."""
    own = replace(family(RULES[PIPEDREAM], None), in_flight=lambda s, p: 3)
    found = derive_rule(own, "ascending", None)
    assert found.verdict is Verdict.PROVED
    for p, M in ((4, 14), (6, 11)):
        compare(found.to_json(), own, "ascending", p, M)
    other = replace(own, in_flight=lambda s, p: 3 if s == 0 else 1)
    assert derive_rule(other, "ascending", None).verdict is not Verdict.PROVED


MANY: dict[str, Any] = {
    "three halves": lambda p: 3 * p // 2,
    "a quarter more": lambda p: p + p // 4,
    "a third more, up": lambda p: max(p, (4 * p + 2) // 3),
    "seven quarters": lambda p: (7 * p + 1) // 4,
}


@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("bound", MANY)
def test_more_are_let_in_than_there_are_stages(bound: str, linearization: str) -> None:
    """N is no number of p's: one law in N, from p on."""
    own = family(RULES[PIPEDREAM], MANY[bound])
    derived = derive_rule(own, linearization, own.admission)
    found = derived.to_json()
    assert derived.verdict is Verdict.PROVED
    least = derived.proved.start_times.least
    for p in range(least, least + 3):
        N, least_m = MANY[bound](p), int(at(found["whole_run_least_m"], p=p))
        for M in (1, least_m - 1, least_m, N + p + 1, 3 * N + p):
            compare(found, own, linearization, p, M)
    assert found["mean"] is not None
    guess = derived.guess
    assert guess is not None
    assert guess.many is not None
    moved = replace(guess.many, form=guess.many.form.plus(ONE, guess.many.divisor))
    for wrong in (replace(guess, many=moved), replace(guess, forward=shifted(guess.forward))):
        proof = prove_start_times(RULES[PIPEDREAM], own.admission, wrong)
        assert weakest(outcome.verdict for outcome in proof) is not Verdict.PROVED


def shifted(one: Piecewise) -> Piecewise:
    """With its first piece a slot later."""
    first, *others = one.pieces
    return Piecewise((replace(first, value=first.value.plus(ONE)), *others))


HELD_BACK: dict[str, tuple[Bound, Callable[[Any, Any], Any]]] = {
    "1f1b's, 4": (None, lambda s, p: min(4, p - s)),
    "1f1b's, half": (None, lambda s, p: min(p // 2, p - s)),
    "1f1b's and one, 5": (None, lambda s, p: min(5, p - s + 1)),
    "1f1b's and two, p - 1": (lambda p: p - 1, lambda s, p: p - s + 2),
    "1f1b's and two, two thirds": (lambda p: (2 * p + 2) // 3, lambda s, p: p - s + 2),
}


@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("bounds", HELD_BACK)
def test_fewer_are_let_in_and_late_stages_hold_fewer_back(bounds: str, linearization: str) -> None:
    """A bound p − s + c delays forwards of the first round alone."""
    bound, cap = HELD_BACK[bounds]
    own = replace(family(RULES[PIPEDREAM], bound), in_flight=cap)
    derived = derive_rule(own, linearization, bound)
    found = derived.to_json()
    assert derived.verdict is Verdict.PROVED
    least = derived.proved.start_times.least
    for p in range(least, least + 3):
        N = min(bound(p) if bound else p, cap(0, p))
        for M in (1, N, N + 1, 3 * N + p):
            compare(found, own, linearization, p, M)
    wrong: list[Any] = [lambda s, p: cap(s, p) - (s > 0) * 1, lambda s, p: cap(s, p) + (s > 0)]
    for other in wrong:
        proof = prove_start_times(RULES[PIPEDREAM], bound, derived.proved.start_times, other)
        assert weakest(outcome.verdict for outcome in proof) is not Verdict.PROVED


OF = dict.fromkeys(("halves", "fewest", "counted_ends"), "extremes") | dict.fromkeys(
    ("preceding_stages", "preceding"), "whole-run"
)


@pytest.mark.parametrize("name", OF)
def test_control_of_extremes_where_few_are_let_in(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One more, or one end of the pipeline for the other, and the law is not proved."""
    own, right = family(RULES[PIPEDREAM], FEW["three quarters"]), getattr(rounds, name)

    def wrong(*given: Any, **more: Any) -> Any:
        found = right(*given, **more)
        return tuple(found[::-1]) if isinstance(found, tuple) else found + 1

    for module in (rounds, let_in, let_in_proof):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, wrong)
    found = derive_rule(own, "ascending", own.admission)
    assert found.verdict is Verdict.UNKNOWN
    assert "PROVED" not in {one.verdict.name for one in found.proof if one.name == OF[name]}


@pytest.mark.parametrize("part", ["G", "forward", "backward"])
def test_control_of_counts_where_few_are_let_in(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = family(RULES[PIPEDREAM], FEW["5"])
    right = stage_sums.Notation.over_stages
    known = of_pipedream(FEW["5"])
    assert known is not None
    if part == "G":
        monkeypatch.setattr(
            stage_sums.Notation,
            "over_stages",
            lambda how, x, j, p, n, tie: right(how, x, j, p, n, tie) + p,
        )
    else:
        *others, last = (known.forward if part == "forward" else known.backward).pieces
        moved = Piecewise((*others, replace(last, value=last.value.plus(ONE))))
        of_forwards = replace(known, forward=moved)
        wrong = of_forwards if part == "forward" else replace(known, backward=moved)
        monkeypatch.setattr("theory.derive.of_pipedream", lambda *_: wrong)
    assert derive_rule(own, "ascending", own.admission).verdict is Verdict.UNKNOWN


def far(one: Any, other: Any) -> Any:
    """Another bound where one of them is large."""
    return other if one > 6 else one


def drawn(chance: Random) -> Family:
    """A rule with bounds that are affine, or one of two such."""
    strict, usual = chance.random() < 0.8, chance.random() < 0.6
    kinds = (B, F, B) if usual else chance.choice(list(product((F, B), repeat=3)))
    a, b, c, d = (chance.randint(0, 3), chance.randint(-2, 5), *chance.choices(range(5), k=2))
    bounds: list[Any] = [None, max, min, far]
    bound, cap = chance.choice(bounds), chance.choice([None, *bounds])
    return replace(
        family(rule(strict, *kinds), bound and (lambda p: bound(a * p + b, p + c))),
        in_flight=cap and (lambda s, p: cap(a * (p - s) + b, c * s + d)),
        policy=WeightPolicy("stash", interval=chance.choice([1, 1, 1, 2, 3])),
    )


TODAY = date.today().toordinal() % 50 * 20
SEEDS = [
    pytest.param(range(TODAY, TODAY + 3), id="today"),
    *(
        pytest.param(range(n, n + 20), id=f"{n}", marks=pytest.mark.slow)
        for n in range(0, 1000, 20)
    ),
]
"""A thousand of them; every day another few."""


@pytest.mark.parametrize("seeds", SEEDS)
def test_laws_of_random_rules_are_those_of_runs(seeds: range) -> None:
    verdicts = []
    for seed in seeds:
        own, linearization = drawn(Random(seed)), list(LINEARIZATIONS)[seed % len(LINEARIZATIONS)]
        found = derive_rule(own, linearization, own.admission).to_json()
        verdicts.append(found["verdict"])
        for p, M in [(2, 8), (3, 14), (5, 9)] if found["verdict"] == "PROVED" else []:
            compare(found, own, linearization, p, M)
    assert len(seeds) < 20 or set(verdicts) == {"PROVED", "UNKNOWN"}


def capped(
    which: int, cap: str, sizes: list[tuple[int, int]], lines: str = "ascending"
) -> dict[str, Any]:
    """The law of a rule that bounds what is in flight at every stage, compared if it is proved."""
    own = replace(family(RULES[which], None), in_flight=CAPS[cap])
    found = derive_rule(own, lines, None).to_json()
    if found["verdict"] == "PROVED":
        for p, M in sizes:
            compare(found, own, lines, p, M)
    return found


@pytest.mark.parametrize("cap", ["p - s + 1", "p - s + 2"])
def test_a_bound_above_that_of_1f1b_has_a_law(cap: str) -> None:
    """What is in flight is the least of two forms; of the largest delay none may be proved."""
    found = capped(PIPEDREAM, cap, [(2, 9), (4, 23), (5, 31)], "descending")
    assert found["verdict"] == "PROVED"
    assert found["whole_run_max"] is None or cap == "p - s + 2"


@pytest.mark.slow
def test_forwards_first_until_the_first_backward() -> None:
    """Backwards in several pieces, some of which depend on M, found from counterexamples."""
    forwards_first = RULES.index(rule(True, F, F, B))
    place = [name for name, _ in BOUNDS].index("p + 0")
    assert compared(forwards_first, place, "ascending", [(2, 7), (3, 14), (4, 6), (5, 5)])


def test_a_bound_at_every_stage_is_part_of_the_rule() -> None:
    found = capped(PIPEDREAM, "2(p - s) - 1", [(2, 8), (4, 17)])
    assert sympy.expand(form(found["mean"]) - form(KNOWN["2p - 0"])) == 0
    own = replace(family(RULES[PIPEDREAM], None), in_flight=CAPS["p - s"])
    wrong = replace(own, in_flight=CAPS["2(p - s) - 1"])
    times = guess_start_times(sample(wrong, None))
    assert isinstance(times, StartTimes)
    proof = prove_start_times(RULES[PIPEDREAM], None, times, own.in_flight)
    assert weakest(outcome.verdict for outcome in proof) is not Verdict.PROVED


@pytest.mark.parametrize(
    "odd",
    [
        lambda s, p: p - s - 1 / 2,  # a fraction of numbers, of terms none
        lambda s, p: {50: 1}.get(p, p - s),
        lambda s, p: p - s + (p - s) % -1,  # of terms no remainder is below 0
        lambda s, p: sum(p > n for n in range(99)) - s,
        lambda s, p: p - s if p < 50 else 1,
        lambda s, p: p - s + (0 - (s > 99)),  # z3 subtracts no comparison from a number
    ],
)
def test_control_a_bound_is_the_same_of_terms_as_of_numbers(odd: Any) -> None:
    times = guess_start_times(sample(replace(family(RULES[PIPEDREAM], None), in_flight=odd), None))
    assert isinstance(times, StartTimes)
    with suppress(UnsupportedFormError):
        proof = prove_start_times(RULES[PIPEDREAM], None, times, odd)
        assert weakest(outcome.verdict for outcome in proof) is not Verdict.PROVED


@pytest.mark.parametrize("policy", ["vertical-sync", "double-buffer"])
def test_versions_that_another_stage_says_have_no_law(policy: Any) -> None:
    own = replace(family(rule(False, F, F, B), None), policy=WeightPolicy(policy))
    found = derive_rule(replace(own, in_flight=CAPS["p"]), "ascending", None)
    assert found.start_proof
    assert "versions read" in found.to_json()["open"]


def then_one(p: Any) -> Any:
    return 1 if p > 3 else 5


def test_from_a_later_p_on_microbatches_may_be_alike() -> None:
    """Two rules in one: five microbatches at a time, and from p = 4 on one."""
    found = derive_rule(family(rule(True, F, F, F), then_one), "forwards-first", then_one)
    assert found.guess is not None
    assert (found.guess.period, found.guess.least) == (ONE, 4)
    assert weakest(outcome.verdict for outcome in found.start_proof) is Verdict.PROVED


def test_what_has_no_start_times_is_open() -> None:
    """Two stages a rank, from a function; an interval that is a parameter has a law."""
    own = Family("f", "f", "f", WeightPolicy("flush"), build=get_family("zbv").build)
    assert "one stage a rank" in derive_rule(own, "ascending", None).to_json()["open"]
    order = replace(ONE_F_ONE_B, defaults={"K": 2})
    rare = Family("r", "r", "r", WeightPolicy("stash"), rule=order)
    found = derive_rule(
        settled(replace(rare, parameters=(Parameter("K", "K"),), interval="K"), {}),
        "ascending",
        None,
    )
    assert weakest(outcome.verdict for outcome in found.start_proof) is Verdict.PROVED
    assert found.verdict is Verdict.PROVED
    assert derive("asyncpp").to_json()["mean"] == derive("pipedream-runtime").to_json()["mean"]


def test_wrong_numbers_are_found() -> None:
    """The comparison itself: a law with one number changed is not what runs say."""
    place = [name for name, _ in BOUNDS].index("p + 1")
    own, found = family(RULES[PIPEDREAM], BOUNDS[place][1]), law(PIPEDREAM, place, "ascending")
    right = found.to_json()
    for key in ("max", "min", "mean", "makespan", "whole_run_max"):
        with pytest.raises(AssertionError):
            compare({**right, key: f"({right[key]}) + 1"}, own, "ascending", 4, 24)
    for key in ("delay", "in_flight", "local_staleness"):
        wrong = [{**one, "expr": f"({one['expr']}) + 1"} for one in right[key]]
        with pytest.raises(AssertionError):
            compare({**right, key: wrong}, own, "ascending", 4, 24)
