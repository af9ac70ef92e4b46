"""A statement about a family, held against every size of a finite grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import sympy

from schedules.families import get_family
from theory.account import Exhausted, Refutation, Violation
from theory.claims import Formulas
from theory.papers.schedules.matrix.forms import symbols_at, value, written_out
from theory.papers.schedules.matrix.grid import ALL, Grid, Limit, Size
from theory.papers.schedules.matrix.runs import Run, observe, runs, with_messages
from theory.papers.schedules.matrix.spoiled import Control
from theory.papers.schedules.matrix.table import STATED

SPOILED: Final = 3
"""Sizes on which a control is tried, the smallest."""


@dataclass(frozen=True)
class Found:
    """What a grid says of a statement.

    Attributes
    ----------
    holds : bool
        Whether there are sizes, all of which were decided, and at all of which it holds.
    sizes : int
        Sizes looked at.
    witness : mapping or None
        The smallest size at which the statement fails, and how.
    at : mapping of str to int
        That size.
    """

    holds: bool
    sizes: int
    witness: Mapping[str, Any] | None = None
    at: Size = field(default_factory=dict)

    def exhausted(self, says: str) -> Exhausted:
        """The grid as a ground."""
        return Exhausted(says, self.sizes, self.holds)


def fault(run: Run, column: str, formulas: Formulas) -> dict[str, Any] | None:
    """How a run differs from what is stated; None where it does not."""
    size = dict(run.size)
    if column in run.broken:
        return {**size, **run.broken[column]}
    if column == "deadlock-free" and formulas:
        stated = value(formulas, run.size, 0)
        if stated != run.buffer:
            return {**size, "least buffer": run.buffer, "stated": stated}
    for stage, most in enumerate(run.bounds.get(column, ())):
        stated = value(formulas, run.size, stage)
        if stated != most:
            return {**size, "s": stage, column: most, "stated": stated}
    return None


def compared(found: Iterable[Run], column: str, formulas: Formulas, limit: Limit = ALL) -> Found:
    """Hold a statement against runs, up to the first that contradicts it."""
    count, decided = 0, True
    for run in found:
        if not limit.admits(run.size):
            continue
        count += 1
        witness = fault(run, column, formulas)
        if witness is not None:
            return Found(False, count, witness, run.size)
        decided &= column not in run.undecided
    return Found(count > 0 and decided, count)


def checked(family: str, column: str, formulas: Formulas, grid: Grid | None = None) -> Found:
    """Hold a statement against every size of a family's grid, or of another one.

    Examples
    --------
    >>> from theory.papers.schedules.matrix.forms import M, bounded
    >>> checked("zb-h1", "in-flight", bounded(M)).witness
    {'p': 1, 'M': 2, 's': 0, 'in-flight': 1, 'stated': 2}
    """
    limit = STATED[family].limits.get(column, ALL)
    return compared(runs(family, grid), column, formulas, limit)


def refutation(family: str, column: str, formulas: Formulas, found: Found) -> Refutation | None:
    """The size at which a statement fails, to be run once more."""
    if found.witness is None:
        return None
    return Refutation(found.witness, _violation(family, column, formulas, found))


def _violation(family: str, column: str, formulas: Formulas, found: Found) -> Violation:
    """What the statement bounds where it has a bound, else how many invariants are broken."""

    def again() -> Run:
        own = get_family(family)
        others = {name: number for name, number in found.at.items() if name not in ("p", "M")}
        schedule = own.build(found.at["p"], found.at["M"], **others)
        return observe(found.at, schedule)

    witness = found.witness or {}
    if "stated" not in witness:
        at = {sympy.Symbol(name): number for name, number in found.at.items()}
        return Violation(lambda: int(column in again().broken), "==", sympy.Integer(0), at)
    bound, stage = written_out(formulas), witness.get("s", 0)

    def most() -> int | None:
        run = again()
        return run.bounds[column][stage] if column in run.bounds else run.buffer

    return Violation(most, "==", bound, symbols_at(bound, {**found.at, "s": stage}))


def refused(
    family: str, column: str, formulas: Formulas, control: Control, grid: Grid | None = None
) -> bool:
    """Whether the checker refuses all spoiled schedules, of which there has to be one."""
    limit = STATED[family].limits.get(column, ALL)
    chosen = grid or STATED[family].grid
    found = list(islice(_spoiled(family, chosen, limit, control), SPOILED))
    return bool(found) and all(fault(run, column, formulas) is not None for run in found)


def _spoiled(family: str, grid: Grid, limit: Limit, control: Control) -> Iterator[Run]:
    for size, schedule in grid.schedules(family):
        if size["p"] < 2 or not limit.admits(size):
            continue
        whole = with_messages(schedule) if control.of_messages else schedule
        changed = control.change(whole)
        if changed is not None:
            yield observe(size, changed)
