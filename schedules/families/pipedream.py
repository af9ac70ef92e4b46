"""PipeDream's asynchronous 1F1B, by the scheduler rules of the RPD paper.

Source: "Demystifying Pipeline Parallelism: First Theory for PipeDream", appendix E.1 (rules)
and G.3 (weight stashing); after Narayanan et al., SOSP 2019.
"""

from __future__ import annotations

import operator
from typing import Any, Final

from schedules.actions import Kind
from schedules.families.family import Family, Parameter, from_rule
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.schedule import Schedule

RULE: Final = GreedyRule(
    finished=operator.lt,
    prefer_first=Kind.B,
    prefer_after={Kind.B: Kind.F, Kind.F: Kind.B},
)
"""T < t is strict; B whenever ready until the first one; then alternate."""


def default_noam(stages: Any) -> Any:
    """Outstanding active microbatches: one a stage."""
    return stages


def build(stages: int, microbatches: int, noam: int | None = None) -> Schedule:
    """Generate PipeDream for p stages and M microbatches.

    Parameters
    ----------
    stages, microbatches : int
        p ≥ 1 and M ≥ 1.
    noam : int, optional
        Bound on active microbatches, at least 1; p by default.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> [str(action) for action in build(2, 3).rank(0)]
    ['0F0', '0F1', '0B0', '0F2', '0B1', '0B2']
    """
    given = {} if noam is None else {"noam": noam}
    return from_rule(FAMILY, stages, microbatches, **given)


FAMILY: Final = Family(
    name="pipedream",
    source="RPD paper, appendix E.1; Narayanan et al. 2019",
    summary="asynchronous 1F1B with weight stashing, an update after every backward",
    policy=WeightPolicy("stash"),
    build=build,
    parameters=(Parameter("noam", "outstanding active microbatches at stage 0 (default p)"),),
    rule=RULE,
    admission=default_noam,
    affine=True,
)
