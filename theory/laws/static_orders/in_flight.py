"""Microbatches in flight: between their forward and the end of their backward at a stage."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
import z3

from schedules.actions import Kind
from theory.laws.static_orders.order import Order, in_order
from theory.laws.static_orders.symbols import M, p, s, symbolic, term
from theory.smt.solver import Statement


def peak(order: Order, form: sympy.Expr) -> Iterator[Statement]:
    """The most microbatches that stage s keeps at one time is `form`, in p, s and M.

    Before forward x (in microbatch order) the first n of the stage's backwards have been done, so
    x + 1 − n microbatches are kept during it. The peak is reached before the first backward.
    """
    yield from in_order(order)
    view, x, n = symbolic(), z3.Int("x"), z3.Int("n")
    most = term(form, {p: view.p, s: view.s, M: view.M})
    for number, spot in enumerate(order.spots(view, Kind.F, x)):
        yield Statement(
            f"kept at forwards {number}",
            "no forward finds more than the peak, itself included",
            (*order.microbatch(view, x), spot.there, *order.done_before(view, n, spot.at)),
            x + 1 - n <= most,
        )
    yield Statement(
        "attained",
        "the peak is attained: so many forwards stand before the first backward",
        order.domain(view),
        z3.And(most >= 1, most <= view.M, order.stands_before(view, most - 1, z3.IntVal(0))),
    )
