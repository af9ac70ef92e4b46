"""Static orders: every start is the latest end of what the action waits for.

Positions are distinct and lie in 0 … 2M − 1, so they fill it and every action but the first of
its stage has one program predecessor; starts then follow by induction on the dependency graph.
"""

from __future__ import annotations

import z3

from schedules.actions import Kind
from schedules.rules import StaticOrder
from theory.laws.delays.domains import a_microbatch, a_stage, domain, products_in_order
from theory.laws.delays.symbols import Microbatch, Times
from theory.smt.solver import Statement, Term


def static_statements(order: StaticOrder, times: Times) -> list[Statement]:
    """All statements that establish the start times of a static order."""
    return _static_positions(order, times) + _static_steps(order, times)


def _static_positions(order: StaticOrder, times: Times) -> list[Statement]:
    """Positions are distinct and lie in 0 … 2M − 1, so they fill it."""
    size, s = times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    both = (*domain(size), a_stage(size, s), a_microbatch(size, m), a_microbatch(size, n))
    statements = []
    for kind in order.position:
        place = order.position[kind](s, m.index, size.p, size.microbatches, z3.If)
        statements.append(
            Statement(
                f"position-{kind.name}",
                f"positions of {kind.name} lie in the order",
                both,
                z3.And(place >= 0, place < len(order.position) * size.microbatches),
            )
        )
        for other in order.position:
            elsewhere = order.position[other](s, n.index, size.p, size.microbatches, z3.If)
            distinct = z3.BoolVal(True) if other is not kind else m.index != n.index
            statements.append(
                Statement(
                    f"position-{kind.name}-{other.name}",
                    f"no {kind.name} shares its position with another {other.name}",
                    (*both, distinct),
                    place != elsewhere,
                )
            )
    return statements


def _static_steps(order: StaticOrder, times: Times) -> list[Statement]:
    """Every start is the latest end of its predecessors, 0 if there is none."""
    size, s = times.size, z3.Int("s")
    m, n = Microbatch.named("m"), Microbatch.named("n")
    here = (*domain(size), a_stage(size, s), a_microbatch(size, m), a_microbatch(size, n))
    statements = []
    for kind in order.position:
        place = order.position[kind](s, m.index, size.p, size.microbatches, z3.If)
        inputs = _input_ends(kind, times, s, m)
        cases = [(place == 0, _latest(inputs))]
        for before in order.position:
            behind = order.position[before](s, n.index, size.p, size.microbatches, z3.If)
            latest = _latest([*inputs, times.at(before, s, n) + 1])
            cases.append((behind == place - 1, latest))
        statements.append(
            Statement(
                f"start-{kind.name}",
                f"{kind.name} starts at the latest end of what it waits for",
                (
                    *here,
                    *products_in_order(size, m, n),
                    z3.Or(*(case for case, _ in cases)),
                ),
                z3.And(*(z3.Implies(c, times.at(kind, s, m) == end) for c, end in cases)),
            )
        )
    return statements


def _input_ends(kind: Kind, times: Times, s: Term, m: Microbatch) -> list[Term]:
    nothing = z3.IntVal(0)
    if kind is Kind.F:
        return [z3.If(s > 0, times.forward(s - 1, m) + 1, nothing)]
    below = z3.If(s < times.size.p - 1, times.backward(s + 1, m) + 1, nothing)
    return [times.forward(s, m) + 1, below]


def _latest(ends: list[Term]) -> Term:
    result = z3.IntVal(0)
    for end in ends:
        result = z3.If(end > result, end, result)
    return result
