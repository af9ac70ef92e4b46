"""Updates, hosts and marks of a log: what a broken or patched log has there is found."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gpu_validation.checks import Outcome, observed
from gpu_validation.event_log import PARTIAL
from gpu_validation.judging import agree, judge_log, judge_trace
from gpu_validation.prediction import predict
from schedules import Kind, build, timeline
from schedules.formats.trace import Trace, write_trace
from schedules.formats.trace_reader import parse_trace
from tests.run_logs import event, faithful_log, with_extra, with_times

PIPEDREAM = build("pipedream", 3, 9)
TIMES = {Kind.F: 10, Kind.B: 20}

Break = Callable[[Trace], Trace]


def sound() -> Trace:
    return faithful_log(PIPEDREAM, timeline(PIPEDREAM, TIMES))


def failing(log: Trace) -> set[str]:
    found = judge_trace(log, predict(PIPEDREAM), free=False)
    _, findings, controls = judge_log(log, PIPEDREAM)
    assert agree(findings, controls) is all(finding.holds for finding in found if finding.applies)
    return {finding.name for finding in found if finding.holds is False}


def repeated(log: Trace, kind: Kind, times: int, **changes: Any) -> Trace:
    """Every line of a kind comes several times."""
    lines = []
    for line in write_trace(log).splitlines(keepends=True):
        fields = json.loads(line)
        lines.append(line)
        if fields.get("op") == kind.name:
            lines += [json.dumps(fields | changes) + "\n"] * (times - 1)
    return parse_trace("".join(lines), "log")


def one_more_at_the_end(log: Trace) -> Trace:
    """Stage 0 updates once more, and that update counts on."""
    lines = write_trace(log).splitlines(keepends=True)
    at = event(log, Kind.U, 0, 8) + 1
    again = lines[at].replace('"current": 9', '"current": 10')
    assert again != lines[at]
    return parse_trace("".join([*lines[: at + 1], again, *lines[at + 1 :]]), "log")


def other_microbatch(log: Trace, other: int = 5) -> Trace:
    lines = write_trace(log).splitlines(keepends=True)
    at = event(log, Kind.U, 1, 4) + 1
    lines[at] = lines[at].replace('"microbatch": 4', f'"microbatch": {other}')
    return parse_trace("".join(lines), "log")


def no_such_microbatch(log: Trace) -> Trace:
    return other_microbatch(log, 99)


def of_update(**changes: int | None) -> Break:
    return lambda log: with_extra(log, event(log, Kind.U, 1, 4), **changes)


def update_at(start: int, end: int) -> Break:
    """The update starts and ends so much later."""

    def broken(log: Trace) -> Trace:
        at = event(log, Kind.U, 1, 4)
        line = log.timeline
        return with_times(log, at, int(line.start[at]) + start, int(line.end[at]) + end)

    return broken


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (lambda log: repeated(log, Kind.U, 4), {"versions"}),
        (one_more_at_the_end, {"versions"}),
        (no_such_microbatch, {"versions"}),
        (other_microbatch, {"versions"}),
        (of_update(current=4), {"versions"}),
        (of_update(current=6), {"versions"}),
        (of_update(lamport_start=0), {"lamport"}),
        (of_update(lamport_end=0), {"lamport"}),
        (update_at(-1, 0), {"causality"}),
        (update_at(0, 10**6), {"causality"}),
        (lambda log: with_extra(log, event(log, Kind.F, 1, 4), read_zero=1), {"versions"}),
        (lambda log: with_extra(log, event(log, Kind.F, 0, 4), read_zero=1), {"versions"}),
        (lambda log: with_extra(log, event(log, Kind.SEND_F, 0, 4), host="other"), {"causality"}),
        (lambda log: with_extra(log, event(log, Kind.U, 0, 4), host=None), {"causality"}),
    ],
)
def test_an_update_or_host_that_is_wrong_is_found(broken: Break, expected: set[str]) -> None:
    assert failing(sound()) == set()
    assert failing(broken(sound())) >= expected


@pytest.mark.parametrize(
    ("kind", "key", "name"),
    [(Kind.U, "lamport_end", "lamport"), (Kind.F, "read_zero", "versions")],
)
def test_what_is_missing_is_undecided(kind: Kind, key: str, name: str) -> None:
    log = sound()
    del log.extra[event(log, kind, 1, 4)][key]  # type: ignore[attr-defined]
    found = {finding.name: finding for finding in judge_trace(log, predict(PIPEDREAM), free=False)}
    assert found[name].outcome is Outcome.UNDECIDED


def test_one_host_for_each_rank_is_no_fault() -> None:
    log = sound()
    for index in np.flatnonzero(log.schedule.rank_of_action == 1).tolist():
        log = with_extra(log, index, host="elsewhere")
    assert failing(log) == set()
    assert observed(log).hosts_of_rank == (("here",), ("elsewhere",), ("here",))


def test_clocks_within_each_of_several_hosts_are_still_compared() -> None:
    log = sound()
    for index in np.flatnonzero(log.schedule.rank_of_action == 2).tolist():
        log = with_extra(log, index, host="elsewhere")
    early = event(log, Kind.F, 1, 4)
    late = with_times(log, early, 0, int(log.timeline.end[early]))
    assert "causality" in failing(late)


def test_a_partial_log_does_not_agree() -> None:
    text = write_trace(sound())
    marked = text.replace('"parameters": {', f'"parameters": {{"{PARTIAL}": 1, ', 1)
    log = parse_trace(marked, "log")
    assert failing(log) == set()
    assert judge_trace(log, predict(PIPEDREAM), free=False)[0].outcome is Outcome.UNDECIDED
