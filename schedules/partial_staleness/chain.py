"""The fewest stale layers of a sequential model, in one pass.

In the words of `schedules.partial_staleness.stalls`: k stale layers, the first k, are enough if and
only if Σv ≤ P and A_i ≤ S_i for all i > k. Here backwards run from the last layer to the first
and forwards the other way, so A_i falls and S_i rises with i: only layer k + 1 matters, sent last
and needed first. With layers 1 … m as in the paper that is

    Σv ≤ P,   and for all j > k:   b_m + … + b_j + v_j + … + v_{k+1} ≤ Σb + u_1 + … + u_k.

So k + 1 layers are enough where k are; and the layers with A_i > S_i, which every set of stale
layers must contain, are the first ones.
"""

from __future__ import annotations

from schedules.partial_staleness.layers import Model
from schedules.partial_staleness.orders import orders_of, require_sequential
from schedules.partial_staleness.stalls import lateness


def fewest_stale(model: Model) -> int | None:
    """Return the fewest stale layers with which computation never waits; None if it must.

    The first layers are the stale ones. O(m).

    Raises
    ------
    ParameterError
        The model is a graph, for which the first layers need not be the right ones.

    See Also
    --------
    schedules.partial_staleness.graph.fewest_stale_of_graph : for graphs.
    schedules.partial_staleness.program.printed_fewest_stale : what the paper's program says.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> fewest_stale(sequential(backward=[2, 1], forward=[1, 1], communication=[1, 1]))
    1
    >>> fewest_stale(sequential(backward=[1, 1], forward=[1, 1], communication=[4, 1])) is None
    True
    """
    require_sequential(model, "the first layers are the ones to make stale in a sequential model")
    if sum(model.v) > sum(model.b) + sum(model.u):
        return None
    late = lateness(model, orders_of(model))
    return next((k for k, ticks in enumerate(late) if ticks <= 0), model.count)
