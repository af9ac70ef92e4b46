"""Weights of a potential, as multipliers of what no fact says: that its parts come to nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean
from theory.kernel.theorem import Hypothesis
from theory.kernel.vectors import Gram, Scalar
from theory.notation.building import INSIDE, offered
from theory.notation.weighed import Weighed
from theory.proving.blocks import blocks_of
from theory.proving.forms import factored
from theory.proving.problem import Problem, stated
from theory.proving.ranges import NEAR, POINTS, Formulas
from theory.proving.search import related, search
from theory.proving.semidefinite import without
from theory.proving.squares import program_of
from theory.proving.storing import formula_text


def weights_of(one: Weighed) -> dict[str, str]:
    """How often a certificate of the line takes each part, by its name; {} if none is found.

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
    if combine is None:
        facts = related(goal, facts, asked)
        shares = _plain(next(stated(asked.symbols, goal, facts)), [n for n in parts if n in facts])
    else:
        shares = {name: factored(share) for name, share in combine.facts.items() if name in parts}
    constant = all(
        share.free_symbols <= {*asked.symbols} and not share.atoms(AppliedUndef, Gram, Mean)
        for share in shares.values()
    )
    return {parts[n]: formula_text(share) for n, share in shares.items()} if constant else {}


def _plain(problem: Problem, parts: Sequence[str]) -> dict[str, Scalar]:
    """What multipliers of some facts may be, near the least that they must be."""
    problem = replace(problem, count=POINTS)
    formulas = Formulas.of(problem, [*problem.reduced_facts.values()])
    for block in blocks_of(problem):
        program, kept, names, _ = program_of(problem, block)
        place_of = {names[n]: place for place, n in enumerate(kept) if n < len(names)}
        left, found = {n: problem.reduced_facts[n] for n in parts if n in place_of}, {}
        while program is not None and left:
            forms = {place_of[n]: form for n, form in left.items()}
            chosen = formulas.plainest(program, forms, NEAR)
            if chosen is None:
                break
            place, share, values = chosen
            found[names[kept[place]]] = problem.split.scalar(share)
            del left[names[kept[place]]]
            program = without(program, place, values)
        if found and not left:
            return {name: share for name, share in found.items() if share != 0}
    return {}
