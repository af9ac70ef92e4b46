"""Which weight version every forward reads and every backward uses.

A version is a count: how many updates a stage's weight copy has had. Within a rank only the
program order decides it, so for a static order versions and local staleness do not depend on
how long anything takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedules.actions import Kind, among
from schedules.dependencies import MISSING, Tables, tables
from schedules.errors import InvalidScheduleError
from schedules.schedule import IntArray, Schedule


@dataclass(frozen=True, eq=False)
class Versions:
    """Versions by (stage, microbatch); every array has shape (stages, microbatches).

    Attributes
    ----------
    at_forward, at_backward, at_update : ndarray of int
        Updates the weight copy has had when F starts, when B (or I) starts, and just before the
        update that applies the gradient, be it an action U or what the policy says.
    read : ndarray of int
        Version that F reads.
    used : ndarray of int
        Version that B uses.
    horizon : int
        Updates ahead that the read version is extrapolated (policy ``predict``).
    """

    at_forward: IntArray
    at_backward: IntArray
    at_update: IntArray
    read: IntArray
    used: IntArray
    horizon: int = 0

    @property
    def local_staleness(self) -> IntArray:
        """The version that the update makes, minus the one that the forward read, minus one.

        Under policies that read the newest version: those created in between at the stage.
        """
        return self.at_update - self.read

    @property
    def mismatch(self) -> IntArray:
        """Versions created at the stage between F and B, whatever the policy."""
        return self.at_backward - self.at_forward

    @property
    def stashed(self) -> NDArray[np.bool_]:
        """Where the backward uses the version that its forward read."""
        return np.asarray(self.read == self.used)


def update_after(schedule: Schedule) -> NDArray[np.bool_]:
    """Which actions update weights, shape (actions,).

    A weight copy that has actions U is updated by these, and nowhere else. A copy without any is
    updated where the policy says: with the B or W that completes the last gradient of a window.

    Examples
    --------
    >>> from schedules.families import build
    >>> update_after(build("gpipe", 1, 3)).astype(int).tolist()
    [0, 0, 0, 0, 0, 1]
    """
    marks: NDArray[np.bool_] = schedule.kind == Kind.U
    weights = weights_of_action(schedule)
    explicit = np.zeros(schedule.stages * schedule.placement.copy_count, dtype=np.bool_)
    explicit[weights[marks]] = True
    for indices in _gradients_by_weights(schedule):
        if explicit[weights[indices[0]]]:
            continue
        if schedule.policy.name == "flush":
            marks[indices[-1:]] = True
        else:
            marks[indices[schedule.policy.interval - 1 :: schedule.policy.interval]] = True
    return marks


def weights_of_action(schedule: Schedule) -> IntArray:
    """A number for the weights each action works on: stage · copies + copy."""
    copies = np.array(schedule.placement.copies, dtype=np.int64)
    copy = copies[schedule.pipeline, schedule.stage]
    return np.asarray(schedule.stage * schedule.placement.copy_count + copy)


def _gradients_by_weights(schedule: Schedule) -> list[IntArray]:
    """Flat indices of the B and W of each weight copy that has any, in program order."""
    indices = np.flatnonzero(among(schedule.kind, (Kind.B, Kind.W)))
    weights = weights_of_action(schedule)[indices]
    order = np.argsort(weights, kind="stable")
    cuts = np.flatnonzero(np.diff(weights[order])) + 1
    return [part for part in np.split(indices[order], cuts) if len(part)]


def versions(schedule: Schedule) -> Versions:
    """Replay the weight policy over the program order.

    Raises
    ------
    InvalidScheduleError
        A (stage, microbatch) lacks its forward, backward or gradient, a backward precedes its
        forward, one weight copy is updated by several ranks, or a policy asks for a version
        that does not exist yet.

    Examples
    --------
    >>> from schedules.families import build
    >>> versions(build("pipedream", 3, 12)).local_staleness[:, 6].tolist()
    [2, 1, 0]
    """
    index = complete_tables(schedule)
    _require_one_rank_a_copy(schedule)
    updates_so_far = running_updates(schedule, update_after(schedule))
    at_forward = updates_so_far[index.forward]
    at_backward = updates_so_far[index.backward]
    at_update = _at_update(schedule, index, updates_so_far)
    read = _read(schedule, at_forward, at_update)
    used = read if schedule.policy.keeps_older_versions else at_backward
    return Versions(
        at_forward=at_forward,
        at_backward=at_backward,
        at_update=at_update,
        read=read,
        used=used,
        horizon=schedule.policy.horizon,
    )


def complete_tables(schedule: Schedule) -> Tables:
    """`tables`, once every (stage, microbatch) is known to have F, backward and gradient."""
    index = tables(schedule)
    for name, table in (
        ("F", index.forward),
        ("B or I", index.backward),
        ("B or W", index.gradient),
    ):
        absent = np.argwhere(table == MISSING)
        if len(absent):
            stage, microbatch = absent[0].tolist()
            raise InvalidScheduleError(
                f"every (stage, microbatch) needs its {name}; stage {stage}, microbatch "
                f"{microbatch} has none ({len(absent)} missing in all)",
                schedule.name,
                "run `staleproof check` for the whole list",
            )
    if (index.backward <= index.forward).any():
        stage, microbatch = np.argwhere(index.backward <= index.forward)[0].tolist()
        raise InvalidScheduleError(
            f"a backward follows its forward on the same rank; stage {stage}, microbatch "
            f"{microbatch} has them the other way round or on two ranks",
            schedule.place(int(index.backward[stage, microbatch])),
            "move the backward behind its forward",
        )
    return index


def _require_one_rank_a_copy(schedule: Schedule) -> None:
    weights, rank = weights_of_action(schedule), schedule.rank_of_action
    order = np.lexsort((rank, weights))
    same = np.diff(weights[order]) == 0
    split = np.flatnonzero(same & (np.diff(rank[order]) != 0))
    if len(split):
        place = schedule.place(int(order[split[0] + 1]))
        raise InvalidScheduleError(
            "versions count the updates of one rank, but a weight copy of stage "
            f"{int(schedule.stage[order[split[0]]])} is used on several ranks",
            place,
            "give each rank its own weight copy in the placement",
        )


def running_updates(schedule: Schedule, marks: NDArray[np.bool_]) -> IntArray:
    """For every action: updates of its weight copy before it in program order; `marks` are those.

    Examples
    --------
    >>> from schedules.families import build
    >>> schedule = build("pipedream", 1, 2)
    >>> running_updates(schedule, update_after(schedule)).tolist()
    [0, 0, 1, 1]
    """
    weights = weights_of_action(schedule)
    order = np.argsort(weights, kind="stable")
    running: IntArray = np.cumsum(marks[order]) - marks[order]
    first = np.searchsorted(weights[order], weights[order], side="left")
    result = np.empty(len(schedule), dtype=np.int64)
    result[order] = running - running[first]
    return result


def _read(schedule: Schedule, at_forward: IntArray, at_update: IntArray) -> IntArray:
    if schedule.policy.name == "double-buffer":
        return _one_window_late(schedule, at_forward, at_update)
    if not schedule.policy.reads_stage_zero:
        return at_forward
    read = np.broadcast_to(at_forward[0], at_forward.shape)
    late = np.argwhere(read > at_forward)
    if len(late):
        stage, microbatch = late[0].tolist()
        raise InvalidScheduleError(
            f"policy {schedule.policy.name} lets F(s, m) read the version that stage 0 read, but "
            f"stage {stage} has had {int(at_forward[stage, microbatch])} updates at microbatch "
            f"{microbatch} and stage 0 read version {int(read[stage, microbatch])}",
            schedule.name,
            "use policy 'stash', or a schedule whose later stages update no later than stage 0",
        )
    return np.asarray(read)


def _one_window_late(schedule: Schedule, at_forward: IntArray, at_update: IntArray) -> IntArray:
    """F of window t, which update t applies, reads version max(t − 1, 0)."""
    read = np.maximum(at_update - 1, 0)
    late = np.argwhere(read > at_forward)
    if len(late):
        stage, microbatch = late[0].tolist()
        raise InvalidScheduleError(
            f"policy {schedule.policy.name} lets F of window t read version t − 1, which update "
            f"t − 1 makes, but stage {stage} has had {int(at_forward[stage, microbatch])} updates "
            f"at microbatch {microbatch} of window {int(at_update[stage, microbatch])}",
            schedule.name,
            f"take a window of more than {schedule.policy.interval}, or fewer microbatches in "
            "flight",
        )
    return read


def _at_update(schedule: Schedule, index: Tables, updates_so_far: IntArray) -> IntArray:
    """Version count just before the update that applies each gradient.

    A gradient is applied by the first update at or after it. One that no update follows is never
    applied, and counts up to where it stands.
    """
    return np.asarray(updates_so_far[index.gradient])
