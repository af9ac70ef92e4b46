"""Local staleness of the gradients that an update applies, in a run.

A run that ends within a window leaves gradients that no update applies. `schedules.versions` counts
up to where they stand; what is stated of the update that applies a gradient says nothing of them.
"""

from __future__ import annotations

import numpy as np

from schedules.schedule import IntArray, Schedule
from schedules.versions import (
    Versions,
    complete_tables,
    update_after,
    versions,
    weights_of_action,
)


def applied_staleness(schedule: Schedule, seen: Versions | None = None) -> IntArray:
    """The largest local staleness of every stage, of gradients that are applied; 0 without any.

    Parameters
    ----------
    schedule : Schedule
    seen : Versions, optional
        Its versions, where they are known.

    Examples
    --------
    >>> from schedules.families import build
    >>> schedule = build("asyncpp", 2, 3, update_interval=2)
    >>> versions(schedule).local_staleness.max(axis=1).tolist()
    [1, 0]
    >>> applied_staleness(schedule).tolist()
    [0, 0]
    """
    found = versions(schedule) if seen is None else seen
    weights = weights_of_action(schedule)
    updates = np.bincount(weights[update_after(schedule)], minlength=int(weights.max()) + 1)
    own = updates[weights[complete_tables(schedule).gradient]]
    counted = np.where(found.at_update < own, found.local_staleness, 0)
    return np.asarray(counted.max(axis=1))
