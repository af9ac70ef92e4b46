"""1F1B's program, with or without a flush: p − s forwards, then a backward and a forward in turn.

F(s, m) is issued in round m while m < p − s, else in round 2m − (p − s) + 1, B(s, m) in round
2m + p − s (see `schedules.lowering.rounds`). A stage posts the receive of a later forward before
its backward, as the stage before has made that one by then.

Rounds of the program are numbered by their backward. Those of the drain, and the warm-up of less
than p − s microbatches, have entries whose microbatch does not exist; they stand for nothing.
"""

from __future__ import annotations

from typing import Final

from schedules.actions import Kind
from theory.laws.static_orders.program import Entry, Number, Part, Program, View
from theory.laws.static_orders.turns import made, message


def ahead(view: View) -> Number:
    """Forwards before the first backward, if there are as many microbatches."""
    return view.p - view.s


def _own(_view: View, n: Number) -> Number:
    return n


def _later(view: View, n: Number) -> Number:
    return n + ahead(view)


def _forward(view: View, m: Number) -> Number:
    return view.choose(m < ahead(view), m, 2 * m - ahead(view) + 1)


def _backward(view: View, m: Number) -> Number:
    return 2 * m + ahead(view)


def _rounds(view: View) -> Number:
    return view.M


def _begin(view: View, n: Number) -> Number:
    """Place at which the round of backward n begins."""
    return 3 * ahead(view) + 6 * n


ONE_F_ONE_B: Final = Program(
    name="1f1b",
    least=1,
    entries=(
        Entry(
            "receive",
            ahead,
            lambda v, n: 3 * n,
            (Part(Kind.RECV_F, _own),),
            lambda v, n: message(_forward, v.beside(-1), n),
        ),
        Entry(
            "warm-up forward",
            ahead,
            lambda v, n: 3 * n + 1,
            (Part(Kind.F, _own),),
            lambda v, n: made(_forward, v, n),
        ),
        Entry(
            "send",
            ahead,
            lambda v, n: 3 * n + 2,
            (Part(Kind.SEND_F, _own),),
            lambda v, n: message(_forward, v, n),
        ),
        Entry(
            "receive gradient",
            _rounds,
            _begin,
            (Part(Kind.RECV_B, _own),),
            lambda v, n: message(_backward, v.beside(1), n),
        ),
        Entry(
            "receive later",
            _rounds,
            lambda v, n: _begin(v, n) + 1,
            (Part(Kind.RECV_F, _later),),
            lambda v, n: message(_forward, v.beside(-1), _later(v, n)),
        ),
        Entry(
            "backward",
            _rounds,
            lambda v, n: _begin(v, n) + 2,
            (Part(Kind.B, _own),),
            lambda v, n: made(_backward, v, n),
        ),
        Entry(
            "send gradient",
            _rounds,
            lambda v, n: _begin(v, n) + 3,
            (Part(Kind.SEND_B, _own),),
            lambda v, n: message(_backward, v, n),
        ),
        Entry(
            "steady forward",
            _rounds,
            lambda v, n: _begin(v, n) + 4,
            (Part(Kind.F, _later),),
            lambda v, n: made(_forward, v, _later(v, n)),
        ),
        Entry(
            "send later",
            _rounds,
            lambda v, n: _begin(v, n) + 5,
            (Part(Kind.SEND_F, _later),),
            lambda v, n: message(_forward, v, _later(v, n)),
        ),
    ),
    length=lambda v: 3 * ahead(v) + 6 * v.M,
    least_stages=1,
)
"""As `schedules.families.one_f_one_b` and the families with its order are lowered."""
