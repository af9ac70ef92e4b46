"""Laws of AMDP: mismatch by minibatch, makespan, and what pipelines that share ranks do to it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import Action, Kind, Placement, Schedule, WeightPolicy, build, timeline, versions
from schedules.families import amdp
from schedules.families.pipedream import RULE
from schedules.families.sharing import Tie, backward_first, run_sharing
from schedules.rules import run_greedy
from schedules.validate import validate

F, B = Kind.F, Kind.B

more = st.integers(0, 20)
times = st.fixed_dictionaries({F: st.integers(1, 5), B: st.integers(1, 5)})


@st.composite
def sizes_of_amdp(draw: st.DrawFn) -> dict[str, int]:
    """All parameters of an AMDP schedule that fit together."""
    p, lanes = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    n = draw(st.integers(1, p))
    sharing = (lanes + 1) // 2
    window = draw(st.one_of(st.just(1), st.integers(n * sharing, 2 * n * sharing)))
    return {
        "p": p,
        "M": lanes * window + draw(more),
        "admission": n,
        "pipelines": lanes,
        "stage_cap": draw(st.integers(0, 1)),
        "window": window,
        "stash": draw(st.integers(0, 1)),
    }


def amdp_schedule(size: dict[str, int]) -> Schedule:
    rest = {name: value for name, value in size.items() if name not in ("p", "M")}
    return build("amdp", size["p"], size["M"], **rest)


def with_own_weights(schedule: Schedule, policy: WeightPolicy | None = None) -> Schedule:
    """The same order, each pipeline with weights that only its own gradients update."""
    placement = schedule.placement
    copies = tuple((pipeline,) * schedule.stages for pipeline in range(placement.pipelines))
    own = Placement(placement.ranks, copies)
    return replace(schedule, placement=own, policy=policy or schedule.policy)


# One pipeline


def one_pipeline(p: int, n: int, M: int, stage_cap: int) -> Schedule:
    return build("amdp", p, M, admission=n, pipelines=1, stage_cap=stage_cap)


def exact_mismatch(p: int, n: int, s: int, m: int) -> int:
    """Mismatch of minibatch m at stage s, with a cap at every stage."""
    ahead, r = p - 1 - s, m % n
    return min(m, ahead) if m < n else min(r, ahead) + max(0, n - 1 - s - r)


SIZES = [(p, n) for p in range(1, 8) for n in range(1, p + 1)]


@pytest.mark.parametrize("stage_cap", [0, 1])
@pytest.mark.parametrize(("p", "n"), SIZES)
def test_mismatch_of_one_pipeline(p: int, n: int, stage_cap: int) -> None:
    """In start-up, steady state and drain; without the cap only from minibatch n on, or n ≤ 2."""
    for M in (1, n, n + 1, 2 * p + 3, 5 * n + 2):
        found = versions(one_pipeline(p, n, M, stage_cap)).mismatch
        for s, m in product(range(p), range(M)):
            if stage_cap or n <= 2 or m >= n:
                assert found[s, m] == exact_mismatch(p, n, s, m)


@pytest.mark.parametrize(("p", "n"), SIZES)
def test_published_mismatch_is_the_largest_under_the_cap(p: int, n: int) -> None:
    """Attained by the last of every n minibatches at every stage, at stage 0 by all from n − 1."""
    M = 5 * n
    found = versions(one_pipeline(p, n, M, 1)).mismatch
    published = np.array([min(n, p - s) - 1 for s in range(p)])
    assert (found.max(axis=1) == published).all()
    assert (found[:, n - 1 :: n] == published[:, None]).all()
    assert (found[0, n - 1 :] == published[0]).all()
    if 2 <= n < p:
        assert (found[1:-1, n::n] < published[1:-1, None]).all()


@pytest.mark.parametrize(("p", "n"), [(p, n) for p, n in SIZES if n >= 3])
def test_published_mismatch_is_exceeded_without_the_cap(p: int, n: int) -> None:
    found = versions(one_pipeline(p, n, 5 * n, 0)).mismatch
    published = np.array([min(n, p - s) - 1 for s in range(p)])
    exceeded = found > published[:, None]
    assert exceeded.any()
    assert not exceeded[:, n:].any()
    assert not exceeded[0].any()
    assert not exceeded[-1].any()


@given(st.sampled_from(SIZES), st.integers(1, 40), st.integers(0, 1), times)
def test_makespan_of_one_pipeline(
    size: tuple[int, int], M: int, stage_cap: int, durations: dict[Kind, int]
) -> None:
    p, n = size
    rounds, rest = divmod(M - 1, n)
    stated = (durations[F] + durations[B]) * (p * (rounds + 1) + rest)
    found = timeline(one_pipeline(p, n, M, stage_cap), durations).length
    if durations[B] >= durations[F] or n <= 2:
        assert found == stated
    else:
        assert found >= stated


@given(st.sampled_from(SIZES), st.integers(1, 20))
def test_one_pipeline_without_cap_is_pipedream_with_fewer_admitted(
    size: tuple[int, int], M: int
) -> None:
    """First come, first served adds nothing where nobody else comes."""
    schedule = one_pipeline(*size, M, 0)
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    assert orders == run_greedy(RULE, size[0], M, size[1]).orders


@given(st.sampled_from(SIZES), st.integers(1, 20))
def test_cap_is_a_gate_of_the_greedy_rule(size: tuple[int, int], M: int) -> None:
    p, n = size

    def gate(stage: int, m: int) -> tuple[int, int] | None:
        cap = min(n, p - stage)
        return (stage, m - cap) if m >= cap else None

    schedule = one_pipeline(p, n, M, 1)
    assert [list(schedule.rank(rank)) for rank in range(p)] == run_greedy(
        RULE, p, M, n, [gate]
    ).orders


# Several pipelines


@given(sizes_of_amdp())
def test_every_amdp_is_valid(size: dict[str, int]) -> None:
    schedule = amdp_schedule(size)
    assert validate(schedule) == []
    assert len(schedule) == 2 * size["p"] * size["M"]
    assert (schedule.microbatch % size["pipelines"] == schedule.pipeline).all()
    assert versions(schedule).stashed.all() or not size["stash"]


@given(sizes_of_amdp())
def test_admission_holds_per_pipeline_and_stage(size: dict[str, int]) -> None:
    p, lanes = size["p"], size["pipelines"]
    limits = amdp.caps(p, size["M"], size["admission"], size["stage_cap"])
    schedule = amdp_schedule(size)
    under_way = np.zeros((lanes, p), dtype=int)
    for rank in range(schedule.ranks):
        for action in schedule.rank(rank):
            under_way[action.pipeline, action.stage] += 1 if action.kind is F else -1
            assert under_way[action.pipeline, action.stage] <= limits[action.stage]


@given(sizes_of_amdp())
def test_mismatch_by_own_updates_is_bounded_under_the_cap(size: dict[str, int]) -> None:
    """It counts the minibatches of the pipeline between F and B before it."""
    schedule = amdp_schedule(size)
    found = versions(with_own_weights(schedule, WeightPolicy("latest"))).mismatch
    bound = np.array([min(size["admission"], size["p"] - s) - 1 for s in range(size["p"])])
    if size["stage_cap"] or size["admission"] <= 2:
        assert (found <= bound[:, None]).all()


@given(sizes_of_amdp())
def test_a_window_leaves_one_step_at_most_under_the_cap(size: dict[str, int]) -> None:
    if size["window"] > 1 and (size["stage_cap"] or size["admission"] <= 2):
        assert versions(amdp_schedule(size)).mismatch.max() <= 1


@pytest.mark.parametrize(("p", "sharing"), [(6, 2), (8, 2), (10, 3), (12, 3), (16, 4)])
def test_pipelines_of_one_direction_update_each_others_weights(p: int, sharing: int) -> None:
    """k of them: a mismatch of 2k − 1, where each alone has 1."""
    schedule = build("amdp", p, 10 * p)
    assert versions(schedule).mismatch.max() == 2 * sharing - 1
    assert versions(with_own_weights(schedule)).mismatch.max() == 1


def gaps_after_start_up(schedule: Schedule, durations: dict[Kind, int]) -> int:
    """Idle time in the middle third of a run."""
    line = timeline(schedule, durations)
    low, high = line.length // 3, 2 * line.length // 3
    busy = np.clip(line.end, low, high) - np.clip(line.start, low, high)
    return int(schedule.ranks * (high - low) - busy.sum())


@pytest.mark.parametrize(
    ("p", "durations", "fills"),
    [
        (2, {F: 1, B: 1}, True),
        (2, {F: 1, B: 2}, True),
        (4, {F: 1, B: 1}, True),
        (4, {F: 1, B: 2}, False),
        (4, {F: 2, B: 3}, False),
        (6, {F: 1, B: 1}, False),
        (8, {F: 1, B: 1}, False),
        (10, {F: 1, B: 1}, False),
        (12, {F: 1, B: 1}, True),
        (14, {F: 1, B: 1}, True),
        (16, {F: 1, B: 1}, True),
        (16, {F: 1, B: 2}, False),
    ],
)
def test_when_half_as_many_pipelines_as_stages_fill_the_ranks(
    p: int, durations: dict[Kind, int], fills: bool
) -> None:
    assert (gaps_after_start_up(build("amdp", p, 12 * p), durations) == 0) is fills


def unit_gaps(placement: Placement, tie: Tie = backward_first) -> int:
    """Idle slots after start-up if two minibatches a pipeline are admitted and F = B = 1."""
    M = 12 * placement.stages
    orders = run_sharing(RULE, placement, M, [2] * placement.stages, tie=tie)
    policy = WeightPolicy("latest")
    schedule = Schedule.from_orders("run", orders, M, policy, placement=placement)
    return gaps_after_start_up(schedule, {F: 1, B: 1})


def test_whether_eight_stages_are_filled_depends_on_ties() -> None:
    placement = amdp.directions(8, 4)
    assert unit_gaps(placement) > 0
    assert unit_gaps(placement, lambda action: (action.kind is B, action.microbatch)) == 0


@pytest.mark.parametrize("p", [4, 6, 8, 10])
def test_one_direction_would_fill_the_ranks(p: int) -> None:
    """What opposite directions leave open at p = 6, 8 and 10, pipelines in one direction do not."""
    assert unit_gaps(Placement.one_stage_a_rank(p, pipelines=p // 2)) == 0


def literal(size: dict[str, int]) -> tuple[list[list[Action]], dict[Action, int]]:
    """The rule written out slot by slot: orders, and the slot of every action.

    Who is ready is looked up anew in every slot, and noted the first time.
    """
    p, M, n, lanes = size["p"], size["M"], size["admission"], size["pipelines"]
    slot_of: dict[Action, int] = {}
    ready_since: dict[Action, int] = {}
    orders: list[list[Action]] = [[] for _ in range(p)]
    done: list[Action] = []

    def inputs(action: Action) -> list[Action]:
        kind, s, m, lane = action.kind, action.stage, action.microbatch, action.pipeline
        if kind is B:
            below = [Action(B, s + 1, m, lane)] if s < p - 1 else []
            return [Action(F, s, m, lane), *below]
        cap = min(n, p - s) if size["stage_cap"] else n if s == 0 else M
        earlier = [Action(B, s, m - cap * lanes, lane)] if m >= cap * lanes else []
        return [Action(F, s - 1, m, lane), *earlier] if s else earlier

    todo = {Action(k, s, m, m % lanes) for k in (F, B) for s in range(p) for m in range(M)}
    slot = 0
    while todo:
        finished = set(done)
        for action in todo:
            if action not in ready_since and set(inputs(action)) <= finished:
                ready_since[action] = slot
        for rank in range(p):
            asked = []
            for lane in range(lanes):
                s = p - 1 - rank if lane % 2 else rank
                own = [a for a in todo if (a.stage, a.pipeline) == (s, lane)]
                heads = [min((a for a in own if a.kind is k), default=None) for k in (F, B)]
                ready = [a for a in heads if a is not None and a in ready_since]
                mine = [a for a in orders[rank] if (a.stage, a.pipeline) == (s, lane)]
                begun = any(a.kind is B for a in mine)
                wanted = F if begun and mine[-1].kind is B else B
                asked += [a for a in ready if a.kind is wanted] or ready
            if asked:
                first = min(asked, key=lambda a: (ready_since[a], a.kind is F, a.microbatch))
                todo.remove(first)
                orders[rank].append(first)
                slot_of[first] = slot
        slot += 1
        done = list(slot_of)
    return orders, slot_of


@settings(max_examples=40)
@given(sizes_of_amdp().filter(lambda size: size["p"] * size["M"] <= 60))
def test_rule_written_out_slot_by_slot(size: dict[str, int]) -> None:
    schedule = amdp_schedule(size)
    orders, slot_of = literal(size)
    assert [list(schedule.rank(rank)) for rank in range(schedule.ranks)] == orders
    start = timeline(schedule).start.tolist()
    assert {schedule.action(index): at for index, at in enumerate(start)} == slot_of
