"""Operators on what stands around the orders: the policy, DeepSpeed's buffers, the queues."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

from schedules import WeightPolicy
from schedules.errors import FormatError
from schedules.formats import Document
from schedules.formats.deepspeed import parse_deepspeed, write_deepspeed
from schedules.messages.model import QUEUE_KEYS, QueueModel
from tests.mutations.mutant import Made, Operator, given
from tests.mutations.operators import ON_ROWS, REFUSED
from tests.mutations.subjects import Subject

Data = Any
"""A DeepSpeed file as parsed JSON."""


def latest_weights(subject: Subject) -> Iterator[Made]:
    schedule = subject.schedule
    if schedule.policy.name == "stash":
        policy = WeightPolicy("latest", schedule.policy.interval)
        changed = Document(replace(schedule, policy=policy))
        yield "policy latest", given(changed), subject.model


def stricter_queues(subject: Subject) -> Iterator[Made]:
    """Every stricter model with a buffer of 0 or 1."""
    allowed = subject.model.buffer
    for key in QUEUE_KEYS[: QUEUE_KEYS.index(subject.model.queues) + 1]:
        for buffer in (0, 1):
            model = QueueModel(key, buffer)
            if model != subject.model and (allowed is None or buffer <= allowed):
                yield str(model), given(subject.document), model


def _data(subject: Subject) -> Data:
    instructions = subject.document.instructions
    return None if instructions is None else json.loads(write_deepspeed(instructions))


def _steps(data: Data) -> Iterator[tuple[int, list[Data]]]:
    for rank in data["ranks"] if data else ():
        for step in rank["steps"]:
            yield rank["stage_id"], step


def _made(subject: Subject, change: str, data: Data) -> Made:
    return change, partial(_document, subject, data), subject.model


def _document(subject: Subject, data: Data) -> Document | None:
    """The document; None where the reader refuses it: an instruction finds its buffer empty."""
    try:
        found = parse_deepspeed(json.dumps(data), subject.name)
    except FormatError:
        return None
    return Document(found.schedule, instructions=found)


def another_buffer(subject: Subject) -> Iterator[Made]:
    """One instruction works on the next buffer."""
    original = _data(subject)
    for place, (rank, step) in enumerate(_steps(original)):
        for k, (name, arguments) in enumerate(step):
            if arguments:
                data = copy.deepcopy(original)
                buffers = data["ranks"][rank]["num_pipe_buffers"]
                new = (arguments["buffer_id"] + 1) % buffers
                list(_steps(data))[place][1][k][1]["buffer_id"] = new
                yield _made(subject, f"{name} of rank {rank}, step {place}: buffer {new}", data)


def fewer_buffers(subject: Subject) -> Iterator[Made]:
    """A rank has one buffer less; its buffers are reused in turn, as before."""
    original = _data(subject)
    for rank in range(len(original["ranks"])) if original else ():
        data = copy.deepcopy(original)
        data["ranks"][rank]["num_pipe_buffers"] -= 1
        left = data["ranks"][rank]["num_pipe_buffers"]
        if left:
            for stage, step in _steps(data):
                for _, arguments in step if stage == rank else ():
                    if arguments:
                        arguments["buffer_id"] %= left
            yield _made(subject, f"{left} buffers on rank {rank}", data)


def swapped_instructions(subject: Subject) -> Iterator[Made]:
    """Two neighbouring instructions of a step change places."""
    original = _data(subject)
    for place, (rank, step) in enumerate(_steps(original)):
        for k in range(len(step) - 1):
            data = copy.deepcopy(original)
            changed = list(_steps(data))[place][1]
            changed[k], changed[k + 1] = changed[k + 1], changed[k]
            names = f"{step[k][0]} and {step[k + 1][0]}"
            yield _made(subject, f"swap {names} on rank {rank}", data)


def swapped_labels(subject: Subject) -> Iterator[Made]:
    """Two label loads of the last stage that follow each other change places."""
    original = _data(subject)
    last = len(original["ranks"]) - 1 if original else 0
    loads = [
        (place, k)
        for place, (rank, step) in enumerate(_steps(original))
        for k, (name, _) in enumerate(step)
        if rank == last > 0 and name == "LoadMicroBatch"
    ]
    for (place, k), (other, n) in pairwise(loads):
        data = copy.deepcopy(original)
        steps = [step for _, step in _steps(data)]
        steps[place][k], steps[other][n] = steps[other][n], steps[place][k]
        yield _made(subject, f"swap the loads of steps {place} and {other} of rank {last}", data)


BUFFERS: Final = frozenset({"buffer-safe", "complete", "match", "deadlock-free", "causal", REFUSED})
"""An instruction names a buffer, not a microbatch: with the buffer its label may change."""

OPERATORS: Final = (
    *ON_ROWS,
    Operator(
        "latest weights", "backwards use the newest weights", frozenset({"stash"}), latest_weights
    ),
    Operator(
        "fewer queues or buffers",
        "the same schedule in a stricter model",
        frozenset({"deadlock-free"}),
        stricter_queues,
    ),
    Operator("another buffer", "of one DeepSpeed instruction", BUFFERS, another_buffer),
    Operator("fewer buffers", "DeepSpeed, one less on a rank", BUFFERS, fewer_buffers),
    Operator(
        "swap instructions",
        "neighbours in a step of DeepSpeed",
        BUFFERS | {"update-once"},
        swapped_instructions,
    ),
    Operator(
        "swap two label loads",
        "the next two `LoadMicroBatch` of DeepSpeed's last stage",
        frozenset({"buffer-safe"}),
        swapped_labels,
    ),
)
