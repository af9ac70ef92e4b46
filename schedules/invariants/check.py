"""`check`: decide the base and what is required of a schedule."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from schedules.actions import NO_MICROBATCH, WAITED_SENDS, Kind
from schedules.analysis.exposed import exposed_communication
from schedules.analysis.lifetimes import waits_for_sends
from schedules.analysis.sizes import Sizes
from schedules.dependencies import MISSING, first_indices
from schedules.formats.instructions import INSTRUCTIONS
from schedules.formats.registry import Document
from schedules.invariants.invariant import Answer, Invariant, Undecided
from schedules.invariants.registry import BASE, INVARIANTS
from schedules.invariants.requirement import Requirement
from schedules.invariants.run import Run
from schedules.invariants.updates import other_labels
from schedules.invariants.visits import buffers_used
from schedules.linearization import DEFAULT, get_linearization
from schedules.messages.capacity import deadlock_facts
from schedules.messages.model import QueueModel
from schedules.planning.costs import Costs
from schedules.schedule import Schedule
from schedules.validation.complete import is_empty
from schedules.validation.facts import facts_of
from schedules.validation.gathered import regathered
from schedules.validation.violation import Violation

ORDER_ALONE: Final = ("complete", "causal", "exclusive")
"""The part of the base that is decided first; `policy` rests on it."""

OF_MESSAGES: Final = ("match", "deadlock-free")
"""The part of the base that is about messages: who names it wants some to be there."""

BY_LABELS: Final = ("complete", "causal", "policy", "match", "deadlock-free")
"""The part of the base that looks at microbatches."""

LABELS_UNKNOWN: Final = Undecided(
    "it looks at microbatches, and here those are what the buffers hold: correct what breaks "
    "buffer-safe first"
)

FORWARD_ONLY: Final = "forward-only"
DEADLOCK_FREE: Final = "deadlock-free"
UPDATE_ONCE: Final = "update-once"
TIED: Final = "ReduceTiedGrads"
OF_TRAINING: Final = ("complete", "policy")
"""The part of the base whose place `FORWARD_ONLY` takes."""

NO_MESSAGES: Final = (
    "there are no messages to look at, and computations need what other ranks make; add them, for "
    "example with --lower"
)


@dataclass(frozen=True, eq=False)
class Report:
    """What a check found.

    Attributes
    ----------
    run : Run
        What was checked, with all that was computed of it on the way: which send meets which
        receive, how far it gets, versions, timeline.
    violations : tuple of Violation
        In the order of `INVARIANTS`.
    undecided : tuple of (str, str)
        What belongs to the base or is required and was not decided, and why.
    facts : dict
        See `schedules.validation.facts`; besides, ``deadlock``.
    decided : tuple of str
        Names of the invariants that were decided, in the order of `INVARIANTS`.
    """

    run: Run
    violations: tuple[Violation, ...]
    undecided: tuple[tuple[str, str], ...]
    facts: dict[str, object]
    decided: tuple[str, ...]

    @property
    def schedule(self) -> Schedule:
        """What was checked."""
        return self.run.schedule

    @property
    def model(self) -> QueueModel:
        """What ``deadlock-free`` was decided in."""
        return self.run.model

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
    costs: Costs | None = None,
) -> Report:
    r"""Decide the base, and what is required, of one schedule.

    Parameters
    ----------
    subject : Document or Schedule
        A document may also say which buffers a schedule works on, and what was recorded of a run:
        peers and channels, versions, times.
    requirements : sequence of Requirement
        See `parse_requirements`.
    model : QueueModel, optional
        Queues and buffers that ``deadlock-free`` is decided in; the strictest by default.
    sizes : Sizes, optional
        Bytes of each stage, for ``memory`` and ``rank-memory``.
    linearization : str
        How ``delay`` counts.
    costs : Costs, optional
        Measured layers: times of the run, and the sizes of the stages.

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
    run = Run.of(subject, model or QueueModel(), sizes, linearization, costs)
    forward_only = FORWARD_ONLY in [requirement.name for requirement in requirements]
    answers = _base(run)
    if run.instructions is not None:
        answers |= _of_buffers(run)
    if forward_only:
        answers = {name: answer for name, answer in answers.items() if name not in OF_TRAINING}
    broken = tuple(name for name in BASE if answers.get(name, []) != [])
    completes = run.model if answers["deadlock-free"] == [] else None
    for requirement in requirements:
        name, invariant = requirement.name, INVARIANTS[requirement.name]
        if name in answers and name not in BASE:
            continue
        if name in OF_MESSAGES and answers[name] == [] and run.lacks_messages:
            answers[name] = Undecided(NO_MESSAGES)
        elif name in BASE and name in answers:
            continue
        elif forward_only and (invariant.needs_base or name in OF_TRAINING):
            answers[name] = Undecided(
                "a schedule of forwards alone is required: nothing is updated"
            )
        elif broken and invariant.needs_base:
            answers[name] = _recorded(run, invariant, broken) or _needs(BASE, broken)
        else:
            answers[name] = invariant.decide(run, requirement.bound or 0)
    return _report(run, answers, _facts(run, bool(broken) or forward_only, completes, answers))


def _needs(base: Sequence[str], broken: Sequence[str]) -> Undecided:
    return Undecided(f"it is decided where {', '.join(base)} hold; here not: {', '.join(broken)}")


def _recorded(run: Run, invariant: Invariant, broken: Sequence[str]) -> list[Violation]:
    """What a recorded run shows of an invariant whose base does not hold."""
    if invariant.seen is None or set(broken) & set(ORDER_ALONE):
        return []
    return invariant.seen(run)


def _facts(
    run: Run, broken: bool, completes: QueueModel | None, asked: Container[str]
) -> dict[str, object]:
    """What the schedule does, if its base holds; the least buffers, if there is anything.

    `completes` is a model in which it is known to come to its end; `asked` was decided.
    """
    found: dict[str, object] = {}
    if not broken:
        found = facts_of(run.timeline, run.versions, run.history, run.linearization, run.sizes)
        if run.costs is not None:
            found |= _measured(run, run.costs)
        if run.instructions is not None:
            found["pipe_buffers"] = list(run.instructions.pipe_buffers)
            found["buffers_used"] = buffers_used(run.instructions)
        texts = [*_unasked(run, asked), *other_labels(run), *_tied(run)]
        texts += [*_unwaited(run.schedule), *regathered(run.schedule)]
        if texts:
            found["amiss"] = texts
    if not is_empty(run.schedule):
        found["deadlock"] = deadlock_facts(run.schedule, run.plan, completes)
    return found


def _unasked(run: Run, asked: Container[str]) -> Iterator[str]:
    """What is wrong with the updates or reductions that a file states, if nobody asked."""
    schedule = run.schedule
    stated = (schedule.kind == Kind.U) | (schedule.kind == Kind.REDUCE)
    if UPDATE_ONCE in asked or not (stated & (schedule.microbatch == NO_MICROBATCH)).any():
        return
    answer = INVARIANTS[UPDATE_ONCE].decide(run, 0)
    if not isinstance(answer, Undecided) and answer:
        yield f"{UPDATE_ONCE} would not hold: {answer[0].message}"


def _tied(run: Run) -> Iterator[str]:
    """Ranks that lack the collective over tied weights that others call."""
    if run.instructions is None:
        return
    is_tied = run.instructions.code == INSTRUCTIONS.index(TIED)
    counts = np.diff(np.append(0, np.cumsum(is_tied))[run.instructions.offsets]).tolist()
    if len(set(counts)) > 1:
        most, least = counts.index(max(counts)), counts.index(min(counts))
        yield (
            f"ranks with tied weights call {TIED} together, or hang: rank {most} has "
            f"{counts[most]}, rank {least} has {counts[least]}"
        )


def _unwaited(schedule: Schedule) -> Iterator[str]:
    """Sends that nobody waits for, where there are waits."""
    if not waits_for_sends(schedule):
        return
    sends: list[int] = []
    for send, wait in WAITED_SENDS.items():
        sent, waited = first_indices(schedule, send), first_indices(schedule, wait)
        sends += sent[(sent != MISSING) & (waited == MISSING)].tolist()
    if sends:
        first = min(sends)
        yield (
            f"sends that are never waited for, although others are: {len(sends)}, the first is "
            f"{schedule.action(first)} ({schedule.place(first)}); its buffer is kept to the end, "
            "and PyTorch 2.15 refuses the order"
        )


def _measured(run: Run, costs: Costs) -> dict[str, object]:
    """Times in the unit of the layers, and what waits for messages."""
    layers, links = costs.layers, exposed_communication(run.timeline, costs.message_time)
    return {
        "length": layers.time(run.timeline.length),
        "unit": layers.unit or "unit of the layers",
        "exposed_communication": layers.time(sum(link.exposed for link in links)),
        "partition": list(costs.bounds),
    }


def _base(run: Run) -> dict[str, Answer]:
    """What the invariants of `BASE` answer."""
    schedule = run.schedule
    if is_empty(schedule):
        nothing = Undecided("there is no stage, microbatch or action to look at")
        return dict.fromkeys(BASE, nothing) | {"complete": INVARIANTS["complete"].decide(run, 0)}
    answers = {name: INVARIANTS[name].decide(run, 0) for name in ORDER_ALONE}
    broken = [name for name in ORDER_ALONE if answers[name]]
    answers["policy"] = (
        _needs(ORDER_ALONE, broken) if broken else INVARIANTS["policy"].decide(run, 0)
    )
    for name in OF_MESSAGES:
        follows = name == DEADLOCK_FREE and _completes(run, broken)
        answers[name] = [] if follows else INVARIANTS[name].decide(run, 0)
    return answers


def _completes(run: Run, broken: Sequence[str]) -> bool:
    """Whether it is known that nothing hangs: without messages and barriers, causal says it all.

    Computations then wait for what they need and nothing else, and no circle is among that.
    """
    barriers = bool((run.schedule.kind == Kind.BARRIER).any())
    return not (broken or run.has_messages or barriers)


def _of_buffers(run: Run) -> dict[str, Answer]:
    """What is decided of the buffers of a file; the microbatches rest on it."""
    safe = INVARIANTS["buffer-safe"].decide(run, 0)
    unknown = dict.fromkeys(BY_LABELS, LABELS_UNKNOWN) if safe else {}
    return {"buffer-safe": safe, **unknown}


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
    return Report(run, tuple(violations), tuple(undecided), found, tuple(decided))
