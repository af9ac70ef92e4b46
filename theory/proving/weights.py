"""Weights of a potential, as multipliers of what no fact says: that its parts come to nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean
from theory.kernel.theorem import Hypothesis, Theorem
from theory.kernel.vectors import Gram, Scalar
from theory.notation.building import INSIDE, offered
from theory.notation.weighed import Weighed
from theory.proving.blocks import blocks_of
from theory.proving.forms import factored
from theory.proving.problem import Problem, stated
from theory.proving.ranges import POINTS, formulas
from theory.proving.search import related, search
from theory.proving.semidefinite import least_and_most
from theory.proving.squares import program_of
from theory.proving.storing import formula_text

TRIED = 2
"""Formulas that are tried for a weight of which many would do."""


def weights_of(one: Weighed) -> Iterator[dict[str, str]]:
    """How often a certificate of the line takes each part, by its name.

    A weight is the same in every iteration; it is given as text, as the data file keeps it.
    """
    asked = offered(one.asked())
    facts = {h.name: h.relation for h in asked.hypotheses if isinstance(h, Hypothesis)}
    parts = {
        inside: name for name, line in one.lines.items() for inside in (line, f"{line}{INSIDE}")
    }
    lost, goal = set[str](), one.line
    for step in asked.steps:
        if step.name in (one.name, f"{one.name}{INSIDE}"):
            goal = step.relation
            break
        if lost.union(parts).intersection(step.rule.uses):
            lost.add(step.name)  # it rests on what is no fact
        else:
            facts[step.name] = step.relation
    combine = search(asked, goal, facts).combine
    shares = {} if combine is None else combine.facts
    yield from _told(
        {parts[n]: factored(share) for n, share in shares.items() if n in parts}, asked
    )
    facts = related(goal, facts, asked)
    there = [name for name in parts if name in facts]
    if combine is None and len(there) == 1:
        problem = next(stated(asked.symbols, goal, facts))
        for share in islice(_plain(problem, there[0]), TRIED):
            yield from _told({parts[there[0]]: share}, asked)


def _plain(problem: Problem, fact: str) -> Iterator[Scalar]:
    """What a fact's multiplier may be, the plainest first."""
    wider = replace(problem, count=POINTS)
    for block in blocks_of(wider):
        program, kept, names, _ = program_of(wider, block)
        places = [place for place, n in enumerate(kept) if n < len(names) and names[n] == fact]
        found = None if program is None or not places else least_and_most(program, places[0])
        if found is not None and max(low for low, _ in found) > 0:
            yield from map(problem.split.scalar, formulas(wider, found))
            return


def _told(found: Mapping[str, Scalar], asked: Theorem) -> Iterator[dict[str, str]]:
    """Weights as text, where they are constants."""
    if found and all(
        share.free_symbols <= {*asked.symbols} and not share.atoms(AppliedUndef, Gram, Mean)
        for share in found.values()
    ):
        yield {name: formula_text(share) for name, share in found.items()}
