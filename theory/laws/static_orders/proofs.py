"""What is proved of a `Program` for all p, M and stages, one quantifier-free query each.

- Its entries fill the places 0, 1, …, each action occurs once, and in an order that makes sense.
- Both ends of every channel name the same microbatches in the same order.

What waits for what is in `theory.laws.static_orders.waits`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final

import z3

from schedules.actions import Kind
from schedules.programs import Entry, Number, Of, Part, Program, View
from theory.errors import UnsupportedFormError
from theory.laws.static_orders.symbols import symbolic
from theory.smt.solver import Statement, Term

OTHER_END: Final = {
    Kind.SEND_F: Kind.RECV_F,
    Kind.RECV_F: Kind.SEND_F,
    Kind.SEND_B: Kind.RECV_B,
    Kind.RECV_B: Kind.SEND_B,
}

_CAUSAL: Final = (
    (Kind.RECV_F, Kind.F),
    (Kind.F, Kind.SEND_F),
    (Kind.F, Kind.B),
    (Kind.RECV_B, Kind.B),
    (Kind.B, Kind.SEND_B),
)


@dataclass(frozen=True)
class Holder:
    """The entry that has an action of a given kind and microbatch, if `there` holds."""

    entry: Entry
    n: Term
    there: Term


def domain(program: Program, view: View) -> tuple[Term, ...]:
    """State the domain: as many stages and microbatches as the program asks for, 0 ≤ s < p."""
    enough = (view.p >= program.least_stages, program.least <= view.M)
    return (*enough, view.s >= 0, view.s < view.p)


def holders(program: Program, view: View, kind: Kind, label: Term) -> list[Holder]:
    """Where an action of this kind and microbatch may stand at the view's stage.

    Raises
    ------
    UnsupportedFormError
        A microbatch does not go up or down by one from entry to entry, over all of them.
    """
    found = []
    for entry in program.entries:
        for part in entry.parts:
            if part.kind is kind:
                n = _number_of(view, part, label)
                here = (*is_entry(view, entry, n), *part.conditions(view, n))
                found.append(Holder(entry, n, z3.And(part.microbatch(view, n) == label, *here)))
    return found


def _number_of(view: View, part: Part, label: Term) -> Term:
    n = z3.Int("n")
    first, second = (part.microbatch(view, z3.IntVal(number)) for number in (0, 1))
    step = z3.simplify(second - first)
    one = z3.is_int_value(step) and abs(step.as_long()) == 1
    if not one or not _zero(part.microbatch(view, n) - first - step * n):
        raise UnsupportedFormError(
            f"the microbatch of {part.kind.name} goes up or down by one from post to post, found "
            f"{z3.simplify(part.microbatch(view, n))} for post n",
            "programs",
            "write it as b or −b and what does not depend on b",
        )
    return step * (label - first)


def _zero(difference: Term) -> bool:
    """Whether it is 0 for all values of its symbols; what `simplify` leaves open counts as no."""
    left = z3.simplify(difference, som=True)
    return bool(z3.is_int_value(left) and left.as_long() == 0)


def is_entry(view: View, entry: Entry, n: Number) -> tuple[Term, ...]:
    """The stage has an entry of this kind with number n."""
    return (n >= 0, n < entry.count(view))


def places(program: Program) -> Iterator[Statement]:
    """The entries of a stage fill the places 0, 1, … of its program."""
    view, n, k = symbolic(), z3.Int("n"), z3.Int("k")
    length = program.length(view)
    for entry in program.entries:
        here = entry.place(view, n)
        apart = [
            z3.Implies(
                z3.And(*is_entry(view, other, k), *_another(entry, n, other, k)),
                other.place(view, k) != here,
            )
            for other in program.entries
        ]
        yield Statement(
            f"place of {entry.name}",
            f"{entry.name}: a place in the program that no other entry has",
            (*domain(program, view), *is_entry(view, entry, n)),
            z3.And(here >= 0, here < length, *apart),
        )
    counts = sum(entry.count(view) for entry in program.entries)
    yield Statement(
        "length",
        "there are as many entries as places",
        domain(program, view),
        counts == length,
    )


def _another(entry: Entry, n: Term, other: Entry, k: Term) -> tuple[Term, ...]:
    return (k != n,) if other is entry else ()


def in_order_of(program: Program, formulas: Mapping[Kind, Of]) -> Iterator[Statement]:
    """A stage runs its F and B in the order of these numbers."""
    view, x, y = symbolic(), z3.Int("x"), z3.Int("y")
    labels = (x >= 0, x < view.M, y >= 0, y < view.M)
    for kind, other in product(formulas, repeat=2):
        here, there = formulas[kind](view, x), formulas[other](view, y)
        earlier = _before(program, view, (kind, x), (other, y))
        yield Statement(
            f"order of {kind.name} and {other.name}",
            f"{kind.name} of x stands before {other.name} of y where its number is smaller",
            (*domain(program, view), *labels),
            (here < there) == earlier,
        )


def positions(program: Program, formulas: Mapping[Kind, Of]) -> Iterator[Statement]:
    """A stage runs its F and B in the order of these positions, which lie in 0 … 2M − 1."""
    yield from in_order_of(program, formulas)
    view, x = symbolic(), z3.Int("x")
    for kind, formula in formulas.items():
        here = formula(view, x)
        yield Statement(
            f"position of {kind.name}",
            f"{kind.name} stands at one of 2M positions",
            (*domain(program, view), x >= 0, x < view.M),
            z3.And(here >= 0, here < 2 * view.M),
        )


def _before(program: Program, view: View, one: tuple[Kind, Term], two: tuple[Kind, Term]) -> Term:
    """Whether the first of two actions that occur stands before the second."""
    pairs = product(holders(program, view, *one), holders(program, view, *two))
    return z3.Or(
        *(
            z3.And(
                first.there,
                second.there,
                first.entry.place(view, first.n) < second.entry.place(view, second.n),
            )
            for first, second in pairs
        )
    )


def _refuse_other_actions(program: Program) -> None:
    for entry in program.entries:
        kinds = [part.kind for part in entry.parts]
        messages = all(kind in OTHER_END for kind in kinds)
        if not kinds or not (messages or kinds in ([Kind.F], [Kind.B])):
            names = " and ".join(kind.name for kind in kinds) or "none"
            raise UnsupportedFormError(
                f"an entry is one F, one B, or messages, {entry.name!r} has {names}",
                "programs",
                "split it, or leave out what is neither",
            )


def actions(program: Program) -> Iterator[Statement]:
    """Every action occurs once, behind what it needs on its rank.

    Raises
    ------
    UnsupportedFormError
        An entry is neither one F, one B, nor messages: other kinds are not looked at.
    """
    _refuse_other_actions(program)
    view, x = symbolic(), z3.Int("x")
    inside = (*domain(program, view), x >= 0, x < view.M)
    for kind in (Kind.F, Kind.B, *OTHER_END):
        exists = Part(kind, lambda v, n: n).conditions(view, x)
        times = sum(z3.If(holder.there, 1, 0) for holder in holders(program, view, kind, x))
        yield Statement(
            f"once {kind.name}",
            f"every microbatch has one {kind.name}, where there is a stage at its other end",
            (*inside, *exists),
            times == 1,
        )
    for first, second in _CAUSAL:
        yield Statement(
            f"{first.name} before {second.name}",
            f"{first.name} stands before {second.name}",
            inside,
            _in_order(program, view, (first, x), (second, x)),
        )


def _in_order(
    program: Program, view: View, first: tuple[Kind, Term], second: tuple[Kind, Term]
) -> Term:
    pairs = product(holders(program, view, *first), holders(program, view, *second))
    return z3.And(
        *(
            z3.Implies(
                z3.And(one.there, two.there),
                one.entry.place(view, one.n) < two.entry.place(view, two.n),
            )
            for one, two in pairs
        )
    )


def channels(program: Program) -> Iterator[Statement]:
    """Messages of a kind stand in the order of microbatches, at both ends alike.

    Each occurs once, so the n-th send of a channel and its n-th receive are one message.
    """
    view, x, y = symbolic(), z3.Int("x"), z3.Int("y")
    for kind in OTHER_END:
        down = program.descending and kind in (Kind.SEND_B, Kind.RECV_B)
        first, second = (y, x) if down else (x, y)
        yield Statement(
            f"order of {kind.name}",
            f"{kind.name} goes through the microbatches from the {'last' if down else 'first'} on",
            (*domain(program, view), x >= 0, x < y, y < view.M),
            _in_order(program, view, (kind, first), (kind, second)),
        )
