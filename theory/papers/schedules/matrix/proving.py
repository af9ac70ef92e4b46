"""Cells that are proved for all p and M: orders by stamps, and the programs of the blog."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from schedules.actions import Kind
from schedules.families import get_family
from schedules.programs import Program
from theory.account import Grounds
from theory.claims import Formulas
from theory.judging.outcomes import in_turn
from theory.laws.stamped_families import COLUMNS, STAMPED, spoiled
from theory.laws.stamped_families import prove as prove_stamped
from theory.laws.static_orders.in_flight import peak
from theory.laws.static_orders.order import of_program
from theory.laws.static_orders.parts import PARTS, decided
from theory.laws.static_orders.versions import Updates, applied_once, flushed
from theory.papers.blog.lemmas.laws import of_family, parts_hold
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.papers.schedules.matrix.forms import BOUND
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, decide, merge, undecided

_BLOG: Final[Mapping[str, Program]] = {
    "blog-naive": GPIPE,
    "blog-gpipe": GPIPE,
    "blog-1f1b": ONE_F_ONE_B,
}
"""Programs of the blog, messages included; families are built from them."""

_PARTS: Final = {
    "causal": ("places", "actions", "joint order"),
    "deadlock-free": ("places", "actions", "channels", "waits"),
}
"""Parts of the proof about a program; for every other column the first two."""

UPDATE_ONCE: Final = "update-once"
"""For every M that the family's K divides."""

_BLOG_DOMAINS: Final = {
    "blog-naive": "p ≥ 2 and M = 1",
    "blog-gpipe": "p ≥ 2 and M ≥ 2",
    "blog-1f1b": "p ≥ 2 and M ≥ 2",
}


def reached(family: str, column: str) -> bool:
    """Whether a cell is one of those that are proved for all sizes."""
    return column in COLUMNS and (family in _BLOG or family in STAMPED)


def for_all(family: str) -> str:
    """The sizes that a proof speaks of, in words.

    Examples
    --------
    >>> for_all("asyncpp"), for_all("blog-naive")
    ('p ≥ 1 and M ≥ update_interval ≥ 1', 'p ≥ 2 and M = 1')
    """
    return _BLOG_DOMAINS[family] if family in _BLOG else STAMPED[family].words


def messages(family: str) -> str:
    """Where a family's messages stand in what is proved of it, as part of a sentence."""
    if family in _BLOG:
        return "where the family has them"
    return "as `convert --lower` places them, receives as soon as possible"


def shared(family: str) -> str:
    """Name of what the proofs about a family rest on, and others may too."""
    return f"proofs of {_BLOG[family].name}" if family in _BLOG else f"schedules of {family}"


def proved(family: str, column: str, formulas: Formulas) -> Outcome:
    """Prove a cell that is `reached`, with these formulas."""
    if family in STAMPED:
        return prove_stamped(family, column, formulas)
    return _of_blog(family, column, formulas)


def _of_blog(family: str, column: str, formulas: Formulas) -> Outcome:
    program = _BLOG[family]
    order = of_program(program)
    form = formulas.get(BOUND) if column in ("staleness", "in-flight") else None
    name, says = f"{family}.{column}", f"{family} keeps {column}"
    pieces = [_part(program, part) for part in _PARTS.get(column, ("places", "actions"))]
    if column in ("stash", "staleness"):
        # Backwards may go down through the microbatches here, and there is one update at the end.
        pieces += [decide(statement) for statement in flushed(order)]
    elif column == "in-flight" and form is not None:
        pieces += [decide(statement) for statement in peak(order, form)]
    elif column == UPDATE_ONCE:
        updates = Updates(get_family(family).policy)
        pieces += [decide(statement) for statement in applied_once(order, updates)]
    found = merge(name, says, pieces)
    if column == "staleness" and form not in (None, 0):
        found = undecided(found, f"it is 0, not {form}")
    return of_family(found, family)


@remembered
def _part(program: Program, part: str) -> Outcome:
    return decided(program, part, PARTS[part])


def bound_holds(family: str, column: str, formulas: Formulas) -> Iterator[Outcome]:
    """What the provers alone say of another bound, without the runs that would contradict it."""
    if family in _BLOG and column == "in-flight":
        return in_turn(peak(of_program(_BLOG[family]), formulas[BOUND]))
    return iter((proved(family, column, formulas),))


def without_order(family: str) -> tuple[Outcome, ...]:
    """What the provers say of a program whose first forwards and first backwards change places."""
    return _disordered(_BLOG[family])


def without_ranks(family: str, column: str) -> tuple[Outcome, ...]:
    """What the provers say of a program if all that waits has the same rank."""
    return _rankless(_BLOG[family], "waits" if column == "deadlock-free" else "joint order")


@remembered
def _disordered(program: Program) -> tuple[Outcome, ...]:
    first, other = (
        next(entry for entry in program.entries if entry.parts[0].kind is kind)
        for kind in (Kind.F, Kind.B)
    )
    exchanged = {
        first.name: replace(first, place=other.place, count=other.count),
        other.name: replace(other, place=first.place, count=first.count),
    }
    entries = tuple(exchanged.get(entry.name, entry) for entry in program.entries)
    return tuple(parts_hold(replace(program, entries=entries), "places", "actions"))


@remembered
def _rankless(program: Program, part: str) -> tuple[Outcome, ...]:
    entries = tuple(replace(entry, rank=lambda view, n: 0) for entry in program.entries)
    return tuple(parts_hold(replace(program, entries=entries), part))


def programmed(family: str, column: str) -> Mapping[str, Callable[[], Grounds]]:
    """Controls of the provers, where a cell is proved of a program; by what they leave out."""
    if family in STAMPED:
        return spoiled(family, column)
    if not reached(family, column):
        return {}
    found = {"the order of its program": partial(without_order, family)}
    if column in ("causal", "deadlock-free"):
        found["ranks that grow along all that waits"] = partial(without_ranks, family, column)
    return found
