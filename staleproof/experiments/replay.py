"""Replaying stale block updates: one core for a schedule's own order and for random order.

S seeds (draws of the data, of the order, or of both), R step sizes, all at once: K updates of p
blocks. Update k changes block ``stages[k]`` by the gradient of minibatch ``batches[k]`` at the
point whose block j is what it was ``delays[k, j]`` updates ago. Delays come from `schedules`, or
are drawn.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from schedules import Schedule, build, timeline
from schedules.delays import delays
from staleproof.errors import UsageError
from staleproof.experiments.problems import Array, Integers, Problem

Rates = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Order:
    """What is updated when, and how stale it reads: by seed, or once for all of them (S = 1).

    Attributes
    ----------
    stages, batches : ndarray of int, shape (S, K)
    delays : ndarray of int, shape (S, K, p)
    readers : ndarray of int, shape (K,)
        Updates of one reader read one point: the microbatch, in a pipeline.
    """

    stages: Integers
    batches: Integers
    delays: NDArray[np.integer]
    readers: Integers


def order_of(schedule: Schedule, batches: int) -> Order:
    """A schedule's own order of updates with its exact delays, minibatches in turn.

    Raises
    ------
    UsageError
        Updates apply several gradients, or weights other than those that the forward read.

    Examples
    --------
    >>> order_of(build("pipedream", 2, 3), 2).delays[0].tolist()
    [[0, 0], [1, 1], [2, 0], [3, 1], [2, 0], [3, 1]]
    """
    found, copies = delays(timeline(schedule)), len(set(schedule.placement.copies))
    order = np.argsort(found.index, kind="stable")
    updates = len(np.unique(found.index))
    if (schedule.policy.name, copies, updates) != ("stash", 1, len(order)):
        raise UsageError(
            "a replay makes an update a gradient, of one copy of the weights, at what its forward "
            f"read (policy stash); found policy {schedule.policy.name}, {len(order)} gradients, "
            f"{updates} updates and {copies} copies", "schedule",
            "train it by staleproof.experiments.training, or take one with an update a gradient",
        )  # fmt: skip
    microbatch = found.microbatch[order].astype(np.int64)
    return Order(
        found.stage[None, order].astype(np.int64),
        microbatch[None] % batches,
        found.matrix[None, order],
        microbatch,
    )


def random_order(
    p: int, updates: int, microbatches: int, batches: int, most: int, seeds: Iterable[int]
) -> Order:
    """Random partial delays: stage, minibatch and delays up to `most` are drawn uniformly.

    Drawn as those authors draw them, one update after the other: stage, place among the
    microbatches whose minibatches come in turn, delays. Of one seed the run is theirs.

    Examples
    --------
    >>> order = random_order(8, 3, 300, 60, 60, [0])
    >>> order.stages.tolist(), order.batches.tolist(), order.delays[0, 2].tolist()
    ([[6, 4, 4]], [[11, 20, 1]], [2, 2, 1, 1, 1, 2, 0, 2])
    """
    drawn = [np.random.default_rng(seed) for seed in seeds]
    stages, chosen = np.empty((2, len(drawn), updates), dtype=np.int64)
    late = np.empty((len(drawn), updates, p), dtype=np.int32)
    for s, rng in enumerate(drawn):
        for k in range(updates):
            stages[s, k] = rng.integers(p)
            chosen[s, k] = rng.integers(microbatches) % batches
            late[s, k] = rng.integers(min(most, k) + 1, size=p)
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
    """The objective after so many updates, for every seed and rate.

    Parameters
    ----------
    problem : Problem
    order : Order
        Of as many seeds as the problem, if neither is the same for all.
    rates : ndarray, shape (R,)
    at : ndarray of int, shape (A,)
        Ascending numbers of updates, from 0 to K.
    noise : ndarray, shape (S, R, K, d/p), optional
        What is added to the gradients.

    Returns
    -------
    values : ndarray, shape (S, A, R)
    w : ndarray, shape (S, d, R)
        The last iterate. Where a run overflows, both are infinite or not a number.
    """
    padded, places = _evenly(problem, order.delays.shape[2])
    wanted, values = set(at.tolist()), []
    with np.errstate(over="ignore", invalid="ignore"):
        for k, (_, _, now) in enumerate(_steps(padded, order, rates, noise)):
            if k in wanted:
                values.append(padded.value(now()))
        last = now()
        if order.stages.shape[1] in wanted:
            values.append(padded.value(last))
    return np.stack(values, axis=1), last[:, places]


def stale_distance(problem: Problem, order: Order, rate: float) -> tuple[Array, Array, Array]:
    """By seed: mean of ‖x − x̂‖² over the updates, the largest of it, the largest ‖block gradient‖².

    x̂ is what an update reads, x what is current then; the mean is of the second half.
    """
    padded, _ = _evenly(problem, order.delays.shape[2])
    apart, steepest = [], []
    for point, gradient, now in _steps(padded, order, np.array([rate])):
        apart.append(((now() - point) ** 2).sum((1, 2)))
        steepest.append((gradient**2).sum((1, 2)))
    half = apart[len(apart) // 2 :]
    return np.mean(half, axis=0), np.max(apart, axis=0), np.max(steepest, axis=0)


def _steps(
    problem: Problem, order: Order, rates: Rates, noise: Array | None = None
) -> Iterator[tuple[Array, Array, Callable[[], Array]]]:
    """Of every update: the point that it reads, the gradient there, what gives the iterate.

    An update is made when the next one is asked for. Blocks are of one width.
    """
    p = order.delays.shape[2]
    draws = max(len(problem.a), len(order.stages), len(order.delays))
    seeds, data = np.arange(draws), np.arange(draws) % len(problem.a)
    shape, width = (draws, problem.size, len(rates)), problem.size // p
    stages, batches = (np.broadcast_to(part, (draws, part.shape[1])).T
                       for part in (order.stages, order.batches))  # fmt: skip
    held, left = {}, np.bincount(order.readers).tolist()
    # Block j of seed s in its version v is row (v S + s) p + j of what is kept.
    most = max(int(np.bincount(row).max()) for row in order.stages) + 1
    kept = np.zeros((most * draws * p, width, len(rates)))
    first, read = np.arange(draws * p).reshape(draws, p), _versions(order)
    newest = first.copy()
    for k, (stage, reader) in enumerate(zip(stages, order.readers.tolist(), strict=True)):
        if reader not in held:
            point = kept.take(first + read[:, k] * first.size, axis=0)
            a, y = problem.minibatch(data, batches[k])
            slopes = problem.slopes(point.reshape(shape), a, y)
            held[reader] = point, a.reshape(draws, p, width, -1), slopes
        point, a, slopes = held[reader]
        left[reader] -= 1
        if not left[reader]:
            del held[reader]
        gradient = problem.gradient(point[seeds, stage], a[seeds, stage], slopes)
        yield point.reshape(shape), gradient, lambda: kept[newest].reshape(shape)
        if noise is not None:
            gradient = gradient + noise[:, :, k].swapaxes(1, 2)
        mine = newest[seeds, stage]
        kept[mine + first.size] = kept.take(mine, axis=0) - rates * gradient
        newest[seeds, stage] += first.size


def _evenly(problem: Problem, p: int) -> tuple[Problem, Integers]:
    """The same problem with p blocks of one width, nothing depending on what fills the smaller up.

    And where its own parameters are.
    """
    if problem.size % p == 0:
        return problem, np.arange(problem.size)
    parts = np.array_split(np.arange(problem.size), p)
    width = len(parts[0])
    places = np.concatenate([np.arange(len(part)) + j * width for j, part in enumerate(parts)])
    a = np.zeros((*problem.a.shape[:2], p * width))
    a[..., places] = problem.a
    return replace(problem, a=a), places


def _versions(order: Order) -> NDArray[np.integer]:
    """Which version of every block each update reads: its updates in the history that it saw."""
    draws, updates, p = order.delays.shape
    found = np.empty(order.delays.shape, dtype=np.int32)
    counted = np.zeros((updates + 1, p), dtype=np.int32)
    for s in range(draws):
        stages = order.stages[s % len(order.stages), :, None]
        np.cumsum(stages == np.arange(p), axis=0, out=counted[1:])
        seen = np.arange(updates)[:, None] - order.delays[s]
        found[s] = np.take_along_axis(counted, seen, axis=0)
    return found


def local_sgd(
    problem: Problem,
    replicas: int,
    local_steps: int,
    jobs: int,
    rates: Rates,
    noise: Array | None = None,
) -> Array:
    """Local steps: jobs dealt in turn, replicas averaged after so many steps each.

    Parameters
    ----------
    problem : Problem
        Its minibatches come in turn.
    replicas, local_steps, jobs : int
    rates : ndarray, shape (R,)
    noise : ndarray, shape (S, R, jobs, d), optional
        What is added to the gradients.

    Returns
    -------
    ndarray, shape (S, d, R)
        The mean of the replicas after the last complete or incomplete round.
    """
    mean = np.zeros((len(problem.a), problem.size, len(rates)))
    a_round = replicas * local_steps
    for first in range(0, jobs, a_round):
        ends = []
        for replica in range(replicas):
            w = mean
            for job in range(first + replica, min(first + a_round, jobs), replicas):
                a, y = problem.minibatch(slice(None), job % problem.batches)
                step = problem.gradient(w, a, problem.slopes(w, a, y))
                w = w - rates * (step if noise is None else step + noise[:, :, job].swapaxes(1, 2))
            ends.append(w)
        mean = np.mean(ends, axis=0)
    return mean
