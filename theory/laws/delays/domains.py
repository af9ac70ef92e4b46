"""The domain of every statement about schedules, as hypotheses on solver terms."""

from __future__ import annotations

from collections.abc import Callable

import z3

from theory.laws.delays.symbols import Microbatch, Size
from theory.smt.solver import Term

Admission = Callable[[Term], Term] | None
"""Bound on active microbatches as a function of p."""

InFlight = Callable[[Term, Term], Term] | None
"""Bound on microbatches in flight at stage s of p."""

LEAST_STAGES = 2
"""Closed forms are stated for p ≥ 2."""


def domain(size: Size) -> tuple[Term, ...]:
    """State the domain: p ≥ 2 and M ≥ 1."""
    return (size.p >= LEAST_STAGES, size.microbatches >= 1)


def a_stage(size: Size, stage: Term) -> Term:
    """0 ≤ stage < p."""
    return z3.And(stage >= 0, stage < size.p)


def a_microbatch(size: Size, m: Microbatch) -> Term:
    """0 ≤ m < M, and the sign facts about p·m that follow for p ≥ 2."""
    return z3.And(m.index >= 0, m.index < size.microbatches, *product_facts(size, m))


def product_facts(size: Size, m: Microbatch) -> tuple[Term, ...]:
    """True facts about p·m for p ≥ 2 and m ≥ 0, in place of a nonlinear definition."""
    return (
        m.product >= LEAST_STAGES * m.index,
        z3.Implies(m.index >= 1, m.product >= size.p),
        z3.Implies(m.index == 0, m.product == 0),
    )


def products_in_order(size: Size, m: Microbatch, n: Microbatch) -> tuple[Term, ...]:
    """True facts about p·m and p·n: the product is linear, so it keeps order by steps of p."""
    near = [
        z3.Implies(n.index == m.index + c, n.product == m.product + c * size.p) for c in (-1, 0, 1)
    ]
    return (
        *near,
        z3.Implies(n.index >= m.index + 1, n.product >= m.product + size.p),
        z3.Implies(m.index >= n.index + 1, m.product >= n.product + size.p),
    )
