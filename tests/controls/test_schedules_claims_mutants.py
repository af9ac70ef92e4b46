"""Negative controls for claims on all timings: nothing false about runs may be proved.

Mutants are made by operators: leave a hypothesis out, change an event of a free run, change a
preference or the causality of the rule, let two ranks update one weight copy.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import z3

from schedules import Kind, Placement
from schedules.errors import InvalidScheduleError
from schedules.families import build
from schedules.families.pipedream import RULE
from schedules.rules import GreedyRule
from schedules.versions import versions
from theory.judging.verify import judge
from theory.papers.schedules import counters, free_running, static_staleness
from theory.papers.schedules.counters import (
    Event,
    Stage,
    admission_statements,
    last_stage_statements,
    pair_statements,
)
from theory.papers.schedules.free_running import proof
from theory.papers.schedules.static_staleness import a_, staleness_by_the_clock, statements
from theory.smt.solver import Statement, decide
from theory.verdicts import Verdict, weakest

PRINTED = free_running.CLAIM.printed

STATEMENTS = [
    *statements(a_),
    *pair_statements(RULE),
    *admission_statements(RULE),
    *last_stage_statements(RULE, z3.IntVal(0)),
]

UNNEEDED = {
    # The domain: a step holds outside it too.
    "one more action": {"n >= 0", "a >= 0"},
    "stage 0 and its admission: F starts": {"N >= 1", "forwards_0 - backwards_ended_0 <= N"},
    "stage 0 and its admission: F ends": {"N >= 1"},
    "stage 0 and its admission: B starts": {"N >= 1"},
    "stage 0 and its admission: B ends": {"N >= 1"},
    # The event's own guard says it again.
    "stage s and its neighbour: F starts": {"True"},
    "stage s and its neighbour: B starts": {"backwards_s <= backwards_ended_next"},
    "stage s + 1 and its neighbour: F starts": {"forwards_next <= forwards_ended_s"},
    "stage s + 1 and its neighbour: B starts": {"sound next"},
    # Follows from the other neighbour's and from being free.
    "neighbours": {"sound next"},
    "last stage": {"sound last"},
}
"""Hypotheses that can be left out, by statement; every other one is needed."""


def hypotheses(statement: Statement) -> Iterator[tuple[str, Statement]]:
    """The statement without one of its hypotheses, by what is left out."""
    flat = [
        part
        for term in statement.hypotheses
        for part in (term.children() if z3.is_and(term) else [term])
    ]
    sound = {str(Stage.named(name).sound): f"sound {name}" for name in ("s", "next", "0", "last")}
    for k, term in enumerate(flat):
        left = (*flat[:k], *flat[k + 1 :])
        yield sound.get(str(term), str(term)), replace(statement, hypotheses=left)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.name)
def test_what_remains_without_a_hypothesis_is_not_proved(statement: Statement) -> None:
    assert decide(statement).verdict is Verdict.PROVED
    found = {name for name, less in hypotheses(statement) if decide(less).verdict is Verdict.PROVED}
    assert found == UNNEEDED.get(statement.name, set())


def test_actions_other_than_a_may_take_no_time() -> None:
    """The induction over later actions is not about those with a duration only."""
    future = next(statement for statement in statements(a_) if statement.name == "future")
    n = z3.Int("n")
    instant = static_staleness._START(n + 1) == static_staleness._END(n + 1)
    assert decide(replace(future, goal=z3.Not(instant))).verdict is Verdict.REFUTED


def verdict(rule: GreedyRule = RULE) -> Verdict:
    return weakest(outcome.verdict for outcome in proof(PRINTED, rule).values())


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ({"finished": operator.le}, {"neighbours", "pile-up"}),
        ({"prefer_first": Kind.F}, {"last stage"}),
        ({"prefer_after": {Kind.B: Kind.F, Kind.F: Kind.F}}, {"last stage"}),
        ({"prefer_after": {Kind.B: Kind.B, Kind.F: Kind.B}}, set()),
    ],
    ids=["not strict", "F until the first B", "after F prefer F", "after B prefer B: same bound"],
)
def test_proof_follows_the_rule(changes: dict[str, Any], broken: set[str]) -> None:
    found = proof(PRINTED, replace(RULE, **changes))
    assert {name for name, o in found.items() if o.verdict is not Verdict.PROVED} == broken


def test_each_half_of_the_bound_is_sharp() -> None:
    """Not at most one less, and not attained one more."""
    noam = z3.Int("N")
    assert decide(free_running._bound(noam - 2)).verdict is Verdict.REFUTED
    assert decide(free_running._attained(noam)).verdict is Verdict.REFUTED


def started_twice(event: Event) -> Event:
    after = event.after
    more = replace(after, forwards=after.forwards + 1, backwards=after.backwards + 1)
    return replace(event, after=more)


def unguarded(event: Event) -> Event:
    return replace(event, guard=z3.BoolVal(True))


def ended_early(event: Event) -> Event:
    after = event.after
    changed = replace(after, forwards_ended=after.forwards, backwards_ended=after.backwards + 1)
    return replace(event, after=changed)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("operation", "position"), [*product([started_twice, unguarded, ended_early], range(4))]
)
def test_other_events_are_not_proved(
    monkeypatch: pytest.MonkeyPatch, operation: Any, position: int
) -> None:
    original = counters.events

    def changed(stage: Stage, may_forward: Any, may_backward: Any) -> tuple[Event, ...]:
        found = list(original(stage, may_forward, may_backward))
        found[position] = operation(found[position])
        return tuple(found)

    assert verdict() is Verdict.PROVED
    monkeypatch.setattr(counters, "events", changed)
    assert verdict() is not Verdict.PROVED


def test_two_ranks_for_one_copy_are_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decide(static_staleness._without_order()).verdict is Verdict.REFUTED
    assert len(set(static_staleness.two_ranks().values())) == 2
    # If runs of such a copy did not differ, the row's control would have lost its object.
    monkeypatch.setattr(static_staleness, "two_ranks", lambda: {"one": 1, "other": 1})
    steps = judge(replace(static_staleness.CLAIM, holds=None)).judgement.steps
    assert steps[-1].verdict is Verdict.UNKNOWN


def test_versions_refuse_a_copy_of_two_ranks() -> None:
    schedule = build("chimera", 2, 4)
    shared = Placement(schedule.placement.ranks, ((0, 0), (0, 0)))
    with pytest.raises(InvalidScheduleError, match="used on several ranks"):
        versions(replace(schedule, placement=shared))


def test_clock_of_a_run_that_is_not_in_program_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were start times not those of a run, the row would notice."""

    def early(schedule: Any, taken: Any) -> tuple[Any, dict[int, int]]:
        return np.zeros(len(schedule), dtype=np.int64), {}

    monkeypatch.setattr(static_staleness, "run_to_end", early)
    assert not staleness_by_the_clock(build("pipedream", 2, 4), np.ones(16, dtype=np.int64)).any()
    assert judge(replace(static_staleness.CLAIM, holds=None)).verdict is Verdict.UNKNOWN
