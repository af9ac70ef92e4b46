"""PyTorch's schedule CSV: one row a rank, one action a cell, in program order.

=================================== ========================================================
cell                                meaning
=================================== ========================================================
``2F0 1B3 0I2 0W2``                 stage, kind, microbatch of a computation
``0SEND_F1 0RECV_B1 …``             the same of a message
``0WAIT_SEND_F1 0WAIT_SEND_B1``      the rank waits until that send is complete
``0UNSHARD 0RESHARD 0REDUCE_GRAD``  stage and kind of what concerns a whole stage
``0WAIT_REDUCE_GRAD``               the rank waits until that reduction is complete
``0R1 0OFFLOAD1 0RELOAD1``          activations recomputed, taken away, brought back; not PyTorch's
``(0F7;7B3)OVERLAP_F_B``            two computations posted together, written order kept
(empty)                             idle; a column is not a time
=================================== ========================================================

PyTorch 2.5 and before write the full backward ``2BW0``, and the input gradient ``2B0``: a file that
has any ``BW`` is read so, and written in the notation above.

Spaces around a cell, trailing commas, CRLF, a byte-order mark and blank lines at the end of the
file are tolerated; everything else that is no cell is a `FormatError`. A row of commas alone is
a rank without an action. A line without anything, between others, is ambiguous and refused.

The file holds neither the weight policy nor the number of microbatches: both are arguments.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

import numpy as np

from schedules.actions import Kind, among
from schedules.errors import FormatError, ParameterError
from schedules.formats import columns
from schedules.formats.cells import LIMIT, PLAIN, token
from schedules.formats.strict_json import display_name, read_text
from schedules.formats.table import Table
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule

MAX_BYTES: Final = 128 * 1024**2
"""Largest file that is read: about `MAX_ACTIONS` cells, also with long numbers."""

FLUSH: Final = WeightPolicy("flush")


def read_csv(
    path: str | os.PathLike[str],
    microbatches: int | None = None,
    policy: WeightPolicy = FLUSH,
) -> Schedule:
    r"""Read a schedule file.

    Parameters
    ----------
    path : path-like
    microbatches : int, optional
        M ≥ 1; by default the number of distinct microbatches of stage 0.
    policy : WeightPolicy
        What the file does not say: how weights are versioned.

    Raises
    ------
    FormatError
        The file cannot be read, is too large, does not follow the grammar, or has so few actions
        for its stages × M that most must be missing.
    ParameterError
        M is no number from 1 to a million.

    See Also
    --------
    schedules.validate.validate : whether what was read is a schedule that can run.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "one.csv")
    ...     _ = path.write_text("0F0,0B0\n")
    ...     schedule = read_csv(path)
    >>> schedule.ranks, schedule.stages, schedule.microbatches
    (1, 1, 1)
    """
    return parse_csv(read_text(path, MAX_BYTES), display_name(path), microbatches, policy)


def parse_csv(
    text: str,
    name: str,
    microbatches: int | None = None,
    policy: WeightPolicy = FLUSH,
) -> Schedule:
    r"""Parse the text of a schedule file; `name` stands for the file in messages.

    Raises
    ------
    FormatError
        The text does not follow the grammar; the message holds row and cell, both 1-based.
    ParameterError
        As `read_csv`.

    Examples
    --------
    >>> schedule = parse_csv("0F0,0F1,,0B0,0B1\n,1F0,1B0,1F1,1B1\n", "two.csv")
    >>> [str(action) for action in schedule.rank(1)]
    ['1F0', '1B0', '1F1', '1B1']
    >>> schedule.place(2)
    'two.csv:row 1:cell 4'
    >>> parse_csv("0F0,0FOO", "bad.csv")
    Traceback (most recent call last):
    schedules.errors.FormatError: bad.csv:row 1:cell 2: a cell is empty or an action, found
    '0FOO'; write it like 2F0, 1B3, 0I2, 0W2, 0SEND_F1, 1RECV_B0, 0WAIT_SEND_F1, 0UNSHARD,
    0RESHARD, 0REDUCE_GRAD, 0WAIT_REDUCE_GRAD or (0F7;7B3)OVERLAP_F_B, and separate cells by commas
    """
    if microbatches is not None and not 1 <= microbatches <= LIMIT:
        raise ParameterError(
            f"M (microbatches) is a whole number from 1 to {LIMIT}, found {microbatches}",
            name,
            "give such a number, or none to count the microbatches of stage 0",
        )
    nul = text.find("\0")
    if nul >= 0:
        row = text.count("\n", 0, nul) + 1
        raise FormatError(
            "a schedule file is text, found a NUL character",
            f"{name}:row {row}",
            "save it as plain text (ASCII or UTF-8, not UTF-16)",
        )
    _require_room(text, name)
    table = Table(name)
    for line in _rows(text.removeprefix("\ufeff"), name):
        table.add_row(line)
    return table.schedule(microbatches, policy)


def _require_room(text: str, name: str) -> None:
    """Refuse what has more than `MAX_ACTIONS` cells (without a space behind) before any is read."""
    if text.count(",") + text.count("\n") <= columns.MAX_ACTIONS:
        return
    byte = np.frombuffer(text.encode(errors="replace"), dtype=np.uint8)
    ends = (byte == ord(",")) | (byte == ord("\n"))
    filled = (byte > ord(" ")) & ~ends
    columns.require_room(int(np.count_nonzero(filled[:-1] & ends[1:])), name)


def _rows(text: str, name: str) -> Iterator[str]:
    """The rows, without line ends and without blank lines at the end of the text."""
    end = len(text.rstrip(" \t\r\n"))
    if not end:
        raise FormatError(
            "a schedule file has one row a rank, found no row at all",
            name,
            "write the schedule, or check that this is the right file",
        )
    start = 0
    while start < end:
        line_end = text.find("\n", start, end)
        line_end = end if line_end < 0 else line_end
        yield text[start:line_end].removesuffix("\r")
        start = line_end + 1


def write_csv(schedule: Schedule) -> str:
    """Write a schedule as CSV text; `parse_csv` reads it back.

    Idle cells are not kept. The policy and the number of microbatches are not in the file.

    Raises
    ------
    FormatError
        The file has no way to say something that the schedule holds: an update or a barrier, a
        reduction of one microbatch, several pipelines, batched messages, a group that is no pair
        of computations.

    Examples
    --------
    >>> from schedules.families import build
    >>> print(write_csv(build("gpipe", 2, 2)), end="")
    0F0,0F1,0B0,0B1
    1F0,1F1,1B0,1B1
    """
    first_of_pair = _pairs(schedule)
    lines = []
    for rank in range(schedule.ranks):
        index, end = int(schedule.offsets[rank]), int(schedule.offsets[rank + 1])
        cells = []
        while index < end:
            if index in first_of_pair:
                cells.append(f"({_cell(schedule, index)};{_cell(schedule, index + 1)})OVERLAP_F_B")
                index += 2
            else:
                cells.append(_cell(schedule, index))
                index += 1
        lines.append(",".join(cells) or ",")
    return "".join(line + "\n" for line in lines)


def _pairs(schedule: Schedule) -> set[int]:
    """Flat index of the first action of every overlap."""
    pairs = set()
    computations = among(schedule.kind, (Kind.F, Kind.B, Kind.I, Kind.W))
    for group in schedule.groups:
        first = int(schedule.offsets[group.rank]) + group.first
        pair = group.kind == "overlap" and group.count == 2
        if not pair or not computations[first : first + 2].all():
            raise FormatError(
                "the only group a schedule file can hold is an overlap of two computations, found "
                f"{group.count} actions of kind {group.kind!r}",
                schedule.place(first),
                "drop the group, or write a .json file, which holds it",
            )
        pairs.add(first)
    return pairs


def _cell(schedule: Schedule, index: int) -> str:
    action = schedule.action(index)
    text = token(action)
    if action.pipeline or not PLAIN.fullmatch(text):
        raise FormatError(
            "a schedule file holds computations, messages, waits for them and UNSHARD, RESHARD, "
            f"REDUCE_GRAD of one pipeline, found {action} of pipeline {action.pipeline}",
            schedule.place(index),
            "drop the action, or write a .json file, which holds it",
        )
    return text
