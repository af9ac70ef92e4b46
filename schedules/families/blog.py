"""Waves of a pipeline with its messages: all forwards, then all backwards, each by itself.

Source: the author's blog series on distributed training in PyTorch, the instalment on pipeline
parallelism (repository llm-parallelism-pytorch): classes for a naive, a GPipe and a 1F1B pipeline
over ``torch.distributed`` point-to-point messages. The families carry its messages in program
order. A stage is a rank; stage 0 receives no activation and sends no gradient, the last stage
sends no activation and receives no gradient. That its loops run these programs is proved in
`theory.papers.blog.lemmas.loops`.

Rounds are those of `schedules.lowering.rounds`: F(s, m) is issued in round m, the n-th backward of
stage s in round M + n + p − 1 − s. A message belongs to the turn of its sender, at both its ends.
What meets at one rank comes from it and its two neighbours, so 6·round + 2·stage, with 1 more for
a message, grows along these turns.
"""

from __future__ import annotations

from schedules.actions import Kind
from schedules.messages.channels import NEIGHBOUR
from schedules.programs import Count, Entry, Number, Of, Part, Program, View


def made(round_: Of, view: View, m: Number) -> Number:
    """Rank of the computation of microbatch m at the view's stage."""
    return 6 * round_(view, m) + 2 * view.s


def message(round_: Of, sender: View, m: Number) -> Number:
    """Rank of the message with its result, at both ends."""
    return made(round_, sender, m) + 1


def _all(view: View) -> Number:
    return view.M


def _own(_view: View, n: Number) -> Number:
    return n


def _from_last(view: View, n: Number) -> Number:
    return view.M - 1 - n


def _wave(
    names: tuple[str, str, str],
    kinds: tuple[Kind, Kind, Kind],
    label: Of,
    begin: Count,
    turn: Of,
    first: Count,
    start: Of,
) -> tuple[Entry, ...]:
    """Receive, compute and send every microbatch in turn.

    Parameters
    ----------
    names, kinds : tuple
        Of receives, computations and sends.
    label : callable
        The n-th microbatch.
    begin : callable
        Place of the first receive.
    turn : callable
        Round in which the n-th computation is issued.
    first, start : callable
        Slots in which the first receive and the n-th computation begin.
    """
    receive, _, _ = kinds
    ranks: tuple[Of, ...] = (
        lambda v, n: message(turn, v.beside(NEIGHBOUR[receive]), n),
        lambda v, n: made(turn, v, n),
        lambda v, n: message(turn, v, n),
    )
    slots: tuple[Of, ...] = (
        lambda v, n: v.choose(n == 0, first(v), start(v, n - 1) + 1),
        start,
        lambda v, n: start(v, n) + 1,
    )
    places: tuple[Of, ...] = (
        lambda v, n: begin(v) + 3 * n,
        lambda v, n: begin(v) + 3 * n + 1,
        lambda v, n: begin(v) + 3 * n + 2,
    )
    return tuple(
        Entry(name, _all, place, (Part(kind, label),), rank, slot)
        for name, kind, place, rank, slot in zip(names, kinds, places, ranks, slots, strict=True)
    )


def two_waves(name: str, *, descending: bool, least_stages: int) -> Program:
    """All forwards, then all backwards, every message by itself."""
    forwards = _wave(
        ("receive", "forward", "send"),
        (Kind.RECV_F, Kind.F, Kind.SEND_F),
        _own,
        begin=lambda v: 0,
        turn=_own,
        first=lambda v: 0,
        start=lambda v, n: v.s + n,
    )
    backwards = _wave(
        ("receive gradient", "backward", "send gradient"),
        (Kind.RECV_B, Kind.B, Kind.SEND_B),
        _from_last if descending else _own,
        begin=lambda v: 3 * v.M,
        turn=lambda v, n: v.M + n + v.p - 1 - v.s,
        first=lambda v: v.s + v.M,
        start=lambda v, n: v.M + 2 * v.p - 2 - v.s + n,
    )
    entries = (*forwards, *backwards)
    return Program(name, 1, entries, lambda v: 6 * v.M, descending, least_stages)
