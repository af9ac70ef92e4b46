"""Accumulation windows of AMDP at random durations, counted by the clock, against their laws."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules.actions import Kind
from tests.amdp_clock import Counted, clocked, counted
from theory.papers.amdp.lemmas.queue_order import visit
from theory.papers.amdp.lemmas.window_laws import CORE, statements
from theory.papers.amdp.runs.fifo import (
    ADMISSION,
    QUEUE,
    READINGS,
    TIES,
    TURNS,
    Job,
    Play,
    Tie,
)
from theory.papers.amdp.runs.windows import mismatches
from theory.papers.amdp.witnesses.window_plays import UNEVEN
from theory.smt.instances import admits

STEPS = 200
PREFIX_WITNESS = Play(4, 1, 1, TURNS, ((Job(1, 0, Kind.B, 1), 4), (Job(1, 3, Kind.F, 0), 4)))
"""Two slow actions: somebody of a window without a mismatch has an earlier forward than others."""


@st.composite
def plays(draw: st.DrawFn, readings: tuple[str, ...] = READINGS) -> Play:
    """Plays of d = 2, 4 or 6 in which any action of the first minibatches may be slow."""
    stages = draw(st.sampled_from((2, 4, 6)))
    jobs = st.builds(
        Job,
        st.integers(0, stages // 2 - 1),
        st.integers(0, stages - 1),
        st.sampled_from((Kind.F, Kind.B)),
        st.integers(0, 9),
    )
    slow = draw(st.lists(st.tuples(jobs, st.integers(2, 8)), max_size=8))
    pair = draw(st.sampled_from(((1, 1), (1, 2), (2, 1))))
    return Play(stages, *pair, draw(st.sampled_from(readings)), tuple(slow))


def whole_windows(found: list[Counted], window: int) -> list[list[Counted]]:
    return [found[at : at + window] for at in range(0, len(found) - window + 1, window)]


@settings(max_examples=40, deadline=None)
@given(plays(), st.sampled_from(TIES), st.integers(1, 14))
def test_who_has_a_mismatch_is_among_the_first_by_forwards(
    play: Play, tie: Tie, window: int
) -> None:
    times = clocked(play, tie, STEPS)
    for stage in range(play.stages):
        for members in whole_windows(counted(play, times, stage), window):
            affected = [one for one in members if one.mismatch(window)]
            for one in affected:
                ahead = [other for other in members if other.forward <= one.forward]
                assert len(ahead) <= play.stages - 1


def test_the_first_by_forwards_need_not_have_one() -> None:
    times = clocked(PREFIX_WITNESS, TIES[0], 40)
    first = whole_windows(counted(PREFIX_WITNESS, times, 0), 4)
    orders = [sorted(members, key=lambda one: one.forward) for members in first]
    assert [0, 1, 1, 0] in [[one.mismatch(4) for one in members] for members in orders]


@pytest.mark.parametrize("play", [PREFIX_WITNESS, UNEVEN], ids=["by action", "by stage"])
def test_the_law_of_windows_speaks_of_those_that_have_a_mismatch(play: Play) -> None:
    """Each of them and each with an earlier forward is a case of the statement, and its goal."""
    [law] = [one for one in statements(CORE) if one.name == "under way"]
    window, seen = play.stages, set()
    times = clocked(play, TIES[0], 400)
    for stage in range(play.stages):
        for number, members in enumerate(whole_windows(counted(play, times, stage), window)):
            for x in members:
                for y in members:
                    if x.mismatch(window) and y.read <= x.read:
                        update = window * (x.read // window + 1)
                        assert y.read < update < y.end
                        seen.add((x.read, x.used, x.end, y.read, y.end, number))
    assert seen
    for read, used, end, other, other_end, _ in sorted(seen)[:4]:
        state = {
            **{"W": window, "uF": read // window, "restF": read % window},
            **{"uB": used // window, "restB": used % window},
            **{"endX": end, "endY": other_end, "readY": other},
        }
        assert admits(law, state)


@settings(max_examples=40, deadline=None)
@given(plays((QUEUE,)), st.sampled_from(TIES), st.integers(1, 3))
def test_what_is_served_as_it_comes_sees_one_update_in_windows_of_multiples_of_d(
    play: Play, tie: Tie, times_d: int
) -> None:
    times = clocked(play, tie, STEPS)
    window = times_d * play.stages
    for stage in range(play.stages):
        found = counted(play, times, stage)
        generations = [one.job.number // ADMISSION for one in found]
        assert generations == sorted(generations)
        for one, generation in zip(found, generations, strict=True):
            assert one.read >= play.stages * (generation - 1) + 1 or generation == 0
            assert one.used <= play.stages * (generation + 1) - 1
        for members in whole_windows(found, window):
            for order in (
                members,
                sorted(members, key=lambda one: one.forward),
                sorted(members, key=lambda one: (one.job.number, one.job.pipeline)),
            ):
                late = [one.mismatch(window) for one in order]
                assert max(late) <= 1
                assert not any(late[play.stages :])


@settings(max_examples=25, deadline=None)
@given(plays((QUEUE,)), st.sampled_from(TIES))
def test_every_visit_sees_the_tokens_in_the_same_rounds(play: Play, tie: Tie) -> None:
    """Downward tokens first at visits below d, upward ones first from d on."""
    by_visit: dict[int, list[tuple[int, Job]]] = {}
    for job, (start, _) in clocked(play, tie, STEPS).items():
        at = visit(play.stages, job.pipeline, job.kind, job.stage)
        by_visit.setdefault(at, []).append((start, job))
    rounds = {
        low: [
            (job.pipeline, job.number % ADMISSION)
            for _, job in sorted(by_visit[0 if low else play.stages])
        ][: play.stages]
        for low in (True, False)
    }
    for at, jobs in by_visit.items():
        expected = rounds[at < play.stages]
        upward = [pipeline % 2 for pipeline, _ in expected]
        assert upward == sorted(upward, reverse=at >= play.stages)
        for place, (_, job) in enumerate(sorted(jobs)):
            assert (job.pipeline, job.number % ADMISSION) == expected[place % play.stages]
            assert job.number // ADMISSION == place // play.stages


@pytest.mark.parametrize("stages", [2, 4, 6, 8])
def test_what_a_token_does_next_is_its_next_visit(stages: int) -> None:
    play = Play(stages, 1, 1)
    for pipeline in range(play.pipelines):
        chain = [Job(pipeline, 0, Kind.F, 3)]
        while len(chain) <= 2 * stages:
            chain.append(play.following(chain[-1]))
        for one, two in pairwise(chain):
            now, then = (visit(stages, job.pipeline, job.kind, job.stage) for job in (one, two))
            assert then == (now + 1) % (2 * stages)
            rank = now if now < stages else 2 * stages - 1 - now
            assert play.rank(one.pipeline, one.stage) == rank


@pytest.mark.parametrize("window", [1, 4, 6, 9])
def test_the_clock_counts_what_a_play_counts(window: int) -> None:
    """Both ways of counting: the play to its period, the clock for long enough to see all of it."""
    found = mismatches(UNEVEN, TIES[0], window)
    times = clocked(UNEVEN, TIES[0], 400)
    by_stage = [counted(UNEVEN, times, stage) for stage in range(UNEVEN.stages)]
    assert found is not None
    assert found.most == max(one.mismatch(window) for part in by_stage for one in part)
    assert found.affected == max(
        sum(one.mismatch(window) > 0 for one in members)
        for part in by_stage
        for members in whole_windows(part, window)
    )
