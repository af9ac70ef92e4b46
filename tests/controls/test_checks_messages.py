"""Messages of a log: every one that a broken run would leave out, repeat or confuse is found."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from gpu_validation.checks import Finding, Outcome, messages, observed
from gpu_validation.judging import agree, judge_log
from gpu_validation.prediction import predict
from schedules import Kind, Schedule, build, timeline
from schedules.formats.trace import Trace, write_trace
from schedules.formats.trace_reader import parse_trace
from tests.run_logs import event, faithful_log, with_extra, with_times

PIPEDREAM = build("pipedream", 3, 6)
TIMES = {Kind.F: 10, Kind.B: 20}


def log_of(schedule: Schedule, messages: bool = True) -> Trace:
    return faithful_log(schedule, timeline(schedule, TIMES), messages=messages)


def judged(log: Trace, schedule: Schedule = PIPEDREAM) -> Finding:
    return messages.check(observed(log), predict(schedule))


def lines_of(log: Trace) -> list[str]:
    return write_trace(log).splitlines(keepends=True)


def with_fields(log: Trace, kind: Kind, stage: int, m: int, /, **changes: Any) -> Trace:
    """The log with other keys in one line."""
    lines = lines_of(log)
    at = event(log, kind, stage, m) + 1
    lines[at] = json.dumps(json.loads(lines[at]) | changes) + "\n"
    return parse_trace("".join(lines), "log")


def without(log: Trace, kind: Kind, stage: int, m: int) -> Trace:
    lines = lines_of(log)
    del lines[event(log, kind, stage, m) + 1]
    return parse_trace("".join(lines), "log")


def repeated(log: Trace, kind: Kind, stage: int, m: int) -> Trace:
    lines = lines_of(log)
    at = event(log, kind, stage, m) + 1
    return parse_trace("".join([*lines[: at + 1], *lines[at:]]), "log")


def moved(log: Trace, kind: Kind, stage: int, m: int, by: int) -> Trace:
    at = event(log, kind, stage, m)
    start, end = int(log.timeline.start[at]), int(log.timeline.end[at])
    return with_times(log, at, start + by, end + by)


@pytest.mark.parametrize("family", ["pipedream", "gpipe", "zbv", "chimera", "dualpipe"])
def test_a_faithful_run_passes(family: str) -> None:
    schedule = build(family, 4, 8)
    assert judged(log_of(schedule), schedule).holds


@pytest.mark.parametrize(
    "broken",
    [
        lambda log: without(log, Kind.SEND_F, 0, 3),
        lambda log: without(log, Kind.RECV_B, 0, 3),
        lambda log: repeated(log, Kind.SEND_F, 0, 3),
        lambda log: repeated(log, Kind.RECV_F, 1, 3),
        lambda log: with_fields(log, Kind.SEND_F, 0, 3, peer=2),
        lambda log: with_fields(log, Kind.RECV_F, 1, 3, peer=2),
        lambda log: with_fields(log, Kind.SEND_F, 0, 3, stage=1),
        lambda log: with_fields(log, Kind.SEND_F, 0, 3, microbatch=2),
        lambda log: with_fields(log, Kind.SEND_F, 0, 3, channel="1>0"),
        lambda log: with_fields(log, Kind.SEND_F, 0, 3, channel=None),
        lambda log: moved(log, Kind.SEND_F, 0, 3, 10**6),
        lambda log: moved(log, Kind.SEND_F, 0, 3, -1),
        lambda log: moved(log, Kind.RECV_F, 1, 3, 1),
    ],
)
def test_a_broken_message_is_found(broken: Callable[[Trace], Trace]) -> None:
    log = broken(log_of(PIPEDREAM))
    assert judged(log).holds is False
    _, findings, controls = judge_log(log, PIPEDREAM)
    assert not agree(findings, controls)


def test_a_send_before_its_tensor_is_made_is_found() -> None:
    lines = lines_of(log_of(PIPEDREAM))
    send = event(log_of(PIPEDREAM), Kind.SEND_F, 0, 3) + 1
    lines[send - 1], lines[send] = lines[send], lines[send - 1]
    found = judged(parse_trace("".join(lines), "log"))
    assert "before 0F3 was over" in found.says


def test_a_log_without_any_message_decides_nothing() -> None:
    log = log_of(PIPEDREAM)
    kept = [line for line in lines_of(log) if "SEND" not in line and "RECV" not in line]
    bare = parse_trace("".join(kept), "log")
    assert judged(bare).outcome is Outcome.UNDECIDED
    _, findings, controls = judge_log(bare, PIPEDREAM)
    assert not agree(findings, controls)


def test_where_the_check_means_nothing() -> None:
    assert judged(log_of(PIPEDREAM, messages=False)).outcome is Outcome.INAPPLICABLE
    alone = build("pipedream", 1, 3)
    assert judged(log_of(alone), alone).outcome is Outcome.INAPPLICABLE


def test_only_clocks_of_one_machine_are_compared() -> None:
    log = log_of(PIPEDREAM)
    for index in range(len(log.schedule)):
        if int(log.schedule.rank_of_action[index]) == 0:
            at = int(log.timeline.start[index]), int(log.timeline.end[index])
            log = with_times(log, index, *(time + 10**6 for time in at))
    assert judged(log).holds is False
    for index in range(len(log.schedule)):
        if int(log.schedule.rank_of_action[index]) == 0:
            log = with_extra(log, index, host="elsewhere")
    assert judged(log).holds


def test_a_log_of_another_schedule_is_found() -> None:
    other = dataclasses.replace(build("pipedream", 2, 6), name="other")
    assert judged(log_of(other)).holds is False
