"""LocalSGD executed through one pipeline: n replicas, H local steps a round.

Source: "Demystifying Pipeline Parallelism: First Theory for PipeDream", appendix E.2. Job m has
replica m mod n, local step (m mod nH) div n and round m div nH. The stage rule is PipeDream's;
there is no bound on active microbatches. A trailing partial round is not averaged.

Every replica is a pipeline with its own weight copy on the same ranks. After each full round every
stage has a ``REDUCE`` (the averaging, no time) that waits for the round's last backward at stage 0.
Schedules are built from stamps, which are the slots in which the rule plays (`played`).

>>> print(*build(1, 4, replicas=1, local_steps=2).rank(0))
0F0 0B0 0F1 0B1 0REDUCE1 0F2 0B2 0F3 0B3 0REDUCE3
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from schedules.actions import Kind
from schedules.errors import SizeError
from schedules.families.family import Family, Parameter
from schedules.families.figures import Figures
from schedules.families.pipedream import RULE
from schedules.policies import WeightPolicy
from schedules.rules import Gate, run_greedy
from schedules.schedule import Schedule
from schedules.stamps import TURNS, At, Number, Stamp, StampedOrder

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


def played(stages: int, microbatches: int, replicas: int, local_steps: int) -> Schedule:
    """E.2's rule slot by slot, in one pipeline without averaging: what stamps are held against.

    Examples
    --------
    >>> print(*played(2, 2, 1, 2).rank(0))
    0F0 0B0 0F1 0B1
    """
    gates = [as_gate(condition, replicas, local_steps) for condition in CONDITIONS]
    orders = run_greedy(RULE, stages, microbatches, None, gates).orders
    return Schedule.from_orders("localsgd", orders, microbatches, WeightPolicy("stash"))


def _place(at: At) -> tuple[Number, Number, Number, Number]:
    """Round, local step, replica, and the slots from local step to local step."""
    rounds, offset = at.divide(at.x, at.values["jobs"])
    step, replica = at.divide(offset, at.values["replicas"])
    return rounds, step, replica, 2 * at.most(at.values["replicas"], at.p)


def _slot(at: At, rounds: Number, step: Number, apart: Number, slot: Number) -> Stamp:
    """Slots of a round, counted from the local step that they fall in."""
    late, early = slot >= apart, slot < 0
    return (
        rounds,
        step + at.choose(late, 1, at.choose(early, -1, 0)),
        slot + at.choose(late, -apart, at.choose(early, apart, 0)),
    )


def _forward(at: At) -> Stamp:
    rounds, step, replica, apart = _place(at)
    head = at.most(at.rank + replica, 2 * replica + 3 * at.rank - 2 * at.p + 2)
    behind = at.p - at.values["replicas"]
    back = at.most(2 * (at.rank + 1 - at.p), at.choose(behind < 0, 2 * behind, 0))
    slot = at.choose(step > 0, 2 * replica + at.rank + back, head)
    return _slot(at, rounds, step, apart, slot)


def _backward(at: At) -> Stamp:
    rounds, step, replica, apart = _place(at)
    return _slot(at, rounds, step, apart, 2 * (replica + at.p) - 1 - at.rank)


def _closes(at: At) -> Any:
    """Whether a round ends with this job: then all stages average, behind everything of it."""
    return at.divide(at.x, at.values["jobs"])[1] == at.values["jobs"] - 1


def _accept(family: str, p: int, M: int, values: Mapping[str, int]) -> Mapping[str, int]:
    replicas = values.get("replicas", p)
    if p * replicas > MAX_COPIES:
        raise SizeError(
            f"p = {p} stages and n = {replicas} replicas make p·n = {p * replicas} "
            f"weight copies; at most {MAX_COPIES} are kept",
            f"family {family}",
            "take fewer replicas",
        )
    return {"replicas": replicas, "jobs": replicas * values["local_steps"]}


ORDER: Final = StampedOrder(
    TURNS,
    forward=_forward,
    backward=_backward,
    beside={Kind.REDUCE: lambda at: (_place(at)[0], at.values["local_steps"] + 2, 0)},
    closes=_closes,
    accept=_accept,
    defaults={"local_steps": DEFAULT_LOCAL_STEPS},
)
"""The slots of a round. Of local step a, with P = 2·max(n, p) slots from step to step, replica r
has its backward in slot P·a + 2r + 2p − 1 − s. Its forward is in slot s + r or, if that is later,
2r + 3s − 2p + 2 in the first step, and in P·a + 2r + s from then on, less 2·(p − 1 − s) or, if that
is fewer, 2·(n − p) slots where there are more replicas than stages."""


FAMILY: Final = Family(
    name="localsgd",
    source="RPD paper, appendix E.2; Yu et al. 2019",
    summary="n model replicas in one pipeline, averaged every H local steps",
    policy=WeightPolicy("stash"),
    parameters=(
        Parameter("replicas", "model replicas n (default p)"),
        Parameter("local_steps", f"local steps H a round (default {DEFAULT_LOCAL_STEPS})"),
    ),
    rule=ORDER,
    figures=Figures(
        makespan="2*M + 2*(p - 1)*ceiling(M/(replicas*local_steps))",
        work="2*M",
        peak="Min(replicas, M, 2*(p - 1 - r) + 1)",
        where="replicas >= p",
    ),
    no_steady="rounds end in a barrier, so delays depend on the place in the round",
)

build: Final = FAMILY.build
