r"""DeepSpeed's instruction lists, as JSON: buffers are kept.

Source: DeepSpeed 0.19.8, ``deepspeed.runtime.pipe.schedule``: what ``TrainSchedule.steps()``
yields, each instruction as its class name and keyword arguments; ``InferenceSchedule`` the same.
Megatron-DeepSpeed's ZB-H1 has two instructions more: ``BackwardOnlyPass`` and ``WeightPass``.

=================== =====================================================================
key                 meaning
=================== =====================================================================
``micro_batches``   M
``stages``          p; stage s runs on rank s
``ranks``           for each stage ``stage_id``, ``num_pipe_buffers`` and ``steps``: lists of
                    instructions, ``["ForwardPass", {"buffer_id": 0}]``
``source``          perhaps: a remark, not kept
=================== =====================================================================

=================================== ===================================================
instruction                         action
=================================== ===================================================
``ForwardPass``, ``BackwardPass``   F, B
``BackwardOnlyPass WeightPass``     I, W
``SendActivation RecvActivation``   SEND_F, RECV_F
``SendGrad RecvGrad``               SEND_B, RECV_B
``ReduceGrads``, ``OptimizerStep``  REDUCE, U of the whole stage
``LoadMicroBatch ReduceTiedGrads``  none; kept in the `InstructionList`
=================================== ===================================================

**Microbatches.** Instructions name a buffer, not a microbatch. Every stage gets its microbatches
in order: the k-th ``LoadMicroBatch`` of stage 0, the k-th ``RecvActivation`` of another stage,
puts microbatch k into its buffer, in place of what was there. Every other instruction works on
the microbatch that its buffer holds at that moment. ``WeightPass`` names no buffer: it takes the
oldest ``BackwardOnlyPass`` of its rank that had none yet, from a queue. A buffer that
is reused too early breaks ``buffer-safe``.
"""

from __future__ import annotations

import json
import os
from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import pairwise
from typing import Final

import numpy as np

from schedules.actions import NO_MICROBATCH
from schedules.errors import FormatError
from schedules.formats.cells import LIMIT, shortened
from schedules.formats.columns import Columns, frozen
from schedules.formats.head import read_microbatches
from schedules.formats.instructions import (
    INSTRUCTIONS,
    KINDS,
    NO_ACTION,
    NO_BUFFER,
    ON_BUFFER,
    ON_STAGE,
    InstructionList,
)
from schedules.formats.strict_json import Node, display_name, parse, read_text
from schedules.placement import Placement
from schedules.policies import WeightPolicy

FLUSH: Final = WeightPolicy("flush")
SOURCE: Final = "staleproof"
FORM: Final = ("ranks[{rank}]", ":instruction {cell}")
"""How a place is written: instructions are counted through the steps of their rank, from 1."""


def read_deepspeed(
    path: str | os.PathLike[str],
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> InstructionList:
    """Read a DeepSpeed instruction list.

    Parameters
    ----------
    path : path-like
    microbatches : int, optional
        The file states it; another number is an error.
    policy : WeightPolicy, optional
        What the file does not say; ``flush`` by default.

    Raises
    ------
    FormatError
        The file cannot be read, is too large, does not follow the format, or an instruction
        works on a buffer that holds no microbatch.
    ParameterError
        `microbatches` is not what the file states.
    """
    return parse_deepspeed(read_text(path), display_name(path), microbatches, policy)


def parse_deepspeed(
    text: str,
    name: str,
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> InstructionList:
    """Parse the text of an instruction list; `name` stands for the file in messages.

    Raises
    ------
    FormatError, ParameterError
        As `read_deepspeed`.

    Examples
    --------
    >>> text = '''{"micro_batches": 1, "stages": 1, "ranks": [{"stage_id": 0,
    ...     "num_pipe_buffers": 2, "steps": [[["LoadMicroBatch", {"buffer_id": 1}],
    ...     ["ForwardPass", {"buffer_id": 1}]], [["BackwardPass", {"buffer_id": 1}]]]}]}'''
    >>> found = parse_deepspeed(text, "a.json")
    >>> [str(action) for action in found.schedule.rank(0)], found.buffers.tolist()
    (['0F0', '0B0'], [1, 1])
    """
    return from_node(parse(text, name), name, microbatches, policy)


def from_node(
    node: Node, name: str, microbatches: int | None = None, policy: WeightPolicy | None = None
) -> InstructionList:
    """Make an instruction list of a parsed document; as `parse_deepspeed`."""
    fields = node.fields("micro_batches", "stages", "ranks", optional=("source",))
    if "source" in fields:
        fields["source"].text()
    M = read_microbatches(fields["micro_batches"], microbatches, least=1)
    ranks = len(fields["ranks"].values())
    if fields["stages"].integer(1, LIMIT) != ranks:
        raise fields["stages"].error(
            f"the number of stages is that of the ranks, {ranks}",
            "correct it, or check that the file is whole",
        )
    table = _Instructions(Columns(name, form=FORM))
    for stage, rank in enumerate(fields["ranks"].items()):
        table.add_rank(rank, stage)
    placement = Placement.one_stage_a_rank(ranks)
    code, buffer, step, action, offsets = map(
        frozen, (table.code, table.buffer, table.step, table.action, table.offsets)
    )
    return InstructionList(
        table.columns.schedule(name, M, placement, policy or FLUSH),
        code,
        buffer,
        step,
        action,
        offsets,
        tuple(table.steps),
        tuple(table.pipe_buffers),
    )


def _column() -> array[int]:
    return array("q")


@dataclass
class _Instructions:
    """The columns of an `InstructionList` while it is read."""

    columns: Columns
    code: array[int] = field(default_factory=_column)
    buffer: array[int] = field(default_factory=_column)
    step: array[int] = field(default_factory=_column)
    action: array[int] = field(default_factory=_column)
    offsets: array[int] = field(default_factory=lambda: array("q", [0]))
    steps: list[int] = field(default_factory=list)
    pipe_buffers: list[int] = field(default_factory=list)

    def add_rank(self, node: Node, stage: int) -> None:
        """Read the instructions of the next rank, following what its buffers hold."""
        fields = node.fields("stage_id", "num_pipe_buffers", "steps")
        if fields["stage_id"].integer(0, LIMIT - 1) != stage:
            raise fields["stage_id"].error(
                f"ranks stand in the order of their stages, here {stage}", "sort the ranks"
            )
        buffers = fields["num_pipe_buffers"].integer(1, LIMIT)
        held: dict[int, int] = {}
        pending: deque[int] = deque()
        brings = "RecvActivation" if stage else "LoadMicroBatch"
        arrived = 0
        for step, instructions in enumerate(fields["steps"].items()):
            for node in instructions.items():
                name, buffer = _read_instruction(node, buffers)
                if name == brings:
                    held[buffer] = arrived
                    arrived += 1
                if name == "WeightPass":
                    microbatch = _postponed(pending, node)
                else:
                    microbatch = _held(held, buffer, name, brings, node)
                if name == "BackwardOnlyPass":
                    pending.append(microbatch)
                self._add(name, buffer, step, stage, microbatch)
        self.columns.require_room(0, fields["steps"].place)
        self.columns.end_rank()
        self.offsets.append(len(self.code))
        self.steps.append(len(fields["steps"].values()))
        self.pipe_buffers.append(buffers)

    def _add(self, name: str, buffer: int, step: int, stage: int, microbatch: int) -> None:
        self.code.append(INSTRUCTIONS.index(name))
        self.buffer.append(buffer)
        self.step.append(step)
        kind = KINDS[name]
        if kind is None:
            self.action.append(NO_ACTION)
            return
        self.action.append(len(self.columns.kind))
        cell = len(self.code) - self.offsets[-1]
        self.columns.add(kind, stage, microbatch, 0, stage + 1, cell)


def _read_instruction(node: Node, buffers: int) -> tuple[str, int]:
    """Name and buffer of an instruction."""
    if len(node.values()) != 2:
        raise node.error(
            "an instruction is its name and its arguments",
            'write it like ["ForwardPass", {"buffer_id": 0}]',
        )
    name_node, arguments = node.items()
    name = name_node.text()
    if name in ON_STAGE:
        arguments.fields()
        return name, NO_BUFFER
    if name in ON_BUFFER:
        return name, arguments.fields("buffer_id")["buffer_id"].integer(0, buffers - 1)
    near = get_close_matches(name, INSTRUCTIONS, n=1)
    raise FormatError(
        f"an instruction is one of {', '.join(INSTRUCTIONS)}; found {shortened(name)}",
        name_node.place,
        f"did you mean {near[0]!r}?" if near else "name one of them",
    )


def _held(held: dict[int, int], buffer: int, name: str, brings: str, node: Node) -> int:
    """The microbatch that an instruction works on."""
    # On the last stage labels are loaded into the buffer of their activation, before or after.
    if buffer == NO_BUFFER or KINDS[name] is None:
        return NO_MICROBATCH
    if buffer in held:
        return held[buffer]
    raise FormatError(
        f"an instruction works on a buffer that holds a microbatch, found {name} of buffer "
        f"{buffer} before any {brings} into it",
        node.place,
        f"put the {brings} before it, or correct the buffer",
    )


def _postponed(pending: deque[int], node: Node) -> int:
    """The microbatch whose weight gradient comes next."""
    if pending:
        return pending.popleft()
    raise FormatError(
        "a WeightPass makes the weight gradient of a BackwardOnlyPass before it, found none that "
        "still lacks it",
        node.place,
        "put a BackwardOnlyPass before it, or drop it",
    )


def write_deepspeed(instructions: InstructionList) -> str:
    """Write an instruction list; `parse_deepspeed` reads it back. The policy is not in the file.

    Examples
    --------
    >>> text = '''{"micro_batches": 1, "stages": 1, "ranks": [{"stage_id": 0,
    ...     "num_pipe_buffers": 2, "steps": [[], [["OptimizerStep", {}]]]}]}'''
    >>> print(write_deepspeed(parse_deepspeed(text, "a.json")), end="")
    {
      "source": "staleproof",
      "micro_batches": 1,
      "stages": 1,
      "ranks": [
        {"stage_id": 0, "num_pipe_buffers": 2, "steps": [
          [],
          [["OptimizerStep", {}]]
        ]}
      ]
    }
    """
    ranks = ",\n".join(
        f'    {{"stage_id": {rank}, "num_pipe_buffers": {buffers}, "steps": [\n'
        + ",\n".join(f"      {json.dumps(step)}" for step in _steps(instructions, rank))
        + "\n    ]}"
        for rank, buffers in enumerate(instructions.pipe_buffers)
    )
    schedule = instructions.schedule
    return (
        f'{{\n  "source": "{SOURCE}",\n  "micro_batches": {schedule.microbatches},\n'
        f'  "stages": {schedule.stages},\n  "ranks": [\n{ranks}\n  ]\n}}\n'
    )


def _steps(instructions: InstructionList, rank: int) -> Iterator[list[list[object]]]:
    """The steps of a rank as plain data."""
    first, last = instructions.offsets[rank : rank + 2].tolist()
    bounds = np.searchsorted(instructions.step[first:last], np.arange(instructions.steps[rank] + 1))
    codes, buffers = (
        instructions.code[first:last].tolist(),
        instructions.buffer[first:last].tolist(),
    )
    for begin, end in pairwise(bounds.tolist()):
        yield [
            [INSTRUCTIONS[codes[k]], {} if buffers[k] == NO_BUFFER else {"buffer_id": buffers[k]}]
            for k in range(begin, end)
        ]
