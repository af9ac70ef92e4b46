"""The least buffer of real schedules and of families, held against a machine that executes them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from schedules import Schedule, build
from schedules.formats import read_document
from schedules.lowering import lower
from schedules.messages.capacity import deadlock_facts
from schedules.messages.channels import channels
from schedules.messages.model import QUEUE_KEYS, QueueModel
from schedules.validation.match import match
from tests.oracle.message_machine import Machine

FOLDER = Path(__file__).parents[1] / "data" / "schedules"

LEAST = {
    "deepspeed0.19.8_train_p2_m4.json": (0, 0, 0),
    "deepspeed0.19.8_train_p4_m8.json": (0, 0, 0),
    "megatron0.16.1_p4_m8_v1.json": (0, 0, 0),
    "megatron0.16.1_p4_m8_v2.json": (0, 0, 0),
    "torch2.13_1F1B_p2_m4.comms.csv": (0, 0, 0),
    "torch2.13_1F1B_p2_m4.compute.csv": (0, 0, 0),
    "torch2.13_1F1B_p4_m4_last-rank-bug.compute.csv": (0, 0, 0),
    "torch2.13_1F1B_p4_m8.comms.csv": (0, 0, 0),
    "torch2.13_1F1B_p4_m8.compute.csv": (0, 0, 0),
    "torch2.13_DualPipeV_p2_m4.comms.csv": (0, 0, 0),
    "torch2.13_DualPipeV_p2_m4.compute.csv": (0, 0, 0),
    "torch2.13_DualPipeV_p4_m8.comms.csv": (0, 0, 0),
    "torch2.13_DualPipeV_p4_m8.compute.csv": (0, 0, 0),
    "torch2.13_GPipe_p2_m4.comms.csv": (0, 0, 0),
    "torch2.13_GPipe_p2_m4.compute.csv": (0, 0, 0),
    "torch2.13_GPipe_p4_m8.comms.csv": (0, 0, 0),
    "torch2.13_GPipe_p4_m8.compute.csv": (0, 0, 0),
    "torch2.13_Interleaved1F1B_p2_m4.comms.csv": (0, 0, 0),
    "torch2.13_Interleaved1F1B_p2_m4.compute.csv": (0, 0, 0),
    "torch2.13_Interleaved1F1B_p4_m8.comms.csv": (0, 0, 0),
    "torch2.13_Interleaved1F1B_p4_m8.compute.csv": (0, 0, 0),
    "torch2.13_InterleavedZeroBubble_p2_m4.comms.csv": (0, 0, 0),
    "torch2.13_InterleavedZeroBubble_p2_m4.compute.csv": (0, 0, 0),
    "torch2.13_InterleavedZeroBubble_p4_m8.comms.csv": (0, 0, 0),
    "torch2.13_InterleavedZeroBubble_p4_m8.compute.csv": (0, 0, 0),
    "torch2.13_LoopedBFS_p2_m4.comms.csv": (0, 0, 0),
    "torch2.13_LoopedBFS_p2_m4.compute.csv": (0, 0, 0),
    "torch2.13_LoopedBFS_p4_m8.comms.csv": (0, 0, 0),
    "torch2.13_LoopedBFS_p4_m8.compute.csv": (0, 0, 0),
    "torch2.13_ZBVZeroBubble_p2_m4.comms.csv": (0, 0, 0),
    "torch2.13_ZBVZeroBubble_p2_m4.compute.csv": (0, 0, 0),
    "torch2.13_ZBVZeroBubble_p4_m8.comms.csv": (0, 0, 0),
    "torch2.13_ZBVZeroBubble_p4_m8.compute.csv": (0, 0, 0),
    "torch2.15_ScheduleDualPipeV_p2_m4.comms.csv": (0, 0, 0),
    "torch2.15_ScheduleGPipe_p2_m4.comms.csv": (0, 0, 0),
    "torch2.15_ScheduleInterleaved1F1B_p2_m4.comms.csv": (0, 0, 0),
    "torch2.15_ScheduleInterleavedZeroBubble_p2_m4.comms.csv": (0, 0, 0),
    "torch2.15_ScheduleLoopedBFS_p2_m4.comms.csv": (0, 0, 0),
    "torch2.15_ScheduleZBVZeroBubble_p2_m4.comms.csv": (0, 0, 0),
}
"""Least buffer of every real schedule with queues by rank, peer and direction."""


def test_every_real_schedule_is_in_the_table() -> None:
    assert {path.name for path in FOLDER.iterdir()} - {"README.md"} == set(LEAST)


@pytest.mark.parametrize("name", LEAST)
def test_real_schedules(name: str) -> None:
    schedule = read_document(FOLDER / name).schedule
    assert match(schedule, channels(schedule)) == []
    decided_alike(schedule, LEAST[name])


def decided_alike(schedule: Schedule, least: tuple[int | None, ...]) -> None:
    """Both say so: `deadlock_facts`, and the machine at the least buffer and below it."""
    plan = channels(schedule)
    assert tuple(deadlock_facts(schedule, plan).values()) == least
    choose = random.Random(0)
    for key, buffer in zip(QUEUE_KEYS, least, strict=True):
        for k in (buffer, buffer - 1) if buffer else (buffer,):
            _, complete = Machine(schedule, QueueModel(key, k)).run(choose)
            assert (len(complete) == len(schedule)) == (buffer is not None and k == buffer)


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_the_blog_is_right_that_its_batches_cannot_deadlock(ranks: int) -> None:
    decided_alike(build("blog-naive", ranks, 1), (0, 0, 0))
    decided_alike(build("blog-gpipe", ranks, 4), (0, 0, 0))
    batched = build("blog-1f1b", ranks, 4)
    decided_alike(batched, (0, 0, 0))
    alone = replace(batched, groups=())
    decided_alike(alone, (1, 1, 0) if ranks > 2 else (0, 0, 0))


LEAST_JUST_IN_TIME = {
    "gpipe": (0, 0, 0),
    "1f1b": (1, 1, 0),
    "pipedream": (1, 1, 0),
    "interleaved-1f1b": (1, 1, 0),
    "looped-bfs": (2, 0, 0),
    "zbv": (2, 2, 0),
    "dualpipe": (2, 2, 0),
    "dualpipev": (2, 2, 0),
}


@pytest.mark.parametrize("family", LEAST_JUST_IN_TIME)
def test_families_with_receives_just_in_time(family: str) -> None:
    lowered = lower(build(family, 4, 8), "just-in-time")
    decided_alike(lowered, LEAST_JUST_IN_TIME[family])
    decided_alike(lower(build(family, 4, 8)), (0, 0, 0))


def test_receives_just_in_time_swap_the_messages_of_microbatches_that_overtake_each_other() -> None:
    # Both directions of a V share channels: activations and gradients overtake each other there.
    for family, swapped in {"zbv": 9, "dualpipev": 5, "dualpipe": 0, "looped-bfs": 0}.items():
        lowered = lower(build(family, 4, 8), "just-in-time")
        assert len(match(lowered, channels(lowered))) == swapped
