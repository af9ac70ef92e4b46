"""The terms of every bound, by the claim that states and judges it."""

from __future__ import annotations

from typing import Final

from theory.claims import Formulas
from theory.localsgd import eq_12, sharp_eq_12
from theory.rpd import (
    eq_15,
    nag_thm,
    sharp_eq_15,
    sharp_nag,
    sharp_nag_pathwise,
    sharp_thm_4_1,
    thm_4_1,
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
    )
}
