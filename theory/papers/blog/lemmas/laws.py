"""What the blog's claims share: the proved parts of the programs that its families are built of."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import sympy

from schedules.families import get_family
from schedules.policies import WeightPolicy
from schedules.programs import Program, View
from theory.account import Account, Decision, Readings, Refutation
from theory.judging.outcomes import in_turn
from theory.kernel import Relation, le
from theory.laws.static_orders.parts import PARTS, PartOfProof, decided
from theory.laws.static_orders.symbols import M, p, s, term
from theory.papers.blog.lemmas.loops import loops
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Term, undecided

PROGRAMS = {program.name: program for program in (GPIPE, ONE_F_ONE_B)}

ASSUMES = (
    "p ≥ 2 stages, one a rank, and M ≥ 2 microbatches, as the code asserts (naive: M = 1)",
    "a rank waits for all that it posts together before it goes on, as the code's calls do",
    "the code's loops and branches are those that theory/papers/blog/lemmas/loops.py writes down",
)

SUPPOSED: tuple[Relation, ...] = (le(2, p), le(2, M))
"""What statements about the blog's runs suppose of their sizes."""

OF_A_STAGE: tuple[Relation, ...] = (*SUPPOSED, le(0, s), le(s, p - 1))
"""The same, of a stage too."""


def stages(named: Any = s) -> Iterator[dict[Any, int]]:
    """All stages of the sizes that are searched for witnesses, the stage under this name."""
    return ({p: at[0], M: at[1], named: stage} for at in SIZES for stage in range(at[0]))


def number(form: sympy.Expr, view: View) -> Term:
    """A formula in p, s and M as a solver term, at a stage."""
    return term(form, {p: view.p, s: view.s, M: view.M})


SIZES = tuple((p, M) for p in range(2, 7) for M in (2, 3, 4, 6, 9))
"""(p, M) that are searched for witnesses."""

UNIT = "a forward and a backward take one slot each, messages none"

_PARTS: dict[str, PartOfProof] = {
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


_OF_FAMILIES = {"blog-1f1b": ONE_F_ONE_B, "blog-gpipe": GPIPE, "blog-naive": GPIPE}
"""By family: the program that it is built from."""


def built(family: str) -> bool:
    """Whether a family of the blog is built from its program, and from nothing else.

    How few microbatches it accepts is the family's own; what is proved begins at one.

    Examples
    --------
    >>> [built(family) for family in _OF_FAMILIES]
    [True, True, True]
    """
    program, known = _OF_FAMILIES[family], get_family(family)
    rule = known.rule
    mine = isinstance(rule, Program) and replace(rule, least=program.least) == program
    enough = isinstance(rule, Program) and rule.least >= program.least
    return mine and enough and known.generated and known.policy == WeightPolicy("flush")


def of_family(outcome: Outcome, *families: str) -> Outcome:
    """What is proved of programs, said of families: UNKNOWN if one is built from another."""
    others = [family for family in families if not built(family)]
    return undecided(outcome, f"{', '.join(others)}: {_OTHER}") if others else outcome


_OTHER = "something else builds its schedules than its program"


def as_built_by_all(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """What is proved of these programs, said of the families that run them."""
    return tuple(of_family(outcome, *_OF_FAMILIES) for outcome in outcomes)


def unless_other(found: Callable[[], Refutation | None]) -> Refutation | None:
    """What runs of the families refute, if these have the programs."""
    return found() if all(map(built, _OF_FAMILIES)) else None


def account(decision: Decision | Readings, **known: Any) -> Account:
    """An account of what is proved of the programs, with what that takes for granted."""
    return Account(decision, assumes=(*ASSUMES, *known.pop("assumes", ())), **known)
