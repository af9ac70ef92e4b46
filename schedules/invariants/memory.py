"""What is kept: microbatches in flight, activations, and bytes by stage and by rank."""

from __future__ import annotations

from typing import Final

import numpy as np

from schedules.analysis.lifetimes import (
    activation_lifetimes,
    send_lifetimes,
    sweep,
    waits_for_sends,
)
from schedules.analysis.peaks import ACTIVATIONS, OPTIMIZER, SENDS, WEIGHTS, Load, weigh
from schedules.dependencies import MISSING
from schedules.invariants.invariant import Answer, Undecided
from schedules.invariants.run import Run
from schedules.schedule import IntArray
from schedules.validation.facts import microbatches_in_flight
from schedules.validation.violation import Case, Finding, Marks, listed, rank_place

NO_SIZES: Final = Undecided("it takes the sizes of the stages; see docs/reference/sizes.md")

NO_WAITS: Final = Undecided(
    "there is no WAIT_SEND, so nothing says when the buffer of a send is free"
)

PARTS: Final = {
    ACTIVATIONS: "activations",
    WEIGHTS: "weights",
    OPTIMIZER: "optimizer",
    SENDS: "sends",
}


def decide_in_flight(run: Run, bound: int) -> Answer:
    """At most `bound` microbatches are between their forward and their gradient at a stage."""
    schedule = run.schedule
    count = microbatches_in_flight(schedule)
    events = count.first_above(bound)

    def describe(case: int) -> Case:
        event = int(events[case])
        stage, rank = divmod(int(count.group[event]), schedule.ranks)
        most = int(count.kept[count.group == count.group[event]].max())
        rule = f"at most {bound} microbatches are in flight at a stage"
        return _too_many(run, rule, "in-flight", bound, int(count.action[event]), most, stage, rank)

    return listed(schedule, "in-flight", [Finding("too many in flight", len(events), describe)])


def decide_activations(run: Run, bound: int) -> Answer:
    """The activations of at most `bound` microbatches are kept at a stage at one time."""
    schedule, kept = run.schedule, activation_lifetimes(run.timeline)
    codes, group = np.unique(kept.stage * schedule.ranks + kept.rank, return_inverse=True)
    found = sweep(kept, group)
    most = found.most(len(codes))
    events = found.first_above(np.full(len(codes), bound))

    def describe(case: int) -> Case:
        event = int(events[case])
        owner = int(found.group[event])
        stage, rank = divmod(int(codes[owner]), schedule.ranks)
        forward = int(kept.action[found.thing[event]])
        rule = f"the activations of at most {bound} microbatches are kept at a stage"
        return _too_many(run, rule, "activations", bound, forward, int(most[owner]), stage, rank)

    return listed(schedule, "activations", [Finding("too many kept", len(events), describe)])


def decide_send_buffers(run: Run, bound: int) -> Answer:
    """A rank keeps the buffers of at most `bound` sends at one time."""
    if not waits_for_sends(run.schedule):
        return NO_WAITS
    schedule, kept = run.schedule, send_lifetimes(run.timeline)
    found = sweep(kept, kept.rank)
    most = found.most(schedule.ranks)
    events = found.first_above(np.full(schedule.ranks, bound))

    def describe(case: int) -> Case:
        event = int(events[case])
        rank, maker = int(found.group[event]), int(kept.action[found.thing[event]])
        action = schedule.action(maker)
        return Case(
            schedule.place(maker),
            f"a rank keeps the buffers of at most {bound} sends, but what {action} makes is number "
            f"{bound + 1} on rank {rank}, and in all there are up to {int(most[rank])}",
            f"allow send-buffers<={int(most[rank])}, or wait for a send before {action}",
            {"action": str(action), "rank": rank, "most": int(most[rank]), "bound": bound},
            Marks((maker,)),
        )

    return listed(schedule, "send-buffers", [Finding("too many sends", len(events), describe)])


def _too_many(
    run: Run, rule: str, name: str, bound: int, forward: int, most: int, stage: int, rank: int
) -> Case:
    schedule = run.schedule
    return Case(
        schedule.place(forward),
        f"{rule}, but {schedule.action(forward)} makes it {bound + 1} at stage {stage}, and in "
        f"all there are up to {most}",
        f"allow {name}<={most}, or do a backward before {schedule.action(forward)}",
        {
            "action": str(schedule.action(forward)),
            "stage": stage,
            "rank": rank,
            "most": most,
            "bound": bound,
        },
        Marks((forward,)),
    )


def decide_memory(run: Run, bound: int) -> Answer:
    """A stage keeps at most `bound` bytes at one time, all its weight copies on a rank together."""
    if run.sizes is None:
        return NO_SIZES
    load = weigh(run.timeline, run.sizes)
    codes, group = np.unique(
        load.things.stage * run.schedule.ranks + load.things.rank, return_inverse=True
    )
    names = [f"stage {code // run.schedule.ranks}" for code in codes.tolist()]
    return _weighed(run, "memory", load, group, names, codes % run.schedule.ranks, bound)


def decide_rank_memory(run: Run, bound: int) -> Answer:
    """A rank keeps at most `bound` bytes at one time, all its stages together."""
    if run.sizes is None:
        return NO_SIZES
    load = weigh(run.timeline, run.sizes)
    codes, group = np.unique(load.things.rank, return_inverse=True)
    names = [f"rank {rank}" for rank in codes.tolist()]
    return _weighed(run, "rank-memory", load, group, names, codes, bound)


def _weighed(
    run: Run,
    invariant: str,
    load: Load,
    group: IntArray,
    names: list[str],
    ranks: IntArray,
    bound: int,
) -> Answer:
    schedule = run.schedule
    found = sweep(load.things, group, load.size)
    most = found.most(len(names))
    events = found.first_above(np.full(len(names), bound))

    def describe(case: int) -> Case:
        event = int(events[case])
        owner, thing = int(found.group[event]), int(found.thing[event])
        action, rank = int(load.things.action[thing]), int(ranks[owner])
        begins = action == MISSING
        shares = _shares(load, group == owner, int(load.things.birth[thing]))
        words = ", ".join(f"{count} {name} {size}" for name, (count, size) in shares.items())
        when = "from the start" if begins else f"from {schedule.action(action)} on"
        return Case(
            rank_place(schedule, rank) if begins else schedule.place(action),
            f"a {names[owner].split()[0]} keeps at most {bound} bytes, but {names[owner]} keeps "
            f"{sum(size for _, size in shares.values())} {when} ({words}), and up to "
            f"{int(most[owner])} in all",
            f"allow {invariant}<={int(most[owner])}, or keep fewer microbatches or versions",
            {
                "owner": names[owner],
                "rank": rank,
                "most": int(most[owner]),
                "bound": bound,
                "action": None if begins else str(schedule.action(action)),
                "kept": {
                    name: {"things": count, "bytes": size} for name, (count, size) in shares.items()
                },
            },
            Marks() if begins else Marks((action,)),
        )

    return listed(schedule, invariant, [Finding("too many bytes", len(events), describe)])


def _shares(load: Load, mine: IntArray, time: int) -> dict[str, tuple[int, int]]:
    """How many things of each part, and how many bytes, are kept at a time."""
    things = load.things
    kept = mine & (things.birth <= time) & (time < things.death)
    return {
        name: (
            int((kept & (load.part == part)).sum()),
            int(load.size[kept & (load.part == part)].sum()),
        )
        for part, name in PARTS.items()
        if part != SENDS or (load.part == SENDS).any()
    }
