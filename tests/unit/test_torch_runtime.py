"""PyTorch's own runtime, hooked: the same checks as for our executor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gpu_validation.errors import NotRunnableError
from gpu_validation.faults import Fault
from gpu_validation.measure import judge, measure, replayed
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.prediction import computations, predict
from gpu_validation.run import RunSpec, run
from gpu_validation.transports import Group, open_group
from gpu_validation.transports.torch_runtime.drivers import LOADER, driver_name, require_drivable
from schedules import Schedule, WeightPolicy, build
from schedules.lowering import lower
from tests.harness import failed_checks


@pytest.fixture(scope="module")
def four() -> Iterator[Group]:
    """Four processes for all runs."""
    with open_group("torch", "cpu", 4) as group:
        yield group


FAMILIES = {
    "Schedule1F1B": build("1f1b", 4, 8),
    "ScheduleGPipe": build("gpipe", 4, 4),
    "ScheduleInterleaved1F1B": build("interleaved-1f1b", 4, 8),
    "ScheduleLoopedBFS": build("looped-bfs", 4, 4),
    "ScheduleInterleavedZeroBubble": build("interleaved-zero-bubble", 4, 8),
    "ScheduleZBVZeroBubble": build("zbv", 4, 8),
    "ScheduleDualPipeV": build("dualpipev", 4, 8),
}


@pytest.mark.parametrize("name", list(FAMILIES))
def test_pytorchs_own_schedules(four: Group, name: str) -> None:
    schedule = FAMILIES[name]
    assert driver_name(schedule) == name
    assert failed_checks(RunSpec(schedule, "torch", hashing="full"), four) == []


OURS = {
    "pipedream": build("pipedream", 4, 10),
    "pipedream latest": replace(build("pipedream", 4, 8), policy=WeightPolicy("latest")),
    "pipedream vertical-sync": replace(
        build("pipedream", 4, 8), policy=WeightPolicy("vertical-sync")
    ),
    "zb-h1": build("zb-h1", 4, 8),
}


@pytest.mark.parametrize("name", list(OURS))
def test_orders_that_pytorch_does_not_have(four: Group, name: str) -> None:
    assert driver_name(OURS[name]) == LOADER
    assert failed_checks(RunSpec(OURS[name], "torch", hashing="full"), four) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["pipedream", "1f1b"])
def test_two_ranks_agree_and_every_control_is_caught(name: str) -> None:
    found = measure(RunSpec(build(name, 2, 6), "torch"))
    assert found.agree
    assert sum(control.caught for control in found.controls) >= 3


def test_one_rank_and_a_transformer() -> None:
    model = ModelSpec("transformer", width=8, length=5)
    for name in ("1f1b", "pipedream"):
        spec = RunSpec(build(name, 1, 3), "torch", model=model, optimizer=OptimizerSpec("nadam"))
        with open_group("torch", "cpu", 1) as group:
            assert failed_checks(spec, group) == []


def test_the_clock_does_not_depend_on_real_time(four: Group) -> None:
    spec = RunSpec(build("pipedream", 4, 8), "torch", jitter=0.01)
    assert failed_checks(spec, four) == []


def test_a_fault_reaches_the_chunk_calls(four: Group) -> None:
    spec = RunSpec(build("pipedream", 4, 8), "torch", fault=Fault("no-stash", 0), hashing="full")
    found = judge(run(spec, group=four), predict(spec.schedule), replayed(spec))
    assert {"versions", "stash", "final-weights"} <= {f.name for f in found if f.holds is False}


def with_other_order(schedule: Schedule) -> Schedule:
    """The last rank keeps two microbatches in flight instead of one; the name stays."""
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    last = orders[-1]
    orders[-1] = [last[0], *(x for pair in zip(last[2::2], last[1::2], strict=False) for x in pair)]
    orders[-1].append(last[-1])
    return Schedule.from_orders(
        schedule.name, orders, schedule.microbatches, schedule.policy, placement=schedule.placement
    )


def test_an_order_of_ones_own_is_not_replaced_by_pytorchs(four: Group) -> None:
    schedule = with_other_order(build("1f1b", 4, 8))
    assert driver_name(schedule) == LOADER
    result = run(RunSpec(schedule, "torch"), group=four)
    done = computations(result.trace.schedule)
    assert [str(action) for action in done.rank(3)][:5] == "3F0 3F1 3B0 3F2 3B1".split()


def test_messages_of_a_schedule_are_left_to_pytorch(four: Group) -> None:
    schedule = lower(build("1f1b", 4, 4))
    assert driver_name(schedule) == "Schedule1F1B"
    assert failed_checks(RunSpec(schedule, "torch"), four) == []


def test_what_the_runtime_has_no_means_for_is_refused() -> None:
    with pytest.raises(NotRunnableError, match="free-running"):
        require_drivable(RunSpec(build("pipedream", 2, 4), "torch", order="free-running"))
    with pytest.raises(NotRunnableError, match="one pipeline, found 2"):
        require_drivable(RunSpec(build("chimera", 2, 4), "torch"))
    with pytest.raises(NotRunnableError, match=r"computations alone|one pipeline"):
        require_drivable(RunSpec(build("localsgd", 2, 8), "torch"))
