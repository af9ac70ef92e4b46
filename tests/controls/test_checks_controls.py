"""Broken logs: each fails the checks that it should, and no other one."""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from gpu_validation.checks import CHECKS, Outcome, examine, final_weights, losses, observed, stash
from gpu_validation.checks.local_staleness import measured as staleness_of
from gpu_validation.prediction import predict
from schedules import Kind, Schedule, WeightPolicy, build, timeline
from schedules.formats.trace import NONE, Trace, write_trace
from schedules.formats.trace_reader import parse_trace
from tests.run_logs import content, event, faithful_log, with_extra, with_times, with_version

TIMES = {Kind.F: 10, Kind.B: 20}
PIPEDREAM = build("pipedream", 3, 9)
GPIPE = build("gpipe", 3, 6)

Break = Callable[[Trace], Trace]


def log_of(schedule: Schedule) -> Trace:
    return faithful_log(schedule, timeline(schedule, TIMES))


def failing(log: Trace, schedule: Schedule) -> set[str]:
    return {found.name for found in examine(observed(log), predict(schedule)) if not found.holds}


def copy_at(stage: int) -> int:
    return stage * PIPEDREAM.placement.copy_count


def as_if(log: Trace, kind: Kind, stage: int, m: int, version: int) -> Trace:
    """The log of a machine that really used another version there."""
    index = event(log, kind, stage, m)
    return with_extra(
        with_version(log, index, version), index, hash=content(copy_at(stage), version)
    )


def other_version(log: Trace) -> Trace:
    return as_if(as_if(log, Kind.F, 0, 4, 0), Kind.B, 0, 4, 0)


def newest_in_backward(log: Trace) -> Trace:
    return as_if(log, Kind.B, 0, 4, 4)


def written_in_place(log: Trace) -> Trace:
    return with_extra(log, event(log, Kind.B, 0, 4), hash="something else")


def written_before_forward(log: Trace) -> Trace:
    forward, backward = event(log, Kind.F, 0, 4), event(log, Kind.B, 0, 4)
    return with_extra(with_extra(log, forward, hash="other"), backward, hash="other")


def fresher_forward(log: Trace) -> Trace:
    index = event(log, Kind.F, 1, 4)
    return with_extra(log, index, current=4)


def looked_ahead(log: Trace) -> Trace:
    for kind in (Kind.F, Kind.B):
        log = with_extra(log, event(log, kind, 0, 4), horizon=2, hash="extrapolated")
    return log


def without_update(log: Trace) -> Trace:
    lines = write_trace(log).splitlines(keepends=True)
    gone = event(log, Kind.U, 0, 8)
    return parse_trace("".join(lines[: gone + 1] + lines[gone + 2 :]), "log")


def update_of_another_copy(log: Trace) -> Trace:
    """The update behind 0B4 is said to be that of stage 1."""
    schedule, stage = log.schedule, log.schedule.stage.copy()
    stage[event(log, Kind.U, 0, 4)] = 1
    line = dataclasses.replace(log.timeline, schedule=dataclasses.replace(schedule, stage=stage))
    return dataclasses.replace(log, timeline=line)


def late_last_clock(log: Trace) -> Trace:
    index = event(log, Kind.B, 0, 8)
    end = log.extra[index]["lamport_end"]
    assert isinstance(end, int)
    return with_extra(log, index, lamport_end=end + 1)


def clock_ahead(log: Trace) -> Trace:
    return with_extra(log, event(log, Kind.F, 0, 4), lamport_end=1000)


def started_too_early(log: Trace) -> Trace:
    index = event(log, Kind.B, 1, 4)
    start, end = int(log.timeline.start[index]), int(log.timeline.end[index])
    return with_times(log, index, start - 1, end)


def received_too_early(log: Trace) -> Trace:
    """All that rank 0 did is said to have been done a second later."""
    for index in np.flatnonzero(log.schedule.rank_of_action == 0).tolist():
        start, end = int(log.timeline.start[index]), int(log.timeline.end[index])
        log = with_times(log, index, start + 10**9, end + 10**9)
    return log


def recorded_at_the_start(log: Trace) -> Trace:
    return with_times(log, event(log, Kind.F, 0, 8), 0, 10)


def swapped(log: Trace, one: int, other: int) -> Trace:
    """A log in which two neighbouring events of a rank stand the other way round."""
    lines = write_trace(log).splitlines(keepends=True)
    lines[one + 1], lines[other + 1] = lines[other + 1], lines[one + 1]
    return parse_trace("".join(lines), "log")


def forwards_swapped(log: Trace) -> Trace:
    return swapped(log, event(log, Kind.F, 0, 0), event(log, Kind.F, 0, 1))


def twice(log: Trace) -> Trace:
    lines = write_trace(log).splitlines(keepends=True)
    last = event(log, Kind.F, 2, 8)
    return parse_trace("".join([*lines, lines[last + 1]]), "log")


@pytest.mark.parametrize(
    ("schedule", "broken", "expected"),
    [
        (PIPEDREAM, other_version, {"versions"}),
        (PIPEDREAM, looked_ahead, {"versions"}),
        (PIPEDREAM, without_update, {"versions"}),
        (PIPEDREAM, update_of_another_copy, {"versions", "hash"}),
        (PIPEDREAM, newest_in_backward, {"versions", "stash"}),
        (PIPEDREAM, written_in_place, {"stash", "hash"}),
        (PIPEDREAM, written_before_forward, {"hash"}),
        (PIPEDREAM, fresher_forward, {"local-staleness"}),
        (PIPEDREAM, late_last_clock, {"lamport"}),
        (PIPEDREAM, clock_ahead, {"lamport", "causality"}),
        (PIPEDREAM, started_too_early, {"causality", "messages"}),
        (PIPEDREAM, recorded_at_the_start, {"real-time", "causality"}),
        (PIPEDREAM, twice, {"order", "causality"}),
        (GPIPE, forwards_swapped, {"order", "causality", "messages"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_broken_log_fails_what_it_should(
    schedule: Schedule, broken: Break, expected: set[str]
) -> None:
    assert failing(log_of(schedule), schedule) == set()
    assert failing(broken(log_of(schedule)), schedule) == expected


def test_every_check_has_a_log_that_breaks_it() -> None:
    parameters = test_a_broken_log_fails_what_it_should.pytestmark[0].args[1]  # type: ignore[attr-defined]
    assert set().union(*(expected for _, _, expected in parameters)) == set(CHECKS)


@pytest.mark.parametrize("version", [0, 4])
def test_versions_tell_without_hashes_too(version: int) -> None:
    log = faithful_log(PIPEDREAM, hashing=False)
    broken = with_version(log, event(log, Kind.B, 0, 4), version)
    findings = examine(observed(broken), predict(PIPEDREAM))
    assert {f.name for f in findings if f.outcome is Outcome.FAILS} == {"versions", "stash"}


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (build("gpipe", 3, 9), {"order", "versions", "lamport", "real-time", "local-staleness"}),
        (build("pipedream", 3, 9, noam=2), {"order", "versions", "local-staleness", "lamport",
                                            "real-time"}),
        (build("naive", 3, 9), {"order", "versions", "local-staleness", "lamport", "real-time"}),
    ],
)  # fmt: skip
def test_another_prediction_is_not_met(schedule: Schedule, expected: set[str]) -> None:
    other = dataclasses.replace(schedule, policy=PIPEDREAM.policy)
    assert failing(log_of(PIPEDREAM), other) == expected


@pytest.mark.parametrize("name", ["latest", "vertical-sync"])
def test_another_policy_is_not_met(name: str) -> None:
    schedule = dataclasses.replace(PIPEDREAM, policy=WeightPolicy(name))  # type: ignore[arg-type]
    try:
        predicted = predict(schedule)
    except Exception as error:
        pytest.fail(f"the policy fits this schedule: {error}")
    found = {finding.name for finding in examine(observed(log_of(PIPEDREAM)), predicted)
             if finding.holds is False}  # fmt: skip
    assert found == {"versions"}


def test_staleness_is_told_from_the_version_that_was_read() -> None:
    schedule = dataclasses.replace(PIPEDREAM, policy=WeightPolicy("vertical-sync"))
    versions = predict(schedule).versions
    found = staleness_of(observed(log_of(schedule)), schedule.stages, schedule.microbatches)
    assert found.tolist() == versions.local_staleness.tolist()
    assert found.tolist() != (versions.at_update - versions.at_forward).tolist()


def drop(log: Trace, index: int, key: str) -> Trace:
    extra = {number: dict(values) for number, values in log.extra.items()}
    del extra[index][key]
    return dataclasses.replace(log, extra=extra)


def without_version(log: Trace) -> Trace:
    return with_version(log, event(log, Kind.F, 1, 3), NONE)


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (lambda log: drop(log, event(log, Kind.B, 1, 3), "lamport_end"), {"lamport"}),
        (lambda log: drop(log, event(log, Kind.F, 1, 3), "current"), {"local-staleness"}),
        (without_version, {"versions", "stash"}),
        (lambda _: faithful_log(PIPEDREAM, hashing=False), {"hash"}),
    ],
)
def test_what_the_log_lacks_is_undecided(broken: Break, expected: set[str]) -> None:
    findings = examine(observed(broken(log_of(PIPEDREAM))), predict(PIPEDREAM))
    assert {f.name for f in findings if f.outcome is Outcome.UNDECIDED} == expected
    assert not [f.name for f in findings if f.outcome is Outcome.FAILS]


def test_a_truncated_log_fails() -> None:
    lines = write_trace(log_of(PIPEDREAM)).splitlines(keepends=True)
    log = parse_trace("".join(lines[:-5]), "log")
    findings = {found.name: found for found in examine(observed(log), predict(PIPEDREAM))}
    assert findings["order"].holds is False
    assert "nothing more" in findings["order"].says
    assert not [name for name in ("versions", "local-staleness", "lamport", "real-time")
                if findings[name].holds]  # fmt: skip


def test_clocks_of_several_hosts_are_not_compared() -> None:
    log = received_too_early(log_of(PIPEDREAM))
    for index in np.flatnonzero(log.schedule.rank_of_action == 0).tolist():
        log = with_extra(log, index, host="elsewhere")
    findings = {found.name: found for found in examine(observed(log), predict(PIPEDREAM))}
    assert findings["real-time"].outcome is Outcome.INAPPLICABLE
    assert findings["causality"].holds, "by the Lamport clock"
    assert findings["messages"].holds
    assert failing(received_too_early(log_of(PIPEDREAM)), PIPEDREAM) >= {"causality", "messages"}


def test_a_backward_without_a_hash_of_its_own_is_not_compared_by_content() -> None:
    log = log_of(PIPEDREAM)
    backward = event(log, Kind.B, 0, 4)
    found = stash.check(observed(drop(log, backward, "hash")), predict(PIPEDREAM))
    assert "27 backwards used the version of their forwards, 26 of them compared" in found.says
    assert stash.coverage(observed(drop(log, backward, "hash"))) == (27, 26)
    forward = drop(log, event(log, Kind.F, 0, 4), "hash")
    broken = with_extra(forward, backward, hash="other")
    found = stash.check(observed(broken), predict(PIPEDREAM))
    assert found.holds is False, "the content from when the version was made is what a forward read"


def test_versions_of_one_content_cannot_be_told_apart() -> None:
    log = log_of(PIPEDREAM)
    for index in log.extra:
        if "hash" in log.extra[index]:
            log = with_extra(log, index, hash="always the same")
    found = {finding.name: finding for finding in examine(observed(log), predict(PIPEDREAM))}
    assert found["hash"].outcome is Outcome.UNDECIDED
    assert "stage 0 have the same content" in found["hash"].says


@pytest.mark.parametrize("found", [{}, {(0, 0): "cuda-rows:12"}])
def test_a_replay_that_compares_nothing_is_undecided(found: dict[tuple[int, int], str]) -> None:
    result = final_weights.check_digests(found, {(0, 0): "rows:12"})
    assert result.outcome is Outcome.UNDECIDED


def test_latest_has_no_stash_to_check() -> None:
    schedule = dataclasses.replace(PIPEDREAM, policy=WeightPolicy("latest"))
    log = faithful_log(schedule)
    findings = {found.name: found for found in examine(observed(log), predict(schedule))}
    assert findings["stash"].outcome is Outcome.INAPPLICABLE
    assert failing(log, schedule) == {"stash"}


WEIGHTS = {(0, 0): {"w": np.array([1.0, 2.0], dtype=np.float32)}}


@pytest.mark.parametrize(
    ("other", "tolerance", "expected"),
    [
        (np.array([1.0, 2.0], dtype=np.float32), 0.0, True),
        (np.array([1.0, 2.0000002], dtype=np.float32), 0.0, False),
        (np.array([1.0, 2.0000002], dtype=np.float32), 1e-6, True),
        (np.array([1.0, 2.1], dtype=np.float32), 1e-6, False),
        (np.array([1.0, np.nan], dtype=np.float32), 1.0, False),
        (np.array([1.0, 2.0], dtype=np.float64), 1.0, False),
        (np.array([1.0], dtype=np.float32), 1.0, False),
    ],
)
def test_final_weights(other: np.ndarray, tolerance: float, expected: bool) -> None:
    found = final_weights.check(WEIGHTS, {(0, 0): {"w": other}}, tolerance)
    assert found.holds is expected


def test_final_weights_of_a_copy_that_is_missing() -> None:
    assert final_weights.check({}, WEIGHTS).holds is False
    assert final_weights.check(WEIGHTS, {}).holds is False
    assert final_weights.check({}, {}).holds is None


def test_losses() -> None:
    assert losses.check([0.5, 0.25]).holds
    assert losses.check([0.5, float("inf")]).holds is False
    assert losses.check([0.5, None]).holds is None
    assert losses.check([]).holds is None
