"""Facts about valid schedules, by hand and step by step."""

from dataclasses import replace
from pathlib import Path

import pytest

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, versions
from schedules.errors import InvalidScheduleError
from schedules.formats.pytorch_csv import parse_csv, read_csv
from schedules.validate import facts
from schedules.validation.facts import in_flight, versions_kept
from schedules.versions import update_after

DATA = Path(__file__).parents[1] / "data" / "schedules"


def test_facts_by_hand() -> None:
    text = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1"
    assert facts(parse_csv(text, "a.csv", policy=WeightPolicy("latest"))) == {
        "ranks": 2,
        "stages": 2,
        "microbatches": 2,
        "actions": 8,
        "policy": "latest",
        "length": 6,
        "idle_fraction": "1/3",
        "in_flight": [2, 1],
        "activations": [2, 1],
        "activations_by_rank": [2, 1],
        "local_staleness_whole_run": [1, 0],
        "local_staleness_steady": None,
        "mismatch_whole_run": [1, 0],
        "skew": 1,
        "stash_holds": False,
        "versions_kept": [1, 1],
        "versions_by_rank": [1, 1],
        "updates": 4,
        "delay_whole_run": 3,
        "linearization": "ascending",
    }


POLICIES = [
    (WeightPolicy("flush"), [1, 1, 1], True),
    (WeightPolicy("latest"), [1, 1, 1], False),
    (WeightPolicy("stash"), [3, 2, 1], True),
    (WeightPolicy("predict", horizon=2), [3, 2, 1], True),
    (WeightPolicy("stash", interval=3), [2, 2, 1], True),
    (WeightPolicy("vertical-sync"), [3, 3, 3], True),
    (WeightPolicy("double-buffer", interval=3), [2, 2, 2], True),
]


@pytest.mark.parametrize(("policy", "kept", "holds"), POLICIES)
def test_versions_kept(policy: WeightPolicy, kept: list[int], holds: bool) -> None:
    schedule = replace(build("pipedream", 3, 18), policy=policy)
    assert versions_kept(schedule, versions(schedule)) == kept
    assert facts(schedule)["stash_holds"] is holds


def kept_step_by_step(schedule: Schedule) -> list[int]:
    """Walk over the actions of each stage and look at which versions are still wanted."""
    replayed, after = versions(schedule), update_after(schedule)
    most = [0] * schedule.stages
    for stage in range(schedule.stages):
        steps = [index for index in range(len(schedule)) if schedule.stage[index] == stage]
        wanted = []
        for index in steps:
            action = schedule.action(index)
            table = {Kind.F: replayed.read, Kind.B: replayed.used, Kind.I: replayed.used}
            if action.kind in table:
                wanted.append((index, int(table[action.kind][stage, action.microbatch])))
        newest = 0
        for index in steps:
            future = {version for when, version in wanted if when >= index and version <= newest}
            most[stage] = max(most[stage], len(future | {newest}))
            newest += int(after[index])
    return most


@pytest.mark.parametrize("policy", [policy for policy, _, _ in POLICIES])
@pytest.mark.parametrize(
    "schedule",
    [
        build("pipedream", 4, 17),
        build("pipedream", 2, 9, noam=5),
        build("naive", 3, 4),
        read_csv(DATA / "torch2.13_ZBVZeroBubble_p4_m8.compute.csv"),
        read_csv(DATA / "torch2.13_DualPipeV_p2_m4.compute.csv"),
    ],
    ids=lambda schedule: Path(schedule.name).name,
)
def test_versions_kept_step_by_step(schedule: Schedule, policy: WeightPolicy) -> None:
    schedule = replace(schedule, policy=policy)
    if policy.name == "double-buffer" and schedule.microbatches == 8:
        with pytest.raises(InvalidScheduleError, match="of window 2"):
            versions(schedule)
        schedule = replace(schedule, policy=replace(policy, interval=4))
    assert versions_kept(schedule, versions(schedule)) == kept_step_by_step(schedule)


def test_in_flight_ends_with_the_weight_gradient() -> None:
    assert in_flight(parse_csv("0F0,0I0,0F1,0I1,0W0,0W1", "a.csv")) == [2]
    assert in_flight(parse_csv("0F0,0I0,0W0,0F1,0I1,0W1", "a.csv")) == [1]


def test_in_flight_is_counted_by_rank() -> None:
    orders = [
        [Action(Kind.F, 0, m, pipeline=m), Action(Kind.B, 0, m, pipeline=m)] for m in range(2)
    ]
    placement = Placement(ranks=((0,), (1,)), copies=((0,), (1,)))
    schedule = Schedule.from_orders("made", orders, 2, WeightPolicy("stash"), placement=placement)
    assert in_flight(schedule) == [1]


def test_steady_staleness_leaves_both_ends_out() -> None:
    late = "0F0,0B0,0F1,0B1,0F2,0F3,0B2,0B3"
    found = facts(parse_csv(late, "a.csv", policy=WeightPolicy("stash")))
    assert (found["local_staleness_steady"], found["local_staleness_whole_run"]) == ([0], [1])
    early = "0F0,0F1,0B1,0B0,0F2,0B2,0F3,0B3"
    found = facts(parse_csv(early, "a.csv", policy=WeightPolicy("stash")))
    assert (found["local_staleness_steady"], found["local_staleness_whole_run"]) == ([0], [1])


def test_facts_of_an_invalid_schedule() -> None:
    with pytest.raises(InvalidScheduleError):
        facts(parse_csv("0B0,0F0", "a.csv"))
