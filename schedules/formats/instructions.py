"""Instruction lists: a schedule together with the buffers that its actions work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from schedules.actions import Kind
from schedules.schedule import IntArray, Schedule

NO_BUFFER: Final = -1
NO_ACTION: Final = -1

ON_BUFFER: Final[dict[str, Kind | None]] = {
    "LoadMicroBatch": None,
    "ForwardPass": Kind.F,
    "BackwardPass": Kind.B,
    "BackwardOnlyPass": Kind.I,
    "SendActivation": Kind.SEND_F,
    "RecvActivation": Kind.RECV_F,
    "SendGrad": Kind.SEND_B,
    "RecvGrad": Kind.RECV_B,
}
"""Instructions that work on a buffer, and their kinds of action."""

ON_STAGE: Final[dict[str, Kind | None]] = {
    "ReduceTiedGrads": None,
    "ReduceGrads": Kind.REDUCE,
    "OptimizerStep": Kind.U,
    "WeightPass": Kind.W,
}
"""Instructions that name no buffer, and their kinds of action."""

KINDS: Final = ON_BUFFER | ON_STAGE
INSTRUCTIONS: Final = tuple(KINDS)
"""Names of the instructions; `InstructionList.code` counts in them."""


@dataclass(frozen=True, eq=False)
class InstructionList:
    """A schedule together with the instructions it was read from.

    Attributes
    ----------
    schedule : Schedule
        The instructions that are actions.
    code : ndarray of int, shape (instructions,)
        Index in `INSTRUCTIONS`; rank after rank, in program order.
    buffer : ndarray of int, shape (instructions,)
        Buffer that the instruction works on, or `NO_BUFFER`.
    step : ndarray of int, shape (instructions,)
        Step of its rank that it belongs to.
    action : ndarray of int, shape (instructions,)
        Flat index of its action in `schedule`, or `NO_ACTION`.
    offsets : ndarray of int, shape (ranks + 1,)
        Rank r owns the instructions ``offsets[r] … offsets[r + 1] − 1``.
    steps, pipe_buffers : tuple of int
        Number of steps and of buffers of every rank.
    """

    schedule: Schedule
    code: IntArray
    buffer: IntArray
    step: IntArray
    action: IntArray
    offsets: IntArray
    steps: tuple[int, ...]
    pipe_buffers: tuple[int, ...]

    @property
    def buffers(self) -> IntArray:
        """Buffer of every action of the schedule, or `NO_BUFFER`; shape (actions,)."""
        result = np.full(len(self.schedule), NO_BUFFER, dtype=np.int64)
        acts = self.action != NO_ACTION
        result[self.action[acts]] = self.buffer[acts]
        return result
