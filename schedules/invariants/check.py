"""`check`: decide the base and what is required of a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schedules.analysis.sizes import Sizes
from schedules.formats.registry import Document
from schedules.invariants.invariant import Answer, Undecided
from schedules.invariants.registry import BASE, INVARIANTS
from schedules.invariants.requirement import Requirement
from schedules.invariants.run import Run
from schedules.linearization import DEFAULT, get_linearization
from schedules.messages.capacity import deadlock_facts
from schedules.messages.channels import Links
from schedules.messages.model import QueueModel
from schedules.schedule import Schedule
from schedules.validation.complete import is_empty
from schedules.validation.facts import facts_of
from schedules.validation.violation import Violation

ORDER_ALONE: Final = ("complete", "causal", "exclusive")
"""The part of the base that is decided first; `policy` rests on it."""


@dataclass(frozen=True, eq=False)
class Report:
    """What a check found.

    Attributes
    ----------
    schedule : Schedule
    model : QueueModel
        What ``deadlock-free`` was decided in.
    violations : tuple of Violation
        In the order of `INVARIANTS`.
    undecided : tuple of (str, str)
        What belongs to the base or is required and was not decided, and why.
    facts : dict
        See `schedules.validation.facts`; besides, ``deadlock``.
    decided : tuple of str
        Names of the invariants that were decided, in the order of `INVARIANTS`.
    """

    schedule: Schedule
    model: QueueModel
    violations: tuple[Violation, ...]
    undecided: tuple[tuple[str, str], ...]
    facts: dict[str, object]
    decided: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the base and all that is required was decided and holds."""
        return not self.violations and not self.undecided


def check(
    subject: Document | Schedule,
    requirements: Sequence[Requirement] = (),
    model: QueueModel | None = None,
    sizes: Sizes | None = None,
    linearization: str = DEFAULT,
) -> Report:
    r"""Decide the base, and what is required, of one schedule.

    Parameters
    ----------
    subject : Document or Schedule
        A document may also say which buffers a schedule works on, and which peers and channels
        were recorded.
    requirements : sequence of Requirement
        See `parse_requirements`.
    model : QueueModel, optional
        Queues and buffers that ``deadlock-free`` is decided in; the strictest by default.
    sizes : Sizes, optional
        Bytes of each stage, for ``memory`` and ``rank-memory``.
    linearization : str
        How ``delay`` counts.

    Raises
    ------
    UnknownNameError
        No such linearization.
    InvalidScheduleError
        A message goes to a rank that does not exist.
    FormatError
        A stage has no sizes.
    SizeError
        The schedule is too sparse to be looked at; see `schedules.dependencies`.

    Examples
    --------
    >>> from schedules import build
    >>> from schedules.invariants import parse_requirements
    >>> report = check(build("pipedream", 3, 12), parse_requirements("stash, staleness<=1"))
    >>> report.ok, {found.invariant for found in report.violations}
    (False, {'staleness'})
    """
    get_linearization(linearization)
    run = _run(subject, model or QueueModel(), sizes, linearization)
    answers = _base(run)
    broken = tuple(name for name in BASE if answers[name] != [])
    for requirement in requirements:
        invariant = INVARIANTS[requirement.name]
        if requirement.name in BASE:
            continue
        if broken and invariant.needs_base:
            why = f"it is decided where {', '.join(BASE)} hold; here not: {', '.join(broken)}"
            answers[requirement.name] = Undecided(why)
        else:
            answers[requirement.name] = invariant.decide(run, requirement.bound or 0)
    completes = run.model if answers["deadlock-free"] == [] else None
    return _report(run, answers, _facts(run, bool(broken), completes))


def _facts(run: Run, broken: bool, completes: QueueModel | None) -> dict[str, object]:
    """What the schedule does, if its base holds; the least buffers, if there is anything.

    `completes` is a model in which it is known to come to its end.
    """
    found: dict[str, object] = {}
    if not broken:
        found = facts_of(run.timeline, run.versions, run.history, run.linearization, run.sizes)
    if not is_empty(run.schedule):
        found["deadlock"] = deadlock_facts(run.schedule, run.plan, completes)
    return found


def _run(
    subject: Document | Schedule, model: QueueModel, sizes: Sizes | None, linearization: str
) -> Run:
    if isinstance(subject, Schedule):
        return Run(subject, None, None, model, sizes, linearization)
    trace = subject.trace
    links = None if trace is None else Links(trace.peer, trace.channel)
    return Run(subject.schedule, subject.instructions, links, model, sizes, linearization)


def _base(run: Run) -> dict[str, Answer]:
    """What the invariants of `BASE` answer."""
    schedule = run.schedule
    if is_empty(schedule):
        nothing = Undecided("there is no stage, microbatch or action to look at")
        return dict.fromkeys(BASE, nothing) | {"complete": INVARIANTS["complete"].decide(run, 0)}
    answers = {name: INVARIANTS[name].decide(run, 0) for name in ORDER_ALONE}
    broken = [name for name in ORDER_ALONE if answers[name]]
    answers["policy"] = (
        Undecided(
            f"it is decided where {', '.join(ORDER_ALONE)} hold; here not: {', '.join(broken)}"
        )
        if broken
        else INVARIANTS["policy"].decide(run, 0)
    )
    for name in ("match", "deadlock-free"):
        answers[name] = INVARIANTS[name].decide(run, 0)
    return answers


def _report(run: Run, answers: dict[str, Answer], found: dict[str, object]) -> Report:
    names = [name for name in INVARIANTS if name in answers]
    violations: list[Violation] = []
    undecided: list[tuple[str, str]] = []
    decided: list[str] = []
    for name in names:
        answer = answers[name]
        if isinstance(answer, Undecided):
            undecided.append((name, answer.why))
        else:
            decided.append(name)
            violations += answer
    return Report(
        run.schedule, run.model, tuple(violations), tuple(undecided), found, tuple(decided)
    )
