"""From a FILE or FAMILY to the document that is checked."""

from __future__ import annotations

import dataclasses
import os
from argparse import Namespace
from typing import TYPE_CHECKING, Final

from schedules import Schedule
from staleproof.checking.options import Options
from staleproof.errors import UsageError
from staleproof.family_options import built
from staleproof.sources import given_policy, is_file

if TYPE_CHECKING:
    from schedules.formats import Document

LINED: Final = frozenset({"csv", "trace"})
"""Formats in which the row of an action is a line of the file."""


def load(target: str | os.PathLike[str] | Schedule | Document, options: Options) -> Document:
    """Read a file, generate a family, or take what is there; with the policy asked for.

    Raises
    ------
    UsageError, schedules.errors.ScheduleError
        No such family, the file cannot be read, or what is to be lowered has messages.
    """
    document = _document(target, options)
    if options.policy is not None:
        schedule = document.schedule
        policy = given_policy(
            options.policy, options.window, schedule.policy, schedule.microbatches
        )
        document = dataclasses.replace(
            document, schedule=dataclasses.replace(schedule, policy=policy)
        )
    return document if options.lower is None else _lowered(document, options.lower)


def _document(target: str | os.PathLike[str] | Schedule | Document, options: Options) -> Document:
    from schedules.formats import Document, read_document

    if isinstance(target, Document):
        return target
    if isinstance(target, Schedule):
        return Document(target)
    name = os.fspath(target)
    if isinstance(target, os.PathLike) or is_file(name):
        return read_document(name, None, options.microbatches)
    asked = Namespace(p=options.ranks, m=options.microbatches, set=list(options.parameters.items()))
    return Document(built(asked, name))


def _lowered(document: Document, placement: str) -> Document:
    """The schedule with its messages; as it is if it is not valid, which checking will say.

    What a document held beside its schedule no longer fits, and is left out.
    """
    from schedules.lowering import lower
    from schedules.validate import has_messages, validate

    schedule = document.schedule
    message = has_messages(schedule)
    if message is not None:
        raise UsageError(
            f"it adds messages, and {schedule.name} has some: {schedule.action(message)} "
            f"({schedule.place(message)})",
            "--lower",
            "drop it, or lower a schedule without messages",
        )
    if validate(schedule):
        return document
    lowered = lower(schedule, placement)
    return dataclasses.replace(document, schedule=lowered, instructions=None, trace=None)


def line_of(place: str, file: str) -> int | None:
    """The line that a place names in a file whose rows are lines.

    Examples
    --------
    >>> line_of("step.csv:row 2:cell 3", "step.csv"), line_of("step.csv:rank 1", "step.csv")
    (2, None)
    """
    row, _, _ = place.removeprefix(f"{file}:row ").partition(":")
    return int(row) if row.isdigit() else None
