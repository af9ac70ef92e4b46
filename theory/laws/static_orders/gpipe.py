"""GPipe's program: all forwards, then all backwards, in microbatch order.

Rounds are those of `schedules.lowering.rounds`: F(s, m) is issued in round m, B(s, m) in round
M + m + p − 1 − s. A message belongs to the turn of its sender, at both its ends.
"""

from __future__ import annotations

from typing import Final

from schedules.actions import Kind
from theory.laws.static_orders.program import Entry, Number, Part, Program, View
from theory.laws.static_orders.turns import made, message


def _all(view: View) -> Number:
    return view.M


def _own(_view: View, n: Number) -> Number:
    return n


def _forward(_view: View, m: Number) -> Number:
    return m


def _backward(view: View, m: Number) -> Number:
    return view.M + m + view.p - 1 - view.s


GPIPE: Final = Program(
    name="gpipe",
    least=1,
    entries=(
        Entry(
            "receive",
            _all,
            lambda v, n: 3 * n,
            (Part(Kind.RECV_F, _own),),
            lambda v, n: message(_forward, v.beside(-1), n),
        ),
        Entry(
            "forward",
            _all,
            lambda v, n: 3 * n + 1,
            (Part(Kind.F, _own),),
            lambda v, n: made(_forward, v, n),
        ),
        Entry(
            "send",
            _all,
            lambda v, n: 3 * n + 2,
            (Part(Kind.SEND_F, _own),),
            lambda v, n: message(_forward, v, n),
        ),
        Entry(
            "receive gradient",
            _all,
            lambda v, n: 3 * v.M + 3 * n,
            (Part(Kind.RECV_B, _own),),
            lambda v, n: message(_backward, v.beside(1), n),
        ),
        Entry(
            "backward",
            _all,
            lambda v, n: 3 * v.M + 3 * n + 1,
            (Part(Kind.B, _own),),
            lambda v, n: made(_backward, v, n),
        ),
        Entry(
            "send gradient",
            _all,
            lambda v, n: 3 * v.M + 3 * n + 2,
            (Part(Kind.SEND_B, _own),),
            lambda v, n: message(_backward, v, n),
        ),
    ),
    length=lambda v: 6 * v.M,
    least_stages=1,
)
"""As `schedules.families.gpipe` is lowered."""
