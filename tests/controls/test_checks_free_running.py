"""Free runs: what their orders may be, and what the checks still hold them to."""

import dataclasses

import pytest

from gpu_validation.checks import Outcome, observed
from gpu_validation.event_log import PARTIAL
from gpu_validation.free_running import check_bound, check_order, first_against
from gpu_validation.judging import judge_trace
from gpu_validation.orders import rule_of
from gpu_validation.prediction import predict
from schedules import Action, Kind, Schedule, build, timeline
from schedules.formats.trace import Trace, write_trace
from schedules.formats.trace_reader import parse_trace
from tests.run_logs import event, faithful_log, with_extra, with_version

PIPEDREAM = build("pipedream", 3, 9)
GPIPE = build("gpipe", 3, 6)


def log_of(schedule: Schedule) -> Trace:
    return faithful_log(schedule, timeline(schedule, {Kind.F: 10, Kind.B: 20}))


def free_failing(log: Trace) -> set[str]:
    findings = judge_trace(log, predict(PIPEDREAM), free=True)
    return {finding.name for finding in findings if finding.holds is False}


def renamed(schedule: Schedule, like: Schedule) -> Schedule:
    """Another order under the name, parameters and policy of a schedule."""
    return dataclasses.replace(
        schedule, name=like.name, parameters=like.parameters, policy=like.policy
    )


def test_a_free_run_may_choose_another_order_but_not_any() -> None:
    other = build("pipedream", 3, 9, noam=2)
    assert free_failing(log_of(PIPEDREAM)) == set()
    assert free_failing(log_of(renamed(other, PIPEDREAM))) == set()
    declared = build("pipedream", 3, 6)
    seen = observed(log_of(renamed(GPIPE, declared)))
    assert check_order(seen, declared).witness == {"admitted": 6, "limit": 3}
    bound = check_bound(seen, declared)
    assert bound is not None
    assert bound.holds is False


def test_the_bound_of_a_free_run_is_tight() -> None:
    seen = observed(log_of(PIPEDREAM))
    for noam, expected in ((2, False), (3, True), (4, True)):
        found = check_bound(seen, build("pipedream", 3, 9, noam=noam))
        assert found is not None
        assert found.holds is expected


def test_a_free_run_takes_microbatches_in_turn() -> None:
    declared = build("pipedream", 3, 6)
    log = log_of(declared)
    lines = write_trace(log).splitlines(keepends=True)
    for kind in (Kind.F, Kind.SEND_F):
        one, other = (event(log, kind, 0, m) + 1 for m in (0, 1))
        lines[one], lines[other] = lines[other], lines[one]
    found = check_order(observed(parse_trace("".join(lines), "log")), declared)
    assert found.says == "0F0 came after a later microbatch"


def test_a_free_run_is_held_to_its_own_order() -> None:
    log = log_of(PIPEDREAM)
    backward = event(log, Kind.B, 0, 4)
    newer = with_extra(with_version(log, backward, 4), backward, hash=None)
    late = with_extra(log, event(log, Kind.B, 0, 8), lamport_end=1000)
    assert free_failing(newer) == {"versions", "stash"}
    assert free_failing(late) == {"lamport"}


@pytest.mark.parametrize("name", ["1f1b", "gpipe", "zb-h1"])
def test_without_a_rule_nothing_is_said(name: str) -> None:
    declared = build(name, 3, 6)
    found = check_order(observed(log_of(declared)), declared)
    assert found.outcome is Outcome.UNDECIDED
    assert "no rule" in found.says
    assert judge_trace(log_of(declared), predict(declared), free=True)[0].holds is None


def test_a_log_under_another_name_or_parameter_is_refused() -> None:
    for other in (build("pipedream", 3, 9, noam=2), dataclasses.replace(PIPEDREAM, name="other")):
        found = check_order(observed(log_of(other)), PIPEDREAM)
        assert found.holds is False
        assert "the log is that of" in found.says


def order_of(*ranks: str) -> Schedule:
    """An order under the name of pipedream -p 2 -m 3."""
    kinds = {"F": Kind.F, "B": Kind.B}
    orders = [
        [Action(kinds[word[0]], rank, int(word[1:])) for word in text.split()]
        for rank, text in enumerate(ranks)
    ]
    like = build("pipedream", 2, 3)
    return renamed(Schedule.from_orders("x", orders, 3, like.policy), like)


LAST = "F0 B0 F1 B1 F2 B2"


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        (("F0 F1 B0 F2 B1 B2", LAST), None),
        (("F0 B0 F1 B1 F2 B2", LAST), None),
        (("F0 F1 B0 B1 F2 B2", LAST), ("0B1", "0F2")),
        (("F0 F1 B0 F2 B1 B2", "F0 F1 B0 B1 F2 B2"), ("1F1", "1B0")),
    ],
)
def test_what_was_ready_for_certain_and_preferred_comes_next(
    ranks: tuple[str, str], expected: tuple[str, str] | None
) -> None:
    declared = build("pipedream", 2, 3)
    found = first_against(order_of(*ranks), *rule_of(declared))
    assert (found and tuple(map(str, found))) == expected
    judged = check_order(observed(log_of(order_of(*ranks))), declared)
    assert judged.holds is (expected is None)


def test_actions_are_counted_in_a_free_run_too() -> None:
    lines = write_trace(log_of(PIPEDREAM)).splitlines(keepends=True)
    again = lines[event(log_of(PIPEDREAM), Kind.F, 2, 8) + 1]
    found = check_order(observed(parse_trace("".join([*lines, again]), "log")), PIPEDREAM)
    assert found.holds is False


def test_a_partial_log_decides_nothing_of_a_free_run() -> None:
    log = log_of(dataclasses.replace(PIPEDREAM, parameters={**PIPEDREAM.parameters, PARTIAL: 1}))
    assert check_order(observed(log), PIPEDREAM).outcome is Outcome.UNDECIDED
