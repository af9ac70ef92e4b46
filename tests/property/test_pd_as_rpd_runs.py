"""RPD fed with exact delays is PipeDream on any timeline, not on the paper's alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from schedules import Action, Kind, Schedule, WeightPolicy, timeline
from schedules.delays import delays, equivalent_delays
from schedules.timeline import Timeline
from theory.papers.rpd.lemmas.embedding import h, k
from theory.papers.rpd.witnesses.fed_runs import fed
from theory.papers.rpd.witnesses.replays import KINDS, first_difference, pipedream, problem, rpd


@st.composite
def timelines(draw: DrawFn) -> Timeline:
    """Any order of forwards and backwards that can run, in any microbatch order, with any times."""
    p, M = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    orders: list[list[Action]] = [[] for _ in range(p)]
    next_forward, next_backward = [0] * M, [p - 1] * M
    left = [m for m in range(M) for _ in range(2 * p)]
    for m in draw(st.permutations(left)):
        if next_forward[m] < p:
            orders[next_forward[m]].append(Action(Kind.F, next_forward[m], m))
            next_forward[m] += 1
        else:
            orders[next_backward[m]].append(Action(Kind.B, next_backward[m], m))
            next_backward[m] -= 1
    schedule = Schedule.from_orders("drawn", orders, M, WeightPolicy("stash"))
    times = {
        (kind, stage): draw(st.integers(1, 3)) for kind in (Kind.F, Kind.B) for stage in range(p)
    }
    return timeline(schedule, times)


counting = st.sampled_from(("ascending", "descending", "forwards-first"))


@settings(max_examples=60)
@given(timelines(), counting, st.sampled_from(list(KINDS)))
def test_bit_for_bit(line: Timeline, linearization: str, kind: str) -> None:
    given = problem(kind, line.schedule.stages, line.schedule.microbatches)
    rows = fed(delays(line, linearization), k - h)
    assert first_difference(pipedream(line, given), rpd(rows, given)) is None


@settings(max_examples=60)
@given(timelines(), counting)
def test_equivalent_delays_do_as_well_and_are_never_larger(
    line: Timeline, linearization: str
) -> None:
    given = problem("quadratic", line.schedule.stages, line.schedule.microbatches, exact=True)
    exact, least = delays(line, linearization), equivalent_delays(line, linearization)
    assert (least.matrix <= exact.matrix).all()
    rows = fed(least, k - h)
    assert first_difference(pipedream(line, given), rpd(rows, given)) is None


@settings(max_examples=60)
@given(timelines(), counting)
def test_the_recorded_length_counts_the_versions_read(line: Timeline, linearization: str) -> None:
    """By brute force: among the first h updates, those of block j are what F(j, m) finds made."""
    found, schedule = delays(line, linearization), line.schedule
    for row in range(len(found.index)):
        m = found.microbatch[row]
        for j in range(schedule.stages):
            recorded = found.index[row] - found.matrix[row, j]
            in_history = int((found.stage[:recorded] == j).sum())
            forward = (schedule.kind == Kind.F) & (schedule.stage == j) & (schedule.microbatch == m)
            start = line.start[forward][0]
            backwards = (schedule.kind == Kind.B) & (schedule.stage == j)
            assert in_history == int((line.end[backwards] <= start).sum())
