"""What the checker says of every size of a grid; each schedule is built and checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from schedules.errors import InvalidScheduleError
from schedules.invariants import check, parse_requirements
from schedules.invariants.check import Report
from schedules.invariants.registry import INVARIANTS
from schedules.lowering import lower
from schedules.messages.model import QueueModel
from schedules.schedule import Schedule
from schedules.validate import has_messages
from theory.papers.schedules.matrix.grid import Grid, Size
from theory.papers.schedules.matrix.table import STATED

MODEL: Final = QueueModel("rank", 0)
"""The strictest one: all messages of a rank in one queue, and a send waits for its receive."""

DECIDED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "causal": ("complete", "causal"),
    "exclusive": ("exclusive",),
    "stash": ("stash",),
    "staleness": ("staleness",),
    "in-flight": ("in-flight",),
    "update-once": ("update-once",),
    "deadlock-free": ("match", "deadlock-free"),
}
"""Columns of the matrix, each with the checker's invariants that it stands for."""

_REQUIRED: Final = parse_requirements("stash, update-once, match, deadlock-free")


@dataclass(frozen=True)
class Run:
    """One size under the checker.

    Attributes
    ----------
    size : mapping of str to int
    broken : mapping of str to mapping
        By column: the first violation, as data.
    undecided : frozenset of str
        Columns that the checker did not decide.
    bounds : mapping of str to tuple of int
        By column: the most at every stage, which the checker accepts as the bound of all stages
        and of which it accepts no less.
    buffer : int or None
        Fewest messages that a channel has to hold for all ranks to come to their ends.
    """

    size: Size
    broken: Mapping[str, Mapping[str, Any]]
    undecided: frozenset[str]
    bounds: Mapping[str, tuple[int, ...]]
    buffer: int | None


def with_messages(schedule: Schedule) -> Schedule:
    """The schedule with a send and a receive for all that crosses ranks, if it has none.

    A schedule that cannot be lowered because its orders are wrong stays as it is.
    """
    if has_messages(schedule) is not None:
        return schedule
    try:
        return lower(schedule)
    except InvalidScheduleError:
        return schedule


def observe(size: Size, schedule: Schedule) -> Run:
    """Check one schedule with messages.

    Examples
    --------
    >>> from schedules import build
    >>> found = observe({"p": 3, "M": 4}, build("1f1b", 3, 4))
    >>> found.broken, found.bounds["in-flight"], found.buffer
    ({}, (3, 2, 1), 0)
    """
    report = check(with_messages(schedule), _REQUIRED, MODEL)
    first = {found.invariant: found.witness for found in reversed(report.violations)}
    broken = {
        column: {"invariant": name, **_short(first[name])}
        for column, names in DECIDED_BY.items()
        for name in reversed(names)
        if name in first
    }
    bounds = {column: _most(report, *keys) for column, keys in _FACTS.items()}
    missing = {column for column, found in bounds.items() if not found}
    names = {name for name, _ in report.undecided}
    missing |= {column for column, needed in DECIDED_BY.items() if names & set(needed)}
    least: Any = report.facts.get("deadlock")
    buffer = None if least is None else least[MODEL.queues]
    return Run(size, broken, frozenset(missing), bounds, buffer)


def _short(witness: Mapping[str, Any]) -> dict[str, Any]:
    """A witness without what follows from the rest: the places of actions that it names."""
    return {key: entry for key, entry in witness.items() if not key.endswith("place")}


_FACTS: Final = {
    "staleness": ("staleness", "local_staleness_whole_run"),
    "in-flight": ("in-flight", "in_flight"),
}


def _most(report: Report, invariant: str, fact: str) -> tuple[int, ...]:
    """The most at every stage; nothing where facts and decisions of the checker differ."""
    found: Any = report.facts.get(fact)
    if not found:
        return ()
    named, most = INVARIANTS[invariant], max(found)
    sharp = named.decide(report.run, most) == []
    if most > named.least:
        sharp &= named.decide(report.run, most - 1) != []
    return tuple(found) if sharp else ()


@cache
def runs(family: str, grid: Grid | None = None) -> tuple[Run, ...]:
    """Every size of a family's grid, or of another one."""
    chosen = grid or STATED[family].grid
    return tuple(observe(size, schedule) for size, schedule in chosen.schedules(family))
