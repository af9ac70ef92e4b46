"""The largest delay of a whole run where the first stage begins with a microbatch a slot.

From window to window F(0) then counts one update a stage more at most, while the index grows by p:
so of windows that begin in this way the last has the largest delay. The other stages start later,
and count no fewer. Whether steady windows have larger ones is asked too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import z3

from schedules.closed_forms.affine import LET_IN
from schedules.linearization import Linearization
from theory.laws.delays.domains import a_microbatch, a_stage, domain, many_let_in
from theory.laws.delays.pace import Pace, one_more, tie_of
from theory.laws.delays.symbols import Microbatch, Size, Times
from theory.laws.stamp_terms import products
from theory.smt.solver import Statement

PUSHED: Final = "before, F(0) starts every slot, no other F sooner, and delays rise by windows"

_N: Final = z3.Int(LET_IN)


def every_slot(times: Times, pace: Pace) -> Statement:
    """How stages begin."""
    size, s, m = times.size, z3.Int("s"), Microbatch.named("m")
    begin, first = times.forward(s, m), pace.first.at({"p": size.p, LET_IN: z3.Int(LET_IN)})
    goal = z3.If(s == 0, begin == m.index, begin > m.index)
    says = "F(0, m) starts in slot m, and other F of m later"
    known = (
        *domain(size),
        a_stage(size, s),
        a_microbatch(size, m),
        *many_let_in(size),
        m.index < first,
    )
    return Statement("every slot", says, known, goal)


def by_slots(pace: Pace, lines: Linearization, size: Size) -> Iterator[Statement]:
    """What F(0, m) counts where it starts in slot m, and that it grows by p a window at most."""
    K, m, u, v, c, d = z3.Ints("K m u v c d")
    p, a, lane, zero = size.p, pace.slots, pace.backward.at({"p": size.p}), z3.IntVal(0)
    known = (p >= size.least, p <= _N, *many_let_in(size), K >= 1, u >= 0, u < p, m >= 0)
    first = pace.first.at({"p": p, LET_IN: _N})
    known += (m < first,)
    had = m - a * (K - 1) + u - lane
    one = had + one_more(lines, u, zero, by_forward=True)
    update = a * (K * v + K - 1) - u + lane
    tie = z3.And(update == m, lines.counted(u, zero, by_forward=True))
    goal = z3.And(
        z3.Or(update < m, tie) == (a * K * v < one),
        z3.Implies(a * K * v < one, K * v + K <= m),
    )
    says = "F(0, m) in slot m counts ⌈y/n⌉ updates of stage u if y > 0, all of windows before"
    yield Statement("in slots", says, (*known, v >= 0, *products([v, zero], K)), goal)
    within = (a * K * (c - 1) < one, a * K * (d - 1) < one + K, one <= a * K * c)
    says = "a window later at most one more of each stage"
    facts = products([c, d, c + 1, zero], K)
    yield Statement("by windows", says, (*known, *within, *facts), d <= c + 1)
    up = int(tie_of(lines, by_forward=True) > 0)
    last = one == had + z3.If(u > 0, up, 0)
    says = "y grows by one a stage from 0 or less on"
    yield Statement("from nothing", says, known, z3.And(last, z3.Implies(u == 0, had + up <= 0)))


def falling(pace: Pace, lines: Linearization, size: Size, interval: int) -> Statement:
    """Whether no delay is larger behind the last window that begins every slot."""
    m, u, c = z3.Ints("m u c")
    p, zero, first = size.p, z3.IntVal(0), pace.first.at({"p": size.p, LET_IN: _N})
    n, lane = pace.slots * interval, pace.backward.at({"p": size.p})
    known = (p >= size.least, p <= _N, *many_let_in(size), u >= 0, u < p, m >= 0)
    y = m - n + pace.slots + u - lane + one_more(lines, u, zero, by_forward=True)
    steady = pace.start(zero, m + interval, p) - m + y
    known += (m < first, m + interval >= first, n * (c - 1) < y, y <= n * c)
    says = "the first window that starts steadily counts one update a stage more at least"
    return Statement("falling", says, known, n * z3.If(c > 0, c, 0) < steady)
