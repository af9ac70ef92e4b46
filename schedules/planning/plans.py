"""Plans: schedules on measured layers, those within the limits ranked by makespan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedules.analysis.exposed import Exposed, exposed_communication
from schedules.analysis.peaks import byte_peaks, peaks
from schedules.errors import ScheduleError
from schedules.families import build
from schedules.formats.layer_table import Time
from schedules.placement import Placement
from schedules.planning.candidates import LEFT_OUT, Size, candidates
from schedules.planning.costs import COLUMN_OF, Costs, crossing, stage_times
from schedules.planning.layers import Layers
from schedules.planning.partition import Exact, constrained, least_largest, require_enough
from schedules.schedule import Schedule
from schedules.timeline import Timeline
from schedules.versions import versions


@dataclass(frozen=True)
class Limits:
    """What a plan has to keep: bytes of every rank, and local staleness; None is no limit."""

    memory: int | None = None
    staleness: int | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """A schedule, the layers on its stages, and its run.

    Attributes
    ----------
    family : str
    parameters : mapping of str to int
        Those that were chosen; others have their default.
    schedule : Schedule
    costs : Costs
    """

    family: str
    parameters: Mapping[str, int]
    schedule: Schedule
    costs: Costs

    @cached_property
    def line(self) -> Timeline:
        """The run."""
        return self.costs.timeline(self.schedule)

    @property
    def makespan(self) -> Time:
        """Of all microbatches, in the unit of the layers."""
        return self.costs.layers.time(self.line.length)

    @property
    def is_lower_bound(self) -> bool:
        """Whether it would take longer: several weight copies of a stage meet, in no time here."""
        return self.schedule.placement.copy_count > 1

    @cached_property
    def peak_memory(self) -> int:
        """Most bytes that a rank keeps at one time."""
        return max(byte_peaks(self.line, self.costs.sizes).total)

    @cached_property
    def staleness(self) -> int:
        """Most updates between the version that a forward reads and the one its gradient makes.

        Its own not counted: 0 is synchronous.
        """
        return staleness(self.schedule)

    @cached_property
    def links(self) -> list[Exposed]:
        """Waiting for messages on their way, by link, in ticks."""
        return exposed_communication(self.line, self.costs.message_time)

    @property
    def exposed_communication(self) -> Time:
        """Waiting for messages on their way, all ranks together, in the unit of the layers."""
        return self.costs.layers.time(sum(link.exposed for link in self.links))

    def keeps(self, limits: Limits) -> bool:
        """Whether it stays within the limits."""
        fits = limits.memory is None or self.peak_memory <= limits.memory
        return fits and (limits.staleness is None or self.staleness <= limits.staleness)


@dataclass(frozen=True, eq=False)
class Found:
    """All that was looked at.

    Attributes
    ----------
    limits : Limits
    plans : tuple of Plan
        Within the limits, best first: by makespan, then by memory.
    others : tuple of Plan
        Beyond them.
    left_out : mapping of str to str
        Families without any schedule of this size, and why.
    """

    limits: Limits
    plans: tuple[Plan, ...]
    others: tuple[Plan, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


def staleness(schedule: Schedule) -> int:
    """Largest local staleness of a schedule.

    Examples
    --------
    >>> staleness(build("pipedream", 4, 16)), staleness(build("1f1b", 4, 16))
    (3, 0)
    """
    found = versions(schedule)
    return int(found.local_staleness.max(initial=0))


def find_plans(layers: Layers, ranks: int, microbatches: int, limits: Limits) -> Found:
    r"""Try every family with its parameters.

    The layers are split so that the longest stage is shortest. Where that takes more memory than
    there is and every rank has one stage, also so that it is shortest of those that fit, and so
    that the memory is least.

    Raises
    ------
    ParameterError
        More ranks than layers.

    Examples
    --------
    >>> from schedules.planning.layers import parse_layers
    >>> head = "layer,forward,input_gradient,weight_gradient,activation_bytes,parameter_bytes"
    >>> layers = parse_layers("\n".join([head, *(f"{k},1,1,1,8,4" for k in range(4))]))
    >>> best = find_plans(layers, 2, 4, Limits(staleness=0)).plans[0]
    >>> best.family, best.makespan, best.peak_memory
    ('chimera', 24, 48)
    """
    require_enough(layers.count, ranks)
    plans: list[Plan] = []
    others: list[Plan] = []
    left_out = dict(LEFT_OUT)
    fitting: set[str] = set()
    splits: dict[object, Costs] = {}
    for family, parameters in candidates(Size(ranks, microbatches, layers.count)):
        try:
            schedule = build(family, ranks, microbatches, **parameters)
            plan = Plan(family, parameters, schedule, _split(layers, schedule, splits))
        except ScheduleError as error:
            left_out.setdefault(family, error.what)
            continue
        fitting.add(family)
        several = [plan]
        if limits.memory is not None and plan.peak_memory > limits.memory:
            several += _lighter(plan, limits.memory)
        kept = [each for each in several if each.keeps(limits)]
        plans += [min(kept, key=_order)] if kept else []
        others += [] if kept else several
    left_out = {name: why for name, why in left_out.items() if name not in fitting}
    return Found(limits, tuple(sorted(plans, key=_order)), tuple(others), left_out)


def _order(plan: Plan) -> tuple[int, int]:
    return plan.line.length, plan.peak_memory


def _split(layers: Layers, schedule: Schedule, known: dict[object, Costs]) -> Costs:
    """The layers on the stages of a schedule; those of one placement are split once."""
    placement = schedule.placement
    key = placement.stages if layers.network.is_instant else placement.ranks
    if key not in known:
        require_enough(layers.count, placement.stages)
        between = crossing(layers, placement)
        bounds = constrained(stage_times(layers), placement.stages, between, None)
        assert bounds is not None  # without constraints there is always one
        known[key] = Costs(layers, bounds)
    return known[key]


def _lighter(plan: Plan, memory: int) -> list[Plan]:
    """The same schedule on partitions that take less memory, if every rank has one stage."""
    schedule, layers = plan.schedule, plan.costs.layers
    placement = schedule.placement
    if placement.pipelines > 1 or placement.stages != schedule.ranks:
        return []
    most = peaks(plan.line)

    def counts(stage: int) -> Counts:
        kept = most.activations_by_stage[stage], most.versions_by_stage[stage]
        return Counts(*kept)

    found = [
        fitting_partition(layers, placement, counts, memory),
        (least_largest(placement.stages, lambda s: stage_bytes(layers, counts(s))) or (None, 0))[0],
    ]
    return [
        Plan(plan.family, plan.parameters, schedule, Costs(layers, bounds))
        for bounds in dict.fromkeys(found)
        if bounds is not None
    ]


@dataclass(frozen=True)
class Counts:
    """What a stage keeps at one time: activations of microbatches, and weight versions."""

    activations: int
    versions: int


def fitting_partition(
    layers: Layers, placement: Placement, counts: Callable[[int], Counts], memory: int
) -> tuple[int, ...] | None:
    """Of the partitions in which every stage fits into a memory of its own, the shortest longest.

    None if there is none.
    """

    def fits(stage: int) -> NDArray[np.bool_]:
        return np.asarray(stage_bytes(layers, counts(stage)) <= memory)

    between = crossing(layers, placement)
    return constrained(stage_times(layers), placement.stages, between, fits)


def stage_bytes(layers: Layers, counts: Counts) -> Exact:
    """``[i, j]``: most bytes of a stage of layers i … j − 1, its peaks taken together."""
    kept = {
        "activations": counts.activations,
        "weights": counts.versions,
        "optimizer": 1,
        "gradients": 1,
    }
    columns = [
        [number * value for value in layers.sums(COLUMN_OF[size])] for size, number in kept.items()
    ]
    sums = [sum(row) for row in zip(*columns, strict=True)]
    total: Exact = np.array(sums, dtype=np.int64 if sums[-1] < 2**62 else object)
    return total[None, :] - total[:, None]


@dataclass(frozen=True)
class Binding:
    """Why no plan stays within the limits, and the least that would do.

    Attributes
    ----------
    limit : str
        ``memory``, ``staleness``, or ``both``: each can be kept, but not together.
    memory : Plan or None
        Of the plans within the staleness limit, the one with the least memory.
    staleness : Plan or None
        Of the plans within the memory limit, the one with the least staleness.
    """

    limit: str
    memory: Plan | None
    staleness: Plan | None


def binding(found: Found) -> Binding | None:
    """What keeps every plan from the limits; None if some plan keeps them or there is none."""
    if found.plans or not found.others:
        return None
    limits = found.limits
    fresh = _within(found.others, Limits(staleness=limits.staleness))
    light = _within(found.others, Limits(memory=limits.memory))
    return Binding(
        "both" if fresh and light else "memory" if fresh else "staleness",
        min(fresh, key=lambda plan: (plan.peak_memory, plan.line.length), default=None),
        min(light, key=lambda plan: (plan.staleness, plan.line.length), default=None),
    )


def _within(plans: Iterable[Plan], limits: Limits) -> list[Plan]:
    return [plan for plan in plans if plan.keeps(limits)]
