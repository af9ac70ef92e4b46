"""Partial staleness played tick by tick, and searched through: for comparison, and slow.

Nothing here is shared with `schedules.partial_staleness` but the durations, in whole ticks.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import count, permutations, product

from schedules.partial_staleness import Model, sequential

Op = tuple[str, int, int]


def waits(
    model: Model,
    stale: Collection[int],
    iterations: int,
    orders: tuple[Sequence[int], Sequence[int]] | None = None,
) -> list[int]:
    """Idle ticks of the processor in each of the first iterations."""
    layers = range(model.count)
    backward, forward = orders or (layers[::-1], layers)
    todo: deque[Op] = deque()
    for t in range(iterations):
        todo += [("B", i, t) for i in backward] + [("F", i, t) for i in forward]
    durations = {"B": model.b, "F": model.u}
    arrived: set[tuple[int, int]] = set()
    queue: deque[tuple[int, int]] = deque()
    idle = [0] * iterations
    computing: Op | None = None
    sending: tuple[int, int] | None = None
    to_compute = to_send = 0
    while todo or computing:
        if computing is None:
            kind, i, t = todo[0]
            needed = (i, t - 1 if i in stale else t)
            if kind == "B" or needed[1] < 0 or needed in arrived:
                computing = todo.popleft()
                to_compute = durations[kind][i]
            else:
                idle[t] += 1
        if sending is None and queue:
            sending = queue.popleft()
            to_send = model.v[sending[0]]
        to_compute, to_send = to_compute - 1, to_send - 1
        if computing is not None and to_compute == 0:
            if computing[0] == "B":
                queue.append(computing[1:])
            computing = None
        if sending is not None and to_send == 0:
            arrived.add(sending)
            sending = None
    return idle


def every_chain(layers: int, most: int) -> Iterator[Model]:
    """All sequential models with durations from 1 to `most`."""
    for times in product(range(1, most + 1), repeat=3 * layers):
        yield sequential(times[:layers], times[layers : 2 * layers], times[2 * layers :])


def random_chains(seed: int, most: int = 5) -> Iterator[Model]:
    """Sequential models without end, a third of them with durations that are fractions."""
    draw = random.Random(seed)
    for number in count():
        layers, top = draw.randint(1, most), draw.choice((2, 4, 9))
        under = 3 if number % 3 == 0 else 1
        b, u, v = (
            [Fraction(draw.randint(1, top), draw.randint(1, under)) for _ in range(layers)]
            for _ in range(3)
        )
        yield sequential(b, u, v)


def orders_of_graph(model: Model) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of an order of backwards and one of forwards."""
    good = [
        order
        for order in permutations(range(model.count))
        if all(order.index(a) < order.index(i) for i in order for a in model.predecessors[i])
    ]
    for backward, forward in product(good, good):
        yield backward[::-1], forward
