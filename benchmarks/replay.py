"""Replays of stale block updates and of local steps against a straightforward loop, in one run.

The loop takes seeds and step sizes one after the other, reads points from a history of whole
iterates, computes every gradient whole, and the objective after each update. Prints ratios of CPU
time, by one thread, and how far iterates differ.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from schedules import build
from staleproof.experiments.problems import (
    Array,
    Problem,
    random_logistic,
    random_quadratic,
    together,
)
from staleproof.experiments.replay import Order, local_sgd, order_of, random_order, replay

P, MICROBATCHES, LOCAL_STEPS, MOST, SIZE = 8, 100, 5, 60, 512
SEEDS = range(5)
RATES = 2.0 ** np.arange(-13, -3)  # as many seeds and rates as the experiments try
PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "quadratic": lambda seed: random_quadratic(2000, SIZE, 20, seed),
    "logistic": lambda seed: random_logistic(50, SIZE, 1e-4, seed),
}
Loop = Callable[[Problem, int, float], Array]


def whole_gradient(problem: Problem, w: Array, batch: int) -> Array:
    """Of the first draw's minibatch, straight from the definition."""
    count = problem.a.shape[1] // problem.batches
    rows = slice(batch * count, (batch + 1) * count)
    a, y = problem.a[0, rows], problem.y[0, rows]
    return np.asarray(a.T @ problem.loss.slope(a @ w, y) / count + problem.weight * w)


def _value(problem: Problem, w: Array) -> float:
    losses = problem.loss.value(problem.a[0] @ w, problem.y[0])
    return float(losses.mean() + problem.weight / 2 * (w @ w))


def by_loop(order: Order, problem: Problem, seed: int, rate: float) -> Array:
    """Every update by itself; the last iterate."""
    seed %= len(order.stages)
    blocks = np.array_split(np.arange(problem.size), P)
    history, values = [np.zeros(problem.size)], []
    for k, stage in enumerate(order.stages[seed]):
        read = np.empty(problem.size)
        for j, block in enumerate(blocks):
            read[block] = history[k - int(order.delays[seed, k, j])][block]
        now, block = history[-1].copy(), blocks[int(stage)]
        now[block] -= rate * whole_gradient(problem, read, int(order.batches[seed, k]))[block]
        history.append(now)
        values.append(_value(problem, now))
    return history[-1]


def locally(problem: Problem, seed: int, rate: float) -> Array:
    """Every job by itself, the objective at the mean of all replicas after each."""
    models, values = [np.zeros(problem.size) for _ in range(P)], []
    for job in range(MICROBATCHES):
        w = models[job % P]
        models[job % P] = w - rate * whole_gradient(problem, w, job % problem.batches)
        values.append(_value(problem, np.mean(models, axis=0)))
        if (job + 1) % (P * LOCAL_STEPS) == 0:
            models = [np.mean(models, axis=0)] * P
    return np.asarray(np.mean(models, axis=0))


def runs(whole: Problem) -> dict[str, tuple[Loop, Callable[[], Array]]]:
    """By method: the loop for one seed and step size, and the replay of all."""
    updates, at = P * MICROBATCHES, np.arange(1, P * MICROBATCHES, 100)
    own = order_of(build("pipedream", P, MICROBATCHES), whole.batches)
    drawn = random_order(P, updates, MICROBATCHES, whole.batches, MOST, SEEDS)
    return {
        "PipeDream": (partial(by_loop, own), lambda: replay(whole, own, RATES, at)[1]),
        "random delays": (partial(by_loop, drawn), lambda: replay(whole, drawn, RATES, at)[1]),
        "LocalSGD": (locally, lambda: local_sgd(whole, P, LOCAL_STEPS, MICROBATCHES, RATES)),
    }


def main() -> None:
    """Measure all; a loop's time is that of all seeds and step sizes."""
    print(f"{len(SEEDS)} seeds, {len(RATES)} step sizes, p = {P}, {MICROBATCHES} microbatches")
    for what, make in PROBLEMS.items():
        problems = [make(seed) for seed in SEEDS]
        for name, (loop, replayed) in runs(together(problems)).items():
            begun = time.process_time()
            looped = [[loop(one, seed, float(rate)) for rate in RATES]
                      for seed, one in enumerate(problems)]  # fmt: skip
            middle = time.process_time()
            last = replayed()
            ratio = (middle - begun) / (time.process_time() - middle)
            apart = abs(last.swapaxes(1, 2) - np.array(looped)).max()
            print(f"{what}, {name}: {ratio:.0f} times as long, {apart:.1e} apart", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
