"""The naive pipeline's program: one microbatch at a time through all stages and back.

Each microbatch takes 2p computations one after the other, so that a rank function grows by 2p with
the microbatch. It is affine as a pair: the microbatch, and the place on its way.
"""

from __future__ import annotations

from typing import Final

from schedules.actions import Kind
from theory.laws.static_orders.program import Entry, Number, Of, Part, Program, View


def _own(_view: View, n: Number) -> Number:
    return n


def _all(view: View) -> Number:
    return view.M


def _forward(view: View) -> Number:
    """Place of F on the way of a microbatch; its message follows."""
    return 2 * view.s


def _backward(view: View) -> Number:
    """Place of B, behind all forwards and their messages."""
    return 4 * view.p - 2 * view.s


def _step(name: str, number: int, kind: Kind, way: Of) -> Entry:
    place: Of = lambda v, n: 6 * n + number  # noqa: E731 - beside the others of its kind
    return Entry(name, _all, place, (Part(kind, _own),), lambda v, n: (n, way(v, n)))


NAIVE: Final = Program(
    name="naive",
    least=1,
    entries=(
        _step("receive", 0, Kind.RECV_F, lambda v, n: _forward(v.beside(-1)) + 1),
        _step("forward", 1, Kind.F, lambda v, n: _forward(v)),
        _step("send", 2, Kind.SEND_F, lambda v, n: _forward(v) + 1),
        _step("receive gradient", 3, Kind.RECV_B, lambda v, n: _backward(v.beside(1)) + 1),
        _step("backward", 4, Kind.B, lambda v, n: _backward(v)),
        _step("send gradient", 5, Kind.SEND_B, lambda v, n: _backward(v) + 1),
    ),
    length=lambda v: 6 * v.M,
    least_stages=1,
)
"""As `schedules.families.naive` is lowered."""
