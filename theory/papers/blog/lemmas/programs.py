"""The blog's programs: `GPIPE` (with one microbatch the naive pipeline) and 1F1B.

Counters of a loop are affine in the iteration, so each step of the code's loops is one `Entry`;
that the loops run just these is proved in `theory.papers.blog.lemmas.loops`.
"""

from __future__ import annotations

from typing import Final

import sympy

from schedules.actions import Kind
from theory.laws.static_orders.program import Count, Entry, Number, Of, Part, Program, View
from theory.laws.static_orders.symbols import term
from theory.papers.blog.symbols import a, b


def _all(view: View) -> Number:
    return view.M


def _own(view: View, n: Number) -> Number:
    return n


def _first_receive(view: View, n: Number) -> Number:
    return view.choose(n == 0, 0, view.s + n)


def _forward_rank(step: int) -> Of:
    """Grows along the wave of forwards.

    The factor of n exceeds that of s: receive n waits until stage s + 1 has posted receive n − 1.
    """
    return lambda v, n: 3 * n + 2 * v.s + step


def _from_last(view: View, n: Number) -> Number:
    return view.M - 1 - n


def _gpipe_backward_rank(step: int) -> Of:
    """Grows along the wave of backwards, above all forwards."""
    return lambda v, n: 3 * v.M + 4 * v.p + 3 * n + 2 * (v.p - 1 - v.s) + step


def _gpipe_backward(view: View, n: Number) -> Number:
    return view.M + 2 * view.p - 2 - view.s + n


GPIPE: Final = Program(
    name="blog-gpipe",
    least=1,
    entries=(
        Entry(
            "receive",
            _all,
            lambda v, n: 3 * n,
            (Part(Kind.RECV_F, _own),),
            _forward_rank(0),
            _first_receive,
        ),
        Entry(
            "forward",
            _all,
            lambda v, n: 3 * n + 1,
            (Part(Kind.F, _own),),
            _forward_rank(1),
            lambda v, n: v.s + n,
        ),
        Entry(
            "send",
            _all,
            lambda v, n: 3 * n + 2,
            (Part(Kind.SEND_F, _own),),
            _forward_rank(2),
            lambda v, n: v.s + n + 1,
        ),
        Entry(
            "receive gradient",
            _all,
            lambda v, n: 3 * v.M + 3 * n,
            (Part(Kind.RECV_B, _from_last),),
            _gpipe_backward_rank(0),
            lambda v, n: v.choose(n == 0, v.s + v.M, _gpipe_backward(v, n)),
        ),
        Entry(
            "backward",
            _all,
            lambda v, n: 3 * v.M + 3 * n + 1,
            (Part(Kind.B, _from_last),),
            _gpipe_backward_rank(1),
            _gpipe_backward,
        ),
        Entry(
            "send gradient",
            _all,
            lambda v, n: 3 * v.M + 3 * n + 2,
            (Part(Kind.SEND_B, _from_last),),
            _gpipe_backward_rank(2),
            lambda v, n: _gpipe_backward(v, n) + 1,
        ),
    ),
    length=lambda v: 6 * v.M,
    descending=True,
)
"""All forwards, then all backwards from the last microbatch on, every message by itself."""


def warm_up(view: View) -> Number:
    """Iterations of 1F1B's warm-up loop, as the code has it."""
    stages_behind = view.p - view.s - 1
    return view.choose(stages_behind < view.M, stages_behind, view.M)


def ahead(view: View) -> Number:
    """Forwards of a 1F1B stage before its first backward.

    Those of the warm-up loop; the last stage, where it has none, does one.
    """
    return view.choose(warm_up(view) == 0, 1, warm_up(view))


def one_more(view: View) -> Number:
    """Forwards ahead in the published 1F1B: min(p − s, M)."""
    remaining = view.p - view.s
    return view.choose(remaining < view.M, remaining, view.M)


def _steady(count: Count) -> Of:
    """Where backward n and its two posts begin; without a forward left a round is shorter."""

    def place(view: View, n: Number) -> Number:
        early = 3 * count(view) - 1 + 4 * n
        late = view.M + 2 * count(view) - 1 + 3 * n
        return view.choose(n <= view.M - count(view), early, late)

    return place


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


def _exchange_time(view: View, n: Number) -> Number:
    return view.choose(n == 0, view.s + ahead(view), _exchange(view, n))


def _exchange_rank(view: View, n: Number) -> Number:
    first = 3 * ahead(view) + 2 * view.s - 1
    return view.choose(n == 0, first, 3 * _exchange(view, n) + 1)


def _labelled(form: sympy.Expr, count: Count) -> Of:
    """A microbatch as a formula in `a` and `b`, on numbers and on terms."""
    number = sympy.lambdify((a, b), form)

    def microbatch(view: View, n: Number) -> Number:
        if isinstance(view.M, int):
            return int(number(count(view), n))
        return term(form, {a: count(view), b: n})

    return microbatch


SENT: Final = a + b - 1
RECEIVED: Final = a + b


def one_f_one_b(
    sent: sympy.Expr = SENT, received: sympy.Expr = RECEIVED, count: Count = ahead
) -> Program:
    """1F1B: forwards ahead, then a backward and a forward in turn, each behind its own post.

    Parameters
    ----------
    sent, received : sympy expression in `a` and `b`
        Microbatch of the forward sent before, and of the one received after, backward b.
    count : callable
        Forwards before the first backward, at least one; ranks and times are those of `ahead`.
    """
    place = _steady(count)
    return Program(
        name="blog-1f1b",
        least=2,
        entries=(
            Entry(
                "receive",
                count,
                lambda v, n: 3 * n,
                (Part(Kind.RECV_F, _own),),
                _forward_rank(0),
                _first_receive,
            ),
            Entry(
                "warm-up forward",
                count,
                lambda v, n: 3 * n + 1,
                (Part(Kind.F, _own),),
                _forward_rank(1),
                lambda v, n: v.s + n,
            ),
            Entry(
                "send",
                lambda v: count(v) - 1,
                lambda v, n: 3 * n + 2,
                (Part(Kind.SEND_F, _own),),
                _forward_rank(2),
                lambda v, n: v.s + n + 1,
            ),
            Entry(
                "send forward, receive backward",
                _all,
                place,
                (Part(Kind.SEND_F, _labelled(sent, count)), Part(Kind.RECV_B, _own)),
                _exchange_rank,
                _exchange_time,
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
                (Part(Kind.F, lambda v, n: n + count(v)),),
                lambda v, n: 3 * _forward(v, n + count(v)) + 2,
                lambda v, n: _forward(v, n + count(v)),
            ),
        ),
        length=lambda v: 4 * v.M + 2 * count(v) - 1,
    )


ONE_F_ONE_B: Final = one_f_one_b()
"""As printed."""
