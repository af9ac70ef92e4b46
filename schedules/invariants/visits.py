"""What the instructions of a list do to their buffers, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedules.dependencies import MISSING
from schedules.formats.instructions import INSTRUCTIONS, NO_BUFFER, InstructionList
from schedules.schedule import IntArray

LOAD, FORWARD, BACKWARD, INPUT_BACKWARD, SEND, RECEIVE, SEND_GRAD, RECEIVE_GRAD = (
    INSTRUCTIONS.index(name)
    for name in (
        "LoadMicroBatch",
        "ForwardPass",
        "BackwardPass",
        "BackwardOnlyPass",
        "SendActivation",
        "RecvActivation",
        "SendGrad",
        "RecvGrad",
    )
)
"""Codes of the instructions that work on a buffer."""

BACKWARDS = (BACKWARD, INPUT_BACKWARD)
"""Both release a buffer: what a later WeightPass needs is kept beside it."""

Mask = NDArray[np.bool_]


def buffers_used(instructions: InstructionList) -> list[int]:
    """Per rank: most buffers that hold something still to be worked on, at one time.

    From the instruction that brings a microbatch to the last one that works on it.
    """
    visits = Visits.of(instructions)
    begin = np.flatnonzero(visits.brings)
    ends = np.append(begin[1:], len(visits.index)) - 1
    last = np.flatnonzero(np.append(visits.first[1:] != visits.first[:-1], True))
    ends = np.minimum(ends, last[np.searchsorted(last, begin)])
    change = np.zeros(len(instructions.code) + 1, dtype=np.int64)
    np.add.at(change, visits.index[begin], 1)
    np.add.at(change, visits.index[ends] + 1, -1)
    # What a rank brings it gives back at its end, so the running sum starts each rank at 0.
    held = np.cumsum(change)[:-1]
    return [
        int(held[first:end].max(initial=0))
        for first, end in zip(instructions.offsets[:-1], instructions.offsets[1:], strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Visits:
    """The instructions that work on buffers, buffer after buffer, each in program order.

    A stay is what lies between two instructions that bring a microbatch into the same buffer.

    Attributes
    ----------
    instructions : InstructionList
    index : ndarray of int
        Which instruction each visit is.
    code, rank, microbatch : ndarray of int
        Its code and rank; what it brings or finds in the buffer.
    brings : ndarray of bool
        Whether it brings a microbatch.
    since : ndarray of int
        Visit that brought what is in the buffer before it; `MISSING` if it is empty.
    first : ndarray of int
        First visit of the same buffer.
    """

    instructions: InstructionList
    index: IntArray
    code: IntArray
    rank: IntArray
    microbatch: IntArray
    brings: Mask
    since: IntArray
    first: IntArray

    @classmethod
    def of(cls, instructions: InstructionList) -> Visits:
        """Sort the instructions by buffer."""
        ranks = np.diff(instructions.offsets)
        rank = np.repeat(np.arange(len(ranks)), ranks)
        brings = instructions.code == np.where(rank == 0, LOAD, RECEIVE)
        so_far = np.cumsum(brings)
        brought = so_far - np.append(0, so_far)[instructions.offsets[:-1]][rank] - 1
        on_buffer = np.flatnonzero(instructions.buffer != NO_BUFFER)
        order = np.lexsort((instructions.buffer[on_buffer], rank[on_buffer]))
        index = on_buffer[order]
        slot = np.stack([rank[index], instructions.buffer[index]])
        begins = np.append(True, (np.diff(slot) != 0).any(axis=0))[: len(index)]
        place = np.arange(len(index))
        first = np.maximum.accumulate(np.where(begins, place, 0))
        latest = np.maximum.accumulate(np.where(brings[index], place, MISSING))
        since = np.where(brings[index], np.append(MISSING, latest)[: len(index)], latest)
        since = np.where(since >= first, since, MISSING)
        return cls(
            instructions,
            index,
            instructions.code[index],
            rank[index],
            np.where(latest >= first, brought[index[latest]], MISSING),
            brings[index],
            since,
            first,
        )

    def done(self, *codes: int) -> IntArray:
        """How often any of these instructions has come in the stay that each visit finds."""
        so_far = np.append(0, np.cumsum(np.isin(self.code, codes)))
        return np.where(self.since == MISSING, 0, so_far[:-1] - so_far[self.since])

    def ever_done(self, code: int) -> IntArray:
        """How often an instruction has come in the buffer before each visit."""
        so_far = np.append(0, np.cumsum(self.code == code))
        return np.asarray(so_far[:-1] - so_far[self.first])

    @property
    def trains(self) -> bool:
        """Whether there is any backward."""
        return bool(np.isin(self.code, BACKWARDS).any())

    @property
    def sends_on(self) -> Mask:
        """Which visits are of a rank that is not the last."""
        return np.asarray(self.rank < len(self.instructions.offsets) - 2)

    @property
    def loads_labels(self) -> Mask:
        """Which visits bring labels: loads of the last stage, where that is not the first."""
        return np.asarray((self.rank > 0) & ~self.sends_on & (self.code == LOAD))

    def place(self, visit: int) -> str:
        """Rank and number of the instruction."""
        index, rank = int(self.index[visit]), int(self.rank[visit])
        cell = index - int(self.instructions.offsets[rank]) + 1
        return f"{self.instructions.schedule.name}:ranks[{rank}]:instruction {cell}"

    def words(self, visit: int) -> str:
        """Name and buffer of a visit."""
        buffer = int(self.instructions.buffer[self.index[visit]])
        return f"{INSTRUCTIONS[int(self.code[visit])]} of buffer {buffer}"

    def data(self, visit: int) -> dict[str, object]:
        """A visit as plain data."""
        index = self.index[visit]
        return {
            "rank": int(self.rank[visit]),
            "buffer": int(self.instructions.buffer[index]),
            "instruction": INSTRUCTIONS[int(self.code[visit])],
            "step": int(self.instructions.step[index]),
        }
