"""Claims of "Nesterov Method for Asynchronous Pipeline Parallel Optimization" (ICML 2025)."""

from __future__ import annotations

from typing import Final

from theory.judging.arguments import with_arguments
from theory.judging.origins import with_origins
from theory.papers.nesterov import (
    eq_5,
    eq_18,
    eq_19,
    eq_20,
    eq_22,
    eq_23,
    eq_24,
    eq_25,
    eq_26,
    eq_27,
    eq_28,
    eq_30,
    eq_30_step,
    eq_31,
    eq_33,
    prop_1,
    thm_1,
    thm_1_no_delay,
)
from theory.papers.nesterov.arguments import ARGUMENTS, RESTS
from theory.papers.nesterov.lemmas import (
    aligned,
    averaged_step,
    eq_30_later,
    eq_30_sum,
    first_drop,
    gradient_window,
    interpolation,
    iterate_rate,
    iterate_start,
    iterate_step,
    later_steps,
    no_delay_steps,
    repaired_iterates,
    repaired_look_ahead,
    repaired_start,
    repaired_step,
    repaired_thm_1,
    sharp_no_delay,
    sharp_repaired_iterates,
    sharp_repaired_thm_1,
    step_bound,
    stepsize_limit,
)
from theory.papers.nesterov.origins import ORIGINS
from theory.papers.nesterov.runs.challenges import CHALLENGES
from theory.record import Paper

_ROWS: Final = (
    eq_5.CLAIM,
    eq_18.CLAIM,
    eq_19.CLAIM,
    eq_20.CLAIM,
    prop_1.CLAIM,
    eq_22.CLAIM,
    eq_23.CLAIM,
    eq_24.CLAIM,
    eq_25.CLAIM,
    eq_26.CLAIM,
    eq_27.CLAIM,
    eq_28.CLAIM,
    eq_30_later.CLAIM,
    eq_30_step.CLAIM,
    eq_30_sum.CLAIM,
    eq_30.CLAIM,
    eq_31.CLAIM,
    eq_33.CLAIM,
    thm_1.CLAIM,
    thm_1_no_delay.CLAIM,
    first_drop.CLAIM,
    sharp_no_delay.CLAIM,
    later_steps.CLAIM,
    no_delay_steps.CLAIM,
    averaged_step.CLAIM,
    interpolation.CLAIM,
    gradient_window.CLAIM,
    step_bound.CLAIM,
    repaired_step.CLAIM,
    repaired_start.CLAIM,
    repaired_look_ahead.CLAIM,
    sharp_repaired_thm_1.CLAIM,
    repaired_thm_1.CLAIM,
    iterate_step.CLAIM,
    iterate_start.CLAIM,
    iterate_rate.CLAIM,
    sharp_repaired_iterates.CLAIM,
    repaired_iterates.CLAIM,
    stepsize_limit.CLAIM,
    aligned.CLAIM,
)

PAPER: Final = Paper(with_arguments(with_origins(_ROWS, ORIGINS), ARGUMENTS, RESTS), CHALLENGES)
