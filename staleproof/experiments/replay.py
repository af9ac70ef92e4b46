"""Replaying stale block updates: one core for PipeDream's own order and for random order.

K updates, p blocks, R runs (step sizes) at once. Update k changes block ``stages[k]`` by the
gradient of minibatch ``batches[k]`` at the point whose block j is what it was ``delays[k, j]``
updates ago. Delays come from `schedules`, or are drawn.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from schedules import build, timeline
from schedules.delays import delays
from staleproof.experiments.problems import Array, Problem

Integers = NDArray[np.int64]
Rates = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Order:
    """What is updated when, and how stale it reads.

    Attributes
    ----------
    stages, batches : ndarray of int, shape (K,)
    delays : ndarray of int, shape (K, p)
    readers : ndarray of int, shape (K,)
        Updates of one reader read one point: the microbatch, in a pipeline.
    """

    stages: Integers
    batches: Integers
    delays: Integers
    readers: Integers


def pipedream_order(p: int, microbatches: int, batches: int) -> Order:
    """PipeDream's static 1F1B order, minibatches in turn, with its exact delays.

    Examples
    --------
    >>> pipedream_order(2, 3, 2).delays.tolist()
    [[0, 0], [1, 1], [2, 0], [3, 1], [2, 0], [3, 1]]
    """
    found = delays(timeline(build("pipedream", p, microbatches)))
    order = np.argsort(found.index, kind="stable")
    microbatch = found.microbatch[order].astype(np.int64)
    return Order(
        found.stage[order].astype(np.int64),
        microbatch % batches,
        found.matrix[order].astype(np.int64),
        microbatch,
    )


def random_order(
    p: int, updates: int, microbatches: int, batches: int, most: int, seed: int
) -> Order:
    """Random partial delays: stage, minibatch and delays up to `most` are drawn uniformly.

    Drawn as those authors draw them, one update after the other: stage, place among the
    microbatches whose minibatches come in turn, delays. Of one seed the run is theirs.

    Examples
    --------
    >>> order = random_order(8, 3, 300, 60, 60, 0)
    >>> order.stages.tolist(), order.batches.tolist(), order.delays[2].tolist()
    ([6, 4, 4], [11, 20, 1], [2, 2, 1, 1, 1, 2, 0, 2])
    """
    rng = np.random.default_rng(seed)
    stages, chosen = np.empty((2, updates), dtype=np.int64)
    late = np.empty((updates, p), dtype=np.int64)
    for k in range(updates):
        stages[k] = rng.integers(p)
        chosen[k] = rng.integers(microbatches) % batches
        late[k] = rng.integers(min(most, k) + 1, size=p)
    return Order(stages, chosen, late, np.arange(updates))


@lru_cache(maxsize=64)
def microbatches_in(slots: int, family: str, p: int, **settings: int) -> int:
    """The fewest microbatches whose timeline takes so many slots, of the schedule itself.

    Two slots a microbatch are the least that a stage needs, by which the search is narrowed.

    Examples
    --------
    >>> microbatches_in(814, "pipedream", 8)
    400
    """

    def taken(microbatches: int) -> int:
        return int(timeline(build(family, p, microbatches, **settings)).length)

    high = slots // 2
    low = max(high - (taken(high) - slots) // 2, 1)
    return bisect_left(range(high), slots, lo=low, key=taken) if taken(low) < slots else low


def replay(
    problem: Problem, order: Order, rates: Rates, at: Integers, noise: Array | None = None
) -> tuple[Array, Array]:
    """The objective after so many updates, for every rate.

    Parameters
    ----------
    problem : Problem
    order : Order
    rates : ndarray, shape (R,)
    at : ndarray of int, shape (A,)
        Ascending numbers of updates, from 0 to K.
    noise : ndarray, shape (R, ≥ K d/p), optional
        What is added to the gradients, coordinate after coordinate in the order of updates.

    Returns
    -------
    values : ndarray, shape (A, R)
    w : ndarray, shape (R, d)
        The last iterate. Where a run overflows, both are infinite or not a number.
    """
    p = order.delays.shape[1]
    blocks, read = _blocks(problem.size, p), _versions(order, p)
    owner = np.repeat(np.arange(p), [block.stop - block.start for block in blocks])
    # Version v of every parameter, of all runs, is row v d + parameter: one gather makes a point.
    most = int(np.bincount(order.stages, minlength=p).max(initial=0)) + 1
    history, places = np.zeros((most * problem.size, len(rates))), np.arange(problem.size)
    written, w = [0] * p, np.zeros((len(rates), problem.size))
    values, reader, slopes, point, drawn = [], -1, np.zeros(0), np.zeros(0), 0
    wanted = iter([*at.tolist(), -1])
    due = next(wanted)
    with np.errstate(over="ignore", invalid="ignore"):
        for k, stage in enumerate([*order.stages.tolist(), -1]):
            if k == due:
                values.append(problem.value(w))
                due = next(wanted)
            if stage < 0:
                break
            batch, block = int(order.batches[k]), blocks[stage]
            if order.readers[k] != reader:
                rows = read[k][owner] * problem.size + places
                point = np.ascontiguousarray(history.take(rows, axis=0).T)
                slopes, reader = problem.slopes(point, batch), int(order.readers[k])
            step = problem.gradient(point, slopes, batch, block)
            if noise is not None:
                step = step + noise[:, drawn : drawn + step.shape[1]]
                drawn += step.shape[1]
            w[:, block] -= rates[:, None] * step
            written[stage] += 1
            first = written[stage] * problem.size
            history[first + block.start : first + block.stop] = w[:, block].T
    return np.array(values), w


def local_sgd(
    problem: Problem,
    replicas: int,
    local_steps: int,
    jobs: int,
    batches: int,
    rates: Rates,
    noise: Array | None = None,
) -> Array:
    """Local steps: jobs dealt in turn, replicas averaged after so many steps each.

    Parameters
    ----------
    problem : Problem
    replicas, local_steps, jobs, batches : int
    rates : ndarray, shape (R,)
    noise : ndarray, shape (R, jobs, d), optional
        What is added to the gradients.

    Returns
    -------
    ndarray, shape (R, d)
        The mean of the replicas after the last complete or incomplete round.
    """
    mean = np.zeros((len(rates), problem.size))
    a_round = replicas * local_steps
    for first in range(0, jobs, a_round):
        ends = []
        for replica in range(replicas):
            w = mean
            for job in range(first + replica, min(first + a_round, jobs), replicas):
                slopes = problem.slopes(w, job % batches)
                step = problem.gradient(w, slopes, job % batches, slice(None))
                w = w - rates[:, None] * (step if noise is None else step + noise[:, job])
            ends.append(w)
        mean = np.mean(ends, axis=0)
    return mean


def stale_distance(problem: Problem, order: Order, rate: float) -> tuple[float, float, float]:
    """Mean of ‖x − x̂‖² over the updates, the largest of it, and the largest ‖block gradient‖².

    x̂ is what an update reads, x what is current then; of the second half of the updates.
    """
    p = order.delays.shape[1]
    blocks, read = _blocks(problem.size, p), _versions(order, p)
    versions = [[np.zeros(block.stop - block.start)] for block in blocks]
    apart, steepest = [], 0.0
    for k, stage in enumerate(order.stages.tolist()):
        point = np.concatenate([versions[j][read[k, j]] for j in range(p)])
        now = np.concatenate([known[-1] for known in versions])
        batch = int(order.batches[k])
        slopes = problem.slopes(point[None], batch)
        step = problem.gradient(point[None], slopes, batch, blocks[stage])[0]
        steepest = max(steepest, float(step @ step))
        apart.append(float(((now - point) ** 2).sum()))
        versions[stage].append(versions[stage][-1] - rate * step)
    half = apart[len(apart) // 2 :]
    return float(np.mean(half)), max(apart), steepest


def _blocks(size: int, p: int) -> list[slice]:
    ends = [int(part[-1]) + 1 for part in np.array_split(np.arange(size), p)]
    return [slice(first, last) for first, last in zip([0, *ends], ends, strict=False)]


def _versions(order: Order, p: int) -> Integers:
    """Which version of every block each update reads: its updates in the history that it saw."""
    counted = np.zeros((len(order.stages) + 1, p), dtype=np.int64)
    np.cumsum(order.stages[:, None] == np.arange(p), axis=0, out=counted[1:])
    seen = np.arange(len(order.stages))[:, None] - order.delays
    return np.asarray(np.take_along_axis(counted, seen, axis=0))
