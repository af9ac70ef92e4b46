"""`Observed`: what a log says happened, as arrays that checks read.

The log is an event trace (`schedules.formats.trace`) with what `gpu_validation.event_log` adds to
every event.

Nothing here looks at a plan: order, versions and clocks are those of the log.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpu_validation.event_log import is_partial
from gpu_validation.prediction import OBSERVED
from schedules.actions import Action, Kind, among
from schedules.dependencies import MISSING
from schedules.formats.trace import Trace
from schedules.lowering.rebuild import with_only
from schedules.schedule import IntArray, Schedule
from schedules.versions import weights_of_action

UNSEEN: Final = -1
"""A number that the log does not have."""


class Content(NamedTuple):
    """What the content of weights depends on.

    - `copy`: number of the weight copy.
    - `rounds`: how often the copy was averaged (LocalSGD).
    - `horizon`: updates ahead that it is extrapolated.
    """

    copy: int
    version: int
    rounds: int = 0
    horizon: int = 0


@dataclass(frozen=True, eq=False)
class Observed:
    """Computations and reductions of a log, in the order in which each rank began them.

    - `schedule`: what was done, as a schedule; N actions.
    - `unit`: unit of `start` and `end`: ``"ns"`` or ``"slot"``.
    - `version`, shape (N,): weight version used.
    - `current`, shape (N,): updates that the weight copy has had when the action runs.
    - `updated`, shape (N,): whether an update of the same weights is the next thing that its rank
      does, beside messages.
    - `read_zero`, shape (N,): updates that stage 0 had had when it did the forward of the same
      microbatch, as it was told to the stage; of forwards.
    - `horizon`, shape (N,): updates ahead that the weights used are extrapolated.
    - `lamport_start`, `lamport_end`, shape (N,): `UNSEEN` where the log does not say; so are the
      others.
    - `hashes`: content of the weights used.
    - `strange`: why what was used is no version at all, where that is so.
    - `unsure`: why the version is not known, where the log says so.
    - `rounds`, shape (N,): reductions of the stage's copies before the action: an average changes
      the weights, but is no update and makes no version.
    - `creations`: hash of the weights that each update made.
    - `update_end`, shape (N,): end of the update that follows the action at once, else the action's
      own end.
    - `device_start`, `device_end`, shape (N,): nanoseconds on the rank's own device clock, the
      update behind an action included; `UNSEEN` without an accelerator.
    - `hosts`: machines that took part; empty if the log does not say.
    - `hosts_of_rank`: by rank, the machines that its events name: one, or none.
    - `log`: the whole log, updates and messages included.
    - `partial`: whether the run ended early.
    """

    schedule: Schedule
    unit: str
    start: IntArray
    end: IntArray
    version: IntArray
    current: IntArray
    updated: NDArray[np.bool_]
    read_zero: IntArray
    horizon: IntArray
    lamport_start: IntArray
    lamport_end: IntArray
    hashes: tuple[str | None, ...]
    strange: tuple[str | None, ...]
    unsure: tuple[str | None, ...]
    rounds: IntArray
    creations: tuple[tuple[Content, str], ...]
    update_end: IntArray
    device_start: IntArray
    device_end: IntArray
    hosts: tuple[str, ...]
    hosts_of_rank: tuple[tuple[str, ...], ...]
    log: Trace
    partial: bool

    @property
    def weights(self) -> IntArray:
        """Number of the weight copy of every action."""
        return weights_of_action(self.schedule)

    @cached_property
    def created(self) -> Mapping[Content, str]:
        """Hash of every version when it was made."""
        return dict(reversed(self.creations))

    @property
    def on_device(self) -> bool:
        """Whether every action has times of an accelerator."""
        known = (self.device_start != UNSEEN) & (self.device_end != UNSEEN)
        return bool(len(known)) and bool(known.all())

    def find(self, schedule: Schedule) -> IntArray:
        """For every action of `schedule` its flat index here, `MISSING` if it was not done."""
        return _lookup(self.schedule, schedule)

    def action(self, index: int) -> Action:
        """The action at a flat index."""
        return self.schedule.action(index)

    def same_host(self, one: IntArray, other: IntArray) -> NDArray[np.bool_]:
        """Whether two ranks have the same clock, element for element.

        A rank that names no machine is taken to be on the others'.
        """
        numbers = {name: number for number, name in enumerate(self.hosts)}
        host = np.array([numbers[n[0]] if n else UNSEEN for n in self.hosts_of_rank], dtype=int)
        first, second = host[one], host[other]
        same: NDArray[np.bool_] = (first == second) | (first == UNSEEN) | (second == UNSEEN)
        return same

    def rank(self, index: int) -> int:
        """Its rank."""
        return int(np.searchsorted(self.schedule.offsets, index, side="right")) - 1


def observed(trace: Trace) -> Observed:
    """Read what a trace says."""
    keep = among(trace.schedule.kind, OBSERVED)
    chosen = np.flatnonzero(keep)
    extra = [trace.extra.get(index, {}) for index in chosen.tolist()]
    updates = _updates_behind(trace.schedule)
    last = np.where(updates == MISSING, np.arange(len(updates)), updates)
    hosts = _hosts_of_rank(trace)
    return Observed(
        schedule=with_only(trace.schedule, keep),
        unit=trace.unit,
        start=trace.timeline.start[chosen],
        end=trace.timeline.end[chosen],
        version=trace.version[chosen],
        current=_numbers(extra, "current"),
        updated=(updates != MISSING)[chosen],
        read_zero=_numbers(extra, "read_zero"),
        horizon=_numbers(extra, "horizon", 0),
        lamport_start=_numbers(extra, "lamport_start"),
        lamport_end=_numbers(extra, "lamport_end"),
        hashes=tuple(_text(entry.get("hash")) for entry in extra),
        strange=tuple(_text(entry.get("no_version")) for entry in extra),
        unsure=tuple(_text(entry.get("undecided")) for entry in extra),
        rounds=rounds_before(trace.schedule)[chosen],
        creations=_creations(trace),
        update_end=trace.timeline.end[last][chosen],
        device_start=_numbers(extra, "device_start"),
        device_end=_numbers([trace.extra.get(i, {}) for i in last[chosen].tolist()], "device_end"),
        hosts=tuple(sorted({name for names in hosts for name in names})),
        hosts_of_rank=hosts,
        log=trace,
        partial=is_partial(trace),
    )


def _hosts_of_rank(trace: Trace) -> tuple[tuple[str, ...], ...]:
    """The machines that the events of each rank name; an event that names none counts as one."""
    found = []
    for first, last in itertools.pairwise(trace.schedule.offsets.tolist()):
        names = {trace.extra.get(index, {}).get("host") for index in range(first, last)}
        found.append(() if names <= {None} else tuple(sorted(map(str, names))))
    return tuple(found)


def values_at(values: IntArray, at: IntArray) -> IntArray:
    """Values of actions that `Observed.find` looked up, `UNSEEN` where an action was not done.

    Examples
    --------
    >>> values_at(np.array([7, 8]), np.array([1, MISSING, 0])).tolist()
    [8, -1, 7]
    """
    return np.append(values, UNSEEN)[at]


def _numbers(extra: list[Mapping[str, Any]], key: str, otherwise: int = UNSEEN) -> IntArray:
    """One number an action; what is no whole number counts as not logged."""
    values = [entry.get(key) for entry in extra]
    return np.array(
        [value if type(value) is int else otherwise for value in values], dtype=np.int64
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def rounds_before(schedule: Schedule) -> IntArray:
    """Reductions of the same stage on the same rank before every action, shape (N,)."""
    group = schedule.rank_of_action * max(schedule.stages, 1) + schedule.stage
    order = np.argsort(group, kind="stable")
    marks = (schedule.kind == Kind.REDUCE)[order].astype(np.int64)
    running = np.cumsum(marks) - marks
    result = np.empty(len(schedule), dtype=np.int64)
    result[order] = running - running[np.searchsorted(group[order], group[order])]
    return result


def _creations(trace: Trace) -> tuple[tuple[Content, str], ...]:
    """Hashes at version creation: those of updates; ``current`` is the version made."""
    weights, rounds = weights_of_action(trace.schedule), rounds_before(trace.schedule)
    found = []
    for index in np.flatnonzero(trace.schedule.kind == Kind.U).tolist():
        entry = trace.extra.get(index, {})
        made, hashed = entry.get("current"), entry.get("hash")
        if type(made) is int and isinstance(hashed, str):
            content = Content(int(weights[index]), made, int(rounds[index]))
            found.append((content, hashed))
    return tuple(found)


def _updates_behind(schedule: Schedule) -> IntArray:
    """The update of the same weights that each action is followed by, `MISSING` if by none."""
    behind, weights = np.full(len(schedule), MISSING, dtype=np.int64), weights_of_action(schedule)
    for index, cause in causes(schedule):
        if cause != MISSING and schedule.kind[cause] != Kind.U and weights[cause] == weights[index]:
            behind[cause] = index
    return behind


def causes(schedule: Schedule) -> Iterator[tuple[int, int]]:
    """Every update, and what its rank did right before it; `MISSING` if that is nothing.

    Messages may stand in between. Under ``flush`` so may what works on other weights: whether a
    rank updates its stages one by one or all of them at the end of a step is the same to each.
    """
    weights, rank = weights_of_action(schedule), schedule.rank_of_action
    apart = schedule.policy.name == "flush"
    last: dict[tuple[int, int], int] = {}
    for index in np.flatnonzero(among(schedule.kind, [*OBSERVED, Kind.U])).tolist():
        key = int(rank[index]), int(weights[index]) if apart else 0
        if schedule.kind[index] == Kind.U:
            yield index, last.get(key, MISSING)
        last[key] = index


def _lookup(seen: Schedule, asked: Schedule) -> IntArray:
    """Where each action of `asked` stands in `seen`: the first of its kind, stage, microbatch."""
    M = max(seen.microbatches, asked.microbatches) + 2
    S = max(seen.stages, asked.stages, 1)

    def code(schedule: Schedule) -> IntArray:
        return (schedule.kind * S + schedule.stage) * M + schedule.microbatch + 1

    have, want = code(seen), code(asked)
    order = np.argsort(have, kind="stable")
    position = np.searchsorted(have[order], want, side="left")
    candidate = np.append(order, MISSING)[position]
    same = (candidate != MISSING) & (np.append(have, -1)[candidate] == want)
    return np.where(same, candidate, MISSING)
