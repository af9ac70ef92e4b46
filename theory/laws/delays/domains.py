"""The domain of every statement about schedules, as hypotheses on solver terms."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import z3

from schedules.closed_forms.affine import LET_IN, ONE, Quotient
from theory.laws.delays.symbols import Microbatch, Size
from theory.smt.solver import Term

Admission = Callable[[Term], Term] | None
"""Bound on active microbatches as a function of p."""

InFlight = Callable[[Term, Term], Term] | None
"""Bound on microbatches in flight at stage s of p."""


def domain(size: Size) -> tuple[Term, ...]:
    """State the domain: p ≥ 2, or what start times are stated for, and M ≥ 1; and N's."""
    sizes = (size.p >= size.least, size.microbatches >= 1)
    if isinstance(size.period, Quotient):
        return (*sizes, size.every >= 1, size.every < size.p)
    return sizes if size.many is None else (*sizes, z3.Int(LET_IN) >= size.p)


def many_let_in(size: Size) -> tuple[Term, ...]:
    """What N is, where it is no period."""
    if size.many is None:
        return ()
    N, d, form = z3.Int(LET_IN), size.many.divisor, size.many.form.at({"p": size.p})
    return (d * N <= form, form < d * N + d)


def a_stage(size: Size, stage: Term) -> Term:
    """0 ≤ stage < p."""
    return z3.And(stage >= 0, stage < size.p)


def a_microbatch(size: Size, m: Microbatch) -> Term:
    """0 ≤ m < M, and the sign facts about p·m that follow for p ≥ 2."""
    return z3.And(m.index >= 0, m.index < size.microbatches, *product_facts(size, m))


def product_facts(size: Size, m: Microbatch) -> tuple[Term, ...]:
    """True facts about p·q for p ≥ 2 and m = q·P + r ≥ 0, in place of a nonlinear definition."""
    facts = _multiple(m.product, _round(size, m), size.p, size.least)
    if size.period == ONE:
        return facts
    facts += (m.round >= 0, m.place >= 0, m.place < size.every)
    facts += _near(m.product, m.round, size.p, size.least)
    if isinstance(size.period, Quotient):
        whole = m.index - m.place, m.round, size.every, 1
        return (*facts, *_multiple(*whole), *_near(*whole))
    every, rest = size.period.coefficient("p"), size.period.constant
    return (*facts, m.index == every * m.product + rest * m.round + m.place)


def _multiple(product: Term, times: Term, number: Term, least: int) -> tuple[Term, ...]:
    """True facts about times·number, of times ≥ 0 and a number that is at least so much."""
    return (
        product >= least * times,
        z3.Implies(times >= 1, product >= number),
        z3.Implies(times == 0, product == 0),
    )


def _near(product: Term, times: Term, number: Term, least: int) -> tuple[Term, ...]:
    """More of the same."""
    return (
        z3.Implies(times == 1, product == number),
        z3.Implies(times >= 1, product >= number + least * (times - 1)),
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
    facts = _apart(n.product - m.product, steps, size.p)
    if size.period != ONE:
        facts += _far(n.product - m.product, steps, size.p, size.least)
    if isinstance(size.period, Quotient):
        products = n.index - n.place - (m.index - m.place)
        facts += _apart(products, steps, size.every) + _far(products, steps, size.every, 1)
    return facts


def _apart(more: Term, steps: Term, number: Term) -> tuple[Term, ...]:
    """True facts about steps·number, of a positive number."""
    return (
        *(z3.Implies(steps == c, more == c * number) for c in (-1, 0, 1)),
        z3.Implies(steps >= 1, more >= number),
        z3.Implies(steps <= -1, -more >= number),
    )


def _far(more: Term, steps: Term, number: Term, least: int) -> tuple[Term, ...]:
    """More of the same, of a number that is at least so much."""
    return tuple(
        z3.Implies(sign * steps >= c, sign * more >= c * number + least * (sign * steps - c))
        for sign, c in product((1, -1), (1, 2))
    )
