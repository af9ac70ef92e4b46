"""The action table that grows while the rows of a schedule CSV are read."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Final

import numpy as np

from schedules.actions import NO_MICROBATCH, Kind
from schedules.dependencies import require_table_room
from schedules.errors import FormatError, SizeError
from schedules.formats.cells import OLDER, OVERLAP, PLAIN, TOKENS, explain
from schedules.formats.columns import frozen, require_room
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Group, IntArray, Schedule, Source

MAX_ROWS: Final = 10**6
"""Most rows that are read."""


PIECE: Final = 64 * 1024
"""Characters of a row, about, that are split into cells at once."""


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
        number = 1
        for cells in _pieces(text):
            self._add_cells(cells, row, number)
            number += len(cells)
        self.offsets.append(len(self.kind))

    def _add_cells(self, cells: list[str], row: int, number: int) -> None:
        """Read some cells of a row; at once where all of them are plain."""
        filled = len(cells) - cells.count("")
        if not filled:
            return
        require_room(len(self.kind) + filled, f"{self.name}:row {row}")
        found = list(map(PLAIN.fullmatch, cells))
        if not all(found):
            for at, cell in enumerate(cells, number):
                stripped = cell.strip(" \t")
                if stripped:
                    self._add_cell(stripped, row, at)
            return
        stages, kinds, microbatches, kinds_of_stage = zip(
            *(match.groups() for match in found if match), strict=True
        )
        self.stage.extend(map(int, stages))
        self.kind.extend(TOKENS[a or b] for a, b in zip(kinds, kinds_of_stage, strict=True))
        self.microbatch.extend(int(m) if m else NO_MICROBATCH for m in microbatches)
        self.row.extend(repeat(row, len(cells)))
        self.cell.extend(range(number, number + len(cells)))

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
            frozen(column)
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
            pipeline=frozen(np.zeros(len(kind), dtype=np.int64)),
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
        return frozen(translated)


def _pieces(text: str) -> Iterator[list[str]]:
    """The cells of a row, some thousands at a time: all at once would take ten times its bytes."""
    begin = 0
    while begin <= len(text):
        comma = text.find(",", begin + PIECE)
        end = len(text) if comma < 0 else comma
        yield text[begin:end].split(",")
        begin = end + 1


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
