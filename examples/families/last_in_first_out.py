"""GPipe with backwards in reverse order: a static order."""

from schedules.actions import Kind
from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.rules import StaticOrder

FAMILY = Family(
    name="last-in-first-out",
    source="ours",
    summary="all forwards, then all backwards from the last microbatch on",
    policy=WeightPolicy("flush"),
    rule=StaticOrder(
        {
            Kind.F: lambda s, m, p, M, choose: m,
            Kind.B: lambda s, m, p, M, choose: 2 * M - 1 - m,
        }
    ),
)
