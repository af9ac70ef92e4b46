"""Contiguous layers to stages so that the longest stage is as short as can be: exact.

PipeDream's recurrence (Narayanan et al. 2019, section 3.1) without replication: the best end of
stage s at layer j is the least, over where it begins, of the larger of the best end of stage s − 1
there, what crosses between, and the stage's own time. Of all partitions that are as good, the one
with the least sum of squared stage times is taken, by the same recurrence; of these the one whose
last stages begin first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from schedules.errors import ParameterError

Exact: TypeAlias = NDArray[Any]
"""int64, or Python integers where sums of squares do not fit."""

Allowed: TypeAlias = Callable[[int], NDArray[np.bool_]]
"""``allowed(s)[i, j]``: whether layers i … j − 1 may be stage s; shape (L + 1, L + 1)."""

LARGEST: Final = 3 * 10**9
"""Sum whose square fits into 64 bits."""


def longest_stage(
    times: Sequence[int], stages: int, crossing: Sequence[Sequence[int]] = ()
) -> tuple[int, ...]:
    """Boundaries of the partition whose longest stage is shortest.

    Parameters
    ----------
    times : sequence of int
        Of every layer, 0 or more.
    stages : int
        From 1 to the number of layers.
    crossing : sequence of sequence of int
        ``crossing[s][j]``: time for what crosses, both ways, between stage s and s + 1 if the
        latter begins at layer j. Nothing unless given.

    Returns
    -------
    tuple of int
        S + 1 boundaries: stage s has the layers from ``[s]`` to before ``[s + 1]``.

    Raises
    ------
    ParameterError
        More stages than layers.

    Examples
    --------
    >>> longest_stage([1, 1, 1, 3, 1], 3)
    (0, 3, 4, 5)
    >>> longest_stage([1, 1, 1, 3, 1], 2, [[9, 9, 9, 9, 0, 0]])
    (0, 4, 5)
    """
    found = constrained(times, stages, crossing, None)
    assert found is not None  # without constraints there is always one
    return found


def constrained(
    times: Sequence[int],
    stages: int,
    crossing: Sequence[Sequence[int]],
    allowed: Allowed | None,
) -> tuple[int, ...] | None:
    """As `longest_stage`, of the partitions whose stages are allowed; None if there is none."""
    require_enough(len(times), stages)
    sums = _exact(np.array([0, *np.cumsum(np.array(times, dtype=object))], dtype=object))
    work = sums[None, :] - sums[:, None]
    after = [_exact(np.array(row, dtype=object)) for row in crossing]
    bottleneck = _run(work, stages, allowed, np.maximum, after)
    if bottleneck is None:
        return None
    least = bottleneck[1]
    for s in range(stages - 1):
        if s < len(after):
            after[s] = np.where(after[s][: len(sums)] <= least, 0, -1)

    def short(s: int) -> NDArray[np.bool_]:
        fits: NDArray[np.bool_] = work <= least
        return fits if allowed is None else fits & allowed(s)

    squares = _run(work * work, stages, short, np.add, after)
    assert squares is not None  # the first run found one
    return squares[0]


def least_largest(stages: int, cost: Callable[[int], Exact]) -> tuple[tuple[int, ...], int] | None:
    """The partition whose largest ``cost(s)[i, j]`` of stage s, layers i … j − 1, is least.

    Examples
    --------
    >>> least_largest(2, lambda s: np.arange(4)[None, :] * np.ones((4, 1), dtype=np.int64))
    ((0, 1, 3), 3)
    """
    size = len(cost(0))
    return _run(None, stages, None, np.maximum, [], cost=cost, size=size)


def require_enough(layers: int, stages: int) -> None:
    """Refuse more stages than layers.

    Raises
    ------
    ParameterError
        With both numbers.
    """
    if stages > layers:
        raise ParameterError(
            f"every stage has at least one layer, found {stages} stages and {layers} layers",
            "layers",
            "take fewer ranks or chunks, or give finer layers",
        )


def _exact(values: NDArray[Any]) -> Exact:
    """64-bit integers where sums of squares fit."""
    small = not len(values) or max(values.tolist()) <= LARGEST
    return values.astype(np.int64) if small else values


def _run(
    work: Exact | None,
    stages: int,
    allowed: Allowed | None,
    join: Callable[[Exact, Exact], Exact],
    after: Sequence[Exact],
    cost: Callable[[int], Exact] | None = None,
    size: int = 0,
) -> tuple[tuple[int, ...], int] | None:
    """The recurrence, with what joins a stage to those before it.

    ``after[s][j]`` is joined where stage s + 1 begins at layer j; below 0 it forbids that.
    """
    size = size if work is None else len(work)
    layers = size - 1
    begins = np.arange(size)
    forward = begins[:, None] < begins[None, :]
    best = np.zeros(size, dtype=np.int64 if work is None else work.dtype)
    open_ = begins == 0
    chosen: list[NDArray[np.int64]] = []
    for s in range(stages):
        own = cost(s) if cost is not None else work
        assert own is not None
        way = forward & open_[:, None]
        if allowed is not None:
            way = way & allowed(s)
        before = best
        if s and s - 1 < len(after):
            crossing = after[s - 1]
            way = way & (crossing >= 0)[:, None]
            before = join(best, np.maximum(crossing, 0))
        total = join(np.broadcast_to(before[:, None], own.shape), own)
        worst = total.max() + 1
        total = np.where(way, total, worst)
        begin = np.asarray(total.argmin(axis=0), dtype=np.int64)
        chosen.append(begin)
        best, open_ = total[begin, begins], way.any(axis=0)
    if not open_[layers]:
        return None
    bounds = [layers]
    for begin in reversed(chosen):
        bounds.append(int(begin[bounds[-1]]))
    return tuple(bounds[::-1]), int(best[layers])
