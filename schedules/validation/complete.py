"""Complete: each (stage, microbatch) has one F and either one B or one I and one W."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedules.actions import COMPUTE, MESSAGES, NO_MICROBATCH, Kind, among
from schedules.dependencies import in_range, require_table_room
from schedules.schedule import IntArray, Schedule
from schedules.validation.violation import CAP, Case, Finding, Marks, Violation, listed, rank_place

Mask = NDArray[np.bool_]


RULE = "each stage and microbatch has one F and either one B or one I and one W"


@dataclass(frozen=True)
class Counts:
    """How many actions of each kind every (stage, microbatch) has; shape (stages, M) each."""

    schedule: Schedule
    F: IntArray
    B: IntArray
    I: IntArray  # noqa: E741 - the field's own letter
    W: IntArray

    @classmethod
    def of(cls, schedule: Schedule) -> Counts:
        """Count the actions that name a stage and a microbatch that exist."""
        shape = (schedule.stages, schedule.microbatches)
        require_table_room(schedule.name, *shape, len(schedule))
        pair = schedule.stage * schedule.microbatches + schedule.microbatch
        inside = in_range(schedule)

        def count(kind: Kind) -> IntArray:
            chosen = pair[inside & (schedule.kind == kind)]
            return np.bincount(chosen, minlength=shape[0] * shape[1]).reshape(shape)

        return cls(schedule, count(Kind.F), count(Kind.B), count(Kind.I), count(Kind.W))

    @cached_property
    def computed(self) -> Mask:
        """Which (stage, microbatch) have any computation."""
        return np.asarray((self.F + self.B + self.I + self.W) > 0)

    @cached_property
    def expected(self) -> Mask:
        """Which (stage, microbatch) to look at: their stage and microbatch occur at all."""
        some = self.computed
        return np.logical_and.outer(some.any(axis=1), some.any(axis=0))


@dataclass(frozen=True)
class Mistake:
    """One thing that can be wrong with a (stage, microbatch): name, where, remedy.

    `culprit` is the kind of the action to look at first, if it is there.
    """

    name: str
    where: Callable[[Counts], Mask]
    fix: str
    culprit: Kind | None = None


MISTAKES = (
    Mistake("missing F", lambda n: n.computed & (n.F == 0), "add {s}F{m} before its backward"),
    Mistake(
        "missing backward",
        lambda n: (n.F > 0) & (n.B + n.I + n.W == 0),
        "add {s}B{m}, or {s}I{m} and {s}W{m}; or drop {s}F{m}",
    ),
    Mistake(
        "I without W",
        lambda n: (n.B == 0) & (n.I > 0) & (n.W == 0),
        "add {s}W{m} behind {s}I{m}",
        Kind.I,
    ),
    Mistake(
        "W without I",
        lambda n: (n.B == 0) & (n.W > 0) & (n.I == 0),
        "add {s}I{m} before {s}W{m}",
        Kind.W,
    ),
    Mistake(
        "B beside I or W",
        lambda n: (n.B > 0) & (n.I + n.W > 0),
        "keep the B, or the I and the W; in PyTorch 2.5 and before, B beside W is the input "
        "gradient: write {s}I{m} for it",
        Kind.B,
    ),
    Mistake("duplicate F", lambda n: n.F > 1, "keep one {s}F{m}", Kind.F),
    Mistake("duplicate B", lambda n: n.B > 1, "keep one {s}B{m}", Kind.B),
    Mistake("duplicate I", lambda n: n.I > 1, "keep one {s}I{m}", Kind.I),
    Mistake("duplicate W", lambda n: n.W > 1, "keep one {s}W{m}", Kind.W),
    Mistake("missing altogether", lambda n: ~n.computed, "add {s}F{m} and {s}B{m}"),
)


def complete(schedule: Schedule) -> list[Violation]:
    """What is missing, there more than once, or outside the schedule's range.

    Raises
    ------
    SizeError
        Stages × microbatches is out of proportion to the number of actions.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> [found.message for found in complete(parse_csv("0F0,0F1,0B0", "a.csv"))]
    ['a.csv:row 1:cell 2: stage 0, microbatch 1 has 1 F and no backward, but each stage and
    microbatch has one F and either one B or one I and one W; add 0B1, or 0I1 and 0W1; or drop 0F1']
    """
    if is_empty(schedule):
        return listed(schedule, "complete", [_nothing(schedule)])
    counts = Counts.of(schedule)
    alone = [_forwards_alone(counts), _restarted(schedule)]
    if any(finding.count for finding in alone):
        return listed(schedule, "complete", alone)
    findings = [_out_of_range(schedule), _absent_stages(counts), _absent_microbatches(counts)]
    findings += [_pairs(counts, mistake) for mistake in MISTAKES]
    return listed(schedule, "complete", findings)


def forward_only(schedule: Schedule) -> list[Violation]:
    r"""What keeps each (stage, microbatch) of a schedule from having one F and nothing else.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> forward_only(parse_csv("0F0,0F1\n1F0,1F1", "a.csv"))
    []
    """
    if is_empty(schedule):
        return listed(schedule, "forward-only", [_nothing(schedule)])
    counts = Counts.of(schedule)
    findings = [_out_of_range(schedule), _absent_stages(counts), _absent_microbatches(counts)]
    mistakes = [
        Mistake("missing F", lambda n: n.F == 0, "add {s}F{m}"),
        Mistake("duplicate F", lambda n: n.F > 1, "keep one {s}F{m}", Kind.F),
        Mistake("backward", lambda n: n.B + n.I + n.W > 0, "drop it, or forward-only", Kind.B),
    ]
    rule = "each stage and microbatch has one F and nothing else"
    findings += [_pairs(counts, mistake, rule) for mistake in mistakes]
    return listed(schedule, "forward-only", findings)


def _forwards_alone(counts: Counts) -> Finding:
    """A schedule that has forwards, and nothing of any backward."""
    schedule, forwards = counts.schedule, int(counts.F.sum())
    backwards = (Kind.B, Kind.I, Kind.W, Kind.SEND_B, Kind.RECV_B)
    alone = forwards > 0 and not among(schedule.kind, backwards).any()

    def describe(_: int) -> Case:
        return Case(
            schedule.name,
            f"{RULE}, but there are {forwards} forwards and no backward at all",
            "add the backwards; or, if it is inference, say so: --require forward-only",
            {"forwards": forwards, "backwards": 0},
        )

    return Finding("forwards alone", int(alone), describe)


def _restarted(schedule: Schedule) -> Finding:
    """Pipelines that number their microbatches anew."""
    if schedule.placement.pipelines < 2:
        return Finding("numbers that begin again", 0, lambda _: Case("", "", "", {}))
    first = np.flatnonzero((schedule.kind == Kind.F) & in_range(schedule))
    pairs = np.stack([schedule.pipeline[first], schedule.microbatch[first]])
    pairs = np.unique(pairs, axis=1)
    shared, counts = np.unique(pairs[1], return_counts=True)
    begins = set(pairs[1][pairs[0] == 0].tolist())
    again = bool((counts > 1).any()) and set(pairs[1][pairs[0] > 0].tolist()) <= begins

    def describe(_: int) -> Case:
        microbatch = int(shared[counts > 1][0])
        named = first[schedule.microbatch[first] == microbatch]
        other = int(named[np.argmax(schedule.pipeline[named] > 0)])
        count = len(begins)
        return Case(
            schedule.place(other),
            "microbatches are numbered through all pipelines, so that a number belongs to one of "
            f"them, but each of the {schedule.placement.pipelines} pipelines begins again: "
            f"{schedule.action(other)} of pipeline {int(schedule.pipeline[other])} has the number "
            f"of {schedule.action(int(named[0]))} of pipeline 0",
            f"add {count} to the microbatches of pipeline 1, and so on",
            {"microbatch": microbatch, "pipelines": schedule.placement.pipelines},
            Marks((other,)),
        )

    return Finding("numbers that begin again", int(again), describe)


def is_empty(schedule: Schedule) -> bool:
    """Whether there is no stage, no microbatch or no action, so that nothing can be checked.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> is_empty(parse_csv("0UNSHARD,0RESHARD", "a.csv"))
    True
    """
    return schedule.stages < 1 or schedule.microbatches < 1 or not len(schedule)


def _nothing(schedule: Schedule) -> Finding:
    stages, microbatches = schedule.stages, schedule.microbatches

    def describe(_: int) -> Case:
        return Case(
            schedule.name,
            f"a schedule has at least one stage, one microbatch and one action, found {stages} "
            f"stages, {microbatches} microbatches and {len(schedule)} actions",
            "write the computations of every rank",
            {"stages": stages, "microbatches": microbatches, "actions": len(schedule)},
        )

    return Finding("empty schedule", 1, describe)


def _out_of_range(schedule: Schedule) -> Finding:
    named = among(schedule.kind, [*COMPUTE, *MESSAGES]) | (schedule.microbatch != NO_MICROBATCH)
    stage_wrong = (schedule.stage < 0) | (schedule.stage >= schedule.stages)
    wrong = np.flatnonzero(stage_wrong | (named & ~in_range(schedule)))
    stages, M = schedule.stages, schedule.microbatches

    def describe(case: int) -> Case:
        index = int(wrong[case])
        action = schedule.action(index)
        return Case(
            schedule.place(index),
            f"stages are 0 … {stages - 1} and microbatches 0 … {M - 1}, found {action}",
            f"renumber it, or state the number of microbatches if it is not {M}",
            {"action": str(action), "stages": stages, "microbatches": M},
            Marks((index,)),
        )

    return Finding("stage or microbatch out of range", len(wrong), describe)


def _absent_stages(counts: Counts) -> Finding:
    schedule = counts.schedule
    absent = np.flatnonzero(~counts.computed.any(axis=1))

    def describe(case: int) -> Case:
        stage = int(absent[case])
        return Case(
            schedule.name,
            f"every stage from 0 to {schedule.stages - 1} computes something, but stage {stage} "
            "has no computation at all",
            "add its actions, or renumber the stages without gaps",
            {"stage": stage},
        )

    return Finding("stage without any computation", len(absent), describe)


def _absent_microbatches(counts: Counts) -> Finding:
    schedule = counts.schedule
    absent = np.flatnonzero(~counts.computed.any(axis=0))

    def describe(case: int) -> Case:
        microbatch = int(absent[case])
        return Case(
            schedule.name,
            f"every microbatch from 0 to {schedule.microbatches - 1} is computed, but microbatch "
            f"{microbatch} has no computation at any stage",
            f"add it, or state the number of microbatches if it is not {schedule.microbatches}",
            {"microbatch": microbatch, "microbatches": schedule.microbatches},
        )

    return Finding("microbatch without any computation", len(absent), describe)


def _pairs(counts: Counts, mistake: Mistake, rule: str = RULE) -> Finding:
    schedule = counts.schedule
    pairs = np.argwhere(mistake.where(counts) & counts.expected)

    def describe(case: int) -> Case:
        stage, microbatch = pairs[case].tolist()
        present = _computations(schedule, stage, microbatch)
        looked_at = _look_at(schedule, present, mistake.culprit)
        witness = {
            "mistake": mistake.name,
            "stage": stage,
            "microbatch": microbatch,
            "actions": len(present),
            "found": [
                {"action": str(schedule.action(index)), "place": schedule.place(index)}
                for index in present[:CAP]
            ],
        }
        return Case(
            schedule.place(looked_at[0]) if looked_at else _rank_of_stage(schedule, stage),
            f"stage {stage}, microbatch {microbatch} has {_found(schedule, present)}, but {rule}",
            mistake.fix.format(s=stage, m=microbatch),
            witness,
            Marks(tuple(looked_at[:CAP])),
        )

    return Finding(mistake.name, len(pairs), describe)


def _computations(schedule: Schedule, stage: int, microbatch: int) -> list[int]:
    """Flat indices of the computations of one (stage, microbatch)."""
    mine = (schedule.stage == stage) & (schedule.microbatch == microbatch)
    return [int(index) for index in np.flatnonzero(mine & among(schedule.kind, COMPUTE))]


def _look_at(schedule: Schedule, present: list[int], culprit: Kind | None) -> list[int]:
    """The same actions, the last one of the culprit's kind first."""
    guilty = [index for index in present if schedule.kind[index] == culprit]
    return sorted(present, key=lambda index: index not in guilty[-1:])


def _rank_of_stage(schedule: Schedule, stage: int) -> str:
    return rank_place(schedule, int(schedule.rank_of_action[np.argmax(schedule.stage == stage)]))


def _found(schedule: Schedule, present: list[int]) -> str:
    """Counts in words: ``1 F and no backward``."""
    kinds = Counter(Kind(int(schedule.kind[index])) for index in present)
    backward = [f"{kinds[kind]} {kind.name}" for kind in (Kind.B, Kind.I, Kind.W) if kinds[kind]]
    return " and ".join([f"{kinds[Kind.F] or 'no'} F", *(backward or ["no backward"])])
