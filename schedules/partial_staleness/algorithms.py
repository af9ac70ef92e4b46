"""Algorithms 4 and 5 of the SAPipe paper, as printed and as its text describes them.

Algorithm 4 times the communications, Algorithm 5 walks through the forwards and calls a layer
stale if its gradient comes too late. Printed lines that do not do what the text says:

===== =========================== ===========================================================
line  printed                     the text, and what the repaired version does
===== =========================== ===========================================================
4: 3  r(c_m) ← 0                  r(v_m); overwritten by line 7 anyway
4: 6  S + {b_j | (b_i, b_j) ∈ E}  a layer enters after its first predecessor, before the others,
                                  and again after each: it can run too early, and twice
4: 7  r(v_i) ← t, then t ← t+b_i  the start of backward i; a gradient is ready at its completion
4: 9  descending order            with R[-1] in line 12 the earliest comes first, as it should
4:12  r(v_k) ← R[-1]              nothing is assigned: k is the layer whose time R[-1] is
4:13  S ← … + v_k                 one letter for two sets; S ← S − v_i in line 15 has no effect
4:14  GETMININDEX(S)              "minimal index in ready time set": the layer of smallest number,
                                  or the one ready first; section 3.1 says FIFO, so the latter
4:16  c(v_i) ← t                  v_k may not be ready at t; the start is max(t, r(v_i))
5: 5  S + {u_j | (i, j) ∈ E}      as 4: 6
5: 6  t ← t + u_i before the test t is then the completion of u_i; appendix B tests its start
5: 7  t < c(v_i)                  the start of the communication; the text says "has not been
                                  finished", appendix B c(u_i) < c(v_i) + v_i: its completion
===== =========================== ===========================================================

Both look at one iteration and no backlog, which is no flaw: see `stalls.py`. Without Σv ≤ P, which
neither tests, every answer stalls. Repaired, and with Σv ≤ P, they find on sequential models what
`fewest_stale` finds, and on graphs a set that never stalls, though not always the smallest.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal, TypeAlias

from schedules.errors import SizeError
from schedules.partial_staleness.layers import Model

Choice: TypeAlias = Callable[[Sequence[int]], int]
"""RANDOMSELECT: takes one of the layers that are offered, in rising order."""
Reading: TypeAlias = Literal["ready", "layer"]
"""GETMININDEX: what is ready first, or the layer of smallest number."""

MOST_AGAIN: Final = 100_000
"""How often a printed algorithm runs layers again; in a graph, as often as paths lead to them."""


@dataclass(frozen=True)
class Communications:
    """What Algorithm 4 returns, and the order that it went through the backwards in.

    Attributes
    ----------
    order : tuple of int
        Layers as their backwards were run; as printed, a layer of a graph may stand twice.
    ready, start : tuple of int
        By layer, in ticks after the start of the first backward: r(v_i) and c(v_i).
    """

    order: tuple[int, ...]
    ready: tuple[int, ...]
    start: tuple[int, ...]


@dataclass(frozen=True)
class Marking:
    """What Algorithm 5 returns, and the order that it went through the forwards in."""

    order: tuple[int, ...]
    stale: frozenset[int]


def first_offered(offered: Sequence[int]) -> int:
    """The choice of the smallest layer."""
    return offered[0]


def random_choice(seed: int) -> Choice:
    """The paper's RANDOMSELECT, repeatable."""
    return Random(seed).choice


def printed_algorithm_4(
    model: Model, choose: Choice = first_offered, reading: Reading = "ready"
) -> Communications:
    """Algorithm 4 as printed, from time 0 at the first backward.

    Raises
    ------
    SizeError
        It runs layers again more than `MOST_AGAIN` times.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[2, 1, 3], forward=[1, 1, 1], communication=[1, 2, 1])
    >>> printed_algorithm_4(model)
    Communications(order=(2, 1, 0), ready=(4, 3, 0), start=(3, 1, 0))
    >>> algorithm_4(model)
    Communications(order=(2, 1, 0), ready=(6, 4, 3), start=(6, 4, 3))
    """
    order = _printed_walk(model, _only(model.successors), model.predecessors, choose)
    ready, t = [0] * model.count, 0
    for layer in order:
        ready[layer] = t
        t += model.b[layer]
    return Communications(order, tuple(ready), _back_to_back(model, ready, reading))


def printed_algorithm_5(
    model: Model, communications: Communications, choose: Choice = first_offered
) -> Marking:
    """Algorithm 5 as printed, with forwards from the end of the last backward on.

    Raises
    ------
    SizeError
        It runs layers again more than `MOST_AGAIN` times.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[2, 1, 3], forward=[1, 1, 1], communication=[1, 2, 1])
    >>> sorted(printed_algorithm_5(model, printed_algorithm_4(model)).stale)
    []
    >>> sorted(algorithm_5(model, algorithm_4(model)).stale)
    [0]
    """
    order = _printed_walk(model, _only(model.predecessors), model.successors, choose)
    stale, t = set[int](), sum(model.b)
    for layer in order:
        t += model.u[layer]
        if t < communications.start[layer]:
            stale.add(layer)
        else:
            stale.discard(layer)
    return Marking(order, frozenset(stale))


def algorithm_4(model: Model, choose: Choice = first_offered) -> Communications:
    """Algorithm 4 repaired: ready when the backward is completed, sent FIFO and not before."""
    order = _walk(model.successors, model.predecessors, choose)
    ready, start, t, free = [0] * model.count, [0] * model.count, 0, 0
    for layer in order:
        t += model.b[layer]
        ready[layer] = t
        start[layer] = max(t, free)
        free = start[layer] + model.v[layer]
    return Communications(order, tuple(ready), tuple(start))


def algorithm_5(
    model: Model, communications: Communications, choose: Choice = first_offered
) -> Marking:
    """Algorithm 5 repaired: stale if its forward starts before its gradient has been sent."""
    order = _walk(model.predecessors, model.successors, choose)
    stale, t = set[int](), sum(model.b)
    for layer in order:
        if t < communications.start[layer] + model.v[layer]:
            stale.add(layer)
        t += model.u[layer]
    return Marking(order, frozenset(stale))


def _only(needs: Sequence[Sequence[int]]) -> int:
    """The one layer that needs no other."""
    return next(layer for layer, others in enumerate(needs) if not others)


def _printed_walk(
    model: Model, first: int, neighbours: Sequence[Sequence[int]], choose: Choice
) -> tuple[int, ...]:
    """Lines 4 to 6: every neighbour of what was run is offered next."""
    offered, order = {first}, list[int]()
    while offered:
        if len(order) == model.count + MOST_AGAIN:
            raise SizeError(
                f"the printed algorithm runs layers of a graph again and again, here more than "
                f"{MOST_AGAIN} times",
                model.source,
                "take a smaller graph",
            )
        layer = choose(sorted(offered))
        offered.remove(layer)
        offered.update(neighbours[layer])
        order.append(layer)
    return tuple(order)


def _walk(
    needs: Sequence[Sequence[int]], neighbours: Sequence[Sequence[int]], choose: Choice
) -> tuple[int, ...]:
    """Offer a layer once all that it needs has been run."""
    missing = [len(others) for others in needs]
    offered, order = [layer for layer, count in enumerate(missing) if not count], list[int]()
    while offered:
        layer = choose(offered)
        offered.remove(layer)
        order.append(layer)
        for after in neighbours[layer]:
            missing[after] -= 1
            if not missing[after]:
                offered.append(after)
        offered.sort()
    return tuple(order)


def _back_to_back(model: Model, ready: Sequence[int], reading: Reading) -> tuple[int, ...]:
    """Lines 9 to 18: start times that never wait for what is not ready."""
    waiting = sorted(range(model.count), key=lambda layer: (ready[layer], layer), reverse=True)
    offered: list[tuple[int, int]] = []
    start, t = [0] * model.count, 0
    for _ in range(model.count):
        while waiting and (not offered or ready[waiting[-1]] <= t):
            layer = waiting.pop()
            heapq.heappush(offered, (ready[layer] if reading == "ready" else layer, layer))
        _, layer = heapq.heappop(offered)
        start[layer] = t
        t += model.v[layer]
    return tuple(start)
