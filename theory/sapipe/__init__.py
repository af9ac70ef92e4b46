"""Claims of "SAPipe: Staleness-Aware Pipeline for Data-Parallel DNN Training" (NeurIPS 2022)."""

from __future__ import annotations

from typing import Final

from theory.claims import Claim
from theory.sapipe import biased

CLAIMS: Final[tuple[Claim, ...]] = (biased.CLAIM,)
"""In the order of the paper."""
