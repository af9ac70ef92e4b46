"""How late a layer's gradient is, and how long computation waits for it.

Legend, for any orders of backwards and forwards: P = Σb + Σu, one iteration's computation;
R = Σb; R_i is when backward i ends and S_i ≥ R when forward i of the next iteration begins, both
after the start of the iteration's first backward and without a stall. The channel sends gradients
in the order of backwards, one at a time. In a first iteration, when it is empty, gradient i has
been sent at A_i, the largest R_j plus the communications from j to i, j sent no later than i.

Computation never waits if and only if Σv ≤ P and A_i ≤ S_i for every layer i that is not stale.

*Necessary.* If A_i > S_i, the first iteration stalls. If Σv > P, the backlog of the channel grows
by Σv − P in every iteration without a stall, until a gradient is late by more than one-step
staleness allows.

*Sufficient.* Let X be the last A: the time by which a first iteration has sent everything. By
induction every iteration has: it begins with a backlog of at most max(0, X − P), and with Σv ≤ P
what it adds ends by X again. A stale layer's gradient, one iteration old, is there at
X − P ≤ R, as X ≤ R + Σv. A backlog X − P with X = R_j + (what is sent from j to the end) delays
gradient i to at most that plus what is sent from the beginning to i. If i is sent before j, the
two stretches have no layer in common, so it is there by R_j + Σv − P ≤ R. Otherwise they share
the stretch from j to i, so it is there by R_j + (the stretch) ≤ A_i. Either way in time: a backlog
never causes a stall that the first iteration does not have.
"""

from __future__ import annotations

from collections.abc import Collection

from schedules.errors import ParameterError
from schedules.formats.layer_table import Time
from schedules.partial_staleness.layers import Model
from schedules.partial_staleness.orders import Orders, orders_of


def stall(model: Model, stale: Collection[int], orders: Orders | None = None) -> Time:
    """How long computation waits in an iteration, in the long run: max(0, Σv − P, A_i − S_i).

    The maximum is over layers i that are not stale. Events repeat at the pace of the slowest way
    around: P, computation alone; Σv, the channel alone; or from forward i through all that is
    computed up to some backward j and through the channel to gradient i, which takes at most
    P + A_i − S_i. Longer ways around are made of these and of crossings by way of a stale layer
    or of the next iteration's communications, which take at most P + Σv in two iterations.

    Parameters
    ----------
    model : Model
    stale : collection of int
        The stale layers.
    orders : Orders, optional
        Needed for a graph.

    Raises
    ------
    ParameterError
        A stale layer or an order does not fit the model.

    See Also
    --------
    schedules.partial_staleness.simulation.simulate : the same, event by event.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1])
    >>> [stall(model, range(k)) for k in range(3)]
    [1, 0, 0]
    """
    taken = require_layers(model, stale)
    late = lateness(model, orders_of(model, orders))
    fresh = (ticks for layer, ticks in enumerate(late) if layer not in taken)
    return model.time(max(0, sum(model.v) - sum(model.b) - sum(model.u), *fresh))


def require_layers(model: Model, stale: Collection[int]) -> frozenset[int]:
    """The stale layers as a set.

    Raises
    ------
    ParameterError
        One of them is no layer of the model.
    """
    wrong = [layer for layer in stale if not 0 <= layer < model.count]
    if wrong:
        raise ParameterError(
            f"stale layers are among 0 … {model.count - 1}, found {wrong[0]}",
            "stale",
            "give layers of the model",
        )
    return frozenset(stale)


def lateness(model: Model, orders: Orders) -> list[int]:
    """A_i − S_i for every layer, in ticks: how late its gradient would be if it were not stale.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1])
    >>> lateness(model, orders_of(model))
    [1, -2]
    """
    late = [arrival for arrival, _ in arrivals(model, orders.backward)]
    time = sum(model.b)
    for layer in orders.forward:
        late[layer] -= time
        time += model.u[layer]
    return late


def arrivals(model: Model, backward: tuple[int, ...]) -> list[tuple[int, int]]:
    """For every layer A_i, in ticks, and the layer whose backward the channel last waited for."""
    found = [(0, 0)] * model.count
    now, free, waited = 0, 0, backward[0]
    for layer in backward:
        now += model.b[layer]
        if now > free:
            free, waited = now, layer
        free += model.v[layer]
        found[layer] = free, waited
    return found
