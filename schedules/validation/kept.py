"""What is recomputed or taken off the device: part of ``causal``.

On its rank a (stage, microbatch) goes F, R, OFFLOAD, RELOAD, backward: R once, while a backward is
still to come; OFFLOAD while activations, or the checkpoint for R, are there, and RELOAD behind it,
before anything needs them. Each of them may be missing, and OFFLOAD and RELOAD may come again.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from schedules.actions import COMPUTE, KEEPING, Kind, among
from schedules.dependencies import MISSING
from schedules.messages.channels import folded
from schedules.schedule import IntArray, Schedule
from schedules.validation.violation import Case, Finding, Marks

HELD: Final = (Kind.F, Kind.R, Kind.RELOAD, Kind.I)
"""Behind these, activations or a checkpoint are on the device, and are still needed."""

RULES: Final = {
    Kind.R: ("a forward is run again once, between F and backward", "drop it, or move it there"),
    Kind.OFFLOAD: (
        "activations are taken off the device while they are there and still needed",
        "put it behind F or R and before the backward, or drop it",
    ),
    Kind.RELOAD: (
        "what is brought back was taken off the device before",
        "drop it, or put an OFFLOAD of its label before it",
    ),
}
AWAY: Final = "what needs activations stands behind the RELOAD that brings them back"


def not_kept(schedule: Schedule) -> Finding:
    """Recomputations and moves that cannot be, and what needs activations that are away.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> found = not_kept(parse_csv("0F0,0OFFLOAD0,0B0", "a.csv"))
    >>> found.count, found.describe(0).place
    (1, 'a.csv:row 1:cell 3')
    """
    if not among(schedule.kind, KEEPING).any():
        return Finding("activations", 0, lambda _: Case("", "", "", {}))
    chosen = np.flatnonzero(among(schedule.kind, [*COMPUTE, *KEEPING]))
    rank, stage = schedule.rank_of_action[chosen], schedule.stage[chosen]
    label = folded([rank, stage, schedule.microbatch[chosen], schedule.pipeline[chosen]])
    order = np.argsort(label, kind="stable")
    chosen, label = chosen[order], label[order]
    kind = schedule.kind[chosen]
    before = np.where(np.append(True, label[1:] != label[:-1]), MISSING, np.roll(kind, 1))
    late = _seen(kind, label, (Kind.R, Kind.B, Kind.I))
    wrong = among(kind, (Kind.OFFLOAD, Kind.R)) & ~np.isin(before, HELD)
    wrong |= (kind == Kind.R) & late
    away = before == Kind.OFFLOAD
    wrong |= np.where(kind == Kind.RELOAD, ~away, away & (kind != Kind.F))
    cases = np.flatnonzero(wrong)

    def describe(case: int) -> Case:
        entry = int(cases[case])
        index = int(chosen[entry])
        action = schedule.action(index)
        back = f"add {action.stage}RELOAD{action.microbatch} before {action}"
        away = before[entry] == Kind.OFFLOAD and action.kind != Kind.OFFLOAD
        rule, fix = (AWAY, back) if away else RULES[Kind(action.kind)]
        marks = Marks((index,))
        if before[entry] == MISSING:
            done = "has nothing of its stage and microbatch before it on its rank"
        else:
            other = int(chosen[entry - 1])
            done = f"comes behind {schedule.action(other)} ({schedule.place(other)})"
            marks = Marks((index, other))
        return Case(
            schedule.place(index),
            f"{rule}, but {action} {done}",
            fix,
            {"action": str(action)},
            marks,
        )

    return Finding("activations that are not there", len(cases), describe)


def _seen(kind: IntArray, label: IntArray, kinds: tuple[Kind, ...]) -> NDArray[np.bool_]:
    """Whether one of `kinds` stands before each entry, under its label."""
    before = np.cumsum(np.append(0, among(kind, kinds)))[:-1]
    return np.asarray(before > before[np.searchsorted(label, label)])
