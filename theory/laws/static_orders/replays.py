"""The same numbers in runs: what a proof says is held against schedules of small sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import Final

import numpy as np
import sympy

from schedules.errors import ParameterError
from schedules.families import get_family
from schedules.families.family import Family
from schedules.schedule import IntArray, Schedule
from schedules.validation.facts import in_flight
from schedules.versions import versions
from theory.laws.static_orders.applied import applied_staleness
from theory.laws.static_orders.symbols import K, M, p, s

SIZES: Final = tuple((p, M) for p in range(1, 7) for M in (1, 2, 3, 4, 6, 9))
"""(p, M) of the runs."""

INTERVALS: Final = range(1, 5)
"""Values of the parameter K of families that have one."""

Witness = dict[str, int]
"""A size, perhaps with a stage and a microbatch, and the numbers found there."""


@dataclass(frozen=True, eq=False)
class Run:
    """What one schedule does.

    Attributes
    ----------
    size : mapping of str to int
        p, M and, where the family has it, K.
    staleness, in_flight : ndarray of int, shape (stages,)
        The largest of every stage; staleness of gradients that an update applies.
    read, used : ndarray of int, shape (stages, microbatches)
    """

    size: Mapping[str, int]
    staleness: IntArray
    in_flight: IntArray
    read: IntArray
    used: IntArray


def built(family: Family, interval: str, size: Mapping[str, int]) -> Schedule | None:
    """A family's schedule of a size, None where the family does not have it.

    Parameters
    ----------
    family : Family
    interval : str
        Name of its parameter K; ``""`` if it has none.
    size : mapping of str to int
    """
    parameters = {interval: size["K"]} if interval else {}
    try:
        return family.build(size["p"], size["M"], **parameters)
    except ParameterError:
        return None


def sizes(interval: str) -> Iterator[Witness]:
    """Sizes to try, those outside a family's domain included."""
    for stages, microbatches in SIZES:
        for every in INTERVALS if interval else [0]:
            known = {"K": every} if interval else {}
            yield {"p": stages, "M": microbatches, **known}


def runs(family: str, interval: str) -> tuple[Run, ...]:
    """What a family does at small sizes."""
    return _runs(get_family(family), interval)


@cache
def _runs(family: Family, interval: str) -> tuple[Run, ...]:
    found = []
    for size in sizes(interval):
        schedule = built(family, interval, size)
        if schedule is not None:
            seen = versions(schedule)
            staleness = applied_staleness(schedule, seen)
            kept = np.array(in_flight(schedule))
            found.append(Run(size, staleness, kept, seen.read, seen.used))
    return tuple(found)


def unlike(
    name: str, form: sympy.Expr, numbers: Iterator[tuple[Mapping[str, int], IntArray]]
) -> Witness | None:
    """The first stage at which the largest number of a run is not the stated one.

    Parameters
    ----------
    name : str
        Of the number, in the witness.
    form : sympy expression in p, s, M and K
    numbers : iterator of (size, ndarray of int)
        By run: the largest at every stage.

    Examples
    --------
    >>> gpipe = ((run.size, run.in_flight) for run in runs("gpipe", ""))
    >>> unlike("in-flight", sympy.Min(p - s, M), gpipe)
    {'p': 1, 'M': 2, 's': 0, 'in-flight': 2, 'stated': 1}
    """
    exact = {"floor": floor, "ceiling": ceil, "Min": min, "Max": max}
    number = sympy.lambdify((p, s, M, K), form, modules=[exact])
    for size, found in numbers:
        for stage, value in enumerate(found.tolist()):
            where = (size["p"], stage, size["M"], size.get("K", 1))
            stated = number(*map(Fraction, where))
            if stated != value:
                return {**size, "s": stage, name: value, "stated": int(stated)}
    return None


def not_stashed(family: str, interval: str) -> Witness | None:
    """The first backward that uses another version than its forward read.

    Examples
    --------
    >>> not_stashed("pipemare", "update_interval")
    {'p': 2, 'M': 2, 'K': 1, 's': 0, 'm': 1, 'read': 0, 'used': 1}
    """
    for run in runs(family, interval):
        for stage, microbatch in np.argwhere(run.read != run.used).tolist():
            read, used = int(run.read[stage, microbatch]), int(run.used[stage, microbatch])
            return {**run.size, "s": stage, "m": microbatch, "read": read, "used": used}
    return None
