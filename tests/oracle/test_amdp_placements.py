"""Chimera's placement of AMDP's pipelines against a simulator of its own and the paper's words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules.families.bidirectional import opposite_directions
from tests.amdp_events import (
    Action,
    Seen,
    backwards_first,
    by_minibatch,
    by_pipeline,
    chimera,
    run,
    straight,
)
from theory.papers.amdp.lemmas.overtaking import most_between
from theory.papers.amdp.placements import CHIMERA, STRAIGHT, rank_of
from theory.papers.amdp.runs.fifo import TIES, Job
from theory.papers.amdp.witnesses import rotation_chimera
from theory.papers.amdp.witnesses.chimera_windows import RUNS, SLOW, one_window, two_windows

ORDERS = dict(
    zip(
        (TIES[0], TIES[1], TIES[4], TIES[5]),
        (
            backwards_first(by_minibatch),
            backwards_first(by_pipeline),
            by_minibatch,
            by_pipeline,
        ),
        strict=True,
    )
)
ACTIONS = 20_000
ROWS = {STRAIGHT: straight, CHIMERA: chimera}


@pytest.mark.parametrize("placement", ROWS)
@pytest.mark.parametrize("stages", [4, 8, 12, 16])
def test_ranks_are_those_of_the_words(stages: int, placement: str) -> None:
    for pipeline, row in enumerate(ROWS[placement](stages)):
        assert row == [rank_of(placement, stages, pipeline, s) for s in range(stages)]
        assert sorted(row) == list(range(stages))


def test_with_four_stages_it_is_the_placement_of_the_family_chimera() -> None:
    assert [tuple(row) for row in chimera(4)] == list(opposite_directions(4).ranks)
    assert chimera(4) == straight(4)
    assert chimera(8) != straight(8)


def seen_of(witness: dict[str, object], found: Sequence[Seen]) -> Seen:
    [seen] = [
        one
        for one in found
        if (one.stage, one.minibatch) == (witness["stage"], witness["minibatch"])
    ]
    return seen


def same(witness: dict[str, object], seen: Seen) -> None:
    """Times, counts and mismatch."""
    assert (witness["F starts"], witness["B starts"]) == (seen.forward, seen.backward)
    counts = (witness["over at F"], witness["over at B"])
    assert counts == (seen.over_at_forward, seen.over_at_backward)
    window = witness["window"]
    assert isinstance(window, int)
    assert witness["mismatch"] == seen.mismatch(window) == 2


@pytest.mark.parametrize("which", range(len(RUNS)))
def test_runs_with_windows_of_d_are_those_of_the_simulator(which: int) -> None:
    (play, tie), witness = RUNS[which], one_window(sympy.Integer(1))[which]
    times = {"F": play.forward, "B": play.backward}
    found = run(chimera(play.stages), lambda one: times[one.kind], ORDERS[tie], ACTIONS)
    same(witness, seen_of(witness, found))


def test_the_run_with_windows_of_2d_is_that_of_the_simulator() -> None:
    refutation = two_windows(sympy.Integer(1))
    assert refutation is not None
    witness = dict(refutation.witness)
    slow = {
        Action(job.pipeline, job.stage, job.kind.name, job.number): taken
        for job, taken in SLOW.slow
        if isinstance(job, Job)
    }
    found = run(chimera(8), lambda one: slow.get(one, 1), ORDERS[TIES[0]], 1_000)
    seen = seen_of(witness, found)
    same(witness, seen)
    assert seen.over_at_backward - seen.over_at_forward == 17


@pytest.mark.parametrize("pair", [(1, 1), (1, 2)])
def test_runs_of_twelve_stages_see_two_updates_in_chimeras_placement_only(
    pair: tuple[int, int],
) -> None:
    times = dict(zip("FB", pair, strict=True))
    order = by_pipeline if pair == (1, 1) else backwards_first(by_pipeline)
    most = {
        name: max(
            one.mismatch(12)
            for one in run(rows(12), lambda one: times[one.kind], order, 2 * ACTIONS)
        )
        for name, rows in ROWS.items()
    }
    assert most == {STRAIGHT: 1, CHIMERA: 2}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(ROWS)),
    st.sampled_from((4, 8)),
    st.sampled_from(list(ORDERS.values())),
    st.integers(0, 10**6),
)
def test_no_more_overtake_than_are_counted(
    placement: str, stages: int, order: object, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    slow: dict[Action, int] = {}

    def takes(action: Action) -> int:
        return slow.setdefault(action, int(rng.choice((1, 1, 1, 5, 30))))

    assert callable(order)
    found = run(ROWS[placement](stages), takes, order, 2_500)
    between = max(one.over_at_backward - one.over_at_forward for one in found)
    assert between <= most_between(stages, placement)


@pytest.mark.parametrize("stages", [4, 8, 12, 16, 20])
def test_phases_fill_every_slot_in_chimeras_placement(stages: int) -> None:
    filled = np.zeros((stages, 2 * stages), dtype=int)
    for pipeline, phase in rotation_chimera.phases(stages):
        row = chimera(stages)[pipeline]
        for at, rank in enumerate([*row, *row[::-1]]):
            filled[rank, (phase + at) % (2 * stages)] += 1
    assert (filled == 1).all()
