"""Times x·F + y·B, compared for all durations F and B of a cone at once.

Times are x·F + y·B with integers x and y. The durations at which a law is stated are all
positive combinations of a few rays (F, B). A linear form is nowhere negative on them iff it is
not on any ray, so a comparison at all durations is one comparison a ray.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import z3

from schedules.actions import Kind
from theory.smt.solver import Term

Cone = tuple[tuple[int, int], ...]
"""Rays (F, B)."""

ANY: Final[Cone] = ((1, 0), (0, 1))
"""All F > 0 and B > 0."""

EQUAL: Final[Cone] = ((1, 1),)
"""F = B > 0."""

LONG_BACKWARDS: Final[Cone] = ((1, 1), (0, 1))
"""B > F > 0."""


@dataclass(frozen=True)
class Time:
    """x·F + y·B, with integers or solver terms x and y."""

    forwards: Any
    backwards: Any

    def after(self, kind: Kind) -> Time:
        """When an action that starts now is over."""
        if kind is Kind.F:
            return replace(self, forwards=self.forwards + 1)
        return replace(self, backwards=self.backwards + 1)

    def at(self, taken: Mapping[Kind, Any]) -> Any:
        """The time in numbers.

        Examples
        --------
        >>> Time(2, 1).at({Kind.F: 3, Kind.B: 5})
        11
        """
        return self.forwards * taken[Kind.F] + self.backwards * taken[Kind.B]


START: Final = Time(0, 0)


def no_earlier(cone: Cone, time: Time, other: Time) -> Term:
    """``time ≥ other`` at all durations of the cone."""
    return z3.And(*(_on(ray, time) >= _on(ray, other) for ray in cone))


def later(cone: Cone, time: Time, other: Time) -> Term:
    """``time > other`` at all durations of the cone."""
    strictly = z3.Or(*(_on(ray, time) > _on(ray, other) for ray in cone))
    return z3.And(no_earlier(cone, time, other), strictly)


def _on(ray: tuple[int, int], time: Time) -> Term:
    forward, backward = ray
    return forward * time.forwards + backward * time.backwards
