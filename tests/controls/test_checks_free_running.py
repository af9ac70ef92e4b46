"""Free runs: what their orders may be, and what the checks still hold them to."""

import dataclasses

from gpu_validation.checks import observed
from gpu_validation.free_running import check_bound, check_order
from gpu_validation.judging import judge_trace
from gpu_validation.prediction import predict
from schedules import Kind, Schedule, build, timeline
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


def test_a_free_run_may_choose_another_order_but_not_any() -> None:
    other = build("pipedream", 3, 9, noam=2)
    assert free_failing(log_of(PIPEDREAM)) == set()
    assert free_failing(log_of(dataclasses.replace(other, parameters={}))) == set()
    seen = observed(log_of(dataclasses.replace(GPIPE, policy=PIPEDREAM.policy)))
    assert check_order(seen, build("pipedream", 3, 6)).witness == {"admitted": 6, "limit": 3}
    bound = check_bound(seen, build("pipedream", 3, 6))
    assert bound is not None
    assert bound.holds is False


def test_the_bound_of_a_free_run_is_tight() -> None:
    seen = observed(log_of(PIPEDREAM))
    for noam, expected in ((2, False), (3, True), (4, True)):
        found = check_bound(seen, build("pipedream", 3, 9, noam=noam))
        assert found is not None
        assert found.holds is expected


def test_a_free_run_takes_microbatches_in_turn() -> None:
    log = log_of(GPIPE)
    lines = write_trace(log).splitlines(keepends=True)
    one, other = (event(log, Kind.F, 0, m) + 1 for m in (0, 1))
    lines[one], lines[other] = lines[other], lines[one]
    found = check_order(observed(parse_trace("".join(lines), "log")), GPIPE)
    assert found.says == "0F0 came after a later microbatch"


def test_a_free_run_is_held_to_its_own_order() -> None:
    log = log_of(PIPEDREAM)
    backward = event(log, Kind.B, 0, 4)
    newer = with_extra(with_version(log, backward, 4), backward, hash=None)
    late = with_extra(log, event(log, Kind.B, 0, 8), lamport_end=1000)
    assert free_failing(newer) == {"versions", "stash"}
    assert free_failing(late) == {"lamport"}
