"""Negative controls: data parallelism with its program changed must break a law that it states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from schedules import Kind, Schedule, WeightPolicy, build, versions
from schedules.actions import Action
from schedules.errors import ScheduleError
from schedules.invariants import check, parse_requirements
from schedules.messages.channels import channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import progress
from tests.written_out import data_parallel, worker
from theory.papers.schedules.matrix.runs import observe
from theory.papers.schedules.matrix.spoiled import barrier_missing, late_update

Step = tuple[Kind, int, int]

P, T, L, K = 2, 4, 3, 2
WANTED = parse_requirements("stash, update-once, barrier, staleness<=1, versions<=1, in-flight<=1")


def made(program: Callable[..., Iterator[Step]] = worker) -> Schedule:
    """From a program of all workers; as it is, it is the family's."""
    whole = build("sapipe", P, P * T, layers=L, stale=K)
    orders = [data_parallel(rank, program(T, L, K), P) for rank in range(P)]
    return Schedule.from_orders(whole.name, orders, P * T, whole.policy, placement=whole.placement)


def broken(schedule: Schedule) -> set[str]:
    """Which of the stated laws do not hold."""
    found = {one.invariant for one in check(schedule, WANTED).violations}
    try:
        known = versions(schedule)
    except ScheduleError:
        return found | {"versions"}
    layer, m = np.indices((L, P * T))
    late = np.where(layer < K, np.minimum(1, m // P), 0)
    if (known.local_staleness != late).any():
        found.add("staleness by layer")
    if (known.read != m // P - late).any():
        found.add("versions read")
    if known.mismatch.any():
        found.add("backward before update")
    return found


def test_as_it_is_nothing_is_broken() -> None:
    assert broken(made()) == set()
    whole = build("sapipe", P, P * T, layers=L, stale=K)
    assert [list(whole.rank(r)) for r in range(P)] == [list(made().rank(r)) for r in range(P)]


# The program of all workers


def without(kind: Kind, layer: int) -> Callable[..., Iterator[Step]]:
    """The first such action of a layer is left out."""

    def changed(iterations: int, layers: int, stale: int) -> Iterator[Step]:
        left = 1
        for step in PROGRAM(iterations, layers, stale):
            if step[:2] == (kind, layer) and left:
                left -= 1
            else:
                yield step

    return changed


def exchanged(first: tuple[Kind, int], second: tuple[Kind, int]) -> Callable[..., Iterator[Step]]:
    """Wherever these two follow each other, a BARRIER at most between them, they change places."""

    def changed(iterations: int, layers: int, stale: int) -> Iterator[Step]:
        steps = list(PROGRAM(iterations, layers, stale))
        for at, step in enumerate(steps):
            gap = 2 if steps[at + 1 : at + 2] and steps[at + 1][0] is Kind.BARRIER else 1
            other = steps[at + gap] if at + gap < len(steps) else step
            if (step[:2], other[:2]) == (first, second):
                steps[at], steps[at + gap] = other, step
        yield from steps

    return changed


def reduced_late(iterations: int, layers: int, stale: int) -> Iterator[Step]:
    """REDUCE behind the update that is meant to apply what it reduces."""
    for step in PROGRAM(iterations, layers, stale):
        if step[0] is not Kind.REDUCE:
            yield step
        if step[0] is Kind.U:
            yield Kind.REDUCE, step[1], -1


def others_stale(iterations: int, layers: int, stale: int) -> Iterator[Step]:
    """As many fresh layers as there should be stale ones."""
    yield from PROGRAM(iterations, layers, layers - stale)


def forwards_from_the_last_layer(iterations: int, layers: int, stale: int) -> Iterator[Step]:
    for kind, layer, t in PROGRAM(iterations, layers, stale):
        yield kind, layers - 1 - layer if kind is Kind.F else layer, t


PROGRAM = worker
PROGRAMS: dict[str, tuple[Callable[..., Iterator[Step]], str]] = {
    "no stale buffer: an update at once": (
        exchanged((Kind.U, 0), (Kind.W, 0)),
        "staleness by layer",
    ),
    "a stale update in front of the backward": (
        exchanged((Kind.I, 0), (Kind.U, 0)),
        "backward before update",
    ),
    "a stale update that needs a second version": (
        exchanged((Kind.I, 1), (Kind.U, 1)),
        "versions",
    ),
    "a fresh layer's update behind its forward": (
        exchanged((Kind.U, 2), (Kind.F, 2)),
        "staleness by layer",
    ),
    "update of a stale layer before its forward": (others_stale, "staleness by layer"),
    "gradients that are not reduced": (without(Kind.REDUCE, 1), "update-once"),
    "update before the reduction": (reduced_late, "update-once"),
    "an update too few": (without(Kind.U, 1), "update-once"),
    "a backward too few": (without(Kind.I, 2), "complete"),
    "a gradient too few": (without(Kind.W, 2), "complete"),
    "forwards from the last layer": (forwards_from_the_last_layer, "causal"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_changed_programs_break_a_law(name: str) -> None:
    program, law = PROGRAMS[name]
    assert law in broken(made(program))


# One worker that differs


def with_order(change: Callable[[list[Action]], list[Action]]) -> Schedule:
    """The second worker's order changed."""
    schedule = made()
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    orders[1] = change(orders[1])
    return Schedule.from_orders(
        "changed", orders, schedule.microbatches, schedule.policy, placement=schedule.placement
    )


def swapped_iterations(order: list[Action]) -> list[Action]:
    """Its second and third iteration change places."""
    other = {1 * P + 1: 2 * P + 1, 2 * P + 1: 1 * P + 1}
    return [
        replace(action, microbatch=other.get(action.microbatch, action.microbatch))
        for action in order
    ]


def one_iteration_ahead(order: list[Action]) -> list[Action]:
    """It leaves out the first barrier and does not wait there."""
    first = next(at for at, action in enumerate(order) if action.kind is Kind.BARRIER)
    return order[:first] + order[first + 1 :]


def test_swapped_iterations() -> None:
    assert "versions read" in broken(with_order(swapped_iterations))


def test_a_worker_that_does_not_wait_leaves_the_others_waiting() -> None:
    schedule = with_order(one_iteration_ahead)
    assert "barrier" in broken(schedule)
    assert not progress(schedule, channels(schedule), QueueModel()).finished
    whole = made()
    assert progress(whole, channels(whole), QueueModel()).finished


def test_weights_that_all_workers_share_are_refused() -> None:
    """One copy on several ranks: versions of one rank would say nothing of it."""
    schedule = made()
    shared = replace(schedule.placement, copies=((0,) * L,) * P)
    assert "versions" in broken(replace(schedule, placement=shared))


# The policy


def test_the_newest_version_is_the_one_that_a_forward_read() -> None:
    assert broken(replace(made(), policy=WeightPolicy("latest"))) == set()


def test_an_update_in_front_of_the_backward_changes_what_it_uses() -> None:
    changed = made(exchanged((Kind.I, 0), (Kind.U, 0)))
    assert "stash" not in broken(changed)
    assert "stash" in broken(replace(changed, policy=WeightPolicy("latest")))


def test_an_update_every_second_iteration_is_another_policy() -> None:
    assert "update-once" in broken(replace(made(), policy=WeightPolicy("stash", 2)))


# The controls of its cells in the matrix


@pytest.mark.parametrize("stale", range(L + 1))
def test_a_late_update_is_refused(stale: int) -> None:
    schedule = build("sapipe", P, P * T, layers=L, stale=stale)
    whole = observe({}, schedule)
    spoiled = late_update(schedule)
    assert spoiled is not None
    found = observe({}, spoiled)
    assert "stash" not in whole.broken
    assert "stash" in found.broken
    assert found.bounds["staleness"] != whole.bounds["staleness"]


def test_a_rank_that_lacks_a_barrier_is_refused() -> None:
    spoiled = barrier_missing(made())
    assert spoiled is not None
    assert len(spoiled) == len(made()) - 1
    assert "deadlock-free" not in observe({}, made()).broken
    assert "deadlock-free" in observe({}, spoiled).broken


def test_nothing_to_spoil() -> None:
    assert late_update(build("pipesgd", P, 2 * P)) is None
    assert late_update(build("pipedream", 2, 8)) is None
    assert barrier_missing(build("sapipe", 1, T)) is None
    assert barrier_missing(build("gpipe", 2, 4)) is None
