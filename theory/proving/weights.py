"""Weights of a potential, as multipliers of what no fact says: that its parts come to nothing."""

from __future__ import annotations

from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean
from theory.kernel.theorem import Hypothesis
from theory.kernel.vectors import Gram
from theory.notation.building import INSIDE, offered
from theory.notation.weighed import Weighed
from theory.proving.forms import factored
from theory.proving.search import search
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
    shares = {} if combine is None else combine.facts
    found = {parts[n]: factored(share) for n, share in shares.items() if n in parts}
    constant = all(
        share.free_symbols <= {*asked.symbols} and not share.atoms(AppliedUndef, Gram, Mean)
        for share in found.values()
    )
    return {name: formula_text(share) for name, share in found.items()} if constant else {}
