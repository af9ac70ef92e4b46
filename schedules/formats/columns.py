"""The action table that grows while a file is read, whatever its format."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from schedules.actions import NEEDS_MICROBATCH, NO_MICROBATCH, Kind, among
from schedules.dependencies import SPARSE_PAIRS, require_table_room
from schedules.errors import FormatError, SizeError
from schedules.formats.cells import LIMIT
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Group, IntArray, Schedule, Source

MAX_ACTIONS: Final = 10_000_000
"""Most actions of a file of any format."""


def frozen(values: array[int] | IntArray) -> IntArray:
    """A read-only integer array on the same memory; a growing column can grow no more."""
    result = np.frombuffer(values, dtype=np.int64) if isinstance(values, array) else values
    result.setflags(write=False)
    return result


def require_room(count: int, place: str) -> None:
    """Refuse more than `MAX_ACTIONS`.

    Raises
    ------
    FormatError
    """
    if count > MAX_ACTIONS:
        raise FormatError(
            f"a file has at most {MAX_ACTIONS} actions, found more",
            place,
            "cut the schedule down, or check that this is the right file",
        )


def _column() -> array[int]:
    return array("q")


@dataclass
class Columns:
    """Actions, rank after rank, with where each was read (row and cell, 1-based)."""

    file: str
    kind: array[int] = field(default_factory=_column)
    stage: array[int] = field(default_factory=_column)
    microbatch: array[int] = field(default_factory=_column)
    pipeline: array[int] = field(default_factory=_column)
    row: array[int] = field(default_factory=_column)
    cell: array[int] = field(default_factory=_column)
    offsets: array[int] = field(default_factory=lambda: array("q", [0]))
    form: tuple[str, str] = Source.form

    def add(
        self, kind: int, stage: int, microbatch: int, pipeline: int, row: int, cell: int
    ) -> None:
        """Append an action to the present rank."""
        self.kind.append(kind)
        self.stage.append(stage)
        self.microbatch.append(microbatch)
        self.pipeline.append(pipeline)
        self.row.append(row)
        self.cell.append(cell)

    def require_room(self, count: int, place: str) -> None:
        """Refuse `count` further actions where they make more than `MAX_ACTIONS`.

        Raises
        ------
        FormatError
        """
        require_room(len(self.kind) + count, place)

    def end_rank(self) -> None:
        """Begin the next rank."""
        self.offsets.append(len(self.kind))

    def schedule(
        self,
        name: str,
        microbatches: int,
        placement: Placement,
        policy: WeightPolicy,
        parameters: Mapping[str, int] | None = None,
        groups: Sequence[Group] = (),
    ) -> Schedule:
        """What was read.

        Raises
        ------
        FormatError
            An action that `placement` does not place, or far fewer actions than
            stages × microbatches.
        """
        kind, stage, microbatch, pipeline, offsets, rows, cells = map(
            frozen,
            (
                self.kind, self.stage, self.microbatch, self.pipeline,
                self.offsets, self.row, self.cell,
            ),
        )  # fmt: skip
        schedule = Schedule(
            name=name,
            kind=kind,
            stage=stage,
            microbatch=microbatch,
            pipeline=pipeline,
            offsets=offsets,
            microbatches=microbatches,
            placement=placement,
            policy=policy,
            parameters=dict(parameters or {}),
            groups=tuple(groups),
            source=Source(self.file, rows, cells, self.form),
        )
        _require_placed(schedule)
        try:
            require_table_room(self.file, schedule.stages, microbatches, len(schedule))
        except SizeError as error:
            raise FormatError(error.what, error.where, error.fix) from None
        return schedule

    def placed_by_appearance(self) -> Placement:
        """Every stage of a pipeline where it first appears; each pipeline with its own weights.

        Raises
        ------
        FormatError
            More than a million (pipeline, stage) pairs, and fewer actions than pairs.
        """
        stage, pipeline = frozen(self.stage), frozen(self.pipeline)
        stages = int(stage.max(initial=-1)) + 1
        pipelines = int(pipeline.max(initial=0)) + 1
        if stages * pipelines > max(SPARSE_PAIRS, len(stage)):
            raise FormatError(
                f"more than {SPARSE_PAIRS} (pipeline, stage) pairs have at least one action each, "
                f"found {pipelines} pipelines × {stages} stages and {len(stage)} actions",
                self.file,
                "number pipelines and stages from 0 without gaps, or give the placement",
            )
        rank = np.repeat(np.arange(len(self.offsets) - 1), np.diff(frozen(self.offsets)))
        present, first = np.unique(pipeline * stages + stage, return_index=True)
        ranks = np.zeros(pipelines * stages, dtype=np.int64)
        ranks[present] = rank[first]
        return Placement(
            ranks=tuple(map(tuple, ranks.reshape(pipelines, stages).tolist())),
            copies=tuple((index,) * stages for index in range(pipelines)),
        )

    def distinct_microbatches(self) -> int:
        """Distinct microbatches of stage 0, or of the lowest stage that has any."""
        stage, microbatch = frozen(self.stage), frozen(self.microbatch)
        named = microbatch != NO_MICROBATCH
        lowest = stage[named].min(initial=np.iinfo(np.int64).max)
        return len(np.unique(microbatch[named & (stage == lowest)]))


def _require_placed(schedule: Schedule) -> None:
    """Refuse an action of a stage or pipeline that the placement does not have."""
    placement = schedule.placement
    outside = np.flatnonzero(
        (schedule.stage >= placement.stages) | (schedule.pipeline >= placement.pipelines)
    )
    if len(outside):
        action = schedule.action(int(outside[0]))
        raise FormatError(
            f"the placement has {placement.pipelines} pipelines of {placement.stages} stages, "
            f"found {action} of pipeline {action.pipeline}",
            schedule.place(int(outside[0])),
            "correct the action, or place its stage",
        )


def require_representable(schedule: Schedule) -> None:
    """Refuse to write what no reader takes back.

    Raises
    ------
    FormatError
        A number that is negative or `LIMIT` or more, a computation or message without a
        microbatch, or a stage that the placement does not have.
    """
    columns = (schedule.stage, schedule.microbatch, schedule.pipeline)
    wrong = np.any([column >= LIMIT for column in columns], axis=0)
    wrong |= (schedule.stage < 0) | (schedule.pipeline < 0) | (schedule.microbatch < NO_MICROBATCH)
    needs = among(schedule.kind, NEEDS_MICROBATCH)
    wrong |= needs & (schedule.microbatch == NO_MICROBATCH)
    if wrong.any():
        index = int(np.argmax(wrong))
        action = schedule.action(index)
        raise FormatError(
            f"stages, microbatches and pipelines are numbers from 0 to {LIMIT - 1}, and "
            "computations and messages name their microbatch; found "
            f"{Kind(action.kind).name} of stage {action.stage}, microbatch {action.microbatch}, "
            f"pipeline {action.pipeline}",
            schedule.place(index),
            "renumber from 0",
        )
    _require_placed(schedule)
