"""What the blog's claims share: the proved parts of its programs, and their comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from schedules.families import blog_1f1b, blog_gpipe, blog_naive
from theory.blog.loops import loops
from theory.blog.programs import GPIPE, ONE_F_ONE_B
from theory.ledger import Evidence, Step
from theory.outcomes import lazily
from theory.programs.parts import PARTS, PartOfProof, decided
from theory.programs.program import SIZES, Program, first_difference
from theory.queries import remembered
from theory.solver import Outcome
from theory.verdicts import Verdict

PROGRAMS: Final = {program.name: program for program in (GPIPE, ONE_F_ONE_B)}

ASSUMES: Final = (
    "p ≥ 2 stages, one a rank, and M ≥ 2 microbatches, as the code asserts (naive: M = 1)",
    "a rank waits for all that it posts together before it goes on, as the code's calls do",
    "the code's loops and branches are those that theory/blog/loops.py writes down",
)

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


def proof(names: Iterable[str], *parts: str) -> list[Outcome]:
    """Parts of the proof about programs as printed: what they are, then those named."""
    always = ("loops", "places", "actions")
    return [established(name, part) for name in names for part in (*always, *parts)]


def parts_hold(program: Program, *parts: str) -> Verdict:
    """As `lazily`, for parts of the proof about a program."""
    return lazily(statement for part in parts for statement in _PARTS[part][1](program))


def difference() -> dict[str, Any] | None:
    """Where a program of this package is not that of its family, or None.

    Examples
    --------
    >>> difference() is None
    True
    """
    pairs = (
        (ONE_F_ONE_B, blog_1f1b.FAMILY, SIZES),
        (GPIPE, blog_gpipe.FAMILY, SIZES),
        (GPIPE, blog_naive.FAMILY, [(p, 1) for p in range(2, 7)]),
    )
    for program, family, sizes in pairs:
        found = first_difference(program, family.build, sizes)
        if found is not None:
            return {"family": family.name, **found}
    return None


def compared() -> tuple[Step, tuple[Evidence, ...]]:
    """Comparison of these programs with the families, as a step, and evidence if they differ."""
    found = difference()
    says = "the programs as data are those of the families, p ≤ 6 and M ≤ 9"
    verdict = Verdict.CHECKED if found is None else Verdict.REFUTED
    step = Step("ours", says, "every rank, action by action", verdict)
    if found is None:
        return step, ()
    return step, (Evidence("against", "a family that has another program", found),)
