"""Check ``local-staleness``: updates between a forward and the update it leads to, as predicted.

Counted from the log alone: updates that the weight copy has had when the gradient is complete,
minus those that it had had at the forward. What the forward read of these is `versions`' to say.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds, undecided
from gpu_validation.checks.observed import UNSEEN, Observed, values_at
from gpu_validation.event_log import is_recorded
from gpu_validation.prediction import Prediction
from schedules.dependencies import tables
from schedules.schedule import IntArray

NAME: Final = "local-staleness"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare the staleness of every (stage, microbatch) with the predicted one, exactly."""
    versions = predicted.versions
    expected = versions.at_update - versions.at_forward
    found = _since(seen, seen.current, *expected.shape)
    wrong = np.argwhere((found != expected) & (found != UNSEEN))
    if len(wrong):
        stage, m = wrong[0].tolist()
        return fails(
            NAME,
            f"stage {stage}, microbatch {m} was to be {expected[stage, m]} updates stale and is "
            f"{found[stage, m]}; {len(wrong)} of {found.size} differ",
            found.size,
            stage=stage,
            microbatch=m,
            predicted=int(expected[stage, m]),
            found=int(found[stage, m]),
        )
    absent = int((found == UNSEEN).sum())
    if absent:
        return undecided(NAME, f"the log lacks the staleness of {absent} of {found.size} gradients")
    # A recorder is told which gradient an update applies.
    told = ", as its blocks say" if is_recorded(seen.log) else ""
    says = f"all {found.size} gradients are as stale as predicted, 0 … {found.max()}{told}"
    return holds(NAME, found.size, says)


def measured(seen: Observed, stages: int, microbatches: int) -> IntArray:
    """Local staleness as the log has it: from the version read, `UNSEEN` where it does not say.

    Returns
    -------
    ndarray of int, shape (stages, microbatches)
    """
    return _since(seen, seen.version, stages, microbatches)


def _since(seen: Observed, origin: IntArray, stages: int, microbatches: int) -> IntArray:
    """Updates when the gradient is complete, minus what the forward has in a column."""
    index = tables(seen.schedule)
    result = np.full((stages, microbatches), UNSEEN, dtype=np.int64)
    rows, columns = min(stages, len(index.forward)), min(microbatches, index.forward.shape[1])
    before = values_at(origin, index.forward[:rows, :columns])
    after = values_at(seen.current, index.gradient[:rows, :columns])
    known = (before != UNSEEN) & (after != UNSEEN)
    result[:rows, :columns][known] = (after - before)[known]
    return result
