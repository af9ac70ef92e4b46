"""PipeDream inside one global history, for all timelines: what is proved of a linearization.

An update has a slot (the last one of its backward) and a stage, a forward its first slot and a
stage. The history holds the updates slot by slot, inside a slot in the order of the pass. Times
are any integers: an action may take any number of slots.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import sympy
import z3

from schedules.linearization import Linearization
from theory.laws.delays.counts import linear_term
from theory.smt.solver import Statement, Term

k = sympy.Symbol("k", integer=True, nonnegative=True)
"""Index of an update in the history."""

h = sympy.Symbol("h", integer=True, nonnegative=True)
"""History length that the forward of its microbatch recorded at some block."""


@dataclass(frozen=True)
class Moment:
    """A slot and the stage at which something happens in it."""

    slot: Term
    stage: Term

    @classmethod
    def named(cls, name: str) -> "Moment":
        """Fresh symbols."""
        return cls(z3.Int(f"slot_{name}"), z3.Int(f"stage_{name}"))


def _earlier(linearization: Linearization, one: Moment, other: Moment) -> Term:
    """Whether the history has update `one` before update `other`."""
    up, down = one.stage < other.stage, one.stage > other.stage
    in_slot = up if linearization.ascending else down
    return z3.Or(one.slot < other.slot, z3.And(one.slot == other.slot, in_slot))


def _counts(linearization: Linearization, at: Moment, update: Moment, *, by_forward: bool) -> Term:
    """Whether an event counts an update."""
    same = linearization.counted(update.stage, at.stage, by_forward=by_forward)
    return z3.Or(update.slot < at.slot, z3.And(update.slot == at.slot, same))


def slot_statements() -> Iterator[Statement]:
    """What it means for slots that one action ends before another begins."""
    begin_f, end_f, begin_b, end_b = z3.Ints("begin_F end_F begin_B end_B")
    yield Statement(
        "read",
        "the updates of earlier slots are those that have ended when a forward begins and reads",
        (),
        (end_b - 1 < begin_f) == (end_b <= begin_f),
    )
    yield Statement(
        "forward first",
        "a microbatch's forward at any stage lies in an earlier slot than each of its updates",
        (begin_f < end_f, begin_b < end_b, end_f <= begin_b),
        begin_f < end_b - 1,
    )


def history_statements(linearization: Linearization) -> Iterator[Statement]:
    """What a forward records, for one linearization."""
    forward, backward = Moment.named("F"), Moment.named("B")
    one, other = Moment.named("u"), Moment.named("v")
    yield Statement(
        "prefix",
        "the updates that a forward counts are the first ones of the history, h of them",
        (
            _counts(linearization, forward, other, by_forward=True),
            _earlier(linearization, one, other),
        ),
        _counts(linearization, forward, one, by_forward=True),
    )
    yield Statement(
        "own block",
        "among them those of its own block are those of earlier slots: what it read",
        (one.stage == forward.stage,),
        _counts(linearization, forward, one, by_forward=True) == (one.slot < forward.slot),
    )
    yield Statement(
        "recorded before",
        "what the forward counts precedes the update in the history: h ≤ k",
        (forward.slot < backward.slot, _counts(linearization, forward, one, by_forward=True)),
        _earlier(linearization, one, backward),
    )
    yield Statement(
        "newest",
        "before an update the history has exactly the updates of its block that were made before",
        (one.stage == backward.stage,),
        _earlier(linearization, one, backward) == (one.slot < backward.slot),
    )


def index_statement(linearization: Linearization) -> Statement:
    """An update's index is its position: it counts exactly the updates before it."""
    one, backward = Moment.named("u"), Moment.named("B")
    return Statement(
        "index",
        "an update's index k is its position in the history",
        (z3.Or(one.slot != backward.slot, one.stage != backward.stage),),
        _counts(linearization, backward, one, by_forward=False)
        == _earlier(linearization, one, backward),
    )


def delay_statement(delay: sympy.Expr) -> Statement:
    """Reading block j `delay` entries back gives what the forward read.

    An update of block j at position q is in what the forward read if and only if q < h, and in
    the block that RPD reads if and only if q < k − d.
    """
    index, recorded, q = z3.Ints("k h q")
    back = index - linear_term(delay, {k: index, h: recorded})
    return Statement(
        "delay",
        "x_j of k − d has exactly the updates that the forward read, and 0 ≤ d ≤ k",
        (recorded >= 0, recorded <= index),
        z3.And(back >= 0, back <= index, (q < recorded) == (q < back)),
    )


def equivalent_statements() -> Iterator[Statement]:
    """The equivalent delay: to the first update of the block after the forward, or 0."""
    index, recorded, change, q, back = z3.Ints("k h change q back")
    read = z3.If(change < index, change, index)
    yield Statement(
        "equivalent delay",
        "reading up to the block's next change, or up to k, gives what the forward read",
        (recorded >= 0, recorded <= index, change >= recorded, z3.Or(q < recorded, q >= change)),
        z3.And(read >= 0, read <= index, (q < recorded) == (q < read)),
    )
    yield Statement(
        "least",
        "no smaller delay does: it reads the change",
        (back > read, back <= index),
        change < back,
    )


def induction_statements() -> Iterator[Statement]:
    """The step from history index k to k + 1.

    X(j, n) is block j at history index n in RPD, Y(j, v) local version v of PipeDream's stage j,
    C(j, n) the number of updates of block j among the first n. Supposed up to k: X(j, n) =
    Y(j, C(j, n)).
    """
    ints, reals = z3.IntSort(), z3.RealSort()
    X, Y = z3.Function("X", ints, ints, reals), z3.Function("Y", ints, ints, reals)
    C = z3.Function("C", ints, ints, ints)
    i, j, index, recorded, read = z3.Ints("i j k h read")
    move, other = z3.Real("move"), z3.Int("d")
    yield Statement(
        "same model",
        "every block of x̂ is what the forward read, so gradients are those of the same model",
        (
            index - other == recorded,
            X(j, index - other) == Y(j, C(j, index - other)),
            C(j, recorded) == read,
        ),
        X(j, index - other) == Y(j, read),
    )
    yield Statement(
        "same step",
        "with the same gradient the invariant holds of all blocks at k + 1",
        (
            X(j, index) == Y(j, C(j, index)),
            X(i, index + 1) == X(i, index) - move,
            Y(i, C(i, index) + 1) == Y(i, C(i, index)) - move,
            C(i, index + 1) == C(i, index) + 1,
            z3.Implies(j != i, X(j, index + 1) == X(j, index)),
            z3.Implies(j != i, C(j, index + 1) == C(j, index)),
        ),
        X(j, index + 1) == Y(j, C(j, index + 1)),
    )
