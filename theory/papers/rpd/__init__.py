"""Claims of "Demystifying Pipeline Parallelism: First Theory for PipeDream" (RPD).

In the paper's order: convergence (section 4, appendix B), delays of the schedule (appendix C),
PipeDream as RPD (appendices F and G), and the variants of appendices H and I. Our own lemmas and
sharper theorems (``where`` is "ours") stand beside what they are about.
"""

from __future__ import annotations

from typing import Final

from theory.judging.origins import with_origins
from theory.papers.rpd import (
    any_timing,
    c1_slot_counts,
    cor_b1,
    cor_c1,
    delay_whole_run,
    eq_8,
    eq_9,
    eq_15,
    idle,
    last_stage_delay,
    lemma_b1,
    lemma_b2,
    lemma_b2_expected,
    lemma_c1_entry,
    lemma_c1_mean,
    lemma_c1_odd,
    lemma_c1_window,
    lemma_i1,
    lemma_i2,
    local_staleness,
    nag_thm,
    pd_as_rpd,
    periodic,
    prop_4_1,
    stale_power,
    stale_power_of_the_bound,
    stash_invariant,
    stepsize,
    table_1,
    thm_4_1,
    thm_h1,
)
from theory.papers.rpd.bounds import SUPPLY
from theory.papers.rpd.lemmas import (
    any_gradient,
    block_drift,
    draw_counts,
    drift_by_counts,
    lemma_b2_by_blocks,
    nag_drift_by_counts,
    pl_constant,
    sharp_drift,
    sharp_eq_15,
    sharp_lemma_i2,
    sharp_lemma_i2_any_beta,
    sharp_nag,
    sharp_nag_drift,
    sharp_nag_pathwise,
    sharp_thm_4_1,
    stale_gradient,
)
from theory.papers.rpd.origins import ORIGINS
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.tightness import TIGHTNESS
from theory.record import Paper

_ROWS: Final = (
    lemma_b1.THEOREM,
    lemma_b2.CLAIM,
    lemma_b2_by_blocks.THEOREM,
    lemma_b2_expected.CLAIM,
    eq_8.THEOREM,
    stale_gradient.THEOREM,
    eq_9.THEOREM,
    thm_4_1.CLAIM,
    stepsize.CLAIM,
    stepsize.ANY_STEPSIZE,
    any_gradient.THEOREM,
    cor_b1.CLAIM,
    draw_counts.THEOREM,
    drift_by_counts.THEOREM,
    block_drift.THEOREM,
    sharp_drift.CLAIM,
    sharp_drift.ATTAINED,
    sharp_thm_4_1.CLAIM,
    stale_power_of_the_bound.CLAIM,
    stale_power.CLAIM,
    table_1.CLAIM,
    table_1.UPPER,
    table_1.ATTAINED,
    prop_4_1.CLAIM,
    lemma_c1_window.CLAIM,
    lemma_c1_entry.CLAIM,
    lemma_c1_odd.CLAIM,
    lemma_c1_mean.CLAIM,
    cor_c1.CLAIM,
    delay_whole_run.CLAIM,
    local_staleness.CLAIM,
    pd_as_rpd.CLAIM,
    stash_invariant.CLAIM,
    thm_h1.CLAIM,
    thm_h1.RECURRENCE,
    pl_constant.THEOREM,
    eq_15.CLAIM,
    sharp_eq_15.CLAIM,
    lemma_i1.THEOREM,
    lemma_i2.CLAIM,
    sharp_lemma_i2.CLAIM,
    sharp_lemma_i2_any_beta.CLAIM,
    draw_counts.WITH_ONE_BEFORE,
    nag_drift_by_counts.THEOREM,
    sharp_nag_drift.CLAIM,
    nag_thm.CLAIM,
    sharp_nag_pathwise.CLAIM,
    sharp_nag.CLAIM,
    c1_slot_counts.CLAIM,
    last_stage_delay.CLAIM,
    periodic.CLAIM,
    idle.CLAIM,
    any_timing.CLAIM,
)

PAPER: Final = Paper(with_origins(_ROWS, ORIGINS), CHALLENGES, SUPPLY, TIGHTNESS)
