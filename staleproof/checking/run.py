"""From a target to its report, and from there to what is printed."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedules.invariants import Report, check
from schedules.messages.progress import Progress
from schedules.schedule import Schedule
from schedules.validation.violation import Violation
from staleproof.checking.loading import LINED, line_of, load
from staleproof.checking.names import names
from staleproof.checking.options import Options
from staleproof.checking.outcome import Fault, Outcome
from staleproof.errors import UsageError
from staleproof.layer_options import BOTH, read_measured

if TYPE_CHECKING:
    from schedules.formats import Document
    from schedules.planning.costs import Costs


@dataclass(frozen=True)
class Extras:
    """What is written beside the result.

    Attributes
    ----------
    pictures : str or None
        Folder to write them to.
    query : str or None
        SMT-LIB file to write.
    """

    pictures: str | None = None
    query: str | None = None

    def wanted(self, outcome: Outcome) -> bool:
        """Whether there is anything to write for an outcome."""
        return self.query is not None or (self.pictures is not None and bool(outcome.faults))


@dataclass(frozen=True, eq=False)
class Checked:
    """A target with its report.

    Attributes
    ----------
    target : str
    document : Document
    options : Options
    report : Report
    """

    target: str
    document: Document
    options: Options
    report: Report

    @property
    def format(self) -> str | None:
        """Of the file it was read from, None if from none."""
        return self.document.format

    @property
    def schedule(self) -> Schedule:
        """The schedule that was checked."""
        return self.report.schedule

    @property
    def progress(self) -> Progress | None:
        """How far the schedule gets in the model; None without messages."""
        run = self.report.run
        return run.progress if run.has_messages else None


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

    if options.sizes is not None and options.layers is not None:
        raise UsageError(BOTH, "sizes", "drop one of them")
    document = load(target, options)
    sizes = None if options.sizes is None else read_sizes(options.sizes)
    if sizes is not None:
        sizes.of(document.schedule.stages)  # every stage has sizes, whatever is required
    costs = None if options.layers is None else _costs(document, options.layers)
    required, counted = options.requirements, options.linearization
    report = check(document, required, options.model, sizes, counted, costs)
    shown = document.schedule.name if name is None else name
    return Checked("<stdin>" if name == "-" else shown, document, options, report)


def _costs(document: Document, path: str) -> Costs | None:
    """Measured layers on the stages; None where there are none to put them on."""
    from schedules.planning.costs import split

    layers = read_measured(path)
    return split(layers, document.schedule.placement) if document.schedule.stages else None


def summed_up(found: Checked, *, excerpts: bool = True) -> Outcome:
    """What a check came to; `excerpts` says whether faults show the timeline around them."""
    report, schedule, options = found.report, found.schedule, found.options
    return Outcome(
        target=found.target,
        ok=report.ok,
        actions=len(schedule),
        has_messages=report.run.has_messages,
        from_file=found.format is not None,
        model=report.model,
        policy=schedule.policy,
        required=tuple(requirement.text for requirement in options.requirements),
        decided=report.decided,
        undecided=report.undecided,
        faults=tuple(_faults(found, excerpts=excerpts)),
        facts=report.facts,
        linearization=options.linearization,
        assumed=_assumed(found),
        lowered=options.lower is not None,
    )


def written(outcome: Outcome, found: Checked, extras: Extras) -> Outcome:
    """Write the extras; the outcome with the names of the files.

    Raises
    ------
    reports.errors.ReportError
        A picture or query cannot be written.
    """
    return dataclasses.replace(
        outcome, pictures=_pictures(found, extras.pictures), query=_query(found, extras.query)
    )


def _assumed(found: Checked) -> bool:
    """Whether nothing says which policy it is."""
    return found.options.policy is None and not found.document.states_policy


def _faults(found: Checked, *, excerpts: bool) -> Iterator[Fault]:
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
            excerpt=_excerpt(found, violation) if first and excerpts else (),
        )


def _excerpt(found: Checked, violation: Violation) -> tuple[str, ...]:
    from reports.faults import excerpt

    return tuple(excerpt(found.schedule, violation, found.progress))


def _pictures(found: Checked, folder: str | None) -> tuple[str, ...]:
    if folder is None or not found.report.violations:
        return ()
    from reports.faults import write_faults

    faults = found.report.violations
    return tuple(map(str, write_faults(found.schedule, faults, folder, found.progress)))


def _query(found: Checked, path: str | None) -> str | None:
    if path is None:
        return None
    from reports.files import write_files
    from theory.laws.messages import smtlib_lines

    lines = smtlib_lines(found.schedule, found.report.run.plan, found.report.model)
    content = (f"{line}\n".encode() for line in lines)
    write_files({os.path.basename(path): content}, os.path.dirname(path))
    return path


def extras_of(targets: Sequence[str], pictures: str | None, queries: str | None) -> list[Extras]:
    """The extras of every target; several have their pictures in folders of their own.

    Examples
    --------
    >>> [one, other] = extras_of(["ci/step.csv", "old/step.csv"], "out", "smt")
    >>> one.pictures, other.pictures, other.query
    ('out/step', 'out/step-2', 'smt/step-2.smt2')
    """
    return [
        Extras(
            os.path.join(pictures, name) if pictures and len(targets) > 1 else pictures,
            os.path.join(queries, f"{name}.smt2") if queries else None,
        )
        for name in names(targets)
    ]
