"""Two forwards, one backward, an update every second backward: a function with memory."""

from schedules.actions import Action, Kind
from schedules.families import Family
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule


def order(stage: int, microbatches: int) -> list[Action]:
    forwards = backwards = 0
    found = []
    while backwards < microbatches:
        if forwards < min(microbatches, 2 * (backwards + 1)):
            found.append(Action(Kind.F, stage, forwards))
            forwards += 1
        else:
            found.append(Action(Kind.B, stage, backwards))
            backwards += 1
    return found


def build(stages: int, microbatches: int) -> Schedule:
    orders = [order(stage, microbatches) for stage in range(stages)]
    return Schedule.from_orders(FAMILY.name, orders, microbatches, FAMILY.policy)


FAMILY = Family(
    name="two-forwards",
    source="ours",
    summary="two forwards, one backward, an update every second backward",
    policy=WeightPolicy("stash", interval=2),
    build=build,
)
