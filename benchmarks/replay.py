"""Replays of stale block updates and of local steps against a straightforward loop, in one run.

The loop reads points from a history of whole iterates, computes every gradient whole, and the
objective after each update, for one step size after the other. Prints ratios of CPU time and how
far iterates differ.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from staleproof.experiments.problems import Array, Problem, random_logistic, random_quadratic
from staleproof.experiments.replay import Order, local_sgd, pipedream_order, random_order, replay

P, MICROBATCHES, LOCAL_STEPS, MOST = 8, 100, 5, 60
RATES = 2.0 ** np.arange(-13, -3)  # as many as the experiments try
PROBLEMS: dict[str, tuple[Problem, int]] = {
    "quadratic": (random_quadratic(2000, 512, 20), 20),
    "logistic": (random_logistic(50, 512, 1e-4, 0), 50),
}
Runner = Callable[[], Array]


def _gradient(problem: Problem, point: Array, batch: int) -> Array:
    slopes = problem.slopes(point[None], batch)
    return np.asarray(problem.gradient(point[None], slopes, batch, slice(None))[0])


def by_loop(problem: Problem, order: Order, rate: float) -> Array:
    """Every update by itself; the last iterate."""
    blocks = np.array_split(np.arange(problem.size), P)
    history, values = [np.zeros(problem.size)], []
    for k, stage in enumerate(order.stages):
        read = np.empty(problem.size)
        for j, block in enumerate(blocks):
            read[block] = history[k - int(order.delays[k, j])][block]
        now, block = history[-1].copy(), blocks[int(stage)]
        now[block] -= rate * _gradient(problem, read, int(order.batches[k]))[block]
        history.append(now)
        values.append(float(problem.value(now[None])[0]))
    return history[-1]


def replayed(problem: Problem, order: Order) -> Array:
    """All step sizes at once; the last iterates."""
    return replay(problem, order, RATES, np.arange(1, len(order.stages), 100))[1]


def locally(problem: Problem, batches: int, rate: float) -> Array:
    """Every job by itself, the objective at the mean of all replicas after each."""
    models, values = [np.zeros(problem.size) for _ in range(P)], []
    for job in range(MICROBATCHES):
        w = models[job % P]
        models[job % P] = w - rate * _gradient(problem, w, job % batches)
        values.append(float(problem.value(np.mean(models, axis=0)[None])[0]))
        if (job + 1) % (P * LOCAL_STEPS) == 0:
            models = [np.mean(models, axis=0)] * P
    return np.asarray(np.mean(models, axis=0))


def runs(problem: Problem, batches: int) -> dict[str, tuple[Callable[[float], Array], Runner]]:
    """By method: the loop for one step size, and the replay of all."""
    orders = {
        "PipeDream": pipedream_order(P, MICROBATCHES, batches),
        "random delays": random_order(P, P * MICROBATCHES, MICROBATCHES, batches, MOST, 0),
    }
    found: dict[str, tuple[Callable[[float], Array], Runner]] = {}
    for name, order in orders.items():
        found[name] = (
            partial(by_loop, problem, order),
            partial(replayed, problem, order),
        )
    found["LocalSGD"] = (
        partial(locally, problem, batches),
        partial(local_sgd, problem, P, LOCAL_STEPS, MICROBATCHES, batches, RATES),
    )
    return found


def main() -> None:
    """Measure all; a loop's time is that of all step sizes."""
    print(f"{len(RATES)} step sizes, p = {P}, {MICROBATCHES} microbatches, d = 512")
    for what, (problem, batches) in PROBLEMS.items():
        for name, (loop, whole) in runs(problem, batches).items():
            begun = time.process_time()
            looped = [loop(float(rate)) for rate in RATES]
            middle = time.process_time()
            last = whole()
            ratio = (middle - begun) / (time.process_time() - middle)
            apart = max(abs(last[n] - w).max() for n, w in enumerate(looped))
            print(f"{what}, {name}: {ratio:.0f} times as long, {apart:.1e} apart")


if __name__ == "__main__":
    main()
