"""What a rank does next: its program, or the family's rule under real readiness."""

from __future__ import annotations

from collections.abc import Iterator

from gpu_validation.errors import NotRunnableError
from gpu_validation.messages import Endpoint, needed
from schedules.actions import MESSAGES, Action, Kind, among
from schedules.families import FAMILIES
from schedules.rules import GreedyRule
from schedules.schedule import Schedule


def static_order(schedule: Schedule, rank: int) -> Iterator[Action]:
    """The program of a rank, without sends and receives.

    Examples
    --------
    >>> from schedules import build
    >>> [str(action) for action in static_order(build("pipedream", 2, 2), 1)]
    ['1F0', '1B0', '1F1', '1B1']
    """
    return (action for action in schedule.rank(rank) if action.kind not in MESSAGES)


def free_running(schedule: Schedule, endpoint: Endpoint) -> Iterator[Action]:
    """The family's rule, decided anew after every action by what has really arrived.

    A stage that has not yet done a backward prefers one whenever it is ready; afterwards forwards
    and backwards take turns while both are ready. Stage 0 admits a forward while fewer than NOAM
    microbatches are active: forward done, backward not. Every action has to be carried out before
    the next one is asked for.
    """
    rule, limit = rule_of(schedule)
    stage, microbatches = endpoint.rank, schedule.microbatches
    forwards = backwards = 0
    last: Kind | None = None

    def ready(kind: Kind, microbatch: int) -> bool:
        label = needed(schedule, kind, stage, microbatch, 0)
        return label is None or endpoint.ready(label)

    while backwards < microbatches:
        admitted = stage > 0 or forwards - backwards < limit
        ready_f = forwards < microbatches and admitted and ready(Kind.F, forwards)
        ready_b = backwards < forwards and ready(Kind.B, backwards)
        if not (ready_f or ready_b):
            endpoint.wait_any()
            continue
        preferred = rule.prefer_first
        if backwards and last is not None:
            preferred = rule.prefer_after[last]
        last = Kind.F if ready_f and (not ready_b or preferred is Kind.F) else Kind.B
        yield Action(last, stage, forwards if last is Kind.F else backwards)
        if last is Kind.F:
            forwards += 1
        else:
            backwards += 1


def rule_of(schedule: Schedule) -> tuple[GreedyRule, int]:
    """The greedy rule that generated a schedule, and its bound on active microbatches.

    Raises `NotRunnableError`: its family has no such rule, or the schedule is not one stage a rank
    with F and B only.
    """
    family = FAMILIES.get(schedule.name)
    placement = schedule.placement
    plain = placement.ranks == (tuple(range(schedule.ranks)),)
    only_f_and_b = bool(among(schedule.kind, (Kind.F, Kind.B, *MESSAGES)).all())
    if family is None or not isinstance(family.rule, GreedyRule) or not (plain and only_f_and_b):
        raise NotRunnableError(
            "only a family that a rule generates can run freely, with one stage a rank and without "
            "rounds, which 'pipedream' is",
            schedule.name,
            "use the order 'static', or the family 'pipedream'",
        )
    return family.rule, int(schedule.parameters.get("noam", schedule.stages))
