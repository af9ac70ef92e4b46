"""Exclusive: a stage of a pipeline, and a weight copy, lives on one rank, the one stated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from schedules.schedule import IntArray, Schedule
from schedules.validation.violation import CAP, Case, Finding, Marks, Violation, listed

SHOWN_RANKS: Final = 8
"""Ranks of one stage that a message spells out."""


def exclusive(schedule: Schedule) -> list[Violation]:
    r"""Which stages stand on several ranks, or not where the placement says.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> [found.message for found in exclusive(parse_csv("0F0,1F0,1B0\n0B0", "a.csv"))]
    ['a.csv:row 2:cell 1: a stage lives on one rank, but stage 0 has 1 action on rank 0 (first
    0F0 at a.csv:row 1:cell 1) and 1 action on rank 1 (first 0B0 at a.csv:row 2:cell 1); move its
    actions to one rank']
    """
    unknown = _unknown_pipelines(schedule)
    if unknown.count:
        return listed(schedule, "exclusive", [unknown])
    findings = [_scattered(schedule), _elsewhere(schedule), _shared_copies(schedule)]
    return listed(schedule, "exclusive", findings)


def _unknown_pipelines(schedule: Schedule) -> Finding:
    pipelines = schedule.placement.pipelines
    wrong = np.flatnonzero((schedule.pipeline < 0) | (schedule.pipeline >= pipelines))

    def describe(case: int) -> Case:
        index = int(wrong[case])
        pipeline = int(schedule.pipeline[index])
        return Case(
            schedule.place(index),
            f"pipelines are 0 … {pipelines - 1}, but {schedule.action(index)} is in pipeline "
            f"{pipeline}",
            "renumber it, or add the pipeline to the placement",
            {"action": str(schedule.action(index)), "pipeline": pipeline, "pipelines": pipelines},
            Marks((index,)),
        )

    return Finding("pipeline without a placement", len(wrong), describe)


@dataclass(frozen=True)
class Stand:
    """The actions of one stage of one pipeline on one rank: the first of them, how many."""

    pipeline: int
    stage: int
    rank: int
    first: int
    count: int

    @classmethod
    def at(cls, schedule: Schedule, index: int, count: int) -> Stand:
        """Where the action `index` stands, the first of `count` of its stage there."""
        action = schedule.action(index)
        rank = int(np.searchsorted(schedule.offsets, index, side="right")) - 1
        return cls(action.pipeline, action.stage, rank, index, count)

    def words(self, schedule: Schedule) -> str:
        """How many stand where."""
        return (
            f"{self.count} action{'s' * (self.count > 1)} on rank {self.rank} (first "
            f"{schedule.action(self.first)} at {schedule.place(self.first)})"
        )

    def data(self, schedule: Schedule) -> dict[str, object]:
        """The same as plain data."""
        place = schedule.place(self.first)
        return {"rank": self.rank, "actions": self.count, "first": place}


def _stands(schedule: Schedule) -> tuple[IntArray, IntArray, IntArray]:
    """For every (pipeline, stage, rank) that occurs, in this order.

    Returns the number of its (pipeline, stage), its first action and its count of actions.
    """
    placed = np.flatnonzero((schedule.stage >= 0) & (schedule.stage < schedule.stages))
    owner = schedule.pipeline[placed] * schedule.stages + schedule.stage[placed]
    key = owner * schedule.ranks + schedule.rank_of_action[placed]
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    return owner[first], placed[first], counts


def _scattered(schedule: Schedule) -> Finding:
    owner, first, counts = _stands(schedule)
    _, begin, ranks = np.unique(owner, return_index=True, return_counts=True)
    several = np.flatnonzero(ranks > 1)

    def describe(case: int) -> Case:
        start, count = int(begin[several[case]]), int(ranks[several[case]])
        stands = [
            Stand.at(schedule, int(first[entry]), int(counts[entry]))
            for entry in range(start, start + min(count, CAP))
        ]
        least = min(reversed(stands), key=lambda stand: stand.count)
        words = [stand.words(schedule) for stand in stands[:SHOWN_RANKS]]
        if count > SHOWN_RANKS:
            words.append(f"more on {count - SHOWN_RANKS} other ranks")
        return Case(
            schedule.place(least.first),
            f"a stage lives on one rank, but {_stage_name(schedule, least.pipeline, least.stage)} "
            f"has {' and '.join(words)}",
            "move its actions to one rank",
            {
                "pipeline": least.pipeline,
                "stage": least.stage,
                "ranks": count,
                "found": [stand.data(schedule) for stand in stands],
            },
            Marks((least.first, *(s.first for s in stands if s.first != least.first))),
        )

    return Finding("stage on several ranks", len(several), describe)


def _elsewhere(schedule: Schedule) -> Finding:
    """Stages that live on one rank, but not on that of the placement."""
    owner, first, counts = _stands(schedule)
    _, inverse, ranks = np.unique(owner, return_inverse=True, return_counts=True)
    stated = np.array(schedule.placement.ranks, dtype=np.int64).reshape(-1)
    differs = schedule.rank_of_action[first] != stated[owner]
    wrong = np.flatnonzero((ranks[inverse] == 1) & differs)

    def describe(case: int) -> Case:
        entry = int(wrong[case])
        stand = Stand.at(schedule, int(first[entry]), int(counts[entry]))
        rank = int(stated[owner[entry]])
        return Case(
            schedule.place(stand.first),
            f"a stage runs where the placement says, rank {rank} for "
            f"{_stage_name(schedule, stand.pipeline, stand.stage)}, but it has "
            f"{stand.words(schedule)}",
            "move its actions, or correct the placement",
            {
                "pipeline": stand.pipeline,
                "stage": stand.stage,
                "placement": rank,
                "found": [stand.data(schedule)],
            },
            Marks((stand.first,)),
        )

    return Finding("stage not where the placement says", len(wrong), describe)


def _shared_copies(schedule: Schedule) -> Finding:
    """Weight copies that pipelines share across ranks."""
    placement = schedule.placement
    rank_of: dict[tuple[int, int], int] = {}
    torn: list[tuple[int, int, int, int]] = []
    for ranks, copies in zip(placement.ranks, placement.copies, strict=True):
        for stage, (rank, copy) in enumerate(zip(ranks, copies, strict=True)):
            owner = rank_of.setdefault((stage, copy), rank)
            if owner != rank:
                torn.append((stage, copy, owner, rank))

    def describe(case: int) -> Case:
        stage, copy, one, other = torn[case]
        return Case(
            schedule.name,
            f"a weight copy lives on one rank, but the placement puts copy {copy} of stage "
            f"{stage} on ranks {one} and {other}",
            "number the copies of the two ranks differently",
            {"stage": stage, "copy": copy, "ranks": [one, other]},
        )

    return Finding("weight copy on several ranks", len(torn), describe)


def _stage_name(schedule: Schedule, pipeline: int, stage: int) -> str:
    several = schedule.placement.pipelines > 1
    return f"stage {stage} of pipeline {pipeline}" if several else f"stage {stage}"
