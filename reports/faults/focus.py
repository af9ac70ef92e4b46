"""What a picture of a violation points at, and in which run."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np

from reports.errors import PictureError, shorten
from reports.text import visible
from schedules.actions import Kind
from schedules.dependencies import MISSING
from schedules.durations import durations_of_actions
from schedules.errors import ScheduleError
from schedules.schedule import IntArray, Schedule
from schedules.timeline import run_to_end
from schedules.validation.violation import Arrow, Violation

MOST_RANKS: Final = 12
"""Rows of a picture."""
MOST_MARKS: Final = 16
"""Marked actions, and arrows, that are drawn and listed."""
_FEW: Final = 4
"""Neighbours join a picture that has no more rows than this."""

_OTHER_END: Final = {
    Kind.SEND_F: (Kind.RECV_F, 1),
    Kind.RECV_F: (Kind.SEND_F, -1),
    Kind.SEND_B: (Kind.RECV_B, -1),
    Kind.RECV_B: (Kind.SEND_B, 1),
}
"""Kind of a message → kind of its other end, and how many stages further that one stands."""


class Times(Protocol):
    """When every action ran: a `schedules.timeline.Timeline`, or how far a schedule gets.

    ``start`` and ``end`` have shape (actions,), in slots; `schedules.dependencies.MISSING` says
    that an action never started, or never ended.
    """

    @property
    def start(self) -> IntArray:
        """Start of every action."""

    @property
    def end(self) -> IntArray:
        """End of every action."""


@dataclass(frozen=True, eq=False)
class AsFarAsItGets:
    """A `Times` of dependencies alone, without queues or limits on messages under way."""

    start: IntArray
    end: IntArray


@dataclass(frozen=True)
class Pointer:
    """An arrow in a picture.

    Attributes
    ----------
    kind : str
        ``"fact"`` what happens, ``"wanted"`` what should have happened instead, ``"order"`` what
        joins a wait to the next one: what is awaited stands behind what waits.
    source, target : int
        Flat indices.
    label : str
    """

    kind: Literal["fact", "wanted", "order"]
    source: int
    target: int
    label: str


@dataclass(frozen=True)
class Focus:
    """What to point at.

    Attributes
    ----------
    actions : tuple of int
        Flat indices, each once, the one to look at first in front.
    pointers : tuple of Pointer
    left_out : str
        How many arrows and actions beyond `MOST_MARKS` there are, in words; empty if none.
    """

    actions: tuple[int, ...]
    pointers: tuple[Pointer, ...]
    left_out: str


def look_at(schedule: Schedule, violation: Violation) -> Focus | None:
    """What the marks of a violation point at; None if there is nothing to point at.

    Where a send meets the receive of another tensor, the pairs that should have met are added;
    between waits that follow from each other, what joins them.

    Raises
    ------
    PictureError
        A mark is no action of this schedule.
    """
    _require_actions(schedule, violation)
    marks = violation.marks
    arrows = marks.arrows[:MOST_MARKS]
    pointers = list(_facts(schedule, arrows))
    if violation.invariant == "match" and all(found.kind == "fact" for found in pointers):
        pointers += _rightful(schedule, arrows)[:MOST_MARKS]
    actions = _once(marks.actions[:MOST_MARKS], pointers)
    more = (
        len(marks.arrows) - len(arrows),
        len(set(_once(marks.actions, marks.arrows)) - {*actions}),
    )
    words = " and ".join(
        f"{count} more {name}"
        for count, name in zip(more, ("arrows", "actions"), strict=True)
        if count
    )
    return Focus(actions, tuple(pointers), words) if actions else None


def _once(actions: Sequence[int], arrows: Sequence[Arrow | Pointer]) -> tuple[int, ...]:
    """All actions named, each once."""
    ends = [end for arrow in arrows for end in (arrow.source, arrow.target)]
    return tuple(dict.fromkeys([*actions, *ends]))


def _facts(schedule: Schedule, arrows: Sequence[Arrow]) -> Iterator[Pointer]:
    """The arrows, each wait followed by what joins it to the next one."""
    for arrow, following in zip(arrows, [*arrows[1:], *arrows[:1]], strict=True):
        kind: Literal["fact", "wanted"] = "wanted" if arrow.label.startswith("should") else "fact"
        yield Pointer(kind, arrow.source, arrow.target, arrow.label)
        awaited, waits = arrow.target, following.source
        one_rank = rank_of(schedule, awaited) == rank_of(schedule, waits)
        if arrow.label == following.label == "waits for" and one_rank and waits < awaited:
            yield Pointer("order", awaited, waits, "stands behind")


def _require_actions(schedule: Schedule, violation: Violation) -> None:
    for index in _once(violation.marks.actions, violation.marks.arrows):
        if not 0 <= index < len(schedule):
            raise PictureError(
                f"a mark is one of the {len(schedule)} actions, found {index}",
                shorten(violation.place),
                "draw the violation with the schedule that it was found in",
            )


def _rightful(schedule: Schedule, arrows: Sequence[Arrow]) -> list[Pointer]:
    """The pairs that should have met, where a send meets the receive of another tensor."""
    pairs: dict[tuple[int, int], None] = {}
    for arrow in arrows:
        receive, send = _other_end(schedule, arrow.source), _other_end(schedule, arrow.target)
        if receive not in (None, arrow.target):
            pairs[arrow.source, receive] = None
        if send not in (None, arrow.source):
            pairs[send, arrow.target] = None
    return [Pointer("wanted", *pair, "should meet") for pair in pairs]


def _other_end(schedule: Schedule, index: int) -> int | None:
    """Flat index of the send or receive with the same tensor; None if there is none."""
    if schedule.kind[index] not in _OTHER_END:
        return None
    kind, further = _OTHER_END[Kind(int(schedule.kind[index]))]
    same = (
        (schedule.kind == kind)
        & (schedule.stage == schedule.stage[index] + further)
        & (schedule.microbatch == schedule.microbatch[index])
    )
    ends = np.flatnonzero(same)
    return int(ends[0]) if len(ends) else None


def run_of(schedule: Schedule) -> Times | None:
    """How far the schedule gets, as soon as possible; None if its dependencies make no sense."""
    try:
        taken = durations_of_actions(schedule)
        start, stuck = run_to_end(schedule, taken)
    except ScheduleError:
        return None
    ran = np.ones(len(schedule), dtype=np.bool_)
    for rank, head in stuck.items():
        ran[head : int(schedule.offsets[rank + 1])] = False
    return AsFarAsItGets(np.where(ran, start, MISSING), np.where(ran, start + taken, MISSING))


def rank_of(schedule: Schedule, index: int) -> int:
    """The rank that an action stands on."""
    return int(np.searchsorted(schedule.offsets, index, side="right")) - 1


def shown_ranks(schedule: Schedule, focus: Focus) -> tuple[int, ...]:
    """The ranks of the actions in focus; their neighbours too if that makes few rows."""
    own = list(dict.fromkeys(rank_of(schedule, index) for index in focus.actions))[:MOST_RANKS]
    beside = {near for rank in own for near in (rank - 1, rank, rank + 1)}
    rows = {rank for rank in beside if 0 <= rank < schedule.ranks}
    return tuple(sorted(rows if len(rows) <= _FEW else own))


def spot(schedule: Schedule, index: int) -> str:
    """Rank and label of an action, and where it stands in its file.

    Examples
    --------
    >>> from schedules import build
    >>> spot(build("gpipe", 2, 2), 5)
    'rank 1 1F1 (rank 1:position 1)'
    """
    name = schedule.name if schedule.source is None else schedule.source.file
    place = schedule.place(index).removeprefix(f"{name}:")
    return f"rank {rank_of(schedule, index)} {schedule.action(index)} ({place})"


def explanation(schedule: Schedule, focus: Focus) -> list[str]:
    """Every arrow as a numbered line, then the marked actions that no arrow names.

    The numbers are those of the arrows in a figure.
    """
    lines = [
        f"{number}. {spot(schedule, pointer.source)} --{visible(pointer.label)}--> "
        f"{spot(schedule, pointer.target)}"
        for number, pointer in enumerate(focus.pointers, 1)
    ]
    named = {end for pointer in focus.pointers for end in (pointer.source, pointer.target)}
    alone = [index for index in focus.actions if index not in named]
    lines += [f"marked: {spot(schedule, index)}" for index in alone]
    return [*lines, *([f"... and {focus.left_out}"] if focus.left_out else [])]


def wrapped(words: str, width: int) -> list[str]:
    """Lines of at most `width` characters; those after the first are indented."""
    return textwrap.wrap(words, width, subsequent_indent="   ", break_on_hyphens=False)
