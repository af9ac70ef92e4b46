"""Updates of a round of N microbatches in the slots from its first one on, and at its ends.

The extremes: delays fall in i and j, as slots do. B(0) of a microbatch ends the 2p slots that begin
with its F, and 2p slots have N·p updates; F(p − 1) and B(p − 1) are neighbours. So what is left to
count are updates in the slot of an event of the first or the last stage. With δ their distance in
the round, they are those of 0 < δ ≤ x and of −δ > y, one a microbatch, with x and y the halves of
p and p − 1, so min(others, x) + max(0, others − y) of them; most and least at the ends of a round.

In a whole run the first N forwards count nothing, so B(0, N − 1) is largest, with N·p − 1 updates
of its round and those w of the next that precede it, at so many stages less two for each w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import sympy
import z3

from schedules.linearization import Linearization
from theory.laws.delays.stage_sums import ceiling

_P, _N = sympy.symbols("p N", integer=True)


def count_of(k: Any) -> sympy.Expr:
    """c(k)."""
    z = ceiling(k, 2 * _P) - 1
    return _N * z + sympy.Min(_N, ceiling(k - 2 * _P * z, 2))


def sum_of(k: Any) -> sympy.Expr:
    """G(k)."""
    z = ceiling(k, 2 * _P) - 1
    rest = k - 2 * _P * z
    d = sympy.Min(_N, ceiling(rest, 2))
    return sum_at(z, rest, d)


def sum_at(z: Any, rho: Any, d: Any) -> sympy.Expr:
    """G(k) of a k that is 2p·z + ρ."""
    return _N * z * (_P * (z + 1) - _N + 1 + rho) + d * (rho + 1 - d)


@dataclass(frozen=True)
class Ways:
    """How halves are rounded down, and the larger of two numbers taken."""

    half: Callable[[Any], Any]
    larger: Callable[[Any, Any], Any]


WRITTEN: Final = Ways(lambda x: sympy.floor(x / sympy.Integer(2)), sympy.Max)
ASKED: Final = Ways(lambda x: x / 2, lambda x, y: z3.If(x < y, y, x))


def halves(p: Any, ways: Ways, *, by_forward: bool) -> tuple[Any, Any]:
    """The x and y of updates in the slot of an event."""
    here = (ways.half(p), ways.half(p - 1))
    return here if by_forward else here[::-1]


def counted_ends(lines: Linearization, *, last: bool) -> tuple[bool, bool]:
    """Whether updates of others in the slot of F, and of B, are what delays of an end consist of.

    At the first stage delays lack what F counts and B does not, at the last they have the others.
    """
    u, stage = (0, 1) if last else (1, 0)
    forward, backward = (bool(lines.counted(u, stage, by_forward=of)) for of in (True, False))
    return (not forward, backward) if last else (forward, not backward)


def fewest(lines: Linearization, N: Any, p: Any, ways: Ways, *, last: bool) -> Any:
    """The least of such updates over a round."""
    both = (halves(p, ways, by_forward=by_forward) for by_forward in (True, False))
    parts = (ways.larger(0, N - 1 - far) for _, far in both)
    there = [part for part, here in zip(parts, counted_ends(lines, last=last), strict=True) if here]
    return sum(there[1:], there[0])


def preceding_stages(lines: Linearization, N: Any, p: Any) -> Any:
    """Stages whose first update of the second round precedes B(0, N − 1), if above 0."""
    return 2 * N - p - 3 + int(lines.counted(1, 0, by_forward=False))


def preceding(lines: Linearization, N: Any, p: Any, ways: Ways) -> Any:
    """Microbatches of the second round of which some update does."""
    return ways.larger(0, N - ways.half(p + 3 - int(lines.counted(1, 0, by_forward=False))))
