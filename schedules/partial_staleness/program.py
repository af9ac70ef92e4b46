"""The program of the SAPipe paper (section 3.1), as printed.

    minimize k  subject to  Σ_i v_i ≤ Σ_i b_i + Σ_i u_i,
                            Σ_{i>k} v_i ≤ Σ_{i<m} b_i + Σ_{i≤k} u_i,   0 ≤ k ≤ m.

The second constraint lets the channel start when backward m ends and run without a gap. But a
gradient cannot be sent before it exists: the channel also has to wait for every backward j < m.
So the program is necessary and not sufficient: its k is never too large, and may be too small. It
even allows k = 0, where forward 1 would have to follow backward 1 at once, with no time left to
send gradient 1. For every m ≥ 2 there are durations for which it says 0 where m − 1 is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from schedules.formats.layer_table import Time
from schedules.partial_staleness.layers import Model
from schedules.partial_staleness.orders import orders_of, require_sequential
from schedules.partial_staleness.stalls import arrivals


@dataclass(frozen=True)
class Late:
    """A gradient that the printed program takes to arrive in time, and that does not.

    Attributes
    ----------
    layer : int
        Whose fresh gradient it is: the first layer that is not stale.
    needed, printed, arrives : int or Fraction
        When its forward would begin, when the program has the gradient arrive, and when it does,
        all after the start of the iteration's first backward.
    waited_for : int
        The last layer whose backward the channel had to wait for.
    """

    layer: int
    needed: Time
    printed: Time
    arrives: Time
    waited_for: int


def printed_fewest_stale(model: Model) -> int | None:
    """Return the k that the printed program finds; None if it has no solution.

    The paper enumerates k in O(m²); running sums make it O(m).

    Examples
    --------
    >>> from schedules.partial_staleness.chain import fewest_stale
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[1, 9, 1], forward=[1, 1, 1], communication=[1, 3, 1])
    >>> printed_fewest_stale(model), fewest_stale(model)
    (0, 2)
    """
    require_sequential(model, "the program is about the first k layers")
    total = sum(model.v)
    if total > sum(model.b) + sum(model.u):
        return None
    left = (total - sent for sent in accumulate(model.v, initial=0))
    room = accumulate(model.u, initial=sum(model.b[:-1]))
    return next(k for k, (v, time) in enumerate(zip(left, room, strict=True)) if v <= time)


def late_gradient(model: Model, stale: int) -> Late | None:
    """The gradient that makes `stale` layers too few although the printed constraint holds.

    None where the constraint does not hold, or no gradient is late.

    Examples
    --------
    >>> from schedules.partial_staleness.layers import sequential
    >>> model = sequential(backward=[1, 9, 1], forward=[1, 1, 1], communication=[1, 3, 1])
    >>> late_gradient(model, 1)
    Late(layer=1, needed=12, printed=5, arrives=13, waited_for=1)
    """
    if stale == model.count:
        return None
    needed = sum(model.b) + sum(model.u[:stale])
    printed = model.b[-1] + sum(model.v[stale:])
    arrives, waited_for = arrivals(model, orders_of(model).backward)[stale]
    if not printed <= needed < arrives:
        return None
    time = model.time
    return Late(stale, time(needed), time(printed), time(arrives), waited_for)
