"""Barrier: all who take part in a collective have it equally often, in the same order.

Two kinds of collective bind ranks together; n-th meets n-th.

- ``BARRIER`` takes all ranks. The rounds are what lies between: nothing in an earlier round may
  need what runs in a later one.
- ``REDUCE`` that names a microbatch takes all stages: the averaging that ends the round of that
  microbatch. Microbatches up to it stand before it and later ones behind it.

A ``REDUCE`` of a whole stage (gradients of its replicas) binds no stages together; it is not
looked at here.

Barriers are counted in any schedule; what rounds hold is compared where every computation is there
once, on the rank of its stage.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from schedules.actions import COMPUTE, NO_MICROBATCH, Kind, among
from schedules.dependencies import MISSING, edges, past_receives
from schedules.invariants.invariant import Answer, Undecided
from schedules.invariants.run import Run
from schedules.schedule import IntArray, Schedule
from schedules.validation.complete import complete
from schedules.validation.exclusive import exclusive
from schedules.validation.violation import Arrow, Case, Finding, Marks, listed, rank_place


def decide_barrier(run: Run, _: int) -> Answer:
    """Collectives are complete and in order, and rounds do not mix."""
    schedule = run.schedule
    barriers = np.flatnonzero(schedule.kind == Kind.BARRIER)
    averages = np.flatnonzero(
        (schedule.kind == Kind.REDUCE) & (schedule.microbatch != NO_MICROBATCH)
    )
    if not len(barriers) and not len(averages):
        return Undecided("there is no BARRIER, and no REDUCE that names a microbatch, to look at")
    comparable = not complete(schedule) and not exclusive(schedule)
    findings = []
    if len(barriers):
        unequal = _unequal_barriers(run, barriers)
        # Rounds that are counted differently on the ranks cannot be compared.
        torn = [_torn_rounds(run, barriers)] if comparable and not unequal.count else []
        findings += [unequal, _other_barriers(run, barriers), *torn]
    if len(averages) and comparable:
        found = Averages.of(schedule, averages)
        findings += [_unequal_averages(run, found), _mixed_rounds(run, found)]
    violations = listed(schedule, "barrier", findings)
    if not violations and not comparable:
        return Undecided("rounds are compared where complete and exclusive hold")
    return violations


def _unequal_barriers(run: Run, barriers: IntArray) -> Finding:
    """Ranks that have fewer barriers than another one."""
    schedule = run.schedule
    rank = schedule.rank_of_action[barriers]
    count = np.bincount(rank, minlength=schedule.ranks)
    begin = np.cumsum(count) - count
    most = int(count.argmax())
    fewer = np.flatnonzero(count < count[most])

    def missing(case: int) -> Case:
        here = int(fewer[case])
        extra = int(barriers[begin[most] + count[here]])
        return Case(
            rank_place(schedule, here),
            f"all ranks have every BARRIER, but rank {here} has {int(count[here])} and rank "
            f"{most} has {int(count[most])}, the next one {run.words(extra)}",
            f"add a BARRIER to rank {here}, or drop that of the others",
            {
                "rank": here,
                "barriers": int(count[here]),
                "other": most,
                "other_barriers": int(count[most]),
                "next": schedule.place(extra),
            },
            Marks((extra,)),
        )

    return Finding("rank with fewer barriers", len(fewer), missing)


def _other_barriers(run: Run, barriers: IntArray) -> Finding:
    """Barriers that name another microbatch than the one of rank 0 that they meet."""
    schedule = run.schedule
    rank = schedule.rank_of_action[barriers]
    place = np.arange(len(barriers)) - np.searchsorted(rank, rank)
    length = int(np.searchsorted(rank, 1))
    met = np.flatnonzero(place < length)
    label = schedule.microbatch[barriers]
    wrong = met[label[met] != label[place[met]]]

    def describe(case: int) -> Case:
        entry = int(wrong[case])
        here, there = int(barriers[entry]), int(barriers[place[entry]])
        return Case(
            schedule.place(here),
            f"the n-th BARRIER of every rank is the same, but {schedule.action(here)} meets "
            f"{run.words(there)}",
            "put them in the same order on all ranks",
            {
                "action": str(schedule.action(here)),
                "number": int(place[entry]),
                "meets": str(schedule.action(there)),
                "meets_place": schedule.place(there),
            },
            Marks((here, there), (Arrow(here, there, "meets"),)),
        )

    return Finding("barriers in another order", len(wrong), describe)


def _torn_rounds(run: Run, barriers: IntArray) -> Finding:
    """Dependencies from a later round to an earlier one: they close a circle at the barrier."""
    schedule = run.schedule
    passed = np.zeros(len(schedule), dtype=np.int64)
    passed[barriers] = 1
    round_of = np.cumsum(passed)
    round_of -= np.append(0, round_of)[schedule.offsets[:-1]][schedule.rank_of_action]
    found = past_receives(schedule, edges(schedule))
    torn = np.flatnonzero(round_of[found.source] > round_of[found.target])

    def describe(case: int) -> Case:
        source, target = int(found.source[torn[case]]), int(found.target[torn[case]])
        late, early = int(round_of[source]), int(round_of[target])
        return Case(
            schedule.place(target),
            f"nothing before a BARRIER needs what stands behind it, but {schedule.action(target)} "
            f"in round {early} needs {run.words(source)} in round {late}",
            f"move {schedule.action(target)} behind the BARRIER",
            {
                "action": str(schedule.action(target)),
                "round": early,
                "needs": str(schedule.action(source)),
                "needs_place": schedule.place(source),
                "needs_round": late,
            },
            Marks((target, source), (Arrow(target, source, "waits for"),)),
        )

    return Finding("dependency across a barrier", len(torn), describe)


@dataclass(frozen=True, eq=False)
class Averages:
    """The averagings of a schedule, by seat: a stage on one of its ranks.

    Attributes
    ----------
    ends : ndarray of int
        Microbatches that end a round, in ascending order.
    seat_of : ndarray of int, shape (actions,)
        Seat of each computation and averaging; seats are numbered by rank, then stage.
    first : ndarray of int, shape (seats,)
        First computation or averaging of each seat.
    indices : ndarray of int
        Flat indices of the averagings.
    round_of : ndarray of int
        Place in `ends` of each of `indices`.
    """

    ends: IntArray
    seat_of: IntArray
    first: IntArray
    indices: IntArray
    round_of: IntArray

    @classmethod
    def of(cls, schedule: Schedule, indices: IntArray) -> Averages:
        """Find the seats, of what computes, and the rounds."""
        actions = np.concatenate([np.flatnonzero(among(schedule.kind, COMPUTE)), indices])
        key = schedule.rank_of_action[actions] * schedule.stages + schedule.stage[actions]
        _, first, seat = np.unique(key, return_index=True, return_inverse=True)
        seat_of = np.full(len(schedule), MISSING, dtype=np.int64)
        seat_of[actions] = seat
        ends, round_of = np.unique(schedule.microbatch[indices], return_inverse=True)
        return cls(ends, seat_of, actions[first], indices, round_of)

    @cached_property
    def count(self) -> IntArray:
        """Averagings by seat and round."""
        shape = (len(self.first), len(self.ends))
        pair = self.seat_of[self.indices] * shape[1] + self.round_of
        return np.bincount(pair, minlength=shape[0] * shape[1]).reshape(shape)


def _unequal_averages(run: Run, found: Averages) -> Finding:
    """Stages that lack the averaging of a round, or have it twice."""
    schedule = run.schedule
    wrong = np.argwhere(found.count != 1)

    def describe(case: int) -> Case:
        seat, end = wrong[case].tolist()
        stage, microbatch = int(schedule.stage[found.first[seat]]), int(found.ends[end])
        same = found.indices[found.round_of == end]
        mine = same[found.seat_of[same] == seat]
        shown = int(mine[-1]) if len(mine) else int(same[0])
        rank = int(schedule.rank_of_action[found.first[seat]])
        return Case(
            schedule.place(shown) if len(mine) else rank_place(schedule, rank),
            f"every stage averages once at the end of a round, but stage {stage} on rank {rank} "
            f"has {len(mine) or 'no'} REDUCE of microbatch {microbatch}"
            + ("" if len(mine) else f", which others have, such as {run.words(shown)}"),
            "drop all but one" if len(mine) else f"add {stage}REDUCE{microbatch}",
            {
                "stage": stage,
                "rank": rank,
                "microbatch": microbatch,
                "found": len(mine),
                "other": schedule.place(shown),
            },
            Marks((shown,)),
        )

    return Finding("stage without the averaging of a round", len(wrong), describe)


def _mixed_rounds(run: Run, found: Averages) -> Finding:
    """Actions on the wrong side of the averaging of a round.

    As many averagings stand before an action, at its stage, as rounds end below its microbatch.
    Stages that lack an averaging, or have it twice, are left to `_unequal_averages`.
    """
    schedule = run.schedule
    actions = np.flatnonzero(found.seat_of != MISSING)
    actions = actions[(found.count == 1).all(axis=1)[found.seat_of[actions]]]
    seat = found.seat_of[actions]
    order = np.argsort(seat, kind="stable")
    actions, seat = actions[order], seat[order]
    ends = np.isin(actions, found.indices)
    before: IntArray = np.cumsum(ends) - ends
    before -= before[np.searchsorted(seat, seat)]
    due = np.searchsorted(found.ends, schedule.microbatch[actions])
    wrong = np.flatnonzero(before != due)

    def describe(case: int) -> Case:
        entry = int(wrong[case])
        action, passed, expected = int(actions[entry]), int(before[entry]), int(due[entry])
        early = passed < expected
        own = actions[ends & (seat == seat[entry])]
        peer = int(own[passed if early else passed - 1])
        side = "before" if early else "behind"
        return Case(
            schedule.place(action),
            f"a round of a stage ends with its averaging, but {schedule.action(action)} stands "
            f"{side} {run.words(peer)}: it has {passed} averagings before it, not the {expected} "
            f"that end below microbatch {int(schedule.microbatch[action])}",
            f"move {schedule.action(action)} to the other side of {schedule.action(peer)}",
            {
                "action": str(schedule.action(action)),
                "averaged": passed,
                "due": expected,
                "reduce": str(schedule.action(peer)),
                "reduce_place": schedule.place(peer),
            },
            Marks((action, peer), (Arrow(action, peer, f"stands {side}"),)),
        )

    return Finding("action on the wrong side of an averaging", len(wrong), describe)
