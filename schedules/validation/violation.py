"""`Violation`: one thing that is wrong with a schedule, and how lists of them are kept short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from schedules.schedule import Schedule

CAP: Final = 50
"""Most violations of one invariant that are spelled out."""


@dataclass(frozen=True)
class Arrow:
    """A relation between two actions, for pictures.

    Attributes
    ----------
    source, target : int
        Flat indices.
    label : str
        What the source does to the target: ``waits for``, ``meets``, ``reads version 3``.
    """

    source: int
    target: int
    label: str


@dataclass(frozen=True)
class Marks:
    """What a picture of a violation points at.

    Attributes
    ----------
    actions : tuple of int
        Flat indices, the one to look at first in front.
    arrows : tuple of Arrow
    """

    actions: tuple[int, ...] = ()
    arrows: tuple[Arrow, ...] = ()


NOTHING: Final = Marks()


class Case(NamedTuple):
    """One case of a mistake in words: place, rule with the values found, remedy, witness."""

    place: str
    what: str
    fix: str
    witness: dict[str, object]
    marks: Marks = NOTHING


@dataclass(frozen=True)
class Violation:
    """One thing that is wrong with a schedule.

    Attributes
    ----------
    invariant : str
        Name of the invariant that does not hold.
    message : str
        The place, the rule, the values found and the remedy.
    place : str
        File, row and cell of the action to look at first; the schedule's name where no action
        is there to look at.
    witness : dict
        The values as plain data.
    marks : Marks
        The actions concerned, for pictures.
    """

    invariant: str
    message: str
    place: str
    witness: dict[str, object]
    marks: Marks = NOTHING


@dataclass(frozen=True)
class Finding:
    """All cases of one mistake; they are put into words only when asked for.

    Attributes
    ----------
    mistake : str
        A few words, for counting.
    count : int
    describe : callable
        ``describe(k)`` for 0 ≤ k < count.
    """

    mistake: str
    count: int
    describe: Callable[[int], Case]


def listed(schedule: Schedule, invariant: str, findings: Sequence[Finding]) -> list[Violation]:
    """The first `CAP` cases in words, and one violation that counts the others."""
    shown: list[Violation] = []
    hidden: dict[str, int] = {}
    for finding in findings:
        room = min(finding.count, CAP - len(shown))
        for case in range(room):
            place, what, fix, witness, marks = finding.describe(case)
            message = f"{place}: {what}; {fix}"
            shown.append(Violation(invariant, message, place, witness, marks))
        if finding.count > room:
            hidden[finding.mistake] = hidden.get(finding.mistake, 0) + finding.count - room
    if hidden:
        more = sum(hidden.values())
        counts = ", ".join(f"{count} × {mistake}" for mistake, count in hidden.items())
        message = f"{schedule.name}: … and {more} more ({counts}); correct the first ones"
        witness = {"more": more, "mistakes": hidden}
        shown.append(Violation(invariant, message, schedule.name, witness))
    return shown


def rank_place(schedule: Schedule, rank: int) -> str:
    """Where a rank is described: its row in the file, or its number.

    Examples
    --------
    >>> from schedules.families import build
    >>> rank_place(build("gpipe", 2, 2), 1)
    'gpipe:rank 1'
    """
    if schedule.source is not None:
        return schedule.source.rank_place(rank)
    return f"{schedule.name}:rank {rank}"
