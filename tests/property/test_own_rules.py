"""Greedy rules without start times: what is proved of how they are played holds in larger runs."""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from schedules.actions import Kind
from schedules.families import Family, get_family
from schedules.policies import PolicyName, WeightPolicy
from schedules.rules import GreedyRule
from tests.property.test_own_orders import holds_beyond
from theory.derive import _row
from theory.errors import UnsupportedFormError
from theory.laws.delays.law import DelayLaw
from theory.laws.own_orders import Row
from theory.laws.own_rules import row_of_rule
from theory.laws.stamped_families import COLUMNS
from theory.verdicts import Verdict

FORWARDS = {Kind.B: Kind.F, Kind.F: Kind.F}
IN_TURN = {Kind.B: Kind.F, Kind.F: Kind.B}
RULE = GreedyRule(finished=operator.lt, prefer_first=Kind.F, prefer_after=FORWARDS)
BOUNDED = ("staleness", "in-flight")


def family(
    rule: GreedyRule, policy: PolicyName = "stash", interval: int = 1, **more: Any
) -> Family:
    return Family("own", "", "", WeightPolicy(policy, interval=interval), rule=rule, **more)


def proved(row: Row) -> dict[str, str]:
    found = [one for one in row.invariants if one.outcome.verdict is Verdict.PROVED]
    return {one.name: one.bound for one in found}


@pytest.mark.parametrize(
    ("admission", "most"),
    [
        (lambda p: p + 1, "Min(M, p + 1)"),
        (lambda p: 2 * p - 1, "Min(M, 2*p - 1)"),
        (lambda p: max(2, p - 1), None),
        (lambda p: 3, "Min(3, M)"),
        (None, "M"),
    ],
)
@pytest.mark.parametrize("finished", [operator.lt, operator.le])
def test_where_forwards_come_first_as_many_as_are_let_in_are_in_flight(
    admission: Callable[[int], int] | None, most: str | None, finished: Callable[[Any, Any], Any]
) -> None:
    own = family(replace(RULE, finished=finished), admission=admission)
    row = row_of_rule(own)
    found = proved(row)
    assert most is None or found["in-flight"] == most
    assert holds_beyond(own, row) == (len(COLUMNS) if "in-flight" in found else len(COLUMNS) - 2)
    assert found.keys() >= COLUMNS.keys() - set(BOUNDED)


AFTER = [{Kind.B: one, Kind.F: other} for one in (Kind.F, Kind.B) for other in (Kind.F, Kind.B)]
BOUNDS: list[tuple[dict[str, Any], str]] = [
    ({"admission": lambda p: p + 1}, "Min(M, p + 1)"),
    ({"admission": lambda p: 3}, "Min(3, M)"),
    ({"in_flight": lambda s, p: 2}, "Min(2, M)"),
    ({"admission": lambda p: p + 1, "in_flight": lambda s, p: p - s}, "Min(M, p - s)"),
    ({"admission": lambda p: p - 1, "in_flight": lambda s, p: p}, "Min(M, p - 1)"),
    ({"in_flight": lambda s, p: 2 * (p - s)}, "Min(M, 2*p - 2*s)"),
]


@pytest.mark.parametrize("after", AFTER, ids=str)
@pytest.mark.parametrize(("bounds", "most"), BOUNDS, ids=[most for _, most in BOUNDS])
def test_what_is_preferred_after_a_backward_is_no_matter(
    bounds: dict[str, Any], most: str, after: dict[Kind, Kind]
) -> None:
    for finished in (operator.lt, operator.le):
        own = family(GreedyRule(finished, Kind.F, after), **bounds)
        row = row_of_rule(own)
        assert row.domain == ("p >= 2, M >= 1" if "p - 1" in most else "p >= 1, M >= 1")
        assert (proved(row)["in-flight"], holds_beyond(own, row)) == (most, len(COLUMNS))


def test_updates_of_several_gradients_change_nothing_of_what_is_in_flight() -> None:
    """Of runs with p < 6 and M >= 4 alone p − 1 would be the bound."""
    own = family(
        replace(RULE, prefer_after=IN_TURN),
        interval=4,
        admission=lambda p: p - 1,
        in_flight=lambda s, p: p,
    )
    row = row_of_rule(own)
    assert (row.domain, proved(row)["in-flight"]) == ("p >= 2, M >= 4", "Min(M, p - 1)")
    assert holds_beyond(own, row) == len(COLUMNS) - 1


def test_a_bound_may_be_a_fraction_of_p() -> None:
    own = family(replace(RULE, prefer_after=IN_TURN), admission=lambda p: 3 * p // 2)
    row = row_of_rule(own)
    assert (row.proofs, proved(row)["in-flight"]) == (len(COLUMNS), "Min(M, floor(3*p/2))")
    assert holds_beyond(own, row) == len(COLUMNS)


@pytest.mark.parametrize(
    "changed",
    [
        family(replace(RULE, prefer_first=Kind.B), admission=lambda p: p + 1),
        family(RULE, admission=lambda p: p + 1, in_flight=lambda s, p: s + 1),
        family(RULE, in_flight=lambda s, p: p - s if s < 60 else p),
        family(RULE, admission=lambda p: p + 1, in_flight=lambda s, p: p + 1 if p < 60 else p),
        family(RULE, admission=lambda p: p + 1 if p < 60 else p),
        family(replace(RULE, finished=lambda a, t: a * 2 <= t + a), admission=lambda p: p + p // 7),
    ],
    ids=[
        "backwards first",
        "held up below",
        "more is let in far above",
        "held up later",
        "fewer are let in later",
        "another bound later",
    ],
)
def test_control_otherwise_bounds_are_open(changed: Family) -> None:
    row = row_of_rule(changed)
    assert proved(row).keys() == COLUMNS.keys() - set(BOUNDED)
    assert holds_beyond(changed, row) == len(COLUMNS) - 2


@pytest.mark.parametrize("policy", ["stash", "latest", "flush", "double-buffer", "vertical-sync"])
@pytest.mark.parametrize("interval", [1, 2])
def test_what_is_said_of_versions_depends_on_the_policy(policy: PolicyName, interval: int) -> None:
    own = family(RULE, policy, 1 if policy == "flush" else interval, admission=lambda p: p + 1)
    row = row_of_rule(own)
    assert holds_beyond(own, row) == len(proved(row))
    kept, newest = policy in ("stash", "flush"), policy in ("stash", "latest") and interval == 1
    assert ("stash" in proved(row)) == kept
    assert ("staleness" in proved(row)) == (newest or policy == "flush")


@pytest.mark.parametrize(
    "stops",
    [
        family(RULE, admission=lambda p: 61 - p),
        family(RULE, admission=lambda p: max(0, 61 - p)),
        family(RULE, in_flight=lambda s, p: 61 - p + s),
        family(RULE, admission=lambda p: p - 1 if p < 61 else 0),
        family(replace(RULE, finished=lambda a, t: a * 50 < t * 50 - (t // 999) * 50)),
    ],
    ids=[
        "lets fewer than none in",
        "lets none in",
        "holds none",
        "lets none in at p = 1 and p = 61",
        "never ends",
    ],
)
def test_control_of_a_rule_that_may_stop_nothing_is_proved(stops: Family) -> None:
    """From p = 61 or slot 999 on; small runs do not show it."""
    assert proved(row_of_rule(stops)) == {}


def test_a_bound_by_the_parity_of_the_stage_runs_and_keeps_versions() -> None:
    own = family(
        replace(RULE, prefer_first=Kind.B, prefer_after=IN_TURN),
        in_flight=lambda s, p: p - s + 1 if s % 2 == 0 else p - s,
    )
    row = _row(own, DelayLaw("own", "ascending", None, ()))
    assert proved(row).keys() == COLUMNS.keys() - set(BOUNDED)
    assert holds_beyond(own, row) == len(COLUMNS) - 2


OTHERS = [
    replace(family(RULE), rule=None),
    replace(family(RULE), build=lambda p, M: get_family("gpipe").build(p, M)),
]


@pytest.mark.parametrize("odd", OTHERS, ids=["no rule", "other schedules"])
def test_other_rules_are_not_meant(odd: Family) -> None:
    with pytest.raises(UnsupportedFormError):
        row_of_rule(odd)
