"""Whose statement each AMDP row is.

The source is a summary without a theorem in full: it prints the formula of the mismatch, the one
step, the ratio 2/d, what saturates and whom a window affects; of the theorem on η it has lost the
display, and says in words what it adds to the bound of synchronous SGD.
"""

from __future__ import annotations

from typing import Final

from theory.judging.origins import Origins

ORIGINS: Final[Origins] = {
    "amdp.mismatch": "printed",
    "amdp.free-mismatch": "ours",
    "amdp.one-step": "printed",
    "amdp.active-ratio": "printed",
    "amdp.saturation": "printed",
    "amdp.accumulation": "printed",
    "amdp.eta2": "reconstructed",
    "amdp.eta2-synchronous": "ours",
    "amdp.eta2-mixed": "ours",
    "amdp.eta2-stash": "ours",
    "amdp.zero": "printed",
    "amdp.gains": "printed",
}
"""By row."""
