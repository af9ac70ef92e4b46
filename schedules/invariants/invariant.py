"""`Invariant`: a name, a meaning, and the function that decides it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from schedules.invariants.run import Run
from schedules.validation.violation import Violation

Bound = Literal["none", "count", "size"]


@dataclass(frozen=True)
class Undecided:
    """Neither holds nor fails: a sentence that says what is missing."""

    why: str


Answer = list[Violation] | Undecided
"""What breaks an invariant, nothing if it holds; or why that was not decided."""


@dataclass(frozen=True)
class Invariant:
    """Something that holds for a schedule or does not.

    Attributes
    ----------
    name : str
        As in a requirement, without its bound.
    meaning : str
        One line.
    bound : str
        ``"none"``, ``"count"`` (a whole number), or ``"size"`` (bytes).
    reach : str
        What the decision says nothing about.
    decide : callable
        ``decide(run, bound)``; the bound is 0 where there is none.
    least : int
        Smallest bound that a schedule can meet.
    needs_base : bool
        Whether it is decided only where the base holds.
    seen : callable, optional
        ``seen(run)``: what was recorded of a run breaks it, be the rest of the base broken or not;
        it is asked where the orders are complete, causal and exclusive.
    """

    name: str
    meaning: str
    bound: Bound
    reach: str
    decide: Callable[[Run, int], Answer]
    least: int = 0
    needs_base: bool = True
    seen: Callable[[Run], list[Violation]] | None = None

    @property
    def form(self) -> str:
        """How a requirement writes it.

        Examples
        --------
        >>> from schedules.invariants import INVARIANTS
        >>> INVARIANTS["stash"].form, INVARIANTS["memory"].form
        ('stash', 'memory<=SIZE')
        """
        ends = {"none": "", "count": "<=K", "size": "<=SIZE"}
        return self.name + ends[self.bound]
