"""Claims of "AMDP: Asynchronous Multi-Directional Pipeline Parallelism" (ICML 2026)."""

from __future__ import annotations

from typing import Final

from theory.judging.arguments import with_arguments
from theory.judging.origins import with_origins
from theory.papers.amdp import (
    accumulation,
    active_ratio,
    eta2,
    gains,
    mismatch,
    one_step,
    saturation,
    zero,
)
from theory.papers.amdp.arguments import ARGUMENTS, ROWS
from theory.papers.amdp.lemmas import eta2_mixed, eta2_stash, synchronous
from theory.papers.amdp.origins import ORIGINS
from theory.record import Paper

_ROWS: Final = (
    mismatch.CLAIM,
    one_step.CLAIM,
    active_ratio.CLAIM,
    saturation.CLAIM,
    accumulation.CLAIM,
    eta2.CLAIM,
    synchronous.CLAIM,
    eta2_mixed.CLAIM,
    eta2_stash.CLAIM,
    zero.CLAIM,
    gains.CLAIM,
)

PAPER: Final = Paper(with_arguments(with_origins(_ROWS, ORIGINS), ARGUMENTS, ROWS))
