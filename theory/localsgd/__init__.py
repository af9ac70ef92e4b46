"""Claims of the RPD paper about LocalSGD: appendix D, in its order, and the schedule of E.2."""

from __future__ import annotations

from typing import Final

from theory.claims import Claim
from theory.localsgd import (
    crude,
    drift,
    eq_5,
    eq_6,
    eq_11,
    eq_12,
    eq_13,
    homogeneous_drift,
    homogeneous_eq_11,
    mean_gradient,
    mean_noise,
    noise_drift,
    one_step,
    schedule,
    sharp_drift,
    sharp_eq_11,
    sharp_eq_12,
    slope_gap,
    speedup,
)

CLAIMS: Final[tuple[Claim, ...]] = (
    slope_gap.CLAIM,
    mean_gradient.CLAIM,
    mean_noise.CLAIM,
    one_step.CLAIM,
    drift.CLAIM,
    eq_11.CLAIM,
    sharp_drift.CLAIM,
    sharp_eq_11.CLAIM,
    noise_drift.CLAIM,
    homogeneous_drift.CLAIM,
    homogeneous_eq_11.CLAIM,
    eq_12.CLAIM,
    sharp_eq_12.CLAIM,
    eq_5.CLAIM,
    crude.CLAIM,
    eq_13.CLAIM,
    eq_6.CLAIM,
    speedup.CLAIM,
    schedule.CLAIM,
)
