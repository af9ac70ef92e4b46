"""What the parts of a family in a user's file have to be: exactly what they look like.

A subclass, or an object that compares as it likes, may be one thing to who builds a schedule and
another to who proves something of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import numpy as np

from schedules.actions import Kind
from schedules.errors import FamilyFileError
from schedules.families.family import Family, Parameter, no_build
from schedules.families.figures import Figures
from schedules.formats.head import require_apart
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.schedule import Group, Schedule
from schedules.stamps import LINE, LOOP, OPPOSITE, VEE, WORKERS, Shape, StampedOrder

SHAPES: Final = (LINE, LOOP, VEE, OPPOSITE, WORKERS)

OF_FORMULAS: Final = ("p", "M", "s", "each")
"""What bounds and sizes are printed in; each pipeline of several has so many microbatches."""

Fault = tuple[str, str, str]
"""What is wrong, in which field, and what helps."""


def require_declared(path: str, family: Family) -> None:
    """Refuse a family with a part that is of another type than it says, or out of its domain.

    Raises
    ------
    FamilyFileError
        With the field.
    """
    faults = chain(_words(family), _rule(family), _made(family), _parameters(family))
    for what, field, fix in faults:
        raise FamilyFileError(what, f"{path}: FAMILY.{field}", fix)


def _words(family: Family) -> Iterator[Fault]:
    for field in ("name", "source", "summary"):
        text = getattr(family, field)
        if not (type(text) is str and text.strip() and text.isprintable()):
            yield f"the {field} of a family is a line of text, found {text!r:.80}", field, "name it"
    if type(family.policy) is not WeightPolicy:
        yield (
            f"a family has a WeightPolicy, found {type(family.policy).__name__}",
            "policy",
            "write WeightPolicy('stash'), or another of docs/explanation/model.md",
        )
    figures = family.figures
    if figures is not None and not (
        type(figures) is Figures and {*map(type, vars(figures).values())} <= {str}
    ):
        what = f"figures are Figures of texts, found {figures!r:.80}"
        yield what, "figures", "write Figures(makespan='3*M + p - 1', work='3*M', peak='p')"


def _rule(family: Family) -> Iterator[Fault]:
    rule = family.rule
    if type(rule) not in (type(None), GreedyRule, StampedOrder):
        yield (
            f"a rule is a GreedyRule or a StampedOrder, found {type(rule).__name__}",
            "rule",
            "state it as data, or give a function as `build` and no rule",
        )
    if isinstance(rule, StampedOrder):
        if not any(rule.shape is known for known in SHAPES):
            own = rule.shape
            found = f"one named {own.name!r:.60}" if type(own) is Shape else f"{own!r:.80}"
            names = ", ".join(one.name.upper() for one in SHAPES)
            what = f"a shape is one of {names} of schedules.stamps, found {found}"
            yield what, "rule", "import one of these, and take it as it is"
        given = rule.defaults
        if type(given) is not dict or not {*map(type, given.values())} <= {int}:
            what = f"defaults are whole numbers by name, found {given!r:.80}"
            yield what, "rule", "write defaults={'chunks': 2}"
        if type(rule.beside) is not dict:
            yield f"`beside` is a dict, found {rule.beside!r:.80}", "rule", "leave it out"
    if isinstance(rule, GreedyRule):
        after = rule.prefer_after if isinstance(rule.prefer_after, Mapping) else {}
        preferred = [rule.prefer_first, *map(after.get, (Kind.F, Kind.B))]
        if not all(one is Kind.F or one is Kind.B for one in preferred):
            yield (
                f"a rule prefers F or B, first and after each, found {preferred!r:.80}",
                "rule",
                "write prefer_first=Kind.B, prefer_after={Kind.F: ..., Kind.B: ...}",
            )


def _made(family: Family) -> Iterator[Fault]:
    """A family is made by its rule, or by a function."""
    if not callable(family.build) or family.build is no_build:
        yield (
            "a family has a rule, or a function from p and M to a Schedule; found neither",
            "build",
            "give build=..., or rule=...",
        )
    if not callable(family.stages):
        what = f"the number of stages is a function, found {family.stages!r:.80}"
        yield what, "stages", "write stages=lambda p, values: ..., or leave it out"
    if family.whole_batch and family.rule is not None:
        what = "no rule is of M = 1 alone: the field is for functions that build"
        yield what, "whole_batch", "leave it out; stamps say it as sizes=lambda at: (at.M == 1,)"
    for field, form in (("admission", "lambda p: ..."), ("in_flight", "lambda s, p: ...")):
        bound = getattr(family, field)
        if not (bound is None or callable(bound)):
            yield f"a bound on microbatches is a function, found {bound!r}", field, f"write {form}"


def _parameters(family: Family) -> Iterator[Fault]:
    given = family.parameters
    known: dict[str, Parameter] = {}
    if type(given) is not tuple or not all(type(one) is Parameter for one in given):
        yield (
            f"parameters are a tuple, found {given!r:.80}",
            "parameters",
            "write (Parameter(...),)",
        )
    order = family.rule if isinstance(family.rule, StampedOrder) else None
    for one in given:
        named = type(one.name) is str and one.name.isidentifier()
        taken = {*OF_FORMULAS, *known, "K" if family.interval not in ("", one.name) else ""}
        if not named or one.name in taken or type(one.minimum) is not int:
            yield (
                "a parameter has a name of its own, none of p, M, s, each and K, and a whole "
                f"number as its least value, found {one!r:.80}",
                "parameters",
                "name it",
            )
        known[one.name] = one
        default = order.defaults.get(one.name) if order else None
        if default is not None and default < one.minimum:
            yield (
                f"{one.name} is at least {one.minimum}, found {default} as its default",
                "rule",
                "give another default",
            )
    letters = {*OF_FORMULAS, "K"} - {*known}
    for name in letters.intersection(order.defaults if order else ()):
        what = f"laws are printed in {name}, found a default of {name}, which is no parameter"
        yield what, "rule", "give the number another name"
    if family.interval != "" and not (order and family.interval in known):
        yield (
            f"the interval is a parameter of an order by stamps, found {family.interval!r:.80}",
            "interval",
            "name one of its parameters",
        )


def plain_schedule(path: str, schedule: Any) -> Schedule:
    """What a function of a file has built, held to be an action table with its placement.

    Raises
    ------
    FamilyFileError
        Another type, columns that are no integers of one length, or what the placement has not.
    """
    what = _odd(schedule)
    if what or not isinstance(schedule, Schedule):
        fix = "return Schedule.from_orders(...) or from_rule(FAMILY, p, M)"
        raise FamilyFileError(what, f"{path}: FAMILY.build", fix)
    require_apart(schedule.groups, schedule.offsets, f"{path}: FAMILY.build")
    return replace(schedule, policy=replace(schedule.policy), source=None)  # a policy is looked at


def _odd(schedule: Any) -> str:
    """What is no plain schedule about it; empty if nothing."""
    if type(schedule) is not Schedule:
        return f"build returns a Schedule, found {type(schedule).__name__}"
    for field, of in (("policy", WeightPolicy), ("placement", Placement), ("parameters", dict)):
        found = type(getattr(schedule, field))
        if found is not of:
            return f"the {field} of a schedule is a {of.__name__}, found {found.__name__}"
    if not all(type(one) is Group for one in schedule.groups):
        return f"groups are Groups, found {schedule.groups!r:.80}"
    names = ("kind", "stage", "microbatch", "pipeline", "offsets")
    columns = [getattr(schedule, name) for name in names]
    if not all(type(one) is np.ndarray and one.dtype == np.int64 for one in columns):
        return f"{', '.join(names)} are arrays of integers (int64)"
    *_, offsets = columns
    whole = {one.shape for one in columns[:-1]} == {(offsets[-1],)} if len(offsets) else False
    if not whole or offsets[0] != 0 or (np.diff(offsets) < 0).any() or not offsets[-1]:
        return "an action table has a row for every action, and ranks begin where others end"
    return _misplaced(schedule)


def _misplaced(schedule: Schedule) -> str:
    ranks, copies = schedule.placement.ranks, schedule.placement.copies
    rows = [*ranks, *copies]
    if len({*map(len, rows)}) > 1 or len(ranks) != len(copies):
        return "a placement has ranks and copies of every stage of every pipeline"
    if not all(isinstance(one, (int, np.integer)) for row in rows for one in row):
        return "ranks and copies of a placement are whole numbers"
    bounds = {
        "kind": (0, len(Kind)),
        "stage": (0, schedule.stages),
        "pipeline": (0, len(ranks)),
        "microbatch": (-1, np.inf),
    }
    for name, (least, beyond) in bounds.items():
        column = getattr(schedule, name)
        if column.min() < least or column.max() >= beyond:
            found = f"{column.min()} to {column.max()}"
            return f"each {name} of an action is at least {least} and below {beyond}, found {found}"
    return ""
