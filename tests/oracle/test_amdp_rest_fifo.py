"""Plays of AMDP's pipelines against the generator of the family, and phases against a search."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest

from schedules.actions import Action, Kind
from schedules.families import amdp
from schedules.families.pipedream import RULE
from schedules.families.sharing import run_sharing
from schedules.timeline import timeline
from schedules.versions import versions
from tests import published
from tests.amdp_clock import clocked, counted
from theory.papers.amdp import saturation
from theory.papers.amdp.runs.fifo import TIES, TURNS, Play, Tie
from theory.papers.amdp.runs.windows import mismatches
from theory.papers.amdp.witnesses.saturation_shares import FAMILY_TIE, active
from theory.papers.amdp.witnesses.window_plays import UNEVEN

COMPARED = 60
"""Actions a rank that are compared: far from the end of the family's finite run."""


def played(play: Play, tie: Tie, count: int) -> list[list[Action]]:
    state = play.start()
    orders: list[list[Action]] = [[] for _ in range(play.stages)]
    while min(map(len, orders)) < count:
        chosen = play.choice(state, tie)
        for order, job in zip(orders, chosen, strict=True):
            if job is not None:
                microbatch = job.number * play.pipelines + job.pipeline
                order.append(Action(job.kind, job.stage, microbatch, job.pipeline))
        state = play.after(state, chosen)
    return [order[:count] for order in orders]


def generated(play: Play, tie: Tie, count: int) -> list[list[Action]]:
    """What the family's engine does with the same tie rule and durations."""

    def key(action: Action) -> tuple[int, ...]:
        first = int(tie.kind is not None and action.kind is not tie.kind)
        number = action.microbatch if tie.then == "earlier minibatch" else 0
        return first, number, action.pipeline, action.stage, int(action.kind is Kind.F)

    placement = amdp.directions(play.stages, play.pipelines)
    orders = run_sharing(
        RULE,
        placement,
        4 * count,
        amdp.caps(play.stages, 4 * count, 2, 0),
        times={Kind.F: play.forward, Kind.B: play.backward},
        tie=key,
    )
    return [order[:count] for order in orders]


@pytest.mark.parametrize("tie", TIES, ids=lambda tie: tie.name)
@pytest.mark.parametrize("sizes", [(2, 1, 1), (4, 1, 2), (6, 1, 1), (6, 2, 3), (8, 2, 1)])
def test_a_play_in_turns_is_the_order_that_the_family_generates(
    sizes: tuple[int, int, int], tie: Tie
) -> None:
    play = Play(*sizes, TURNS)
    assert played(play, tie, COMPARED) == generated(play, tie, COMPARED)


@pytest.mark.parametrize("stages", [4, 6, 8])
def test_the_share_of_the_period_is_where_long_runs_of_the_family_go(stages: int) -> None:
    """Start-up and drain weigh less, the longer the run: the gap falls by half with twice the M."""
    share = active(stages, 1, 1, TURNS, FAMILY_TIE)
    assert share is not None
    gaps = [abs(1 - timeline(amdp.build(stages, M)).idle_fraction - share) for M in (160, 320)]
    assert gaps[1] < gaps[0] * 2 / 3 < 1 / 20


@pytest.mark.parametrize("window", [1, 2, 4, 6])
def test_mismatches_of_one_pipeline_are_those_of_the_family(window: int) -> None:
    found = mismatches(Play(2, 1, 1), FAMILY_TIE, window)
    assert found is not None
    family = versions(amdp.build(2, 12 * window + 12, pipelines=1, window=max(window, 1)))
    assert found.most == int(family.mismatch.max()) == 1
    per_window = [
        int((family.mismatch[0, first : first + window] > 0).sum())
        for first in range(window, 11 * window, window)
    ]
    assert max(per_window) == found.affected


@pytest.mark.parametrize("play", [Play(4, 1, 2), Play(6, 2, 1), UNEVEN])
def test_a_play_respects_what_actions_wait_for(play: Play) -> None:
    times = clocked(play, TIES[0], 100)
    before = {play.following(job): job for job in times}
    for job, (start, _) in times.items():
        assert before.get(job) is None or times[before[job]][1] <= start
    for rank in range(play.stages):
        spans = sorted(
            span for job, span in times.items() if play.rank(job.pipeline, job.stage) == rank
        )
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_the_uneven_play_has_two_updates_between_a_forward_and_its_backward() -> None:
    """Counted by the clock, from starts and ends alone."""
    window, times = UNEVEN.stages, clocked(UNEVEN, TIES[0], 400)
    found = [counted(UNEVEN, times, stage) for stage in range(UNEVEN.stages)]
    assert max(one.mismatch(window) for part in found for one in part) == 2


def occupied(sizes: tuple[int, int, int], ranks: Sequence[int], phase: int) -> np.ndarray:
    """Ranks × times of a round, 1 where a minibatch that never waits is."""
    stages, forward, backward = sizes
    length = stages * (forward + backward)
    found, now = np.zeros((stages, length), dtype=int), phase
    path = [(s, forward) for s in range(stages)] + [(s, backward) for s in reversed(range(stages))]
    for stage, taken in path:
        for at in range(now, now + taken):
            found[ranks[stage], at % length] += 1
        now += taken
    return found


def fillable(sizes: tuple[int, int, int]) -> bool:
    """Whether two minibatches of every pipeline, on rounds without waiting, fill all ranks."""
    length = sizes[0] * (sizes[1] + sizes[2])
    pipelines = sizes[0] // 2
    ways = {False: range(sizes[0]), True: range(sizes[0])[::-1]}
    tokens = {up: [occupied(sizes, way, at) for at in range(length)] for up, way in ways.items()}
    up, down = 2 * (pipelines // 2), 2 * ((pipelines + 1) // 2)
    for others in combinations(range(1, length), down - 1):
        below = sum((tokens[False][at] for at in others), tokens[False][0])
        if below.max() > 1:
            continue
        for ups in combinations(range(length), up):
            if (sum((tokens[True][at] for at in ups), below) == 1).all():
                return True
    return False


@pytest.mark.parametrize(
    ("sizes", "possible"),
    [
        ((2, 1, 2), True),
        ((2, 3, 1), True),
        ((4, 1, 1), True),
        ((4, 1, 2), False),
        ((4, 2, 1), False),
        ((4, 1, 3), False),
        ((4, 3, 2), False),
        ((6, 1, 1), True),
        ((6, 1, 2), False),
    ],
)
def test_a_search_over_all_phases_agrees_with_the_argument(
    sizes: tuple[int, int, int], possible: bool
) -> None:
    assert fillable(sizes) is possible


@pytest.mark.parametrize("stages", range(2, 17, 2))
def test_the_phases_that_are_said_to_fill_the_ranks_do(stages: int) -> None:
    down = range(2 * ((stages // 2 + 1) // 2))
    shifted = {(a + stages // 2) % stages for a in down}
    up = [a for a in range(stages) if a not in shifted]
    assert len(up) == 2 * (stages // 4)
    sizes = (stages, 1, 1)
    ranks = range(stages)
    every = [occupied(sizes, ranks, 2 * a) for a in down]
    every += [occupied(sizes, ranks[::-1], 2 * a) for a in up]
    assert (np.sum(every, axis=0) == 1).all()


@pytest.mark.parametrize(
    ("sizes", "second", "phases"),
    [
        ((4, 1, 2), (1, 0, 3, 2), (0, 6, 0, 6)),
        ((4, 1, 3), (2, 3, 1, 0), (0, 8, 6, 14)),
    ],
)
def test_other_placements_fill_the_ranks_with_unequal_durations(
    sizes: tuple[int, int, int], second: tuple[int, ...], phases: tuple[int, ...]
) -> None:
    """What no order does with stage s on rank s or d − 1 − s, and what the row assumes."""
    placed = zip(((0, 1, 2, 3), (0, 1, 2, 3), second, second), phases, strict=True)
    assert (np.sum([occupied(sizes, ranks, at) for ranks, at in placed], axis=0) == 1).all()
    assert not fillable(sizes)
    assumed = published.row(saturation.CLAIM.id).judgement.assumes
    assert any("others can fill all ranks with F ≠ B" in one for one in assumed)
