"""Microbatches in flight, activations and bytes: where a bound is first exceeded."""

from __future__ import annotations

import numpy as np

from schedules import Schedule, build, timeline
from schedules.analysis import parse_sizes
from schedules.analysis.lifetimes import Lifetimes, sweep
from schedules.analysis.peaks import stage_bytes
from schedules.invariants import Report, check, parse_requirements
from schedules.validation.violation import Violation
from tests.rows import rows

SIZES = parse_sizes(
    "[default]\nweights = 100\nactivations = 8\noptimizer = 1000\n[stage.1]\nactivations = 30",
    "sizes.toml",
)


def required(schedule: Schedule, text: str) -> Report:
    return check(schedule, parse_requirements(text), sizes=SIZES)


def only(schedule: Schedule, text: str) -> Violation:
    [violation] = required(schedule, text).violations
    return violation


def test_too_many_in_flight() -> None:
    violation = only(build("gpipe", 1, 4), "in-flight<=2")
    assert violation.message == (
        "gpipe:rank 0:position 2: at most 2 microbatches are in flight at a stage, but 0F2 makes "
        "it 3 at stage 0, and in all there are up to 4; allow in-flight<=4, or do a backward "
        "before 0F2"
    )
    assert violation.witness == {"action": "0F2", "stage": 0, "rank": 0, "most": 4, "bound": 2}
    assert violation.marks.actions == (2,)
    assert required(build("gpipe", 1, 4), "in-flight<=4").ok


def test_weight_gradient_ends_the_flight() -> None:
    postponed = rows("0F0 0I0 0F1 0I1 0W0 0W1")
    assert not required(postponed, "in-flight<=1").ok
    assert not required(postponed, "activations<=1").ok
    assert required(rows("0F0 0I0 0W0 0F1 0I1 0W1"), "in-flight<=1,activations<=1").ok


def test_one_violation_for_each_stage() -> None:
    report = required(build("pipedream", 3, 9), "activations<=1")
    assert [found.witness["stage"] for found in report.violations] == [0, 1]
    assert [found.place for found in report.violations] == [
        "pipedream:rank 0:position 1",
        "pipedream:rank 1:position 1",
    ]


def test_stages_of_a_rank_are_counted_apart() -> None:
    schedule = build("interleaved-1f1b", 2, 4)
    most = max(required(schedule, "activations<=100").facts["activations"])  # type: ignore[call-overload]
    assert required(schedule, f"activations<={most}").ok
    by_rank = max(required(schedule, "flush").facts["activations_by_rank"])  # type: ignore[call-overload]
    assert by_rank > most


def test_too_many_bytes_at_a_stage() -> None:
    """Stage 1 keeps weights, optimizer and one microbatch; stage 0 two microbatches."""
    schedule = build("1f1b", 2, 4)
    assert required(schedule, "memory<=1130").ok
    violation = only(schedule, "memory<=1129")
    assert violation.message == (
        "1f1b:rank 1:position 0: a stage keeps at most 1129 bytes, but stage 1 keeps 1130 from 1F0 "
        "on (1 activations 30, 1 weights 100, 1 optimizer 1000), and up to 1130 in all; allow "
        "memory<=1130, or keep fewer microbatches or versions"
    )
    assert violation.witness == {
        "owner": "stage 1",
        "rank": 1,
        "most": 1130,
        "bound": 1129,
        "action": "1F0",
        "kept": {
            "activations": {"things": 1, "bytes": 30},
            "weights": {"things": 1, "bytes": 100},
            "optimizer": {"things": 1, "bytes": 1000},
        },
    }


def test_too_many_bytes_from_the_start() -> None:
    violations = required(build("1f1b", 2, 4), "rank-memory<=999").violations
    assert [found.place for found in violations] == ["1f1b:rank 0", "1f1b:rank 1"]
    assert [found.marks.actions for found in violations] == [(), ()]
    assert "rank 0 keeps 1000 from the start" in violations[0].message


def test_versions_are_weighed() -> None:
    schedule = build("pipedream", 2, 8)
    assert stage_bytes(timeline(schedule), SIZES) == (1216, 1130)
    violation = only(schedule, "memory<=1200")
    assert violation.witness["kept"]["weights"] == {"things": 2, "bytes": 200}  # type: ignore[index]


def test_what_is_freed_is_not_counted() -> None:
    """Stage 0 keeps two microbatches at a time, and the third one comes when the first has gone."""
    schedule = rows("0F0 0B0 0F1 0B1 0F2 0F3 0B2 0B3", "stash")
    violation = only(schedule, "memory<=1115")
    assert violation.witness["action"] == "0F3"
    assert violation.witness["kept"] == {
        "activations": {"things": 2, "bytes": 16},
        "weights": {"things": 1, "bytes": 100},
        "optimizer": {"things": 1, "bytes": 1000},
    }


def test_rank_holds_all_its_stages_and_copies() -> None:
    """Two replicas on one rank: two copies of weights and optimizer."""
    schedule = build("localsgd", 1, 4, replicas=2, local_steps=1)
    facts = required(schedule, "memory<=10GB").facts
    assert facts["memory"] == facts["rank_memory"] == [2208]
    looped = required(build("interleaved-1f1b", 2, 4), "rank-memory<=10GB").facts
    memory, by_rank = looped["memory"], looped["rank_memory"]
    assert isinstance(memory, list)
    assert isinstance(by_rank, list)
    assert max(memory) < max(by_rank) <= sum(memory)


def test_sweep_frees_before_it_needs() -> None:
    nothing = np.zeros(2, dtype=np.int64)
    things = Lifetimes(nothing, nothing, nothing, np.array([0, 3]), np.array([3, 5]), nothing)
    found = sweep(things, nothing)
    assert found.most(1).tolist() == [1]
    assert found.first_above(np.array([1])).tolist() == []
    assert found.thing[found.first_above(np.array([0]))].tolist() == [0]
