"""Families in which a name, a number or a comparison is one thing built and another proved."""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import z3

from schedules.actions import Kind
from schedules.families import Family
from schedules.families.family import Parameter
from schedules.families.one_f_one_b import ORDER
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.stamps import At, Number, StampedOrder
from schedules.validation.facts import in_flight
from theory.derive import derive_rule
from theory.errors import UnsupportedFormError
from theory.laws.own_orders import row_of
from theory.laws.stamp_terms import higher, reading
from theory.verdicts import Verdict

FAR = 2**62


def family(rule: StampedOrder | GreedyRule, **more: Any) -> Family:
    return Family("mine", "ours", "ours", WeightPolicy("stash"), rule=rule, **more)


def beyond_x(at: At) -> tuple[Number, ...]:
    return (ORDER.forward(at)[0] - at.choose(at.values["x"] > at.x + 50, 9, 0) * at.rank,)


def beyond_rank(at: At) -> tuple[Number, ...]:
    return (ORDER.forward(at)[0] - at.choose(at.values["rank"] > at.rank + 50, 9, 0) * at.rank,)


@pytest.mark.parametrize(
    ("name", "forward"),
    [("x", beyond_x), pytest.param("rank", beyond_rank, marks=pytest.mark.slow)],
)
def test_control_a_parameter_is_no_number_of_the_proof(name: str, forward: Any) -> None:
    """1F1B, but where a parameter exceeds the microbatch or rank of its name by far."""
    order = replace(ORDER, forward=forward, defaults={name: 0})
    found = row_of(family(order, parameters=(Parameter(name, "any", 0),)))
    outcomes = {one.name: one.outcome.verdict for one in found.invariants}
    assert found.domain == f"p >= 1, {name} >= 0, M >= 1"
    assert outcomes.pop("exclusive") is Verdict.PROVED
    assert Verdict.PROVED not in outcomes.values()


def test_start_times_are_those_of_the_family_s_own_bounds() -> None:
    pipedream = GreedyRule(operator.lt, Kind.B, {Kind.B: Kind.F, Kind.F: Kind.B})
    own = family(pipedream, admission=lambda p: p, parameters=(Parameter("noam", "bound"),))
    assert "own bounds" in row_of(own).invariants[0].outcome.note


def test_stamps_of_a_file_never_wrap() -> None:
    """All forwards first, by a number that 64 bits do not hold where p or x is large."""
    leads: list[Callable[[At], Number]] = [
        lambda at: at.choose(at.p > 3, FAR, 1) * 4,
        lambda at: at.choose(at.x > 3, FAR, 1) * 4,
        lambda at: 1 + at.divide(at.M, 5)[0] * FAR * 4,
        lambda at: 1 + at.divide(at.x, 5)[0] * FAR * 4,
    ]
    for lead in leads:

        def backward(at: At, lead: Callable[[At], Number] = lead) -> tuple[Number, ...]:
            return (lead(at), *ORDER.backward(at))

        order = replace(
            ORDER, forward=lambda at: (0, *ORDER.forward(at)), backward=backward, wide=True
        )
        assert in_flight(family(order).build(4, 9)) == [9] * 4


@pytest.mark.parametrize(
    "odd",
    [
        lambda x: (x > 3) + (x > 5),  # of arrays it is at most 1
        lambda x: (x > 3) * FAR * 4,  # and this is 0
        lambda x: 4 * ((x > 3) * FAR),
        lambda x: FAR * (x > 3),
    ],
)
def test_control_comparisons_are_no_numbers(odd: Any) -> None:
    with pytest.raises(UnsupportedFormError, match="calculates with a comparison"):
        reading(odd)(z3.Int("x"))
    assert z3.is_expr((z3.Int("x") > 3) + 1)  # elsewhere they are


def test_control_a_rule_that_compares_nothing_has_no_law() -> None:
    for odd in (lambda ended, slot: slot - ended, lambda ended, slot: 1):
        rule = GreedyRule(odd, Kind.B, {Kind.B: Kind.F, Kind.F: Kind.B})
        own = family(rule, admission=lambda p: p)
        found = derive_rule(own, "ascending", own.admission).to_json()
        assert "compares two slots" in found["open"]
    with pytest.raises(UnsupportedFormError):
        higher((z3.Int("x") > 3,), (z3.Int("x") > 4,))


def test_a_law_is_of_orders_that_have_every_size() -> None:
    for sizes, open_ in ((lambda at: (at.p <= 50,), True), (lambda at: (at.p + at.M > 1,), False)):
        own = family(replace(ORDER, sizes=sizes))
        found = derive_rule(own, "ascending", None).to_json()
        assert (found["verdict"] == "UNKNOWN") is open_
