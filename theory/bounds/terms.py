"""The terms of every bound, by the claim that states and judges it."""

from __future__ import annotations

from typing import Final

from theory.claims import Formulas
from theory.papers.localsgd import eq_12, sharp_eq_12
from theory.papers.rpd import (
    eq_15,
    nag_thm,
    sharp_eq_15,
    sharp_nag,
    sharp_nag_pathwise,
    sharp_thm_4_1,
    thm_4_1,
)
from theory.papers.sapipe import (
    pipe_sgd,
    prefix_repaired,
    repaired_thm_4,
    repaired_thm_5,
    repaired_thm_6,
    sharp_thm_3,
    sharp_thm_3_full,
    sharp_thm_5,
    thm_2,
    thm_2_reuse,
    thm_2_reuse_rational,
    thm_2_samples,
    thm_3,
    thm_4,
    thm_5,
    thm_6,
    wp_1_moment,
    wp_3_moment,
)

TERMS: Final[dict[str, Formulas]] = {
    module.CLAIM.id: module.CLAIM.printed
    for module in (
        thm_4_1,
        sharp_thm_4_1,
        eq_15,
        sharp_eq_15,
        nag_thm,
        sharp_nag_pathwise,
        sharp_nag,
        eq_12,
        sharp_eq_12,
        thm_2,
        thm_2_reuse,
        thm_2_reuse_rational,
        thm_2_samples,
        pipe_sgd,
        prefix_repaired,
        thm_3,
        sharp_thm_3,
        sharp_thm_3_full,
        thm_4,
        wp_1_moment,
        repaired_thm_4,
        thm_5,
        sharp_thm_5,
        repaired_thm_5,
        thm_6,
        repaired_thm_6,
        wp_3_moment,
    )
}
"""Of a claim that is refuted, the terms as printed."""
