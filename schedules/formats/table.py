"""The action table that grows while the rows of a schedule CSV are read."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from schedules.actions import NO_MICROBATCH, Kind
from schedules.dependencies import require_table_room
from schedules.errors import FormatError, SizeError
from schedules.formats.cells import OLDER, OVERLAP, PLAIN, TOKENS, explain
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Group, IntArray, Schedule, Source

MAX_ROWS: Final = 10**6
"""Most rows that are read."""


@dataclass
class Table:
    """The columns of a schedule while its rows are read."""

    name: str
    kind: array[int] = field(default_factory=lambda: array("q"))
    stage: array[int] = field(default_factory=lambda: array("q"))
    microbatch: array[int] = field(default_factory=lambda: array("q"))
    row: array[int] = field(default_factory=lambda: array("q"))
    cell: array[int] = field(default_factory=lambda: array("q"))
    offsets: array[int] = field(default_factory=lambda: array("q", [0]))
    groups: list[Group] = field(default_factory=list)
    older: set[int] = field(default_factory=set)

    def add_row(self, text: str) -> None:
        """Read the actions of the next rank."""
        row = len(self.offsets)
        if row > MAX_ROWS:
            raise FormatError(
                f"a schedule has at most {MAX_ROWS} rows, one a rank, found more",
                f"{self.name}:row {row}",
                "check that rows are ranks and cells are actions",
            )
        if not text or text.isspace():
            raise FormatError(
                "a row has at least one action or one comma, found a blank line",
                f"{self.name}:row {row}",
                "write a comma for a rank without an action, else delete the line",
            )
        for number, cell in enumerate(text.split(","), 1):
            stripped = cell.strip(" \t")
            if stripped:
                self._add_cell(stripped, row, number)
        self.offsets.append(len(self.kind))

    def _add_cell(self, text: str, row: int, number: int) -> None:
        match = PLAIN.fullmatch(text)
        if match:
            self._add_action(match.groups(), row, number)
            return
        older = OLDER.fullmatch(text)
        if older:
            self.older.add(len(self.kind))
            self._add_action((older[1], "B", older[2], None), row, number)
            return
        overlap = OVERLAP.fullmatch(text)
        if overlap is None:
            what, fix = explain(text)
            raise FormatError(what, f"{self.name}:row {row}:cell {number}", fix)
        self.groups.append(Group(row - 1, len(self.kind) - self.offsets[-1], 2, "overlap"))
        for part in overlap.groups():
            match = PLAIN.fullmatch(part)
            assert match is not None
            self._add_action(match.groups(), row, number)

    def _add_action(self, parts: tuple[str | None, ...], row: int, number: int) -> None:
        stage, kind, microbatch, kind_of_stage = parts
        self.kind.append(TOKENS[kind or kind_of_stage or ""])
        self.stage.append(int(stage or 0))
        self.microbatch.append(int(microbatch) if microbatch else NO_MICROBATCH)
        self.row.append(row)
        self.cell.append(number)

    def schedule(self, microbatches: int | None, policy: WeightPolicy) -> Schedule:
        """What was read, with every stage placed where it first appears."""
        kind, stage, microbatch, rows, cells, offsets = (
            _frozen(column)
            for column in (
                self.kind, self.stage, self.microbatch, self.row, self.cell, self.offsets
            )
        )  # fmt: skip
        if self.older:
            kind = self._translated(kind, rows, cells)
        count = _distinct_microbatches(stage, microbatch) if microbatches is None else microbatches
        stages = int(stage.max(initial=-1)) + 1
        try:
            require_table_room(self.name, stages, count, len(kind))
        except SizeError as error:
            largest = int(np.argmax(stage))
            place = f"{self.name}:row {rows[largest]}:cell {cells[largest]}"
            raise FormatError(error.what, place, error.fix) from None
        return Schedule(
            name=self.name,
            kind=kind,
            stage=stage,
            microbatch=microbatch,
            pipeline=_frozen([0] * len(kind)),
            offsets=offsets,
            microbatches=count,
            placement=_first_appearance(stage, rows, stages),
            policy=policy,
            groups=tuple(self.groups),
            source=Source(self.name, rows, cells),
        )

    def _translated(self, kind: IntArray, rows: IntArray, cells: IntArray) -> IntArray:
        """Kinds of a file in the older notation, where B is the input gradient and BW all of it."""
        split = np.flatnonzero(kind == Kind.I)
        if len(split):
            raise FormatError(
                "BW is the full backward where B is the input gradient (PyTorch 2.5 and before), "
                "and I is the input gradient where B is the full backward; found both, BW and I",
                f"{self.name}:row {rows[split[0]]}:cell {cells[split[0]]}",
                "write B for BW and I for B everywhere",
            )
        translated = np.where(kind == Kind.B, int(Kind.I), kind)
        translated[sorted(self.older)] = Kind.B
        return _frozen(translated)


def _frozen(column: Sequence[int] | IntArray) -> IntArray:
    result = np.array(column, dtype=np.int64)
    result.setflags(write=False)
    return result


def _distinct_microbatches(stage: IntArray, microbatch: IntArray) -> int:
    """Distinct microbatches of stage 0, or of the lowest stage that has any."""
    named = microbatch != NO_MICROBATCH
    lowest = stage[named].min(initial=np.iinfo(np.int64).max)
    return len(np.unique(microbatch[named & (stage == lowest)]))


def _first_appearance(stage: IntArray, rows: IntArray, stages: int) -> Placement:
    ranks = np.zeros(stages, dtype=np.int64)
    present, first = np.unique(stage, return_index=True)
    ranks[present] = rows[first] - 1
    return Placement.from_ranks(tuple(ranks.tolist()))
