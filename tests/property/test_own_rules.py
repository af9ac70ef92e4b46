"""Greedy rules without start times: what is proved of how they are played holds in larger runs."""

import operator
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest
import sympy

from schedules.actions import Kind
from schedules.families import Family, get_family
from schedules.policies import PolicyName, WeightPolicy
from schedules.rules import GreedyRule
from tests.property.test_own_orders import SYMBOLS, holds_beyond
from theory.derive import _row
from theory.errors import UnsupportedFormError
from theory.laws import own_rules
from theory.laws.delays.law import DelayLaw
from theory.laws.own_orders import Row
from theory.laws.own_rules import row_of_rule
from theory.laws.stamped_families import COLUMNS
from theory.smt.solver import Outcome, Statement, decide
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


def played(own: Family, p: int, M: int) -> tuple[list[int], list[int]]:
    """The most in flight and stale at every stage, by a machine of its own: two counters a stage.

    Stale are gradients that an update applies.
    """
    rule, limit, room = own.rule, own.admission, own.in_flight
    assert isinstance(rule, GreedyRule)
    ends: dict[tuple[str, int, int], int] = {}
    done, most, last = [[0, 0] for _ in range(p)], [0] * p, [rule.prefer_first] * p
    slot, every, stale = 0, own.policy.interval, [0] * p
    while done[0][1] < M:
        for s, (f, b) in enumerate(done):
            fed = s == 0 or rule.finished(ends.get(("F", s - 1, f), slot + 1), slot)
            free = (s or limit is None or f - b < limit(p)) and (not room or f - b < room(s, p))
            one = f < M and fed and free
            back = s == p - 1 or rule.finished(ends.get(("B", s + 1, b), slot + 1), slot)
            two = b < f and rule.finished(ends[("F", s, b)], slot) and back
            if one and (not two or last[s] is Kind.F):
                ends["F", s, f], done[s][0] = slot, f + 1
                last[s] = rule.prefer_after[Kind.F] if b else rule.prefer_first
                most[s] = max(most[s], f + 1 - b)
                if f < M - M % every:
                    stale[s] = max(stale[s], f // every - b // every)
            elif two:
                ends["B", s, b], done[s][1], last[s] = slot, b + 1, rule.prefer_after[Kind.B]
        slot += 1
    return most, stale


def said(row: Row, p: int, M: int, column: str = "in-flight") -> list[int]:
    """What is proved, or at least printed, of the stages of a size."""
    form = sympy.sympify(next(one.bound for one in row.invariants if one.name == column), SYMBOLS)
    at = [{SYMBOLS["p"]: p, SYMBOLS["M"]: M, SYMBOLS["s"]: s} for s in range(p)]
    return [int(form.subs(one)) for one in at]


LETS: list[Callable[[int], Any] | None] = [
    None,
    lambda p: p,
    lambda p: p + 1,
    lambda p: 3 * p - 1,
    lambda p: 2,
    lambda p: max(1, p - 1),
]
ROOM: list[Callable[[int, int], Any] | None] = [
    None,
    None,
    lambda s, p: p - s,
    lambda s, p: p - s + 3,
    lambda s, p: 2 * (p - s),
    lambda s, p: 3,
    lambda s, p: 2 * p + 1 if s == 0 else p - s,
    lambda s, p: 2 if s == 0 else 3 * (p - s),
    lambda s, p: min(4, 2 * (p - s)),
    lambda s, p: p - s // 2,
]
SEEDS = [range(12), *(pytest.param(range(n, n + 40), marks=pytest.mark.slow) for n in (12, 52, 92))]


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_what_is_proved_of_a_drawn_rule_is_what_is_played(seeds: range) -> None:
    proofs = 0
    for seed in seeds:
        random = Random(seed)
        after = {one: random.choice([Kind.F, Kind.B]) for one in (Kind.F, Kind.B)}
        finished = random.choice([operator.lt, operator.le])
        rule = GreedyRule(finished, random.choice([Kind.F, Kind.B, Kind.B]), after)
        bounds = {"admission": random.choice(LETS), "in_flight": random.choice(ROOM)}
        own = family(rule, random.choice(["stash", "latest"]), random.choice([1, 2, 3]), **bounds)
        row = row_of_rule(own)
        found = proved(row)
        for p, M in product(range(1, 8), (3, 4, 5, 8, 13, 27)):
            for column, values in zip(BOUNDED[::-1], played(own, p, M), strict=True):
                assert column not in found or said(row, p, M, column) == values, (seed, p, M)
        proofs += len(found.keys() & set(BOUNDED))
        assert holds_beyond(own, row) == len(found)
    assert proofs >= len(seeds)


BACKWARDS = GreedyRule(operator.lt, Kind.B, IN_TURN)
GOES_ON = replace(BACKWARDS, prefer_after=FORWARDS)
"""Backwards first, and after a forward the next one."""

FIRST: list[tuple[Family, str]] = [
    (family(BACKWARDS, in_flight=lambda s, p: p - s + 3), "Min(M, p - s + 3, 2*p - 2*s - 1)"),
    (family(BACKWARDS, admission=lambda p: 3 * p), "Min(M, 2*p - 2*s - 1)"),
    (family(replace(BACKWARDS, finished=operator.le), admission=lambda p: p + 1), "Min(M, p - s)"),
    (family(GOES_ON), "Max(M - 1, Min(M, 2*p - 2*s - 1))"),
    (
        family(GOES_ON, admission=lambda p: 2 * p),
        "Min(2*p, Max(M - 1, Min(M, 2*p - 2*s - 1)))",
    ),
    (
        family(GOES_ON, "stash", 5, admission=lambda p: 2 * p, in_flight=lambda s, p: p - s + 1),
        "Min(p - s + 1, Max(M - 1, Min(M, 2*p - 2*s - 1)))",
    ),
    (
        family(RULE, in_flight=lambda s, p: 2 * p if s == 0 else p - s),
        "Piecewise((Min(M, 2*p), Eq(s, 0)), (Min(M, p - s), True))",
    ),
]


@pytest.mark.parametrize(("own", "most"), FIRST, ids=[most for _, most in FIRST])
def test_where_backwards_come_first_or_stage_0_has_a_bound_of_its_own(
    own: Family, most: str
) -> None:
    row = row_of_rule(own)
    assert proved(row)["in-flight"] == most
    assert holds_beyond(own, row) == len(proved(row))


NEEDED: list[tuple[str, Family]] = [
    ("pass", family(BACKWARDS, in_flight=lambda s, p: s + 1)),
    ("pass", family(RULE, in_flight=lambda s, p: 1 if s == 0 else 2)),
    ("above", family(BACKWARDS, in_flight=lambda s, p: 9 * p if s == 0 else 1)),
    ("below", family(GOES_ON, admission=lambda p: p + 1)),
    ("below", family(GOES_ON, in_flight=lambda s, p: 3)),
    ("so many", family(BACKWARDS, admission=lambda p: 3 if p < 12 else 2)),
]


def without(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What is said where a condition is taken as met."""

    def decided(one: Statement) -> Outcome:
        return decide(replace(one, goal=one.goal == one.goal) if one.name == name else one)

    monkeypatch.setattr(own_rules, "decide", decided)


@pytest.mark.parametrize(("name", "own"), NEEDED, ids=[name for name, _ in NEEDED])
def test_control_of_a_rule_that_breaks_a_condition_the_bound_is_wrong_without_it(
    name: str, own: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not proved(row_of_rule(own)).keys() & set(BOUNDED)
    without(monkeypatch, name)
    row, p = row_of_rule(own), 12 if name == "so many" else 4
    assert "in-flight" in proved(row)
    assert said(row, p, 40) != played(own, p, 40)[0]


WINDOWS: list[tuple[Family, str]] = [
    (family(GOES_ON, "stash", 2, admission=lambda p: 2 * p), "Min(p, floor(M/2) - 1)"),
    (family(GOES_ON, "stash", 5), "floor(M/5) - 1"),
    (family(RULE, "latest", 3, admission=lambda p: 7), "Min(2, floor(M/3) - 1)"),
    (
        family(RULE, "stash", 3, in_flight=lambda s, p: 2 * p if s == 0 else p - s),
        "Piecewise((Min(floor(M/3) - 1, ceiling(2*p/3 - 1/3)), Eq(s, 0)), "
        "(Min(floor(M/3) - 1, ceiling(p/3 - s/3 - 1/3)), True))",
    ),
    (family(BACKWARDS, "stash", 4), "Min(floor(M/4) - 1, ceiling(p/2 - s/2 - 1/2))"),
    (
        family(RULE, "stash", 3, in_flight=lambda s, p: 3 * (p - s)),
        "Min(p - s, floor(M/3) - 1)",
    ),
]


@pytest.mark.parametrize(("own", "stale"), WINDOWS, ids=[stale for _, stale in WINDOWS])
def test_an_update_may_follow_several_gradients(own: Family, stale: str) -> None:
    row = row_of_rule(own)
    assert proved(row)["staleness"] == stale
    for p, M in product(range(1, 7), (5, 6, 11, 30)):
        assert said(row, p, M, "staleness") == played(own, p, M)[1]


ONE_KIND = replace(RULE, prefer_after={Kind.B: Kind.B, Kind.F: Kind.F})
UNREACHED: dict[str, Family] = {
    "all let in as many": family(RULE, "stash", 2, in_flight=lambda s, p: 2 * p),
    "some updates later": family(RULE, "stash", 3, in_flight=lambda s, p: 3 * p - 1),
    "backwards after one": family(ONE_KIND, "stash", 2, in_flight=lambda s, p: 4 * (p - s)),
    "forwards after one": family(
        replace(ONE_KIND, prefer_first=Kind.B), "stash", 3, in_flight=lambda s, p: 2 * (p - s) + 1
    ),
}


@pytest.mark.parametrize("own", UNREACHED.values(), ids=UNREACHED.keys())
def test_control_of_windows_the_largest_staleness_may_not_be_reached(
    own: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = row_of_rule(own)
    assert proved(row).keys() == COLUMNS.keys() - {"staleness"}
    note = next(one.outcome.note for one in row.invariants if one.name == "staleness")
    assert "which is not so at" in note
    without(monkeypatch, "reached")
    wrong = row_of_rule(own)
    assert any(said(wrong, p, 40, "staleness") != played(own, p, 40)[1] for p in range(2, 9))


@pytest.mark.parametrize("after", AFTER, ids=str)
@pytest.mark.parametrize("finished", [operator.lt, operator.le])
def test_control_few_are_between_two_stages_if_a_backward_comes_after_a_forward(
    after: dict[Kind, Kind], finished: Callable[[Any, Any], Any]
) -> None:
    """With F after both and ends in one slot too, but the last stage then has more than 1."""
    rule, own_slot = GreedyRule(finished, Kind.B, after), finished is operator.le
    found = decide(own_rules._neighbours(rule, own_slot)).verdict
    alone = own_slot and after == FORWARDS
    assert (found is Verdict.PROVED) == (after[Kind.F] is Kind.B or alone)
