"""The loops of the blog's code run the entries of its programs, for all p, M and stages.

A loop is a state, its counters and the send that it keeps for the next post, and what one
iteration posts and computes. Proved by induction on iterations: each lands on the place that the
program gives it, and the next iteration finds the state that the invariant says. As each action
occurs once in the program, and the loops end at its length, they run nothing else.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import z3

from schedules.actions import Kind
from schedules.families.blog_1f1b import warm_up
from schedules.programs import Part, Program, View
from theory.laws.static_orders.proofs import domain, holders
from theory.laws.static_orders.symbols import symbolic
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.smt.notation import stated, terms
from theory.smt.solver import Statement, Term


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
    view = symbolic()
    if program is GPIPE:
        return gpipe_statements()
    return one_f_one_b_statements(warm_up(view), view)


def gpipe_statements() -> Iterator[Statement]:
    """``for i in range(M)`` with forwards, ``for i in range(M − 1, −1, −1)`` with backwards."""
    view = symbolic()
    waves = (
        ("forwards", (Kind.RECV_F, Kind.F, Kind.SEND_F), "index == n", 0),
        ("backwards", (Kind.RECV_B, Kind.B, Kind.SEND_B), "index == M - 1 - n", 3 * view.M),
    )
    for name, kinds, counter, begin in waves:
        yield _inside(
            GPIPE,
            stated(
                f"loop of {name}",
                f"iteration n of the loop of {name} runs the entries from place 3n of it on",
                f"n >= 0, n < M, {counter}",
                ", ".join(
                    f"lands({kind.name}, index, begin + 3*n + {i})" for i, kind in enumerate(kinds)
                ),
                **_KINDS,
                lands=partial(_lands, GPIPE, view),
                begin=begin,
            ),
        )


_KINDS = {kind.name: kind for kind in Kind}

_INVARIANT = (
    "fwd == (begun + j if begun + j < M else M), bwd == j, keeps == (begun + j - 1 < M), "
    "implies(keeps, kept == begun + j - 1), at == place(j)"
)
"""Before round j: counters ``fwd_idx`` and ``bwd_idx``, the send in ``fwd_sends``, entries."""


def _inside(program: Program, statement: Statement) -> Statement:
    known = (*domain(program, symbolic()), *statement.hypotheses)
    return replace(statement, hypotheses=known)


def one_f_one_b_statements(before: Term, view: View) -> Iterator[Statement]:
    """Warm-up, steady and drain loops, with `before` iterations of the first.

    Parameters
    ----------
    before : solver term
        The code's ``warmup_steps``, in the symbols of `view`.
    view : View
    """
    begun = z3.If(before == 0, 1, before)

    def place(j: Term) -> Term:
        early, late = 3 * begun - 1 + 4 * j, view.M + 2 * begun - 1 + 3 * j
        return z3.If(j <= view.M - begun, early, late)

    def holds(fwd: Term, bwd: Term, kept: Term, keeps: Term, at: Term, j: Term) -> Term:
        state = {"fwd": fwd, "bwd": bwd, "kept": kept, "keeps": keeps, "at": at, "j": j}
        return z3.And(terms(_INVARIANT, {**state, "begun": begun, "place": place}))

    def about(name: str, says: str, given: str, goal: str) -> Statement:
        lands, keeps = partial(_lands, ONE_F_ONE_B, view), z3.Bool("keeps")
        letters = {"before": before, "begun": begun, "length": ONE_F_ONE_B.length(view)}
        known = {
            **_KINDS,
            **letters,
            "holds": holds,
            "place": place,
            "lands": lands,
            "keeps": keeps,
        }
        return _inside(ONE_F_ONE_B, stated(name, says, given, goal, **known))

    yield about(
        "warm-up loop",
        "iteration i of the warm-up runs the entries from place 3i on, without its last send",
        "i >= 0, i < begun",
        "before >= 0, lands(RECV_F, i, 3*i), lands(F, i, 3*i + 1), "
        "implies(i != begun - 1, lands(SEND_F, i, 3*i + 2))",
    )
    yield about(
        "behind the warm-up",
        "the rounds begin with a kept send and no backward done",
        "",
        "holds(begun, 0, begun - 1, True, 3*begun - 1, 0)",
    )
    # The drain loop, the last `before` rounds, has no forward of its own.
    more = "(j < M - before and fwd < M)"
    yield about(
        "round",
        "round j runs the next entries, and the round behind it finds what it left",
        "j >= 0, j < M, holds(fwd, bwd, kept, keeps, at, j)",
        "implies(keeps, lands(SEND_F, kept, at)), lands(RECV_B, j, at), lands(B, j, at + 1), "
        f"lands(SEND_B, j, at + 2), implies({more}, lands(RECV_F, fwd, at + 2)), "
        f"implies({more}, lands(F, fwd, at + 3)), holds(fwd + 1 if {more} else fwd, j + 1, fwd, "
        f"{more}, at + (4 if {more} else 3), j + 1)",
    )
    yield about("end", "M rounds end at the program's length", "", "place(M) == length")
