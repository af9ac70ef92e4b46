"""The loops of the blog's code run the entries of its programs, for all p, M and stages.

A loop is a state, its counters and the send that it keeps for the next post, and what one
iteration posts and computes. Proved by induction on iterations: each lands on the place that the
program gives it, and the next iteration finds the state that the invariant says. As each action
occurs once in the program, and the loops end at its length, they run nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import z3

from schedules.actions import Kind
from theory.laws.static_orders.batched_1f1b import warm_up
from theory.laws.static_orders.program import Part, Program, View
from theory.laws.static_orders.proofs import domain, holders
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.smt.solver import Statement, Term


@dataclass(frozen=True)
class State:
    """Where 1F1B's loops are.

    Attributes
    ----------
    forward, backward : solver term
        The code's ``fwd_idx`` and ``bwd_idx``.
    kept, keeps : solver term
        Microbatch of the send in ``fwd_sends``, and whether there is one.
    at : solver term
        Entries so far.
    """

    forward: Term
    backward: Term
    kept: Term
    keeps: Term
    at: Term

    def same(self, other: State) -> Term:
        """Equal, whatever the microbatch of a send that is not kept."""
        return z3.And(
            self.forward == other.forward,
            self.backward == other.backward,
            self.keeps == other.keeps,
            z3.Implies(self.keeps, self.kept == other.kept),
            self.at == other.at,
        )


def _lands(program: Program, view: View, kind: Kind, label: Term, place: Term) -> Term:
    """The action stands at this place of the program, if it exists."""
    exists = Part(kind, lambda v, n: n).conditions(view, label)
    here = [
        z3.And(holder.there, holder.entry.place(view, holder.n) == place)
        for holder in holders(program, view, kind, label)
    ]
    return z3.Implies(z3.And(*exists), z3.Or(*here))


def loops(program: Program) -> Iterator[Statement]:
    """The code's loops run this program, `GPIPE` or `ONE_F_ONE_B`."""
    view = View.symbolic()
    if program is GPIPE:
        return gpipe_statements()
    return one_f_one_b_statements(warm_up(view), view)


def gpipe_statements() -> Iterator[Statement]:
    """``for i in range(M)`` with forwards, ``for i in range(M − 1, −1, −1)`` with backwards."""
    view, n, index = View.symbolic(), z3.Int("n"), z3.Int("index")
    inside = (*domain(GPIPE, view), n >= 0, n < view.M)
    waves = (
        ("forwards", (Kind.RECV_F, Kind.F, Kind.SEND_F), index == n, 0),
        ("backwards", (Kind.RECV_B, Kind.B, Kind.SEND_B), index == view.M - 1 - n, 3 * view.M),
    )
    for name, kinds, counter, begin in waves:
        lands = [
            _lands(GPIPE, view, kind, index, begin + 3 * n + offset)
            for offset, kind in enumerate(kinds)
        ]
        yield Statement(
            f"loop of {name}",
            f"iteration n of the loop of {name} runs the entries from place 3n of it on",
            (*inside, counter),
            z3.And(*lands),
        )


def one_f_one_b_statements(before: Term, view: View) -> Iterator[Statement]:
    """Warm-up, steady and drain loops, with `before` iterations of the first.

    Parameters
    ----------
    before : solver term
        The code's ``warmup_steps``, in the symbols of `view`.
    view : View
    """
    i, j = z3.Int("i"), z3.Int("j")
    inside = domain(ONE_F_ONE_B, view)

    def lands(kind: Kind, label: Term, place: Term) -> Term:
        return _lands(ONE_F_ONE_B, view, kind, label, place)

    begun = z3.If(before == 0, 1, before)
    yield Statement(
        "warm-up loop",
        "iteration i of the warm-up runs the entries from place 3i on, without its last send",
        (*inside, i >= 0, i < begun),
        z3.And(
            before >= 0,
            lands(Kind.RECV_F, i, 3 * i),
            lands(Kind.F, i, 3 * i + 1),
            z3.Implies(i != begun - 1, lands(Kind.SEND_F, i, 3 * i + 2)),
        ),
    )
    after = State(begun, z3.IntVal(0), begun - 1, z3.BoolVal(True), 3 * begun - 1)
    yield Statement(
        "behind the warm-up",
        "the rounds begin with a kept send and no backward done",
        inside,
        after.same(_invariant(begun, view, z3.IntVal(0))),
    )
    state = State(z3.Int("fwd"), j, z3.Int("kept"), z3.Bool("keeps"), z3.Int("at"))
    # The drain loop, the last `before` rounds, has no forward of its own.
    more = z3.And(j < view.M - before, state.forward < view.M)
    following = State(
        z3.If(more, state.forward + 1, state.forward),
        j + 1,
        state.forward,
        more,
        state.at + z3.If(more, 4, 3),
    )
    yield Statement(
        "round",
        "round j runs the next entries, and the round behind it finds what it left",
        (*inside, j >= 0, j < view.M, state.same(_invariant(begun, view, j))),
        z3.And(
            z3.Implies(state.keeps, lands(Kind.SEND_F, state.kept, state.at)),
            lands(Kind.RECV_B, j, state.at),
            lands(Kind.B, j, state.at + 1),
            lands(Kind.SEND_B, j, state.at + 2),
            z3.Implies(more, lands(Kind.RECV_F, state.forward, state.at + 2)),
            z3.Implies(more, lands(Kind.F, state.forward, state.at + 3)),
            following.same(_invariant(begun, view, j + 1)),
        ),
    )
    yield Statement(
        "end",
        "M rounds end at the program's length",
        inside,
        _invariant(begun, view, view.M).at == ONE_F_ONE_B.length(view),
    )


def _invariant(begun: Term, view: View, j: Term) -> State:
    """The state before round j."""
    newest = begun + j - 1
    early, late = 3 * begun - 1 + 4 * j, view.M + 2 * begun - 1 + 3 * j
    return State(
        forward=z3.If(begun + j < view.M, begun + j, view.M),
        backward=j,
        kept=newest,
        keeps=newest < view.M,
        at=z3.If(j <= view.M - begun, early, late),
    )
