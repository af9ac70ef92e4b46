"""From a target to its report, and from there to what is printed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from schedules.invariants import Report, check
from schedules.messages.channels import Channels, Links, channels
from schedules.messages.progress import Progress, progress
from schedules.schedule import Schedule
from schedules.validate import has_messages
from schedules.validation.violation import Violation
from staleproof.checking.loading import LINED, line_of, load
from staleproof.checking.options import Options
from staleproof.checking.outcome import Fault, Outcome
from staleproof.sources import is_file

if TYPE_CHECKING:
    from schedules.formats import Document


@dataclass(frozen=True)
class Extras:
    """What is made beside the result.

    Attributes
    ----------
    excerpts : bool
        Whether faults show the timeline around them.
    pictures : str or None
        Folder to write them to.
    query : str or None
        SMT-LIB file to write.
    """

    excerpts: bool = True
    pictures: str | None = None
    query: str | None = None


@dataclass(frozen=True, eq=False)
class Checked:
    """A target with its report.

    Attributes
    ----------
    target : str
    document : Document
    options : Options
    report : Report
    format : str or None
        Of the file it was read from, None if from none.
    """

    target: str
    document: Document
    options: Options
    report: Report
    format: str | None

    @property
    def schedule(self) -> Schedule:
        """The schedule that was checked."""
        return self.report.schedule

    @cached_property
    def plan(self) -> Channels:
        """Which send meets which receive."""
        trace = self.document.trace
        links = None if trace is None else Links(trace.peer, trace.channel)
        return channels(self.schedule, links)

    @cached_property
    def progress(self) -> Progress | None:
        """How far the schedule gets in the model; None without messages."""
        if has_messages(self.schedule) is None:
            return None
        return progress(self.schedule, self.plan, self.report.model)


def checked(
    target: str | os.PathLike[str] | Schedule | Document, options: Options, name: str | None = None
) -> Checked:
    """Load a target and check it.

    Parameters
    ----------
    target : str, path-like, Schedule or Document
    options : Options
    name : str, optional
        What results call it; it is the target where that is a text or path, else nothing.

    Raises
    ------
    UsageError, schedules.errors.ScheduleError
        It cannot be loaded, or a requirement cannot be decided with these options at all.
    """
    from schedules.analysis import read_sizes
    from schedules.formats import sniff

    document = load(target, options)
    sizes = None if options.sizes is None else read_sizes(options.sizes)
    if sizes is not None:
        sizes.of(document.schedule.stages)  # every stage has sizes, whatever is required
    report = check(document, options.requirements, options.model, sizes, options.linearization)
    from_file = name is not None and is_file(name)
    shown = document.schedule.name if name is None else name
    return Checked(shown, document, options, report, sniff(shown).name if from_file else None)


def summed_up(found: Checked, extras: Extras) -> Outcome:
    """What a check came to; writes the extras.

    Raises
    ------
    reports.errors.ReportError
        A picture or query cannot be written.
    """
    report, schedule = found.report, found.schedule
    return Outcome(
        target=found.target,
        ok=report.ok,
        actions=len(schedule),
        has_messages=has_messages(schedule) is not None,
        from_file=found.format is not None,
        model=report.model,
        required=tuple(requirement.text for requirement in found.options.requirements),
        decided=report.decided,
        undecided=report.undecided,
        faults=tuple(_faults(found, extras)),
        facts=report.facts,
        pictures=_pictures(found, extras.pictures),
        query=_query(found, extras.query),
    )


def _faults(found: Checked, extras: Extras) -> Iterator[Fault]:
    seen: set[str] = set()
    for violation in found.report.violations:
        first = violation.invariant not in seen
        seen.add(violation.invariant)
        yield Fault(
            invariant=violation.invariant,
            message=violation.message,
            place=violation.place,
            witness=violation.witness,
            line=line_of(violation.place, found.target) if found.format in LINED else None,
            excerpt=_excerpt(found, violation) if first and extras.excerpts else (),
        )


def _excerpt(found: Checked, violation: Violation) -> tuple[str, ...]:
    from reports.faults import excerpt

    return tuple(excerpt(found.schedule, violation, found.progress))


def _pictures(found: Checked, folder: str | None) -> tuple[str, ...]:
    if folder is None or not found.report.violations:
        return ()
    from reports.faults import write_faults

    return tuple(
        map(str, write_faults(found.schedule, found.report.violations, folder, found.progress))
    )


def _query(found: Checked, path: str | None) -> str | None:
    if path is None:
        return None
    from reports.files import write_files
    from theory.messages import smtlib

    text = smtlib(found.schedule, found.plan, found.report.model)
    write_files({os.path.basename(path): text.encode()}, os.path.dirname(path))
    return path


def extras_of(
    targets: Sequence[str], excerpts: bool, pictures: str | None, queries: str | None
) -> list[Extras]:
    """The extras of every target; several have their pictures in folders of their own.

    Examples
    --------
    >>> [one, other] = extras_of(["ci/step.csv", "old/step.csv"], True, "out", "smt")
    >>> one.pictures, other.pictures, other.query
    ('out/step', 'out/step-2', 'smt/step-2.smt2')
    """
    names = _names(targets)
    return [
        Extras(
            excerpts,
            os.path.join(pictures, name) if pictures and len(targets) > 1 else pictures,
            os.path.join(queries, f"{name}.smt2") if queries else None,
        )
        for name in names
    ]


def _names(targets: Sequence[str]) -> list[str]:
    """A name for each target that no other has."""
    found: list[str] = []
    for target in targets:
        stem = _stem(os.path.basename(target))
        tries = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        found.append(next(name for name in tries if name not in found))
    return found


def _stem(name: str) -> str:
    """A file's name without the end that says its format."""
    from schedules.formats import format_of_name

    entry = format_of_name(name)
    ends = [end for end in (entry.suffixes if entry else ()) if name.lower().endswith(end)]
    return name[: -max(map(len, ends))] if ends else name
