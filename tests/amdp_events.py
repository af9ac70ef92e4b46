"""AMDP's pipelines by events, written apart from the plays: one queue a rank, literally FIFO."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Action(NamedTuple):
    """Whose, where, ``"F"`` or ``"B"``, and which minibatch of its pipeline."""

    pipeline: int
    stage: int
    kind: str
    number: int


class Seen(NamedTuple):
    """A minibatch at a stage: when F and B start, and the backwards of the stage over by then."""

    stage: int
    minibatch: int
    forward: int
    backward: int
    over_at_forward: int
    over_at_backward: int

    def mismatch(self, window: int) -> int:
        return self.over_at_backward // window - self.over_at_forward // window


Order = Callable[[Action], tuple[int, ...]]


def by_pipeline(action: Action) -> tuple[int, ...]:
    """Lower pipelines first."""
    return action.pipeline, action.stage, action.kind == "F", action.number


def by_minibatch(action: Action) -> tuple[int, ...]:
    """Earlier minibatches first."""
    return action.number, *by_pipeline(action)


def backwards_first(order: Order) -> Order:
    """The same among backwards, and among forwards behind these."""
    return lambda action: (int(action.kind == "F"), *order(action))


def chimera(stages: int) -> list[list[int]]:
    """Ranks by pipeline and stage, in the words of Chimera's section 3.6 for f = d/4 pairs."""
    rows = []
    for pair in range(stages // 4):
        down = [(pair * (stages // (stages // 4)) + stage) % stages for stage in range(stages)]
        rows += [down, down[::-1]]
    return rows


def straight(stages: int) -> list[list[int]]:
    """Down the ranks and up again, in turn."""
    down = list(range(stages))
    return [down[::-1] if pipeline % 2 else down for pipeline in range(stages // 2)]


def run(
    ranks: Sequence[Sequence[int]],
    takes: Callable[[Action], int],
    order: Order,
    actions: int,
) -> list[Seen]:
    """What minibatches see, until so many actions have started."""
    pipelines, stages = len(ranks), len(ranks[0])
    queues: list[list[tuple[int, tuple[int, ...], Action]]] = [[] for _ in range(stages)]
    running: list[tuple[int, int, Action]] = []
    free, over = [True] * stages, [0] * stages
    read: dict[tuple[int, int, int], tuple[int, int]] = {}
    found: list[Seen] = []

    def comes(action: Action, now: int) -> None:
        queue = queues[ranks[action.pipeline][action.stage]]
        heapq.heappush(queue, (now, order(action), action))

    for number in range(2):
        for pipeline in range(pipelines):
            comes(Action(pipeline, 0, "F", number), 0)
    now = started = 0
    while started < actions:
        for rank in range(stages):
            if free[rank] and queues[rank]:
                action = heapq.heappop(queues[rank])[-1]
                key = (action.pipeline, action.stage, action.number)
                if action.kind == "F":
                    read[key] = now, over[action.stage]
                else:
                    since, before = read.pop(key)
                    minibatch = action.number * pipelines + action.pipeline
                    counts = before, over[action.stage]
                    found.append(Seen(action.stage, minibatch, since, now, *counts))
                free[rank] = False
                started += 1
                heapq.heappush(running, (now + takes(action), rank, action))
        now = running[0][0]
        while running and running[0][0] == now:
            _, rank, (pipeline, stage, kind, number) = heapq.heappop(running)
            free[rank] = True
            over[stage] += kind == "B"
            if kind == "F":
                down = stage + 1 < stages
                comes(Action(pipeline, stage + down, "F" if down else "B", number), now)
            elif stage:
                comes(Action(pipeline, stage - 1, "B", number), now)
            else:
                comes(Action(pipeline, 0, "F", number + 2), now)
    return found
