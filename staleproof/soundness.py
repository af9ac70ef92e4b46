"""Whether a schedule is one that can run, for commands that give numbers and pictures of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedules.actions import Kind, among
from staleproof.errors import InputError
from staleproof.output import note

if TYPE_CHECKING:
    from schedules import Schedule
    from schedules.formats import Document

HANGS: Final = "deadlock-free"
ALWAYS: Final = ("complete", "causal", "exclusive", "match", HANGS)
"""What a schedule needs to be one; its weight policy is no matter of time."""


@dataclass(frozen=True)
class Fault:
    """An invariant that does not hold, and the first thing that shows it.

    Attributes
    ----------
    invariant, message, place : str
    certain : bool
        False where it holds with larger buffers, or other queues, than the least that there are.
    """

    invariant: str
    message: str
    place: str
    certain: bool = True


def faults(subject: Document | Schedule) -> tuple[Fault, ...]:
    """What keeps a schedule from being one that can run, an invariant each.

    A schedule of forwards alone is one, and so is what was recorded: it has run.

    Examples
    --------
    >>> from schedules import build
    >>> faults(build("gpipe", 2, 4))
    ()
    """
    from schedules.formats import Document
    from schedules.invariants import check, parse_requirements

    document = subject if isinstance(subject, Document) else Document(subject)
    if document.trace is not None:
        return ()
    trains = among(document.schedule.kind, (Kind.B, Kind.I, Kind.W)).any()
    report = check(document, () if trains else parse_requirements("forward-only"))
    least = report.facts.get("deadlock", {})
    somehow = isinstance(least, dict) and any(buffer is not None for buffer in least.values())
    first: dict[str, Fault] = {}
    for found in report.violations:
        if found.invariant in ALWAYS:
            sure = found.invariant != HANGS or not somehow
            fault = Fault(found.invariant, found.message, found.place, sure)
            first.setdefault(found.invariant, fault)
    return tuple(first.values())


def require_runnable(source: str, subject: Document | Schedule) -> bool:
    """Whether its messages always pass; where they hang with small buffers, stderr says so.

    Raises
    ------
    InputError
        It cannot run at all: it has no numbers.
    """
    hangs = False
    for fault in faults(subject):
        if fault.certain:
            what, _, fix = fault.message.removeprefix(f"{fault.place}: ").rpartition("; ")
            raise InputError(f"{fault.invariant}: {what}", fault.place, fix)
        note(
            f"warning: {source} hangs with one queue a rank and no buffer ({fault.place}); its "
            "numbers are of a run that gets through: `staleproof check` says what it needs"
        )
        hangs = True
    return not hangs


def doubts(subject: Document | Schedule) -> tuple[str, ...]:
    """The invariants that do not hold, each of which stderr explains."""

    def said() -> Iterator[str]:
        for fault in faults(subject):
            note(f"warning: {fault.invariant} does not hold: {fault.message}")
            yield fault.invariant

    return tuple(said())
