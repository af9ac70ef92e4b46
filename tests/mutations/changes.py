"""Changes of program orders, one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Final

from schedules import Action, Kind
from schedules.actions import COMPUTE, MESSAGES, NO_MICROBATCH
from schedules.messages.channels import NEIGHBOUR
from tests.mutations.orders import (
    Cell,
    Rows,
    changed,
    inserted,
    places,
    swapped,
    with_row,
    without,
)
from tests.mutations.subjects import Subject

Changes = Iterator[tuple[str, Rows]]
Chosen = Callable[[Action], bool]

SENDS: Final = (Kind.SEND_F, Kind.SEND_B)
RECEIVES: Final = (Kind.RECV_F, Kind.RECV_B)
OTHER_END: Final = {
    Kind.SEND_F: (Kind.RECV_F, 1),
    Kind.SEND_B: (Kind.RECV_B, -1),
}


def sends(action: Action) -> bool:
    return action.kind in SENDS


def receives(action: Action) -> bool:
    return action.kind in RECEIVES


def talks(action: Action) -> bool:
    return action.kind in MESSAGES


def computes(action: Action) -> bool:
    return action.kind in COMPUTE


def updates(action: Action) -> bool:
    return action.kind == Kind.U


def computes_or_updates(action: Action) -> bool:
    return computes(action) or updates(action)


def collects(action: Action) -> bool:
    return action.kind in (Kind.REDUCE, Kind.BARRIER, Kind.UNSHARD, Kind.RESHARD)


def averages(action: Action) -> bool:
    """Whether it ends a round: LocalSGD's averaging names the last microbatch of its round."""
    return collects(action) and action.microbatch != NO_MICROBATCH


def of_a_stage(action: Action) -> bool:
    """A collective of a stage's parameters or gradients, over replicas that the file lacks."""
    return collects(action) and action.microbatch == NO_MICROBATCH


def peer(subject: Subject, action: Action) -> int:
    return subject.schedule.placement.ranks[action.pipeline][action.stage + NEIGHBOUR[action.kind]]


# Order


def nothing(_: Action) -> bool:
    return False


def neighbours(
    chosen: Chosen, other: Chosen | None = None, blocked: Chosen = nothing
) -> Callable[[Subject, Rows], Changes]:
    """Swap two actions between which no other chosen one stands, and nothing that blocks."""
    second = other or chosen

    def make(_: Subject, rows: Rows) -> Changes:
        for rank, row in enumerate(rows):
            found = [k for k, cell in enumerate(row) if chosen(cell.action) or second(cell.action)]
            for one, next_one in pairwise(found):
                a, b = row[one].action, row[next_one].action
                if any(blocked(cell.action) for cell in row[one:next_one]):
                    continue
                if (chosen(a) and second(b)) or (second(a) and chosen(b)):
                    yield f"swap {a} and {b} on rank {rank}", swapped(rows, rank, one, next_one)

    return make


def same_channel(chosen: Chosen) -> Callable[[Subject, Rows], Changes]:
    """Swap two messages of one channel, however far apart."""

    def make(subject: Subject, rows: Rows) -> Changes:
        for rank, row in enumerate(rows):
            found = [k for k, cell in enumerate(row) if chosen(cell.action)]
            for one, other in combinations(found, 2):
                a, b = row[one].action, row[other].action
                if peer(subject, a) == peer(subject, b):
                    yield f"swap {a} and {b} on rank {rank}", swapped(rows, rank, one, other)

    return make


def swapped_computations(subject: Subject, rows: Rows) -> Changes:
    """Swap two computations between which neither a third nor a collective stands."""
    return neighbours(computes, blocked=collects)(subject, rows)


def before_its_forward(_: Subject, rows: Rows) -> Changes:
    for rank, row in enumerate(rows):
        at = {
            (c.action.stage, c.action.microbatch): k
            for k, c in enumerate(row)
            if c.action.kind == Kind.F
        }
        for place, cell in enumerate(row):
            action = cell.action
            if action.kind in (Kind.B, Kind.I):
                rest = without(rows, rank, place)
                target = at[action.stage, action.microbatch]
                yield f"move {action} before its forward", inserted(rest, rank, target, action)


def moved(chosen: Chosen, across: Chosen) -> Callable[[Subject, Rows], Changes]:
    """Move an action past the next, or the previous, one of a kind."""

    def make(_: Subject, rows: Rows) -> Changes:
        for rank, row in enumerate(rows):
            for place, cell in enumerate(row):
                action = cell.action
                if not chosen(action):
                    continue
                rest = without(rows, rank, place)
                for way, found in (
                    ("back", range(place - 1, -1, -1)),
                    ("on", range(place + 1, len(row))),
                ):
                    target = next((k for k in found if across(row[k].action)), None)
                    if target is not None:
                        past = row[target].action
                        yield (
                            f"move {action} {way} past {past} on rank {rank}",
                            inserted(rest, rank, target, action),
                        )

    return make


# More and less


def dropped(chosen: Chosen) -> Callable[[Subject, Rows], Changes]:
    def make(_: Subject, rows: Rows) -> Changes:
        for rank, place, action in places(rows):
            if chosen(action):
                yield f"drop {action} on rank {rank}", without(rows, rank, place)

    return make


def both_ends_dropped(subject: Subject, rows: Rows) -> Changes:
    for rank, place, action in places(rows):
        if sends(action):
            kind, step = OTHER_END[action.kind]
            partner = replace(action, kind=kind, stage=action.stage + step)
            rest = without(rows, rank, place)
            for other, where, found in places(rest):
                if found == partner:
                    yield f"drop {action} and {partner}", without(rest, other, where)


def doubled(chosen: Chosen) -> Callable[[Subject, Rows], Changes]:
    def make(_: Subject, rows: Rows) -> Changes:
        for rank, place, action in places(rows):
            if chosen(action):
                yield f"repeat {action} on rank {rank}", inserted(rows, rank, place + 1, action)

    return make


# Labels and ranks


def relabelled(chosen: Chosen) -> Callable[[Subject, Rows], Changes]:
    def make(subject: Subject, rows: Rows) -> Changes:
        stages, M = subject.schedule.stages, subject.schedule.microbatches
        for rank, place, action in places(rows):
            if not chosen(action):
                continue
            for new in (
                replace(action, microbatch=(action.microbatch + 1) % M),
                replace(action, stage=(action.stage + 1) % stages),
            ):
                yield f"write {new} for {action} on rank {rank}", changed(rows, rank, place, new)

    return make


def on_another_rank(chosen: Chosen) -> Callable[[Subject, Rows], Changes]:
    def make(_: Subject, rows: Rows) -> Changes:
        for rank, place, action in places(rows):
            other = (rank + 1) % len(rows)
            if chosen(action) and other != rank:
                rest = without(rows, rank, place)
                where = min(place, len(rest[other]))
                yield (
                    f"move {action} from rank {rank} to rank {other}",
                    inserted(rest, other, where, action),
                )

    return make


# Batches


def merged(_: Subject, rows: Rows) -> Changes:
    for rank, row in enumerate(rows):
        for place, (one, other) in enumerate(pairwise(row)):
            if talks(one.action) and talks(other.action) and one.group == other.group is None:
                pair = Cell(one.action, -1), Cell(other.action, -1)
                new = (*row[:place], *pair, *row[place + 2 :])
                yield f"batch {one.action} and {other.action}", with_row(rows, rank, new)


def split(_: Subject, rows: Rows) -> Changes:
    """The members of a batch one by one, in written order and the other way round."""
    for rank, row in enumerate(rows):
        numbers = {c.group for c in row if c.group is not None and talks(c.action)}
        for number in sorted(numbers):
            where = [k for k, cell in enumerate(row) if cell.group == number]
            members = [Cell(row[k].action) for k in where]
            names = " ".join(str(cell.action) for cell in members)
            for order, text in ((members, "in order"), (members[::-1], "backwards")):
                new = (*row[: where[0]], *order, *row[where[-1] + 1 :])
                yield f"split the batch {names}, {text}", with_row(rows, rank, new)
