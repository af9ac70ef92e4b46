"""1F1B with batched pairs of messages: forwards ahead, then a backward and a forward in turn.

A forward's send is posted together with a backward's receive, and a backward's send with a
forward's receive. As many forwards are ahead as the caller says, by default one fewer than in 1F1B.
"""

from __future__ import annotations

from typing import Final

import sympy

from schedules.actions import Kind
from theory.laws.static_orders.program import Count, Entry, Number, Of, Part, Program, View
from theory.laws.static_orders.symbols import term

b: Final = sympy.Symbol("b", integer=True, nonnegative=True)
"""How many backwards a stage has begun before, from 0."""

a: Final = sympy.Symbol("a", integer=True, positive=True)
"""Forwards of a stage before its first backward, the last stage's own included."""

SENT: Final = a + b - 1
RECEIVED: Final = a + b
"""Microbatches of the forward sent before, and of the one received after, backward b."""


def _all(view: View) -> Number:
    return view.M


def _own(_view: View, n: Number) -> Number:
    return n


def _least(view: View, one: Number) -> Number:
    return view.choose(one < view.M, one, view.M)


def warm_up(view: View) -> Number:
    """Iterations of the warm-up loop: min(p − s − 1, M)."""
    return _least(view, view.p - view.s - 1)


def ahead(view: View) -> Number:
    """Forwards of a stage before its first backward.

    Those of the warm-up loop; the last stage, where it has none, does one.
    """
    return view.choose(warm_up(view) == 0, 1, warm_up(view))


def one_more(view: View) -> Number:
    """Forwards ahead in the published 1F1B: min(p − s, M)."""
    return _least(view, view.p - view.s)


def _forward(view: View, m: Number) -> Number:
    """Slot of F(s, m) behind the warm-up."""
    last = view.p - 1 + 4 * m
    return view.choose(view.s == view.p - 1, last, 4 * m - 2 * view.p + 3 * view.s + 4)


def _backward(view: View, n: Number) -> Number:
    return 2 * view.p - 1 - view.s + 4 * n


def _exchange(view: View, n: Number) -> Number:
    """Slot in which the post before backward n > 0 is begun: behind a forward, or a backward."""
    newest = n + ahead(view) - 1
    behind_forward = _forward(view, newest) + 1
    return view.choose(newest < view.M, behind_forward, _backward(view, n - 1) + 1)


def _labelled(form: sympy.Expr, count: Count) -> Of:
    """A microbatch as a formula in `a` and `b`, on numbers and on terms."""
    number = sympy.lambdify((a, b), form)

    def microbatch(view: View, n: Number) -> Number:
        if isinstance(view.M, int):
            return int(number(count(view), n))
        return term(form, {a: count(view), b: n})

    return microbatch


def _ahead(count: Count) -> tuple[Entry, ...]:
    """The warm-up: receive, compute and send, but for the last send.

    Ranks grow along the wave of forwards. The factor of n exceeds that of s: receive n waits until
    stage s + 1 has posted receive n − 1.
    """
    steps: tuple[tuple[str, Count, Kind, Of], ...] = (
        ("receive", count, Kind.RECV_F, lambda v, n: v.choose(n == 0, 0, v.s + n)),
        ("warm-up forward", count, Kind.F, lambda v, n: v.s + n),
        ("send", lambda v: count(v) - 1, Kind.SEND_F, lambda v, n: v.s + n + 1),
    )
    return tuple(
        Entry(
            name,
            many,
            lambda v, n, i=i: 3 * n + i,  # type: ignore[misc]
            (Part(kind, _own),),
            lambda v, n, i=i: 3 * n + 2 * v.s + i,  # type: ignore[misc]
            slot,
        )
        for i, (name, many, kind, slot) in enumerate(steps)
    )


def batched(
    name: str, sent: sympy.Expr = SENT, received: sympy.Expr = RECEIVED, count: Count = ahead
) -> Program:
    """The program, each computation of its rounds behind its own post.

    Parameters
    ----------
    name : str
    sent, received : sympy expression in `a` and `b`
        See `SENT` and `RECEIVED`.
    count : callable
        Forwards before the first backward, at least one; ranks and times are those of `ahead`.
    """

    def place(view: View, n: Number) -> Number:
        """Where backward n and its two posts begin; without a forward left a round is shorter."""
        early, late = 3 * count(view) - 1 + 4 * n, view.M + 2 * count(view) - 1 + 3 * n
        return view.choose(n <= view.M - count(view), early, late)

    def later(view: View, n: Number) -> Number:
        return n + count(view)

    rounds = (
        Entry(
            "send forward, receive backward",
            _all,
            place,
            (Part(Kind.SEND_F, _labelled(sent, count)), Part(Kind.RECV_B, _own)),
            lambda v, n: v.choose(n == 0, 3 * ahead(v) + 2 * v.s - 1, 3 * _exchange(v, n) + 1),
            lambda v, n: v.choose(n == 0, v.s + ahead(v), _exchange(v, n)),
        ),
        Entry(
            "backward",
            _all,
            lambda v, n: place(v, n) + 1,
            (Part(Kind.B, _own),),
            lambda v, n: 3 * _backward(v, n) + 2,
            _backward,
        ),
        Entry(
            "send backward, receive forward",
            _all,
            lambda v, n: place(v, n) + 2,
            (Part(Kind.SEND_B, _own), Part(Kind.RECV_F, _labelled(received, count))),
            lambda v, n: 3 * _backward(v, n) + 3,
            lambda v, n: _backward(v, n) + 1,
        ),
        Entry(
            "steady forward",
            lambda v: v.M - count(v),
            lambda v, n: place(v, n) + 3,
            (Part(Kind.F, later),),
            lambda v, n: 3 * _forward(v, later(v, n)) + 2,
            lambda v, n: _forward(v, later(v, n)),
        ),
    )
    return Program(name, 2, (*_ahead(count), *rounds), lambda v: 4 * v.M + 2 * count(v) - 1)
