"""PipeDream's asynchronous 1F1B, by the scheduler rules of the RPD paper.

Source: "Demystifying Pipeline Parallelism: First Theory for PipeDream", appendix E.1 (rules)
and G.3 (weight stashing); after Narayanan et al., SOSP 2019.
"""

from __future__ import annotations

import operator
from typing import Any, Final

from schedules.actions import Kind
from schedules.families.family import Family, Parameter
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule

RULE: Final = GreedyRule(
    finished=operator.lt,
    prefer_first=Kind.B,
    prefer_after={Kind.B: Kind.F, Kind.F: Kind.B},
)
"""T < t is strict; B whenever ready until the first one; then alternate."""


def default_noam(stages: Any) -> Any:
    """Outstanding active microbatches: one a stage."""
    return stages


FAMILY: Final = Family(
    name="pipedream",
    source="RPD paper, appendix E.1; Narayanan et al. 2019",
    summary="asynchronous 1F1B with weight stashing, an update after every backward",
    policy=WeightPolicy("stash"),
    parameters=(Parameter("noam", "outstanding active microbatches at stage 0 (default p)"),),
    rule=RULE,
    admission=default_noam,
    affine=True,
)

build: Final = FAMILY.build
