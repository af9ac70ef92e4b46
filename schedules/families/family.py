"""`Family`: what is known about a schedule family, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import Any, Literal

import numpy as np

from schedules.errors import NoRuleError, ParameterError, SizeError, UnknownNameError
from schedules.families.figures import Figures
from schedules.linearization import Linearization
from schedules.policies import WeightPolicy
from schedules.programs import Program, as_schedule
from schedules.rules import GreedyRule, run_greedy
from schedules.schedule import Schedule
from schedules.stamps import StampedOrder, run_stamped

MAX_ACTIONS = 20_000_000
"""Most compute actions that a family builds."""

BYTES_PER_ACTION = 400
"""Peak memory while building, measured, rounded up."""


@dataclass(frozen=True)
class Parameter:
    """An integer parameter of a family, at least `minimum`."""

    name: str
    meaning: str
    minimum: int = 1


def no_build(stages: int, microbatches: int, **parameters: int) -> Schedule:
    """Stand in for `build` until a family's rule takes its place."""
    raise NoRuleError(
        "a family has a rule, or a function from p and M to a Schedule; found neither",
        "Family",
        "give build=..., or rule=...",
    )


def one_a_rank(ranks: int, values: Mapping[str, int]) -> int:
    """Stages of a family with one on every rank."""
    return ranks


@dataclass(frozen=True, eq=False)
class Family:
    """One schedule family; what is remembered of one is not taken for another of its name.

    Attributes
    ----------
    name, source, summary : str
    policy : WeightPolicy
    build : callable
        ``build(stages, microbatches, **parameters) -> Schedule``; of a family with a rule it is
        made by `from_rule`, which is what it is unless it is given.
    rule : GreedyRule, StampedOrder, Program or None
        The data that generates it and that provers read; None where a procedure generates it.
    parameters : tuple of Parameter
        Beyond stages and microbatches.
    admission : callable or None
        Bound on active microbatches as a function of p; None if there is none.
    in_flight : callable or None
        ``in_flight(s, p)``: bound on microbatches between their forward and their backward at stage
        s, for a greedy rule; None if there is none.
    affine : bool
        Whether closed forms of its start times are derived and proved.
    no_steady : str
        Why it has no periodic rows; empty if it has.
    unequal_ranks : str
        Why on several ranks exact delays have no periodic rows where the updates of one slot are
        counted one after the other; empty if they have.
    stages : callable
        ``stages(ranks, values) -> int``: S, from the parameters that are given.
    interval : str
        Of a stamped order: the parameter that is its policy's interval; empty if there is none.
    multiple : int or "p"
        Every multiple of it that is large enough is an M that the family accepts.
    whole_batch : bool
        Whether M = 1 is all that it accepts: the batch is not cut; no greedy rule or stamps say so.
    figures : Figures or None
        Makespan and memory as stated formulas, where they are not derived.
    """

    name: str
    source: str
    summary: str
    policy: WeightPolicy
    build: Callable[..., Schedule] = no_build
    rule: GreedyRule | StampedOrder | Program | None = None
    parameters: tuple[Parameter, ...] = ()
    admission: Callable[[Any], Any] | None = None
    in_flight: Callable[[Any, Any], Any] | None = None
    affine: bool = False
    no_steady: str = ""
    figures: Figures | None = None
    unequal_ranks: str = ""
    stages: Callable[[int, Mapping[str, int]], int] = one_a_rank
    interval: str = ""
    multiple: int | Literal["p"] = 1
    whole_batch: bool = False

    def __post_init__(self) -> None:
        if self.in_flight is not None and not isinstance(self.rule, GreedyRule):
            raise ParameterError(
                "a bound on what is in flight belongs to a greedy rule",
                f"family {self.name}",
                "drop in_flight, or state a GreedyRule",
            )
        from_another = isinstance(self.build, partial) and self.build.func is from_rule
        if (self.build is no_build or from_another) and self.rule is not None:
            object.__setattr__(self, "build", partial(from_rule, self))

    def why_unsteady(self, ranks: int, linearization: Linearization) -> str:
        """Why exact delays have no periodic rows, whatever M is; empty if they have."""
        unequal = ranks > 1 and linearization.backward_counts
        return self.no_steady or (self.unequal_ranks if unequal else "")

    @property
    def generated(self) -> bool:
        """Whether its rule generates what it builds, and nothing else does."""
        build = self.build
        if self.rule is None or not isinstance(build, partial) or build.func is not from_rule:
            return False
        return build.args == (self,) and not build.keywords

    def unit(self, ranks: int) -> int:
        """`multiple` on so many ranks."""
        return ranks if self.multiple == "p" else self.multiple

    def checked(self, stages: int, microbatches: int, values: Mapping[str, int]) -> dict[str, int]:
        """Return `values` as integers, or raise for the first one outside its domain.

        Raises
        ------
        ParameterError
            Not an integer, or below its minimum.
        UnknownNameError
            The family has no such parameter.
        """
        _integer(self.name, "p (ranks)", stages, 1)
        _integer(self.name, "M (microbatches)", microbatches, 1)
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in values.items():
            if name not in known:
                raise UnknownNameError(
                    f"family {self.name} has no parameter {name!r}; it has "
                    f"{', '.join(known) or 'none beyond p and M'}",
                    f"--set {name}={value}",
                    nearest(name, known) or "drop it",
                )
            _integer(self.name, name, value, known[name].minimum)
        return {name: int(value) for name, value in values.items()}


def nearest(name: str, known: Mapping[str, object]) -> str:
    """A "did you mean" sentence, or the empty string."""
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def _integer(family: str, name: str, value: object, minimum: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < minimum:
        raise ParameterError(
            f"{name} is an integer of at least {minimum}, found {value!r}",
            f"family {family}",
            f"give a whole number of {minimum} or more",
        )


def require_room(family: str, stages: int, microbatches: int, per_pair: int = 2) -> None:
    """Refuse more than `MAX_ACTIONS` actions.

    Parameters
    ----------
    family : str
    stages, microbatches : int
        Stages of all ranks together, not ranks.
    per_pair : int
        Actions of one microbatch at one stage: 2, or 3 where backwards are split in I and W.

    Raises
    ------
    SizeError
        With the number of actions and the memory they would take.
    """
    actions = per_pair * stages * microbatches
    if actions > MAX_ACTIONS:
        raise SizeError(
            f"S = {stages} stages and M = {microbatches} microbatches make {per_pair}·S·M = "
            f"{actions} actions and would take about {actions * BYTES_PER_ACTION / 1024**3:.1f} "
            f"GiB; at most {MAX_ACTIONS} are built",
            f"family {family}",
            "take fewer, or use `staleproof derive --at` for closed forms",
        )


def from_rule(
    family: Family, stages: int, microbatches: int, *chosen: int, **parameters: int
) -> Schedule:
    """Generate a schedule from nothing but a family's rule, admission bound and policy.

    Parameters
    ----------
    family : Family
    stages, microbatches : int
    chosen, parameters : int
        Of the family, in its order or by name; ``noam`` replaces its admission bound.

    Raises
    ------
    NoRuleError
        The family has no rule as data.
    ParameterError, UnknownNameError, SizeError
        A parameter outside its domain, or more actions than this package agrees to build.
    InvalidScheduleError
        The rule generates no schedule.

    Examples
    --------
    >>> from schedules.families.pipedream import FAMILY
    >>> [str(action) for action in from_rule(FAMILY, 2, 2, noam=1).rank(0)]
    ['0F0', '0B0', '0F1', '0B1']
    """
    names = [parameter.name for parameter in family.parameters]
    parameters = {**dict(zip(names, chosen, strict=False)), **parameters}
    values = family.checked(stages, microbatches, parameters)
    if isinstance(family.rule, StampedOrder):
        return _stamped(family, family.rule, stages, microbatches, values)
    require_room(family.name, stages, microbatches)
    if isinstance(family.rule, Program):
        _require_size(family, family.rule, stages, microbatches)
        return as_schedule(family.rule, stages, microbatches, family.policy, family.name)
    if isinstance(family.rule, GreedyRule):
        if family.admission is not None:
            values = {"noam": family.admission(stages), **values}
        limit, in_flight = values.get("noam"), family.in_flight
        orders = run_greedy(family.rule, stages, microbatches, limit, in_flight=in_flight).orders
    else:
        raise NoRuleError(
            f"a schedule is generated from a rule or an order as data, found {family.rule!r}",
            f"family {family.name}",
            "call its build, or state its rule as data",
        )
    policy = family.policy
    return Schedule.from_orders(family.name, orders, microbatches, policy, parameters=values)


def _require_size(family: Family, program: Program, p: int, M: int) -> None:
    most = 1 if family.whole_batch else M
    if p < program.least_stages or not program.least <= M <= most:
        sizes = "M = 1" if family.whole_batch else f"M ≥ {program.least}"
        raise ParameterError(
            f"p ≥ {program.least_stages} stages and {sizes}, found p = {p}, M = {M}",
            f"family {family.name}",
            f"take p ≥ {program.least_stages} and {sizes}",
        )


def _stamped(
    family: Family, order: StampedOrder, ranks: int, microbatches: int, given: Mapping[str, int]
) -> Schedule:
    p, M, values = int(ranks), int(microbatches), {**order.defaults, **given}
    beside = len(order.beside) if order.closes is None else 0
    per_pair = 2 + (order.weight is not None) + beside
    require_room(family.name, order.shape.stages(p, values), M, per_pair)
    more = order.accept(family.name, p, M, values)
    own = [parameter.name for parameter in family.parameters]
    values = {**values, **{name: number for name, number in more.items() if name in own}}
    policy = family.policy
    if family.interval:
        if family.interval not in values:
            raise ParameterError(
                f"the interval of an update has a default, or `accept` gives it, found no "
                f"{family.interval}",
                f"family {family.name}",
                f"--set {family.interval}=1, or write defaults={{{family.interval!r}: 1}}",
            )
        ahead = values.get("horizon", policy.horizon)
        policy = replace(policy, interval=values[family.interval], horizon=ahead)
    return run_stamped(family.name, policy, order, p, M, values)
