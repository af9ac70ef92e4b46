"""What waits for what in a `Program`: never in a circle, for all p, M and stages.

- Nothing waits in a circle, even if every message waits for its other end and every rank for
  everything it posts: an entry begins once the one before it is complete, and a message is
  complete once its other end has begun, so an entry waits only for the beginnings of the entry
  before it and of the other ends of that one's messages; `Entry.rank` grows along these waits.
- `Entry.rank` grows along each rank, and from every computation to those that need its result.
- In these waits the slots `Entry.time` are the earliest.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import z3

from schedules.actions import MESSAGES, Kind
from schedules.messages.channels import NEIGHBOUR
from schedules.programs import Entry, Program, View
from theory.laws.stamp_terms import higher
from theory.laws.static_orders.proofs import OTHER_END, Holder, domain, holders, is_entry
from theory.laws.static_orders.symbols import symbolic
from theory.smt.solver import Statement, Term


def _others(program: Program, view: View, entry: Entry, n: Term) -> Iterator[tuple[View, Holder]]:
    """The entries at other stages that hold the other ends of an entry's messages."""
    for part in entry.parts:
        if part.kind not in MESSAGES:
            continue
        beside = view.beside(NEIGHBOUR[part.kind])
        label = part.microbatch(view, n)
        exists = z3.And(*part.conditions(view, n))
        for other in holders(program, beside, OTHER_END[part.kind], label):
            yield beside, Holder(other.entry, other.n, z3.And(exists, other.there))


def _behind(
    program: Program, view: View, entry: Entry, n: Term, k: Term
) -> Iterator[tuple[Entry, Term]]:
    """Every entry that may come next, with the condition that its number k does."""
    place = entry.place(view, n) + 1
    for following in program.entries:
        comes = z3.And(*is_entry(view, following, k), following.place(view, k) == place)
        yield following, comes


def waits(program: Program) -> Iterator[Statement]:
    """Ranks grow along everything that waits."""
    view, n, k = symbolic(), z3.Int("n"), z3.Int("k")
    for entry in program.entries:
        goals = []
        for following, comes in _behind(program, view, entry, n, k):
            rank = following.rank(view, k)
            lower = [higher(rank, entry.rank(view, n))]
            for beside, other in _others(program, view, entry, n):
                above = higher(rank, other.entry.rank(beside, other.n))
                lower.append(z3.Implies(other.there, above))
            goals.append(z3.Implies(comes, z3.And(*lower)))
        yield Statement(
            f"behind {entry.name}",
            f"what comes behind {entry.name} has a higher rank than all it waits for",
            (*domain(program, view), *is_entry(view, entry, n)),
            z3.And(*goals),
        )


_NEEDS: Final = (
    (Kind.F, 0, Kind.B, "F stands below its B"),
    (Kind.F, -1, Kind.F, "F of the stage before stands below F"),
    (Kind.B, 1, Kind.B, "B of the stage behind stands below B"),
)


def joint_order(program: Program) -> Iterator[Statement]:
    """Ranks grow along every stage's program, and along all that computations need."""
    view, n, k, x = symbolic(), z3.Int("n"), z3.Int("k"), z3.Int("x")
    for entry in program.entries:
        goals = [
            z3.Implies(comes, higher(following.rank(view, k), entry.rank(view, n)))
            for following, comes in _behind(program, view, entry, n, k)
        ]
        yield Statement(
            f"next to {entry.name}",
            f"what comes behind {entry.name} has a higher rank",
            (*domain(program, view), *is_entry(view, entry, n)),
            z3.And(*goals),
        )
    for needed, step, kind, says in _NEEDS:
        beside = view.beside(step)
        goals = [
            z3.Implies(
                z3.And(one.there, two.there),
                higher(two.entry.rank(view, two.n), one.entry.rank(beside, one.n)),
            )
            for one, two in product(
                holders(program, beside, needed, x), holders(program, view, kind, x)
            )
        ]
        exists = (beside.s >= 0, beside.s < view.p, x >= 0, x < view.M)
        yield Statement(
            f"below {kind.name}", says, (*domain(program, view), *exists), z3.And(*goals)
        )


def times(program: Program) -> Iterator[Statement]:
    """Every entry begins in the slot in which the last of what it waits for is over."""
    view, n, k = symbolic(), z3.Int("n"), z3.Int("k")
    for entry in program.entries:
        over = entry.time(view, n) + entry.duration
        for beside, other in _others(program, view, entry, n):
            begun = other.entry.time(beside, other.n)
            over = z3.If(z3.And(other.there, begun > over), begun, over)
        goals = [
            z3.Implies(comes, following.time(view, k) == over)
            for following, comes in _behind(program, view, entry, n, k)
        ]
        first = z3.Implies(entry.place(view, n) == 0, entry.time(view, n) == 0)
        yield Statement(
            f"time behind {entry.name}",
            f"what comes behind {entry.name} begins when all that it waits for is over",
            (*domain(program, view), *is_entry(view, entry, n)),
            z3.And(first, *goals),
        )
