"""LocalSGD executed through one pipeline: n replicas, H local steps a round.

Source: "Demystifying Pipeline Parallelism: First Theory for PipeDream", appendix E.2. Job m has
replica m mod n, local step (m mod nH) div n and round m div nH. The stage rule is PipeDream's;
there is no bound on active microbatches. A trailing partial round is not averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from schedules.actions import Action, Kind
from schedules.errors import SizeError
from schedules.families.family import Family, Parameter, require_room
from schedules.families.pipedream import RULE
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.rules import Gate, run_greedy
from schedules.schedule import Schedule

DEFAULT_LOCAL_STEPS: Final = 2
MAX_COPIES: Final = 1_000_000
"""Most (stage, replica) pairs that are built."""


@dataclass(frozen=True)
class Job:
    """A job index taken apart; integers here, solver terms in the provers.

    Attributes
    ----------
    index : int
        m.
    first : int
        First job of its round, round · n · H.
    offset : int
        ``index − first``, below n · H; the local step is ``offset div n``.
    replicas : int
        n.
    """

    index: Any
    first: Any
    offset: Any
    replicas: Any


@dataclass(frozen=True)
class Condition:
    """A backward that the forward of a job waits for, where the condition applies."""

    name: str
    applies: Callable[[Job], Any]
    stage: Callable[[Any], Any]
    waits_for: Callable[[Job], Any]


CONDITIONS: Final = (
    Condition(
        "local step",
        applies=lambda job: job.offset >= job.replicas,
        stage=lambda s: s,
        waits_for=lambda job: job.index - job.replicas,
    ),
    Condition(
        "round",
        applies=lambda job: job.first > 0,
        stage=lambda s: 0,
        waits_for=lambda job: job.first - 1,
    ),
)
"""E.2's second and third condition; the first is every pipeline's own."""


def as_gate(condition: Condition, replicas: int, local_steps: int) -> Gate:
    """The condition as a gate of the greedy engine."""
    jobs = replicas * local_steps

    def gate(stage: int, index: int) -> tuple[int, int] | None:
        job = Job(index, index - index % jobs, index % jobs, replicas)
        if not condition.applies(job):
            return None
        return condition.stage(stage), condition.waits_for(job)

    return gate


def build(
    stages: int,
    microbatches: int,
    replicas: int | None = None,
    local_steps: int = DEFAULT_LOCAL_STEPS,
) -> Schedule:
    """Generate LocalSGD for p stages and M jobs.

    Every replica is a pipeline with its own weight copy on the same ranks. After each full
    round every stage has a ``REDUCE`` (the averaging, no time) that waits for the round's last
    backward at stage 0.

    Parameters
    ----------
    stages, microbatches : int
        p ≥ 1 and M ≥ 1 (jobs of all replicas together).
    replicas : int, optional
        n ≥ 1; p by default.
    local_steps : int
        H ≥ 1.

    Raises
    ------
    ParameterError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.

    Examples
    --------
    >>> [str(action) for action in build(1, 4, replicas=1, local_steps=2).rank(0)]
    ['0F0', '0B0', '0F1', '0B1', '0REDUCE1', '0F2', '0B2', '0F3', '0B3', '0REDUCE3']
    """
    replicas = stages if replicas is None else replicas
    given = {"replicas": replicas, "local_steps": local_steps}
    values = FAMILY.checked(stages, microbatches, given)
    require_room(FAMILY.name, stages, microbatches)
    if stages * replicas > MAX_COPIES:
        raise SizeError(
            f"p = {stages} stages and n = {replicas} replicas make p·n = {stages * replicas} "
            f"weight copies; at most {MAX_COPIES} are kept",
            f"family {FAMILY.name}",
            "take fewer replicas",
        )
    gates = [as_gate(condition, replicas, local_steps) for condition in CONDITIONS]
    jobs = replicas * local_steps
    orders = run_greedy(RULE, stages, microbatches, None, gates)
    return Schedule.from_orders(
        FAMILY.name,
        [_with_replicas_and_averaging(order, replicas, jobs) for order in orders],
        microbatches,
        FAMILY.policy,
        placement=Placement.one_stage_a_rank(stages, pipelines=replicas),
        parameters=values,
    )


def _with_replicas_and_averaging(order: list[Action], replicas: int, jobs: int) -> list[Action]:
    result = []
    for action in order:
        m = action.microbatch
        result.append(Action(action.kind, action.stage, m, m % replicas))
        if action.kind is Kind.B and (m + 1) % jobs == 0:
            result.append(Action(Kind.REDUCE, action.stage, m, m % replicas))
    return result


FAMILY: Final = Family(
    name="localsgd",
    source="RPD paper, appendix E.2; Yu et al. 2019",
    summary="n model replicas in one pipeline, averaged every H local steps",
    policy=WeightPolicy("stash"),
    build=build,
    parameters=(
        Parameter("replicas", "model replicas n (default p)"),
        Parameter("local_steps", f"local steps H a round (default {DEFAULT_LOCAL_STEPS})"),
    ),
    rule=RULE,
    no_steady="rounds end in a barrier, so delays depend on the place in the round",
)
