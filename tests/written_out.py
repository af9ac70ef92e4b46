"""Orders of families written out step by step, as their sources state them: a second way.

The families state stamps; here a loop lays the actions out one after the other.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence

from schedules.actions import Action, Kind

NEAR, FAR = 0, 1
DOWN, UP = 0, 1
Part = tuple[Kind, int]


def lagged_order(stage: int, microbatches: int, input_lag: int, weight_lag: int) -> list[Action]:
    return [
        Action(kind, stage, m)
        for x in range(microbatches + weight_lag)
        for kind, m in ((Kind.F, x), (Kind.I, x - input_lag), (Kind.W, x - weight_lag))
        if 0 <= m < microbatches
    ]


def zbv_steps(rank: int, ranks: int, microbatches: int) -> list[Part]:
    inner = ranks - rank
    backward_down = [(Kind.I, DOWN), (Kind.W, DOWN)]
    up = [(Kind.F, UP), (Kind.I, UP), (Kind.W, UP)]
    return [
        *[(Kind.F, DOWN)] * (2 * inner - 1),
        *[(Kind.F, UP), (Kind.F, DOWN)] * rank,
        *up * inner,
        *[(Kind.F, DOWN), *backward_down, *up] * (microbatches - 2 * ranks + rank + 1),
        *[*backward_down, *up] * (inner - 1),
        *[(Kind.I, DOWN), (Kind.I, UP)] * rank,
        *backward_down * inner,
        *[(Kind.W, UP)] * rank,
        *[(Kind.W, DOWN)] * rank,
    ]


def zbv(rank: int, ranks: int, microbatches: int) -> list[Action]:
    stage_of = (rank, 2 * ranks - 1 - rank)
    taken: Counter[Part] = Counter()
    order = []
    for step in zbv_steps(rank, ranks, max(microbatches, 2 * ranks - 1)):
        kind, way = step
        if taken[step] < microbatches:
            order.append(Action(kind, stage_of[way], taken[step]))
        taken[step] += 1
    return order


def dualpipe_steps(near_stage: int, stages: int, microbatches: int) -> list[tuple[Part, ...]]:
    inner = stages // 2 - near_stage - 1
    outer = near_stage + 1
    forward_near, forward_far = (Kind.F, NEAR), (Kind.F, FAR)
    backward_near, backward_far = (Kind.B, NEAR), (Kind.B, FAR)
    weight = (Kind.W, NEAR)
    near_with_far: tuple[Part, ...] = (forward_near, backward_far)
    far_with_near: tuple[Part, ...] = (forward_far, backward_near)
    main = [near_with_far, far_with_near] * (microbatches // 2 - stages + outer)
    if not inner:
        main[:1] = _apart(main[0])
    drain = [backward_far, backward_near] * outer
    drain[outer:] = [(Kind.I, direction) for _, direction in drain[outer:]]
    return [
        *_apart([forward_near] * (2 * inner)),
        *_apart([forward_near, forward_far] * outer),
        *_apart([(Kind.I, FAR), weight, forward_far] * inner),
        *main,
        *([(backward_far,), far_with_near] * inner),
        *_apart(drain),
        *_apart([weight, (Kind.I, NEAR)] * inner),
        *_apart([weight] * outer),
    ]


def _apart(parts: Sequence[Part]) -> list[tuple[Part, ...]]:
    return [(part,) for part in parts]


def dualpipe(rank: int, stages: int, microbatches: int) -> tuple[list[Action], list[int]]:
    second_half = rank >= stages // 2
    near_stage = stages - 1 - rank if second_half else rank
    stage_of = (near_stage, stages - 1 - near_stage)
    pipeline_of = (int(second_half), int(not second_half))
    first_of = [pipeline * (microbatches // 2) for pipeline in pipeline_of]
    next_forward, next_backward = first_of.copy(), first_of.copy()
    owed: deque[Action] = deque()
    order: list[Action] = []
    groups: list[int] = []
    for step in dualpipe_steps(near_stage, stages, microbatches):
        if len(step) > 1:
            groups.append(len(order))
        for kind, direction in step:
            if kind is Kind.W:
                order.append(owed.popleft())
                continue
            counter = next_forward if kind is Kind.F else next_backward
            m, stage, pipeline = counter[direction], stage_of[direction], pipeline_of[direction]
            counter[direction] += 1
            order.append(Action(kind, stage, m, pipeline))
            if kind is Kind.I:
                owed.append(Action(Kind.W, stage, m, pipeline))
    return order, groups


def dualpipev(rank: int, ranks: int, microbatches: int) -> tuple[list[Action], list[int]]:
    stage_of = (rank, 2 * ranks - 1 - rank)
    next_forward, next_backward = [0, 0], [0, 0]
    owed: deque[Action] = deque()
    order: list[Action] = []
    groups: list[int] = []
    for step in dualpipe_steps(rank, 2 * ranks, 2 * microbatches):
        if len(step) > 1:
            groups.append(len(order))
        for kind, way in step:
            if kind is Kind.W:
                order.append(owed.popleft())
                continue
            counter = next_forward if kind is Kind.F else next_backward
            m, stage = counter[way], stage_of[way]
            counter[way] += 1
            order.append(Action(kind, stage, m))
            if kind is Kind.I:
                owed.append(Action(Kind.W, stage, m))
    return order, groups


def timetable(rank: int, stages: int, microbatches: int) -> list[Action | None]:
    slots: list[Action | None] = [None] * (2 * microbatches + stages - 2)
    half = stages // 2
    for m in range(microbatches):
        unit, place = divmod(m, stages)
        pipeline, index = divmod(place, half)
        stage = stages - 1 - rank if pipeline else rank
        begin = 2 * stages * unit + 2 * index
        for kind, slot in ((Kind.F, begin + stage), (Kind.B, begin + 2 * stages - 1 - stage)):
            assert slots[slot] is None
            slots[slot] = Action(kind, stage, m, pipeline)
    return slots


def chimera(rank: int, stages: int, microbatches: int) -> list[Action]:
    return [action for action in timetable(rank, stages, microbatches) if action]


def queued(p: int, v: int, M: int, size: int, rank: int, lags: Mapping[Kind, int]) -> list[Action]:
    """One queue a kind, round by round through the chunks; turn t does place t − lag of each."""
    chunks = [
        (chunk, first + m) for first in range(0, M, size) for chunk in range(v) for m in range(size)
    ]
    order = []
    for turn in range(v * M + max(lags.values())):
        for kind, lag in sorted(lags.items()):
            if 0 <= turn - lag < v * M:
                chunk, m = chunks[turn - lag]
                own = chunk if kind is Kind.F else v - 1 - chunk
                order.append(Action(kind, own * p + rank, m))
    return order


def interleaved(rank: int, p: int, M: int, v: int, per_hop: int, split: bool) -> list[Action]:
    """Interleaved 1F1B with two forwards a hop, or interleaved zero bubble with one."""
    size = M // max(1, M // p)
    ahead = min((v - 1) * size + per_hop * (p - 1 - rank), v * M)
    lags = {Kind.F: 0, Kind.I: ahead, Kind.W: ahead + rank} if split else {Kind.F: 0, Kind.B: ahead}
    return queued(p, v, M, size, rank, lags)


def looped(rank: int, p: int, M: int, v: int) -> list[Action]:
    forwards = queued(p, v, M, M, rank, {Kind.F: 0})
    return forwards + [Action(Kind.B, a.stage, a.microbatch) for a in reversed(forwards)]


def worker(iterations: int, layers: int, stale: int) -> Iterator[tuple[Kind, int, int]]:
    for t in range(iterations):
        for layer in range(layers):
            if t and layer >= stale:
                yield from _update(layer)
            yield Kind.F, layer, t
        for layer in reversed(range(layers)):
            yield Kind.I, layer, t
            if t and layer < stale:
                yield from _update(layer)
            yield Kind.W, layer, t
            yield Kind.REDUCE, layer, -1
    for layer in reversed(range(layers)):
        yield from _update(layer)


def _update(layer: int) -> Iterator[tuple[Kind, int, int]]:
    yield Kind.BARRIER, layer, -1
    yield Kind.U, layer, -1


def data_parallel(rank: int, steps: Iterator[tuple[Kind, int, int]], workers: int) -> list[Action]:
    """The program of one worker, of all of which `steps` is the same."""
    return [
        Action(kind, layer, m if m < 0 else m * workers + rank, rank) for kind, layer, m in steps
    ]
