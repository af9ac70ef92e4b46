"""Claims of our own about schedules: for all timings, and what every family keeps."""

from __future__ import annotations

from typing import Final

from theory.papers.schedules import free_running, lamport, static_staleness
from theory.papers.schedules.matrix.rows import CLAIMS as MATRIX
from theory.record import Paper

PAPER: Final = Paper((static_staleness.CLAIM, free_running.CLAIM, lamport.CLAIM, *MATRIX))
