"""Claims of "Demystifying Pipeline Parallelism: First Theory for PipeDream" (RPD).

In the paper's order: convergence (section 4, appendix B), delays of the schedule (appendix C),
PipeDream as RPD (appendices F and G), and the variants of appendices H and I. Our own lemmas and
sharper theorems (``where`` is "ours") stand beside what they are about.
"""

from theory.judging.origins import rows_of, with_origins
from theory.papers.rpd.bounds import SUPPLY
from theory.papers.rpd.origins import ORIGINS
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.tightness import TIGHTNESS
from theory.record import Paper

_ROWS = rows_of(
    __name__,
    """
    lemma_b1:THEOREM lemma_b2 lemmas.lemma_b2_by_blocks:THEOREM lemma_b2_expected eq_8:THEOREM
    lemmas.stale_gradient:THEOREM eq_9 thm_4_1 stepsize stepsize:ANY_STEPSIZE
    lemmas.any_gradient:THEOREM cor_b1 lemmas.draw_counts:THEOREM lemmas.drift_by_counts:THEOREM
    lemmas.block_drift:THEOREM lemmas.sharp_drift lemmas.sharp_drift:ATTAINED lemmas.sharp_thm_4_1
    stale_power_of_the_bound stale_power table_1 table_1:UPPER table_1:ATTAINED
    prop_4_1 lemma_c1_window lemma_c1_entry lemma_c1_odd lemma_c1_mean cor_c1 delay_whole_run
    local_staleness
    pd_as_rpd stash_invariant
    thm_h1 thm_h1:RECURRENCE lemmas.pl_constant:THEOREM eq_15 lemmas.sharp_eq_15
    lemma_i1:THEOREM lemma_i2 lemmas.sharp_lemma_i2 lemmas.sharp_lemma_i2_any_beta
    lemmas.draw_counts:WITH_ONE_BEFORE lemmas.nag_drift_by_counts:THEOREM lemmas.sharp_nag_drift
    nag_thm lemmas.sharp_nag_pathwise lemmas.sharp_nag
    c1_slot_counts last_stage_delay periodic idle updates_in_time any_timing
    """,
)

PAPER = Paper(with_origins(_ROWS, ORIGINS), CHALLENGES, SUPPLY, TIGHTNESS)
