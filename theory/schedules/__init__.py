"""Claims of our own about schedules, for all timings."""

from __future__ import annotations

from typing import Final

from theory.claims import Claim
from theory.schedules import free_running, static_staleness

CLAIMS: Final[tuple[Claim, ...]] = (static_staleness.CLAIM, free_running.CLAIM)
