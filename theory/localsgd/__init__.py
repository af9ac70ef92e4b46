"""Claims of the RPD paper about LocalSGD."""

from __future__ import annotations

from typing import Final

from theory.claims import Claim
from theory.localsgd import schedule

CLAIMS: Final[tuple[Claim, ...]] = (schedule.CLAIM,)
