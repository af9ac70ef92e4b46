"""Schedules pipesgd and sapipe, executed with numbers, against Algorithm 1 of the SAPipe paper.

A run knows the actions only: F remembers the weights of its layer, I finds them unchanged and
computes at what was remembered, W makes that a gradient, REDUCE hands it to the all-reduce, U
applies the mean of all workers. The paper's recursion knows iterations only. Numbers are exact.
"""

from __future__ import annotations

from collections import defaultdict, deque
from fractions import Fraction
from itertools import product

import pytest

from schedules import Kind, Schedule, build

Vector = tuple[Fraction, ...]
STEP = Fraction(1, 7)


def gradient(x: Vector, worker: int, iteration: int) -> Vector:
    """Of a loss in which all layers are coupled, on a worker's data of an iteration."""
    data = Fraction(3 * worker - 2 * iteration + 1, 4)
    total = sum(x, Fraction(0))
    return tuple(
        total * (layer + 1) / 3 + x[layer - 1] / 2 - data / (layer + 1) for layer in range(len(x))
    )


def algorithm_1(workers: int, iterations: int, layers: int, stale: int) -> list[Vector]:
    """x_0 … x_T: line 9 for the first `stale` layers, line 8 for the others.

    In iteration t = 1 a stale layer passes (line 6). What has been computed and not applied when
    the run ends is applied then.
    """
    x = [tuple(Fraction(layer + 1) for layer in range(layers))]
    means: list[Vector] = []
    for t in range(1, iterations + 1):
        found = [gradient(x[t - 1], worker, t) for worker in range(workers)]
        means.append(tuple(sum(each, Fraction(0)) / workers for each in zip(*found, strict=True)))
        step = [
            (means[t - 2][layer] if t > 1 else Fraction(0))
            if layer < stale
            else means[t - 1][layer]
            for layer in range(layers)
        ]
        x.append(tuple(a - STEP * b for a, b in zip(x[t - 1], step, strict=True)))
    last = [means[-1][layer] if layer < stale else Fraction(0) for layer in range(layers)]
    return [*x[:-1], tuple(a - STEP * b for a, b in zip(x[-1], last, strict=True))]


def executed(schedule: Schedule) -> tuple[list[list[Vector]], list[Vector]]:
    """What every iteration of every worker read, and the last weights of every worker."""
    workers, layers = schedule.ranks, schedule.stages
    weights = [[Fraction(layer + 1) for layer in range(layers)] for _ in range(workers)]
    read: list[dict[int, list[Fraction]]] = [defaultdict(list) for _ in range(workers)]
    half: dict[tuple[int, int], Fraction] = {}
    own: dict[tuple[int, int], deque[Fraction]] = defaultdict(deque)
    reduced: dict[tuple[int, int], list[Fraction]] = defaultdict(list)
    arrived: dict[tuple[int, int], int] = defaultdict(int)
    number: dict[tuple[int, int], int] = defaultdict(int)
    todo = [deque(schedule.rank(rank)) for rank in range(workers)]
    while any(todo):
        before = sum(map(len, todo))
        for worker, actions in enumerate(todo):
            while actions:
                action = actions[0]
                layer, key = action.stage, (worker, action.stage)
                if action.kind is Kind.BARRIER and len(reduced[layer, number[key]]) < workers:
                    break
                actions.popleft()
                if action.kind is Kind.F:
                    read[worker][action.microbatch // workers].append(weights[worker][layer])
                elif action.kind is Kind.I:
                    t = action.microbatch // workers
                    assert weights[worker][layer] == read[worker][t][layer]
                    half[key] = gradient(tuple(read[worker][t]), worker, t + 1)[layer]
                elif action.kind is Kind.W:
                    own[key].append(half.pop(key))
                elif action.kind is Kind.REDUCE:
                    reduced[layer, arrived[key]].append(own[key].popleft())
                    arrived[key] += 1
                elif action.kind is Kind.U:
                    mean = sum(reduced[layer, number[key]], Fraction(0)) / workers
                    weights[worker][layer] -= STEP * mean
                    number[key] += 1
        assert sum(map(len, todo)) < before, "the workers wait for each other"
    seen = [[tuple(read[w][t]) for t in sorted(read[w])] for w in range(workers)]
    return seen, [tuple(each) for each in weights]


CASES = [
    (workers, iterations, layers, stale)
    for workers, iterations, layers in product((1, 2, 3), (1, 2, 5), (1, 2, 3))
    for stale in range(layers + 1)
]


@pytest.mark.parametrize(("workers", "iterations", "layers", "stale"), CASES)
def test_every_worker_follows_algorithm_1(
    workers: int, iterations: int, layers: int, stale: int
) -> None:
    schedule = build("sapipe", workers, workers * iterations, layers=layers, stale=stale)
    x = algorithm_1(workers, iterations, layers, stale)
    seen, last = executed(schedule)
    assert seen == [x[:-1]] * workers
    assert last == [x[-1]] * workers


@pytest.mark.parametrize("workers", [1, 3])
def test_pipesgd_is_a_recursion_of_two_steps(workers: int) -> None:
    """x_t = x_{t−1} − η g(x_{t−2}), and x_1 = x_0."""
    seen, _ = executed(build("pipesgd", workers, 6 * workers, layers=2))
    x = seen[0]
    assert x[1] == x[0]
    for t in range(2, 6):
        found = [gradient(x[t - 2], worker, t - 1) for worker in range(workers)]
        mean = [sum(each, Fraction(0)) / workers for each in zip(*found, strict=True)]
        assert x[t] == tuple(a - STEP * b for a, b in zip(x[t - 1], mean, strict=True))


def test_numbers_tell_the_families_apart() -> None:
    """Each number of stale layers leads somewhere else, so that the comparison can fail."""
    ends = {executed(build("sapipe", 2, 8, layers=3, stale=k))[1][0] for k in range(4)}
    assert len(ends) == 4
