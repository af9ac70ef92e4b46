"""PipeDream with twice as many microbatches under way: a greedy rule."""

import operator

from schedules.actions import Kind
from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule

FAMILY = Family(
    name="eager",
    source="ours",
    summary="PipeDream's rule, NOAM = 2p",
    policy=WeightPolicy("stash"),
    rule=GreedyRule(
        finished=operator.lt,  # what ended in an earlier slot
        prefer_first=Kind.B,  # until the stage's first backward
        prefer_after={Kind.B: Kind.F, Kind.F: Kind.B},  # then in turn
    ),
    admission=lambda p: 2 * p,
)
