"""Predictions, the range over all timings and measured times, against values found by hand."""

from fractions import Fraction

import numpy as np
import pytest

from gpu_validation import timing
from gpu_validation.checks import observed
from gpu_validation.delay_range import applying_update, delay_range
from gpu_validation.prediction import computations, described, paced, predict
from schedules import Action, Kind, Schedule, WeightPolicy, build, timeline
from schedules.errors import InvalidScheduleError, SizeError
from schedules.lowering import lower
from tests.run_logs import faithful_log, with_extra


def test_prediction_of_pipedream() -> None:
    found = predict(build("pipedream", 2, 4))
    assert found.versions.local_staleness.tolist() == [[0, 1, 1, 1], [0, 0, 0, 0]]
    assert found.delays["ascending"].matrix[:4].tolist() == [[0, 0], [1, 1], [2, 0], [3, 1]]
    assert found.line.length == 10


def test_messages_do_not_change_a_prediction() -> None:
    schedule = build("1f1b", 3, 6)
    lowered = lower(schedule)
    assert len(lowered) > len(schedule)
    assert described(predict(lowered)) == described(predict(schedule))


def test_an_incomplete_schedule_is_not_predicted() -> None:
    lonely = Schedule.from_orders("lonely", [[Action(Kind.F, 0, 0)]], 1, WeightPolicy("stash"))
    with pytest.raises(InvalidScheduleError, match="needs its B or I"):
        predict(lonely)


def test_range_by_hand() -> None:
    # Two ranks, two microbatches: 0F0 0F1 0B0 0B1 | 1F0 1B0 1F1 1B1, an update a backward.
    found = delay_range(build("pipedream", 2, 2))
    # U(0, 0) against block 0: after 0F0 and before it 1B0 must, 1B1 can happen.
    assert (found.least[0, 0, 0], found.most[0, 0, 0]) == (1, 2)
    # U(1, 0) comes directly behind 1F0, and 0B0 needs it.
    assert (found.least[1, 0, 1], found.most[1, 0, 1]) == (0, 0)
    # U(1, 1) against block 1: 0B0 may happen before 1F1, or behind 1B1, or in between.
    assert (found.least[1, 1, 1], found.most[1, 1, 1]) == (0, 1)


def test_unapplied_gradients_have_no_range() -> None:
    policy = WeightPolicy("stash", interval=2)
    order = [Action(kind, 0, m) for m in range(3) for kind in (Kind.F, Kind.B)]
    schedule = Schedule.from_orders("three", [order], 3, policy)
    found = delay_range(schedule)
    assert found.update[0].tolist() == [3, 3, -1]
    assert found.least[0, :, 0].tolist() == [0, 0, -1]
    assert found.most[0, :, 0].tolist() == [0, 0, -1]
    assert applying_update(schedule, np.array([5])).tolist() == [-1]


def test_range_refuses_what_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu_validation.delay_range.MAX_ENTRIES", 10)
    with pytest.raises(SizeError, match="found 16"):
        delay_range(build("gpipe", 2, 4))
    schedule = build("gpipe", 2, 4)
    assert "10 numbers" in described(predict(schedule))["any_timing"]["why"]


def test_pace_with_measured_durations() -> None:
    durations = {(Kind.F, 0): 2, (Kind.B, 0): 4, (Kind.F, 1): 2, (Kind.B, 1): 4}
    found = paced(build("gpipe", 2, 3), durations)
    assert (found.makespan, found.bubble) == (24, Fraction(1, 4))
    assert found.described()["utilisation"] == [0.75, 0.75]


def test_measured_times_of_a_log() -> None:
    schedule = computations(build("gpipe", 2, 3))
    line = timeline(schedule, {Kind.F: 10, Kind.B: 20})
    log = faithful_log(schedule, line)
    found = timing.timing(log, observed(log))
    assert found is not None
    assert found.durations == {
        (Kind.F, 0): 10, (Kind.F, 1): 10, (Kind.B, 0): 20, (Kind.B, 1): 20,
    }  # fmt: skip
    assert (found.pace.makespan, found.pace.bubble) == (120, Fraction(1, 4))
    assert found.pace == paced(schedule, found.durations)


def test_times_of_several_hosts_are_not_compared() -> None:
    log = faithful_log(build("gpipe", 2, 3))
    log.extra[0]["host"] = "elsewhere"  # type: ignore[index]
    assert timing.timing(log, observed(log)) is None


def test_on_a_device_its_own_clock_counts() -> None:
    schedule = computations(build("gpipe", 2, 3))
    line = timeline(schedule, {Kind.F: 10, Kind.B: 20})
    times = [(int(a), int(b)) for a, b in zip(line.start, line.end, strict=True)]
    log = faithful_log(schedule, messages=False)
    at = {str(schedule.action(index)): index for index in range(len(schedule))}
    end = 0
    for index in range(len(log.schedule)):
        action = log.schedule.action(index)
        # Every rank's clock has an origin of its own; an update lasts 7.
        start, end = (end, end + 7) if action.kind is Kind.U else times[at[str(action)]]
        origin = 0 if action.kind is Kind.U else 500 * action.stage
        start, end = start + origin, end + origin
        log = with_extra(log, index, device_start=start, device_end=end)
    seen = observed(log)
    found = timing.timing(log, seen)
    assert found is not None
    assert found.waiting is None
    assert found.durations == {
        (Kind.F, 0): 10, (Kind.F, 1): 10, (Kind.B, 0): 20, (Kind.B, 1): 20,
    }  # fmt: skip
    assert found.pace.makespan == 127
    assert found.pace.utilisation == (Fraction(97, 127), Fraction(97, 127))
    assert timing.described(found)["in_receives"] == "not measured"
    assert timing.timing(log, observed(with_extra(log, 0, host="elsewhere"))) == found


def test_an_update_counts_with_its_gradient() -> None:
    log = faithful_log(build("pipedream", 1, 2))
    assert [str(action) for action in log.schedule.rank(0)] == [
        "0F0", "0B0", "0U0", "0F1", "0B1", "0U1",
    ]  # fmt: skip
    log.timeline.end.setflags(write=True)
    log.timeline.end[2] += 5
    seen = observed(log)
    assert (seen.update_end - seen.end).tolist() == [0, 5, 0, 0]
    found = timing.timing(log, seen)
    assert found is not None
    assert found.durations[Kind.B, 0] == 3, "the median of 6 and 1, rounded down"
