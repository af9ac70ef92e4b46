"""Claims of the RPD paper about LocalSGD: appendix D, in its order, and the schedule of E.2."""

from __future__ import annotations

from typing import Final

from theory.judging.origins import with_origins
from theory.papers.localsgd import (
    drift,
    eq_5,
    eq_6,
    eq_11,
    eq_12,
    eq_13,
    length,
    matched_budget,
    schedule,
    speedup,
)
from theory.papers.localsgd.bounds import SUPPLY
from theory.papers.localsgd.lemmas import (
    crude,
    homogeneous_drift,
    homogeneous_eq_11,
    mean_gradient,
    mean_noise,
    noise_drift,
    one_step,
    sharp_drift,
    sharp_eq_11,
    sharp_eq_12,
    slope_gap,
)
from theory.papers.localsgd.origins import ORIGINS
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.localsgd.tightness import TIGHTNESS
from theory.record import Paper

_ROWS: Final = (
    slope_gap.THEOREM,
    mean_gradient.THEOREM,
    mean_noise.THEOREM,
    one_step.THEOREM,
    drift.THEOREM,
    eq_11.CLAIM,
    sharp_drift.CLAIM,
    sharp_eq_11.CLAIM,
    noise_drift.THEOREM,
    homogeneous_drift.CLAIM,
    homogeneous_eq_11.THEOREM,
    eq_12.CLAIM,
    sharp_eq_12.CLAIM,
    eq_5.THEOREM,
    crude.THEOREM,
    eq_13.CLAIM,
    eq_13.SECOND,
    eq_13.FIRST,
    eq_6.CLAIM,
    speedup.CLAIM,
    schedule.CLAIM,
    length.CLAIM,
    matched_budget.CLAIM,
)

PAPER: Final = Paper(with_origins(_ROWS, ORIGINS), CHALLENGES, SUPPLY, TIGHTNESS)
