"""1F1B of the from-scratch blog, with the pairs of messages that it posts together.

Source: see `schedules.families.blog`. Its code asserts at least two microbatches.

Each forward's send is posted together with a backward's receive, and a backward's send with a
forward's receive. Rule, for stage s of p:

- warm-up: min(p − s − 1, M) forwards, each after its receive; its send is posted at once, but the
  last one is kept. The last stage, which has no warm-up, does its first forward here;
- steady: for each remaining microbatch the kept send and the next gradient's receive together,
  a backward, then its send and the next activation's receive together, a forward, whose send is
  kept. Where no forward is left, the gradient's send alone;
- drain: the remaining backwards, each between its receive (with a send still kept) and its send.

Known. A steady round begins with the backward, so before its first backward stage s < p − 1 has
done p − s − 1 forwards, one fewer than in DAPPLE's and PyTorch's 1F1B:

- stage s < p − 1 holds min(p − s − 1, M) activations, not p − s; the last stage holds 1;
- stage p − 2 holds one microbatch at a time, so the next one follows only when that one is back
  from the last stage: one microbatch every 2(F + B), half of what the ranks could do. The makespan
  is p(F + B) + 2(M − 1)(F + B), with F = B = 1 thus 2p + 4(M − 1) against 2(M + p − 1) for GPipe
  and 1F1B, and the bubble tends to 1/2 for large M instead of 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from schedules.actions import Kind
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.programs import Count, Entry, Number, Of, Part, Program, View

Label = Callable[[Number, Number], Number]
"""A microbatch, by forwards ahead and how many backwards the stage has begun before."""


def newest(ahead: Number, n: Number) -> Number:
    """The microbatch whose forward stands before backward n."""
    return ahead + n - 1


def coming(ahead: Number, n: Number) -> Number:
    """The microbatch whose forward stands behind backward n."""
    return ahead + n


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
    name: str, sent: Label = newest, received: Label = coming, count: Count = ahead
) -> Program:
    """The program, each computation of its rounds behind its own post.

    Parameters
    ----------
    name : str
    sent, received : callable
        Microbatches of the forward sent before, and of the one received after, a backward.
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
            (Part(Kind.SEND_F, lambda v, n: sent(count(v), n)), Part(Kind.RECV_B, _own)),
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
            (Part(Kind.SEND_B, _own), Part(Kind.RECV_F, lambda v, n: received(count(v), n))),
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


PROGRAM: Final = batched("blog-1f1b")
"""As printed."""

FAMILY: Final = Family(
    name="blog-1f1b",
    source="from-scratch PyTorch blog, 1F1B pipeline",
    summary="1F1B with one forward fewer ahead, sends and receives in batches: half speed",
    policy=WeightPolicy("flush"),
    rule=PROGRAM,
    figures=Figures(
        makespan="2*p + 4*(M - 1)",
        work="2*M",
        peak="Min(Max(p - 1 - r, 1), M)",
    ),
)

build: Final = FAMILY.build
