"""Claims of "AMDP: Asynchronous Multi-Directional Pipeline Parallelism" (ICML 2026)."""

from __future__ import annotations

from typing import Final

from theory.amdp import (
    accumulation,
    active_ratio,
    eta2,
    eta2_mixed,
    eta2_stash,
    mismatch,
    one_step,
    saturation,
    synchronous,
)
from theory.claims import Claim

CLAIMS: Final[tuple[Claim, ...]] = (
    mismatch.CLAIM,
    one_step.CLAIM,
    active_ratio.CLAIM,
    saturation.CLAIM,
    accumulation.CLAIM,
    eta2.CLAIM,
    synchronous.CLAIM,
    eta2_mixed.CLAIM,
    eta2_stash.CLAIM,
)
"""In the order of the paper."""
