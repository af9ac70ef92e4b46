"""Families whose order is affine, and the closed forms that are stated of each.

========================================== =====================================================
family                                     order
========================================== =====================================================
``naive``, ``gpipe``, ``1f1b``             programs of their own
``pipedream-runtime``, ``pipedream-2bw``,  the program of ``1f1b``, without a flush; they differ in
``pipemare``, ``xpipe``, ``asyncpp``       when they update, and in what a backward uses
``pipedream``                              start times of its greedy rule
========================================== =====================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import sympy

from schedules.families import get_family
from theory.laws.static_orders.gpipe import GPIPE
from theory.laws.static_orders.naive import NAIVE
from theory.laws.static_orders.one_f_one_b import ONE_F_ONE_B
from theory.laws.static_orders.order import Order, of_program, of_times
from theory.laws.static_orders.program import Program
from theory.laws.static_orders.slots import law
from theory.laws.static_orders.symbols import K, M, p, s
from theory.laws.static_orders.versions import Updates

STALENESS: Final = "staleness"
IN_FLIGHT: Final = "in-flight"


@dataclass(frozen=True)
class Subject:
    """A family as it is proved things of.

    Attributes
    ----------
    family : str
    program : Program or None
        None where its order is that of proved start times.
    updates : Updates
    closed : mapping of str to sympy expression
        By invariant: the stated maximum of stage s.
    worst : sympy expression
        A microbatch that attains the maximum of the local staleness.
    """

    family: str
    program: Program | None
    updates: Updates
    closed: Mapping[str, sympy.Expr]
    worst: sympy.Expr

    @property
    def order(self) -> Order:
        """Where F and B stand."""
        if self.program is not None:
            return of_program(self.program)
        return of_times(law(self.family).times, least_stages=2)

    @property
    def messages(self) -> str:
        """Which order of messages is meant."""
        if self.program is not None:
            return "as `convert --lower` places them, receives as soon as possible"
        return "each sent, and its receive posted, in the slot in which its tensor is made"

    @property
    def domain(self) -> str:
        """The values that it is proved for."""
        fewest = 2 if self.program is None else self.program.least_stages
        least = "p" if self.updates.at_least_p else "1"
        name = self.updates.interval
        many = f"M ≥ K ≥ {least} with K = {name}" if name else "M ≥ 1"
        return f"p ≥ {fewest}, {many}, 0 ≤ s < p"


_BEHIND: Final = p - 1 - s
"""Stages behind stage s."""

_IN_TURN: Final = sympy.Min(p - s, M)
"""Microbatches in flight in 1F1B's order."""


def _subject(
    family: str,
    program: Program | None,
    staleness: sympy.Expr,
    in_flight: sympy.Expr,
    *,
    interval: str = "",
    at_least_p: bool = False,
) -> Subject:
    updates = Updates(get_family(family).policy, interval, at_least_p)
    closed = MappingProxyType({STALENESS: staleness, IN_FLIGHT: in_flight})
    # The last microbatch before the first update after which as many updates follow as possible.
    return Subject(family, program, updates, closed, staleness * (K if interval else 1))


def _in_windows(family: str, interval: str) -> Subject:
    """1F1B without a flush, an update every K backwards; ⌊M/K⌋ windows come to their ends."""
    late = sympy.Min(sympy.ceiling(_BEHIND / K), sympy.floor(M / K) - 1)
    return _subject(family, ONE_F_ONE_B, late, _IN_TURN, interval=interval)


_ZERO: Final = sympy.Integer(0)
SUBJECTS: Final = (
    _subject("naive", NAIVE, _ZERO, sympy.Integer(1)),
    _subject("gpipe", GPIPE, _ZERO, M),
    _subject("1f1b", ONE_F_ONE_B, _ZERO, _IN_TURN),
    _subject("pipedream-runtime", ONE_F_ONE_B, sympy.Min(_BEHIND, M - 1), _IN_TURN),
    _subject(
        "pipedream-2bw",
        ONE_F_ONE_B,
        sympy.Min(1, sympy.floor(M / K) - 1),
        _IN_TURN,
        interval="window",
        at_least_p=True,
    ),
    _in_windows("pipemare", "update_interval"),
    _in_windows("xpipe", "update_interval"),
    _in_windows("asyncpp", "update_interval"),
    _subject(
        "pipedream",
        None,
        sympy.Min(p - 1, 2 * _BEHIND, M - 1),
        sympy.Min(p, 2 * _BEHIND + 1, M),
    ),
)
