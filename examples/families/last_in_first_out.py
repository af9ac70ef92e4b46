"""GPipe with backwards in reverse order: an order by stamps."""

from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.stamps import LINE, StampedOrder

FAMILY = Family(
    name="last-in-first-out",
    source="ours",
    summary="all forwards, then all backwards from the last microbatch on",
    policy=WeightPolicy("flush"),
    rule=StampedOrder(
        LINE,  # stage s on rank s
        forward=lambda at: (0, at.x + at.rank),
        backward=lambda at: (1, at.M - at.x + at.p - at.rank),
    ),
)
