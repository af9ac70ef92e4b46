"""What the blog's claims share: the proved parts of its programs, and their comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, Final

import sympy

from schedules.families import get_family
from schedules.families.family import Family
from theory.account import Account, Decision, Line, Readings, Refutation
from theory.judging.outcomes import in_turn
from theory.kernel import Relation, le
from theory.laws.links import Grid, Link, tied
from theory.laws.static_orders.as_built import as_built
from theory.laws.static_orders.parts import PARTS, PartOfProof, decided
from theory.laws.static_orders.program import SIZES, Program, View
from theory.laws.static_orders.symbols import M, p, s, term
from theory.ledger import Evidence
from theory.papers.blog.lemmas.loops import loops
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Term

PROGRAMS: Final = {program.name: program for program in (GPIPE, ONE_F_ONE_B)}

ASSUMES: Final = (
    "p ≥ 2 stages, one a rank, and M ≥ 2 microbatches, as the code asserts (naive: M = 1)",
    "a rank waits for all that it posts together before it goes on, as the code's calls do",
    "the code's loops and branches are those that theory/papers/blog/lemmas/loops.py writes down",
)

SUPPOSED: Final[tuple[Relation, ...]] = (le(2, p), le(2, M))
"""What statements about the blog's runs suppose of their sizes."""

OF_A_STAGE: Final[tuple[Relation, ...]] = (*SUPPOSED, le(0, s), le(s, p - 1))
"""The same, of a stage too."""


def stages(named: Any = s) -> Iterator[dict[Any, int]]:
    """All stages of the sizes that are searched for witnesses, the stage under this name."""
    return ({p: at[0], M: at[1], named: stage} for at in SIZES for stage in range(at[0]))


def number(form: sympy.Expr, view: View) -> Term:
    """A formula in p, s and M as a solver term, at a stage."""
    return term(form, {p: view.p, s: view.s, M: view.M})


UNIT: Final = "a forward and a backward take one slot each, messages none"

_PARTS: Final[dict[str, PartOfProof]] = {
    **PARTS,
    "loops": ("the code's loops run these entries, by induction on iterations", loops),
}


def outcome(program: Program, part: str) -> Outcome:
    """One part of the proof about a program, its queries merged."""
    return decided(program, part, _PARTS[part])


@remembered
def established(name: str, part: str) -> Outcome:
    """`outcome` for a program as printed."""
    return outcome(PROGRAMS[name], part)


def proof(names: Iterable[str], *parts: str) -> tuple[Outcome, ...]:
    """Parts of the proof about programs as printed: what they are, then those named.

    Where a family runs another program, that part is UNKNOWN, and so is all that rests on it.
    """
    always = ("loops", "places", "actions")
    return as_built_by_all(established(name, part) for name in names for part in (*always, *parts))


def parts_hold(program: Program, *parts: str) -> Iterator[Outcome]:
    """Outcomes of parts of the proof about a program, each decided when it is asked for."""
    return (found for part in parts for found in in_turn(_PARTS[part][1](program)))


_SIZES: Final = {
    "blog-1f1b": (ONE_F_ONE_B, Grid(least_microbatches=2)),
    "blog-gpipe": (GPIPE, Grid(least_microbatches=2)),
    "blog-naive": (GPIPE, Grid(single=True)),
}
"""By family: the program that it runs, and the sizes at which they are compared."""


def link(family: str) -> Link:
    """What ties a family of the blog to its program: the sizes at which they were compared.

    Examples
    --------
    >>> [link(family).verdict.name for family in _SIZES]
    ['CHECKED', 'CHECKED', 'CHECKED']
    """
    return _link(get_family(family))


@cache
def _link(family: Family) -> Link:
    program, grid = _SIZES[family.name]
    return as_built(family, program, grid)


def as_built_by_all(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """What is proved of these programs, said of the families that run them."""
    return tied(outcomes, *map(link, _SIZES))


def compared() -> tuple[tuple[Line, ...], tuple[Evidence, ...]]:
    """Comparison of these programs with the families, line by line, and evidence if they differ."""
    ties = [link(family) for family in _SIZES]
    found = tuple(Line("ours", tie.words, tie.note, Decision((tie,))) for tie in ties)
    says = "a family that has another program"
    return found, tuple(
        Evidence("against", says, {"family": tie.family, **(tie.differs or {})})
        for tie in ties
        if not tie.ties
    )


def unless_other(found: Callable[[], Refutation | None]) -> Refutation | None:
    """What runs of the families refute, if these have the programs."""
    return None if compared()[1] else found()


def with_links(decision: Decision | Readings, **known: Any) -> Account:
    """An account of what is proved of the programs, beside their comparison with the families."""
    same, differs = compared()
    assumes, steps, evidence = (known.pop(name, ()) for name in ("assumes", "steps", "evidence"))
    return Account(
        decision,
        assumes=(*ASSUMES, *assumes),
        steps=(*steps, *same),
        evidence=(*differs, *evidence),
        **known,
    )
