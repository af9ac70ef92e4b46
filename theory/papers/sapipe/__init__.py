"""Claims of "SAPipe: Staleness-Aware Pipeline for Data Parallel DNN Training" (NeurIPS 2022)."""

from theory.judging.arguments import with_arguments
from theory.judging.origins import rows_of, with_origins
from theory.papers.sapipe.arguments import ARGUMENTS, RESTS
from theory.papers.sapipe.bounds import SUPPLY
from theory.papers.sapipe.origins import ORIGINS
from theory.papers.sapipe.runs.challenges import CHALLENGES
from theory.record import Paper

_ROWS = rows_of(
    __name__,
    """
    thm_1 program lemmas.no_stall assumption_3 lemmas.diversity assumption_4
    lemmas.assumption_4_gradient lemma_1 lemmas.workers lemmas.elements lemmas.biased
    stale_bias lemmas.sgd
    thm_2 thm_2_samples pipe_sgd thm_2_pass lemmas.reused_noise lemmas.same_samples
    thm_2_reuse thm_2_algorithm_1 lemmas.thm_2_reuse_rational lemmas.thm_2_reuse_pass lemmas.prefix
    lemmas.prefix_repaired remark_1 remark_2
    thm_3 thm_3_samples lemmas.dc_any_samples lemmas.dc_mixed_steps lemmas.dc_first_update
    lemmas.dc_first_update:HEIGHT lemmas.sharp_thm_3 lemmas.sharp_thm_3_full dc_update dc_step
    lemmas.dc_squares lemmas.dc_fourths lemmas.dc_fourths_drawn lemmas.dc_fourths_full
    lemmas.dc_objective lemmas.dc_bias lemmas.dc_bias:BETTER
    remark_3
    thm_4 lemmas.wp_1_moment lemmas.repaired_thm_4 lemmas.wp_update wp_1_average
    lemmas.wp_1_noise wp_1_one_point remark_4
    thm_5 thm_5_domain lemmas.wp_2_first lemmas.sharp_thm_5 lemmas.repaired_thm_5 remark_5
    thm_6 thm_6:EXACT lemmas.repaired_thm_6 lemmas.wp_3_moment lemmas.wp_3_missed
    lemmas.wp_3_left_out lemmas.wp_3_outer remark_6 lemmas.best_lambda
    cor_1 lemmas.rate lemmas.counted_twice remark_7
    alg_4 alg_5
    np_hard improvements best_options other_options shared_buffer buffer_rule full_matrix
    thm_1_graphs lemmas.remark_4_excess
    """,
)
"""In the paper's order."""

PAPER = Paper(with_arguments(with_origins(_ROWS, ORIGINS), ARGUMENTS, RESTS), CHALLENGES, SUPPLY)
