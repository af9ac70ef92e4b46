"""Replays of stale block updates against a straightforward loop, in one run.

The loop keeps a stash per stage and microbatch, computes every gradient whole, and the objective
after each update, for one step size after the other. Prints the ratio and how far iterates differ.
"""

from __future__ import annotations

import time

import numpy as np

from schedules import build, timeline
from schedules.delays import delays
from staleproof.experiments.problems import Array, LeastSquares, random_quadratic
from staleproof.experiments.replay import pipedream_order, replay

P, MICROBATCHES, BATCHES = 8, 100, 20
RATES = 2.0 ** np.arange(-9, -3)


def by_loop(problem: LeastSquares, rate: float) -> tuple[Array, list[float]]:
    """Every update by itself; returns the last iterate and the objective after each."""
    found = delays(timeline(build("pipedream", P, MICROBATCHES)))
    blocks = np.array_split(np.arange(problem.size), P)
    history = [np.zeros(problem.size)]
    values = []
    for k in np.argsort(found.index, kind="stable"):
        read = np.empty(problem.size)
        for j, block in enumerate(blocks):
            read[block] = history[int(found.index[k] - found.matrix[k, j])][block]
        batch = int(found.microbatch[k]) % BATCHES
        slopes = problem.slopes(read[None], batch)
        gradient = problem.gradient(read[None], slopes, batch, slice(None))[0]
        block, now = blocks[int(found.stage[k])], history[-1].copy()
        now[block] -= rate * gradient[block]
        history.append(now)
        values.append(float(problem.value(now[None])[0]))
    return history[-1], values


def main() -> None:
    """Measure both; the loop's time is that of all step sizes."""
    problem = random_quadratic(2000, 512, BATCHES)
    begun = time.process_time()
    looped = [by_loop(problem, float(rate)) for rate in RATES]
    middle = time.process_time()
    order = pipedream_order(P, MICROBATCHES, BATCHES)
    at = np.arange(1, P * MICROBATCHES + 1, 100)
    _, last = replay(problem, order, RATES, at)
    ended = time.process_time()
    apart = max(abs(last[n] - w).max() for n, (w, _) in enumerate(looped))
    print(f"{len(RATES)} step sizes, {P * MICROBATCHES} updates, d = {problem.size}")
    print(f"loop over replay: {(middle - begun) / (ended - middle):.0f} times as long")
    print(f"iterates differ by {apart:.1e} at most")


if __name__ == "__main__":
    main()
