"""Claims of "Demystifying Pipeline Parallelism: First Theory for PipeDream" (RPD)."""

from __future__ import annotations

from typing import Final

from theory.claims import Claim
from theory.rpd import (
    cor_c1,
    delay_whole_run,
    lemma_c1_entry,
    lemma_c1_mean,
    lemma_c1_odd,
    lemma_c1_window,
    local_staleness,
    prop_4_1,
    stash_invariant,
)

CLAIMS: Final[tuple[Claim, ...]] = (
    prop_4_1.CLAIM,
    lemma_c1_window.CLAIM,
    lemma_c1_entry.CLAIM,
    lemma_c1_odd.CLAIM,
    lemma_c1_mean.CLAIM,
    cor_c1.CLAIM,
    delay_whole_run.CLAIM,
    local_staleness.CLAIM,
    stash_invariant.CLAIM,
)
