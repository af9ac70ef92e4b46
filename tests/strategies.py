"""Hypothesis strategies that several tests share.

`any_schedules` is the wide one: every complete schedule that can run to its end, whoever would
write it. The others draw the parameters of the families.
"""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from schedules import LINEARIZATIONS, Action, Kind, Placement, Schedule, WeightPolicy, build

linearizations: SearchStrategy[str] = st.sampled_from(list(LINEARIZATIONS))

stages: SearchStrategy[int] = st.integers(1, 5)
microbatches: SearchStrategy[int] = st.integers(1, 12)

durations: SearchStrategy[dict[Kind, int]] = st.fixed_dictionaries(
    {kind: st.integers(1, 4) for kind in (Kind.F, Kind.B, Kind.I, Kind.W)}
)

policies: SearchStrategy[WeightPolicy] = st.sampled_from(
    (
        WeightPolicy("stash"),
        WeightPolicy("latest"),
        WeightPolicy("vertical-sync"),
        WeightPolicy("predict", horizon=3),
        WeightPolicy("flush"),
        WeightPolicy("stash", interval=2),
        WeightPolicy("latest", interval=3),
        WeightPolicy("double-buffer", interval=2),
    )
)

pipedreams: SearchStrategy[Schedule] = st.builds(
    lambda p, M, noam: build("pipedream", p, M, noam=noam),
    stages,
    microbatches,
    st.integers(1, 7),
)

localsgds: SearchStrategy[Schedule] = st.builds(
    lambda p, M, n, H: build("localsgd", p, M, replicas=n, local_steps=H),
    stages,
    microbatches,
    st.integers(1, 4),
    st.integers(1, 3),
)


@st.composite
def any_schedules(
    draw: DrawFn, policy: SearchStrategy[WeightPolicy] = policies, most: int = 4
) -> Schedule:
    """Any complete schedule that can run to its end.

    A random order of all actions that respects what each one waits for, dealt out to the ranks
    that hold the stages. Microbatches may overtake each other, some backwards are split, ranks
    may hold several stages, and two pipelines may run on shared weights or on copies.
    """
    p, M = draw(st.integers(1, most)), draw(st.sampled_from(range(most, 0, -1)))
    rank_of = draw(st.lists(st.integers(0, p - 1), min_size=p, max_size=p))
    pairs = list(product(range(p), range(M)))
    split = draw(st.frozensets(st.sampled_from(pairs)))
    pipelines = draw(st.integers(1, 2))
    waits = _waits(p, M, split, pipelines)
    left = draw(st.permutations(list(waits)))
    orders: list[list[Action]] = [[] for _ in range(p)]
    done: set[Action] = set()
    while left:
        action = next(action for action in left if waits[action] <= done)
        left.remove(action)
        done.add(action)
        orders[rank_of[action.stage]].append(action)
    copies = [(0,) * p] * pipelines if draw(st.booleans()) else [(c,) * p for c in range(pipelines)]
    owners = draw(st.none() | st.sampled_from(copies))
    placement = Placement((tuple(rank_of),) * pipelines, tuple(copies), owners)
    return Schedule.from_orders("drawn", orders, M, draw(policy), placement=placement)


def _waits(
    p: int, M: int, split: frozenset[tuple[int, int]], pipelines: int
) -> dict[Action, set[Action]]:
    """All actions of a training step, each with the ones it needs the results of."""

    def action(kind: Kind, s: int, m: int) -> Action:
        return Action(kind, s, m, m % pipelines)

    def input_gradient(s: int, m: int) -> Action:
        return action(Kind.I if (s, m) in split else Kind.B, s, m)

    waits: dict[Action, set[Action]] = {}
    for s, m in product(range(p), range(M)):
        forward = action(Kind.F, s, m)
        waits[forward] = {action(Kind.F, s - 1, m)} if s else set()
        waits[input_gradient(s, m)] = {forward}
        if s + 1 < p:
            waits[input_gradient(s, m)].add(input_gradient(s + 1, m))
        if (s, m) in split:
            waits[action(Kind.W, s, m)] = {input_gradient(s, m)}
    return waits
