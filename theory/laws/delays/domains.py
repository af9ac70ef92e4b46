"""The domain of every statement about schedules, as hypotheses on solver terms."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import z3

from schedules.closed_forms.affine import ONE
from theory.laws.delays.symbols import Microbatch, Size
from theory.smt.solver import Term

Admission = Callable[[Term], Term] | None
"""Bound on active microbatches as a function of p."""

InFlight = Callable[[Term, Term], Term] | None
"""Bound on microbatches in flight at stage s of p."""


def domain(size: Size) -> tuple[Term, ...]:
    """State the domain: p ≥ 2, or what start times are stated for, and M ≥ 1."""
    return (size.p >= size.least, size.microbatches >= 1)


def a_stage(size: Size, stage: Term) -> Term:
    """0 ≤ stage < p."""
    return z3.And(stage >= 0, stage < size.p)


def a_microbatch(size: Size, m: Microbatch) -> Term:
    """0 ≤ m < M, and the sign facts about p·m that follow for p ≥ 2."""
    return z3.And(m.index >= 0, m.index < size.microbatches, *product_facts(size, m))


def product_facts(size: Size, m: Microbatch) -> tuple[Term, ...]:
    """True facts about p·q for p ≥ 2 and m = q·P + r ≥ 0, in place of a nonlinear definition."""
    round_ = _round(size, m)
    facts: tuple[Term, ...] = ()
    if size.period != ONE:
        every, rest = size.period.coefficient("p"), size.period.constant
        made = m.index == every * m.product + rest * m.round + m.place
        facts = (
            *(made, m.round >= 0, m.place >= 0, m.place < size.every),
            z3.Implies(m.round == 1, m.product == size.p),
            z3.Implies(m.round >= 1, m.product >= size.p + size.least * (m.round - 1)),
        )
    return (
        *facts,
        m.product >= size.least * round_,
        z3.Implies(round_ >= 1, m.product >= size.p),
        z3.Implies(round_ == 0, m.product == 0),
    )


def _round(size: Size, m: Microbatch) -> Term:
    return m.index if size.period == ONE else m.round


def before(size: Size, m: Microbatch, by: Term) -> tuple[Microbatch, tuple[Term, ...]]:
    """Microbatch m − by, and what is true of its products if it is one."""
    if size.period == ONE:
        return Microbatch(m.index - by, z3.Int("p*n")), ()
    found = Microbatch.named("n", m.index - by)
    return found, (*product_facts(size, found), *products_in_order(size, found, m))


def products_in_order(size: Size, m: Microbatch, n: Microbatch) -> tuple[Term, ...]:
    """True facts about p·q of two microbatches: linear in q, so it keeps order by steps of p."""
    steps = _round(size, n) - _round(size, m)
    more = n.product - m.product
    near = [z3.Implies(steps == c, more == c * size.p) for c in (-1, 0, 1)]
    far: tuple[Term, ...] = ()
    if size.period != ONE:
        far = tuple(
            z3.Implies(
                sign * steps >= c, sign * more >= c * size.p + size.least * (sign * steps - c)
            )
            for sign, c in product((1, -1), (1, 2))
        )
    return (
        *near,
        *far,
        z3.Implies(steps >= 1, more >= size.p),
        z3.Implies(steps <= -1, -more >= size.p),
    )
