"""The parts of the proof about a program, each decided as one outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from schedules.programs import Program
from theory.laws.static_orders.proofs import actions, channels, domain, places
from theory.laws.static_orders.symbols import symbolic
from theory.laws.static_orders.waits import joint_order, times, waits
from theory.smt.instances import Instance, decide_from
from theory.smt.solver import Outcome, Statement, merge

PartOfProof = tuple[str, Callable[[Program], Iterator[Statement]]]
"""What a part says, and its statements."""

PARTS: Final[dict[str, PartOfProof]] = {
    "places": ("entries fill the places of a stage's program", places),
    "actions": ("every action occurs once, behind what it needs on its rank", actions),
    "channels": ("the two ends of every channel name the same microbatches in order", channels),
    "waits": ("a rank function grows along all that waits, so nothing waits in a circle", waits),
    "joint order": (
        "a rank function grows along every stage's program and along what computations need",
        joint_order,
    ),
    "times": ("every start is the earliest that these waits allow", times),
}

SMALLEST: Final[Instance] = {"p": 3, "M": 3, "n": 0, "x": 0, "i": 0, "j": 0}
"""The first of everything, with the fewest stages and microbatches that have all entries."""


def decided(program: Program, name: str, part: PartOfProof) -> Outcome:
    """One part of the proof about a program, its queries merged.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> waves = get_family("blog-gpipe").rule
    >>> decided(waves, "places", PARTS["places"]).verdict.name
    'PROVED'
    """
    says, statements = part
    found = [decide_from(statement, SMALLEST) for statement in statements(program)]
    stated = merge(name, says, found)  # UNKNOWN if there is nothing to state
    return merge(name, f"{program.name}: {says}", [stated, *_domain(program)])


def _domain(program: Program) -> Iterator[Outcome]:
    """The shortest pipeline is in the domain, with as few microbatches as the code takes."""
    view, fewest = symbolic(), program.least_stages
    for stage in {0, fewest - 1}:
        says = f"p ≥ {fewest} and 0 ≤ s < p"
        inside = Statement("domain", says, domain(program, view), view.s < view.p)
        yield decide_from(inside, {"p": fewest, "M": program.least, "s": stage})
