"""Check ``real-time``: global delays counted by the clock lie inside the range over all timings.

An update happens when its gradient is complete, a forward records when it starts: the same
points as in the slot model, so every real order of events is one that the range covers.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds, inapplicable, undecided
from gpu_validation.checks.observed import Observed
from gpu_validation.delay_range import applying_update
from gpu_validation.prediction import Prediction
from schedules.dependencies import MISSING
from schedules.errors import InvalidScheduleError, SizeError
from schedules.schedule import IntArray
from schedules.versions import complete_tables, update_after

NAME: Final = "real-time"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare the delay of every gradient against every block with its range."""
    if len(seen.hosts) > 1:  # A delay counts the updates of all ranks.
        return inapplicable(
            NAME, f"the clocks of {len(seen.hosts)} hosts are not aligned: {', '.join(seen.hosts)}"
        )
    try:
        span = predicted.range
    except SizeError as error:
        return inapplicable(NAME, str(error))
    try:
        found, known = measured(seen)
    except InvalidScheduleError as error:
        return undecided(NAME, f"the log's delays are not defined: {error}")
    if found.shape != span.least.shape:
        return fails(NAME, f"delays of shape {span.least.shape} were predicted, not {found.shape}")
    known = known & (span.update != MISSING)
    outside = (found < span.least) | (found > span.most)
    wrong = np.argwhere(outside & known[:, :, None])
    compared = int(known.sum()) * found.shape[2]
    if len(wrong):
        i, m, j = wrong[0].tolist()
        return fails(
            NAME,
            f"the update of stage {i}, microbatch {m} has delay {found[i, m, j]} against block "
            f"{j}, and no timing lets it be outside {span.least[i, m, j]} … {span.most[i, m, j]}; "
            f"{len(wrong)} of {compared} are outside",
            compared,
            stage=i,
            microbatch=m,
            block=j,
            found=int(found[i, m, j]),
            least=int(span.least[i, m, j]),
            most=int(span.most[i, m, j]),
        )
    return holds(NAME, compared, f"{compared} delays by the clock lie in their ranges")


def measured(seen: Observed) -> tuple[IntArray, np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    """Global delays by the clock, and where there are any.

    Raises `InvalidScheduleError`: the log lacks an action that delays are defined by.

    Delays, shape (S, M, S), have at ``[i, m, j]`` the position of the update that applies the
    gradient of (i, m), minus the number of updates that were done when the forward of (j, m)
    started. Where no update applies the gradient, the second, shape (S, M), is False.
    """
    schedule = seen.schedule
    index = complete_tables(schedule)
    updates = np.flatnonzero(update_after(schedule))
    history = updates[np.lexsort((seen.start[updates], seen.end[updates]))]
    position = np.full(len(schedule) + 1, MISSING, dtype=np.int64)
    position[history] = np.arange(len(history))
    recorded = np.searchsorted(seen.end[history], seen.start[index.forward], side="right")
    applying = applying_update(schedule, index.gradient)
    found = position[applying][:, :, None] - recorded.T[None, :, :]
    return found, applying != MISSING
