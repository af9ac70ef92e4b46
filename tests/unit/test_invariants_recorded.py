"""Versions and times that a trace recorded, against what is decided of its orders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedules import Action, Kind, WeightPolicy, build, timeline, versions
from schedules.formats import Document
from schedules.formats.pytorch_csv import parse_csv
from schedules.formats.trace import NONE, Trace, trace_of
from schedules.invariants import Report, check, parse_requirements
from schedules.lowering import lower
from schedules.policies import PolicyName
from schedules.schedule import Group, Schedule

ANY = ("stash", "latest", "vertical-sync", "double-buffer", "predict", "flush")


def traced(schedule: Schedule) -> Trace:
    return trace_of(timeline(schedule), versions(schedule))


def judged(trace: Trace, text: str = "") -> Report:
    requirements = parse_requirements(text) if text else ()
    return check(Document(trace.schedule, trace=trace), requirements)


def sample(policy: PolicyName = "stash") -> Trace:
    window = 3 if policy == "double-buffer" else 1
    schedule = replace(build("pipedream", 3, 6), policy=WeightPolicy(policy, window))
    return traced(lower(schedule))


def at(trace: Trace, name: str) -> int:
    return [str(trace.schedule.action(i)) for i in range(len(trace.schedule))].index(name)


def versioned(trace: Trace, name: str, version: int) -> Trace:
    changed = trace.version.copy()
    changed[at(trace, name)] = version
    return replace(trace, version=changed)


def timed(trace: Trace, **at_start: int) -> Trace:
    """The same with other starts, each as long as before."""
    line = trace.timeline
    start, end = line.start.copy(), line.end.copy()
    for name, time in at_start.items():
        index = at(trace, name.removeprefix("_"))
        end[index] += time - start[index]
        start[index] = time
    return replace(trace, timeline=replace(line, start=start, end=end))


def broken(report: Report) -> list[tuple[str, object]]:
    return [(found.invariant, found.witness["action"]) for found in report.violations]


# Versions


@pytest.mark.parametrize("policy", ANY)
def test_what_the_policy_gives_holds(policy: PolicyName) -> None:
    assert judged(sample(policy)).ok


@pytest.mark.parametrize("name", ["0F2", "1B3", "2F5"])
def test_one_other_version_is_not_what_the_policy_gives(name: str) -> None:
    report = judged(versioned(sample(), name, 77), "staleness<=2")
    assert broken(report) == [("policy", name)]
    [found] = report.violations
    assert found.witness["recorded"] == 77
    assert dict(report.undecided)["staleness"].endswith("here not: policy")


def test_weight_gradients_are_compared_too() -> None:
    trace = traced(build("zb-h1", 2, 3))
    assert judged(trace).ok
    assert broken(judged(versioned(trace, "1W1", 9))) == [("policy", "1W1")]


def test_backward_that_was_recorded_with_another_version() -> None:
    trace = versioned(sample(), "0B3", 2)
    assert broken(judged(trace, "stash")) == [("policy", "0B3"), ("stash", "0B3")]
    assert judged(trace, "stash").violations[1].witness["forward"] == "0F3"
    assert broken(judged(sample(), "stash")) == []


@pytest.mark.parametrize(("policy", "version"), [("stash", 0), ("latest", 1), ("flush", 1)])
def test_a_forward_run_again_has_the_weights_of_its_policy(
    policy: PolicyName, version: int
) -> None:
    """0R1 stands behind the first update."""
    order = parse_csv("0F0,0F1,0B0,0R1,0B1", "a.csv")
    rows = [*list(order.rank(0))[:3], Action(Kind.U, 0), *list(order.rank(0))[3:]]
    again = Schedule.from_orders("again", [rows], 2, WeightPolicy(policy))
    sound = versioned(traced(again), "0R1", version)
    assert judged(sound).ok
    assert broken(judged(versioned(sound, "0R1", 1 - version))) == [("policy", "0R1")]
    if policy == "stash":
        found = broken(judged(versioned(sound, "0R1", 1), "stash"))
        assert found == [("policy", "0R1"), ("stash", "0R1")]


def test_stash_of_a_broken_order_is_not_read_off() -> None:
    """Versions of pairs mean nothing where computations are missing."""
    schedule = build("pipedream", 1, 2)
    trace = traced(schedule)
    short = Schedule.from_orders("short", [list(schedule.rank(0))[:-1]], 2, schedule.policy)
    line = trace.timeline
    cut = replace(
        trace,
        timeline=type(line)(short, line.start[:-1], line.end[:-1]),
        peer=trace.peer[:-1],
        channel=trace.channel[:-1],
        version=trace.version[:-1],
    )
    assert "stash" in dict(judged(cut, "stash").undecided)


def test_another_policy_than_the_one_that_ran() -> None:
    trace = sample("stash")
    schedule = replace(trace.schedule, policy=WeightPolicy("latest"))
    line = replace(trace.timeline, schedule=schedule)
    report = judged(replace(trace, timeline=line))
    assert {found.invariant for found in report.violations} == {"policy"}


def test_versions_that_were_not_recorded_are_not_compared() -> None:
    trace = sample()
    computes = trace.schedule.kind == Kind.F
    without = replace(trace, version=np.where(computes, NONE, trace.version))
    assert judged(without, "stash").ok
    assert judged(versioned(trace, "0SEND_F0", 5)).ok


# Times


def test_start_before_the_one_in_front() -> None:
    trace = traced(build("pipedream", 1, 2))
    late = timed(trace, _0B1=1)
    # Before the one in front of it, and before the end of its forward.
    assert judged(late).violations[0].witness["behind"] == "0F1"
    assert broken(judged(late)) == [("causal", "0B1")] * 2
    assert judged(timed(trace, _0B1=50)).ok


def test_start_before_what_comes_from_another_rank() -> None:
    trace = traced(build("gpipe", 2, 1))
    [found] = judged(timed(trace, _1F0=0, _1B0=5, _0B0=9)).violations
    assert (found.invariant, found.witness["action"], found.witness["behind"]) == (
        "causal", "1F0", "0F0",
    )  # fmt: skip
    assert found.witness["time"] == 0


@pytest.mark.parametrize(
    ("named", "ok"),
    [
        ({0: "a", 1: "b", 2: "c", 3: "d"}, True),
        (dict.fromkeys(range(4), "a"), False),
        ({}, False),
    ],
)
def test_clocks_of_two_hosts_are_not_compared(named: dict[int, str], ok: bool) -> None:
    trace = timed(traced(build("gpipe", 2, 1)), _1F0=0, _1B0=5, _0B0=9)
    extra = {index: {"host": host} for index, host in named.items()}
    assert judged(replace(trace, extra=extra)).ok is ok


def test_one_rank_has_one_clock_whatever_its_host_is_called() -> None:
    trace = timed(traced(build("pipedream", 1, 2)), _0B1=1)
    hosts = {index: {"host": str(index)} for index in range(4)}
    assert not judged(replace(trace, extra=hosts)).ok
    trace = traced(build("pipedream", 1, 2))
    line = trace.timeline
    long = replace(line, end=np.where(np.arange(4) == at(trace, "0F0"), 2, line.end))
    late = judged(replace(trace, timeline=long, extra=hosts))
    assert [found.witness["behind"] for found in late.violations] == ["0F0"]


def test_parts_of_an_overlap_start_in_any_order() -> None:
    trace = traced(build("pipedream", 1, 2))
    schedule = replace(trace.schedule, groups=(Group(0, 1, 2, "overlap"),))
    assert [str(schedule.action(index)) for index in (1, 2)] == ["0B0", "0F1"]
    swapped = timed(trace, _0B0=2, _0F1=1)
    line = swapped.timeline
    assert judged(replace(swapped, timeline=replace(line, schedule=schedule))).ok
    assert broken(judged(swapped)) == [("causal", "0F1")]


def test_receive_ends_behind_the_start_of_its_send() -> None:
    trace = sample()
    line = trace.timeline
    send, receive = at(trace, "0SEND_F0"), at(trace, "1RECV_F0")
    end = line.end.copy()
    end[send] = 1_000  # a send may be over long after its receive
    assert judged(replace(trace, timeline=replace(line, end=end))).ok
    start, end = line.start.copy(), line.end.copy()
    start[receive] = end[receive] = 0
    report = judged(replace(trace, timeline=replace(line, start=start, end=end)))
    assert broken(report) == [("causal", "1RECV_F0")]


def test_round_may_be_entered_early_but_not_left() -> None:
    trace = traced(build("localsgd", 2, 4))
    averages = (trace.schedule.kind == Kind.REDUCE) & (trace.schedule.stage == 1)
    line, index = trace.timeline, int(np.flatnonzero(averages)[0])
    action = trace.schedule.action(index)
    backward = at(trace, f"0B{action.microbatch}")
    start, end = line.start.copy(), line.end.copy()
    start[index], end[index] = line.start[index - 1], line.end[backward]
    assert judged(replace(trace, timeline=replace(line, start=start, end=end))).ok
    end[index] = line.end[backward] - 1
    early = replace(trace, timeline=replace(line, start=start, end=end))
    assert broken(judged(early)) == [("causal", str(action))]
