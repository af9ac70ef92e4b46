"""Pictures of schedules: a timeline from bars, a heatmap from whole numbers, as files.

Examples
--------
>>> from schedules import build, timeline
>>> picture = run_picture(timeline(build("gpipe", 2, 2)), "gpipe, p = 2, M = 2")
>>> picture.length, picture.bars[0].kind, picture.bars[0].version
(6, 'F', None)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from reports.errors import OutputError, PictureError, shorten
from reports.figures import Picture, picture_bytes
from reports.figures.gantt import MOST_BARS, Bar, Gantt, Message, Update
from reports.figures.matrix import Matrix
from reports.files import write_files
from schedules.actions import RUNS, Kind
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline
from schedules.versions import Versions, update_after

__all__ = [
    "SUFFIXES",
    "Bar",
    "Gantt",
    "Matrix",
    "draw_bars",
    "draw_matrix",
    "require_destination",
    "run_bars",
    "run_messages",
    "run_picture",
    "run_updates",
    "save_picture",
]

MOST_MESSAGES: Final = 64
"""Messages that a picture has arrows for."""
SUFFIXES: Final = ("svg", "png", "pdf")


def draw_bars(
    bars: Sequence[Bar],
    title: str,
    path: str | os.PathLike[str],
    *,
    ranks: int | None = None,
    note: str = "",
) -> Path:
    """Draw what ranks did when into an ``.svg``, ``.png`` or ``.pdf`` file.

    Parameters
    ----------
    bars : sequence of Bar
        In any unit of time.
    title, note : str
        The first and the second line above the picture.
    path : str or path-like
        The suffix chooses the format.
    ranks : int, optional
        Number of rows; one more than the largest rank that has a bar by default.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    PictureError
        No bar, too many of them, or one that is none.
    OutputError
        If the suffix is another one, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> bars = [Bar(0, 0, 1, "F", 0, 0), Bar(1, 1, 2, "F", 1, 0), Bar(1, 2, 4, "B", 1, 0)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     draw_bars(bars, "two ranks", f"{folder}/two.svg").name
    'two.svg'
    """
    require_destination(path)
    rows = ranks if ranks is not None else max((bar.rank for bar in bars), default=0) + 1
    return save_picture(Gantt(title, note, rows, tuple(bars)), path)


def draw_matrix(
    rows: Sequence[Sequence[int]],
    title: str,
    path: str | os.PathLike[str],
    *,
    row: str,
    column: str,
    note: str = "",
) -> Path:
    """Draw whole numbers as a heatmap into an ``.svg``, ``.png`` or ``.pdf`` file.

    Parameters
    ----------
    rows : sequence of sequence of int
        All of one length.
    title, note : str
        The first and the second line above the picture.
    path : str or path-like
        The suffix chooses the format.
    row, column : str
        What rows and columns count.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    PictureError
        No cell, too many of them, or rows of several lengths.
    OutputError
        If the suffix is another one, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/delays.svg"
    ...     draw_matrix([[3, 1], [2, 0]], "delays", path, row="stage", column="block").name
    'delays.svg'
    """
    require_destination(path)
    table = tuple(tuple(int(value) for value in values) for values in rows)
    return save_picture(Matrix(title, note, row, column, table), path)


def run_bars(
    line: Timeline, path: Sequence[int] = (), ticks: int = 1, read: Versions | None = None
) -> tuple[Bar, ...]:
    """The computations of a run, in the order of its arrays, from time 0 on.

    A forward that is run again is drawn as one. Computations of no duration are left out, those of
    `path` outlined; `ticks` make a unit; `read` says which versions of the weights to show.

    Raises
    ------
    PictureError
        More than can be drawn.
    """
    schedule = line.schedule
    taken = np.isin(schedule.kind, [int(kind) for kind in RUNS]) & (line.end > line.start)
    chosen = np.flatnonzero(taken)
    if len(chosen) > MOST_BARS:
        raise PictureError(
            f"a timeline has at most {MOST_BARS} bars, found {len(chosen)}",
            shorten(schedule.name),
            "draw fewer microbatches",
        )
    origin = int(line.start[chosen].min()) if len(chosen) else 0
    columns = (
        schedule.rank_of_action[chosen],
        (line.start[chosen] - origin) / ticks if ticks > 1 else line.start[chosen] - origin,
        (line.end[chosen] - origin) / ticks if ticks > 1 else line.end[chosen] - origin,
        schedule.kind[chosen],
        schedule.stage[chosen],
        schedule.microbatch[chosen],
        schedule.pipeline[chosen],
        np.isin(chosen, path),
        _versions_of(schedule, chosen, read),
    )
    return tuple(
        Bar(rank, start, end, "F" if kind == Kind.R else Kind(kind).name, *rest)
        for rank, start, end, kind, *rest in zip(
            *(column.tolist() for column in columns), strict=True
        )
    )


def _versions_of(schedule: Schedule, chosen: IntArray, read: Versions | None) -> NDArray[Any]:
    """What each computation reads: a forward what it finds, a gradient what it uses."""
    if read is None:
        return np.full(len(chosen), None)
    at = schedule.stage[chosen], schedule.microbatch[chosen]
    return np.where(schedule.kind[chosen] == Kind.F, read.read[at], read.used[at])


def run_updates(line: Timeline, ticks: int = 1) -> tuple[Update, ...]:
    """When weights change, in the time of `run_bars`.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> run_updates(timeline(build("gpipe", 1, 3)))
    (Update(rank=0, time=6),)
    """
    schedule = line.schedule
    chosen = np.flatnonzero(update_after(schedule))
    computes = np.isin(schedule.kind, [int(kind) for kind in RUNS]) & (line.end > line.start)
    origin = int(line.start[computes].min()) if computes.any() else 0
    times = (line.end[chosen] - origin) / ticks if ticks > 1 else line.end[chosen] - origin
    return tuple(map(Update, schedule.rank_of_action[chosen].tolist(), times.tolist()))


def run_messages(line: Timeline) -> tuple[Message, ...]:
    """Messages between ranks in the time of `run_bars`; none if there is no room for all.

    Examples
    --------
    >>> from schedules import build, timeline
    >>> from schedules.lowering import lower
    >>> run_messages(timeline(lower(build("gpipe", 2, 1))))[0]
    Message(sender=0, start=1, receiver=1, end=1)
    """
    schedule = line.schedule
    sends = np.isin(schedule.kind, [int(Kind.SEND_F), int(Kind.SEND_B)])
    if not 0 < int(sends.sum()) <= MOST_MESSAGES:
        return ()
    at = {schedule.action(index): index for index in range(len(schedule))}
    pairs = [
        (at[one], at[other])
        for one, other, kind in schedule.dag().edges(data="kind")
        if kind == "message" and one in at and other in at and sends[at[one]]
    ]
    computes = np.isin(schedule.kind, [int(kind) for kind in RUNS]) & (line.end > line.start)
    origin = int(line.start[computes].min()) if computes.any() else 0
    rank = schedule.rank_of_action
    return tuple(
        Message(
            int(rank[one]),
            int(line.end[one]) - origin,
            int(rank[other]),
            int(line.end[other]) - origin,
        )
        for one, other in sorted(pairs)
        if rank[one] != rank[other]
    )


def run_picture(
    line: Timeline,
    title: str,
    note: str = "",
    path: Sequence[int] = (),
    ticks: int = 1,
    read: Versions | None = None,
    unit: str = "slot",
) -> Gantt:
    """The picture of a run, a row for each of its ranks; see `run_bars`.

    With `read` it shows versions, and when they change.

    Raises
    ------
    PictureError
        Nothing to draw, or more than can be drawn.
    """
    updates = () if read is None else run_updates(line, ticks)
    bars = run_bars(line, path, ticks, read)
    return Gantt(title, note, line.schedule.ranks, bars, updates, unit)


def require_destination(path: str | os.PathLike[str]) -> str:
    """The format that a file's name asks for.

    Raises
    ------
    OutputError
        If the suffix is none of `SUFFIXES`, or something else than a file is there.

    Examples
    --------
    >>> require_destination("pictures/zbv.SVG")
    'svg'
    """
    name = os.fspath(path)
    suffix = Path(name).suffix.lower().lstrip(".")
    if suffix not in SUFFIXES:
        raise OutputError(
            f"a picture must end in {', '.join(f'.{known}' for known in SUFFIXES)}, found "
            f"{shorten(suffix) if suffix else 'no suffix'}",
            name or "''",
            "rename the file",
        )
    if os.path.exists(name) and not os.path.isfile(name):
        raise OutputError(
            "must be a file, but something else is there", name, "choose another name"
        )
    return suffix


def save_picture(picture: Picture, path: str | os.PathLike[str]) -> Path:
    """Write a picture as a whole or not at all; a link stays one, what it leads to is replaced.

    Raises
    ------
    OutputError
        If the suffix is none of `SUFFIXES`, or the file cannot be written.
    """
    suffix = require_destination(path)
    target = Path(os.path.realpath(path))
    write_files({target.name: picture_bytes(picture, suffix)[0]}, target.parent)
    return Path(path)
