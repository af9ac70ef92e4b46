"""The challenges of all papers by name."""

from __future__ import annotations

from typing import Final

from theory.falsifier import Challenge
from theory.papers.localsgd.runs.challenges import CHALLENGES as LOCALSGD
from theory.papers.nesterov.runs.challenges import CHALLENGES as NESTEROV
from theory.papers.rpd.runs.challenges import CHALLENGES as RPD
from theory.papers.sapipe.runs.challenges import CHALLENGES as SAPIPE

CHALLENGES: Final[dict[str, Challenge]] = {**RPD, **LOCALSGD, **NESTEROV, **SAPIPE}
