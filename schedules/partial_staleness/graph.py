"""Fewest stale layers of a graph: exactly for small graphs, and by the repaired heuristic.

Given the orders of backwards and forwards, computation without a stall fixes every start time, so
the smallest set of stale layers is fixed too: the layers whose forward starts before their gradient
of a first iteration has been sent (a backlog changes nothing, by the argument in
`schedules.partial_staleness.stalls`). What is left to choose is the orders. All orders of backwards
are gone through; for each, a sweep over the sets of layers that can have been computed finds the
best order of forwards, as the time that a set takes does not depend on the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from schedules.errors import SizeError
from schedules.partial_staleness.algorithms import algorithm_4, algorithm_5, random_choice
from schedules.partial_staleness.layers import Model
from schedules.partial_staleness.orders import Orders
from schedules.partial_staleness.stalls import arrivals, lateness

MOST_WORK: Final = 1_000_000
"""Orders of backwards times sets of forwards that are gone through."""


@dataclass(frozen=True)
class Plan:
    """Stale layers, and orders with which they are enough."""

    stale: frozenset[int]
    orders: Orders


def fewest_stale_of_graph(model: Model) -> Plan | None:
    """Return a smallest set of stale layers over all orders; None if computation must wait.

    Raises
    ------
    SizeError
        The graph has too many orders: more than `MOST_WORK` steps would be needed.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import Layer, Model
    >>> rows = [("in", 1, 1, 1), ("left", 1, 1, 2), ("right", 3, 1, 1), ("out", 1, 1, 1)]
    >>> diamond = Model(tuple(Layer(*row) for row in rows), after=((), (0,), (0,), (1, 2)))
    >>> plan = fewest_stale_of_graph(diamond)
    >>> sorted(plan.stale), plan.orders
    ([0], Orders(backward=(3, 1, 2, 0), forward=(0, 1, 2, 3)))
    """
    _require_room(model)
    if model.channel > model.computation:
        return None
    best: Plan | None = None
    for backward in linear_extensions(model.successors):
        plan = _best_forwards(model, backward)
        if best is None or len(plan.stale) < len(best.stale):
            best = plan
        if len(best.stale) == 1:
            break  # The first layer always is: sent last, needed at once.
    return best


def heuristic(model: Model, tries: int = 100) -> Plan | None:
    """Return the best answer of the repaired Algorithms 4 and 5 over random orders.

    Its stale layers are enough with its orders; fewer may be. None if computation must wait.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1])
    >>> sorted(heuristic(model).stale)
    [0]
    """
    if model.channel > model.computation:
        return None
    plans = []
    for seed in range(tries):
        choose = random_choice(seed)
        communications = algorithm_4(model, choose)
        marking = algorithm_5(model, communications, choose)
        plans.append(Plan(marking.stale, Orders(communications.order, marking.order)))
    return min(plans, key=lambda plan: len(plan.stale))


def linear_extensions(needs: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """All orders in which everything stands after what it needs.

    Examples
    --------
    >>> list(linear_extensions([[], [0], [0]]))
    [(0, 1, 2), (0, 2, 1)]
    """
    masks = _masks(needs)
    order: list[int] = []
    # For every beginning of the order, the layers that have not been tried after it.
    untried = [_available(masks, 0)]
    while untried:
        layer = next(untried[-1], None)
        if layer is None:
            untried.pop()
            order = order[:-1]
        elif len(order) + 1 == len(masks):
            yield (*order, layer)
        else:
            order.append(layer)
            untried.append(_available(masks, sum(1 << done for done in order)))


def _available(masks: Sequence[int], done: int) -> Iterator[int]:
    """The layers that can be computed after a set of layers, given as bits."""
    for layer, mask in enumerate(masks):
        if not done >> layer & 1 and mask & ~done == 0:
            yield layer


def _masks(needs: Sequence[Sequence[int]]) -> list[int]:
    return [sum(1 << before for before in set(others)) for others in needs]


def _require_room(model: Model) -> None:
    """Count the orders of backwards, set by set of layers that can have been computed."""
    masks = _masks(model.successors)
    counts, sets = {0: 1}, 1
    for _ in range(model.count):
        longer: dict[int, int] = {}
        for done, count in counts.items():
            for layer in _available(masks, done):
                bigger = done | 1 << layer
                longer[bigger] = longer.get(bigger, 0) + count
        counts, sets = longer, sets + len(longer)
        # What has been computed forwards is what has not been computed backwards.
        if sets * max(counts.values()) > MOST_WORK:
            raise SizeError(
                f"the exact answer goes through all orders of a graph, and those of this one with "
                f"{model.count} layers take more than {MOST_WORK} steps",
                model.source,
                "join layers that are computed one after the other, or take the heuristic",
            )


def _best_forwards(model: Model, backward: tuple[int, ...]) -> Plan:
    """The order of forwards with fewest stale layers, set by set of layers already computed."""
    sent = [arrival for arrival, _ in arrivals(model, backward)]
    masks = _masks(model.predecessors)
    # Set of computed layers → its end, fewest stale ones among them, an order that has so few.
    best: dict[int, tuple[int, int, tuple[int, ...]]] = {0: (sum(model.b), 0, ())}
    for _ in range(model.count):
        longer: dict[int, tuple[int, int, tuple[int, ...]]] = {}
        for done, (time, stale, order) in best.items():
            for layer in _available(masks, done):
                bigger, count = done | 1 << layer, stale + (time < sent[layer])
                if bigger not in longer or count < longer[bigger][1]:
                    longer[bigger] = (time + model.u[layer], count, (*order, layer))
        best = longer
    ((_, _, order),) = best.values()
    orders = Orders(backward, order)
    late = lateness(model, orders)
    return Plan(frozenset(layer for layer in order if late[layer] > 0), orders)
