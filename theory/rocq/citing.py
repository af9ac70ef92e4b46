"""The rule `Cite`: another file's theorem, at our quantities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from theory.kernel.relations import Relation
from theory.kernel.rules import Cite
from theory.rocq.inside import opened
from theory.rocq.inside_uses import InsideUse, carried
from theory.rocq.numbers import SHOWN, Premise
from theory.rocq.shape import cited_by
from theory.rocq.steps import Script
from theory.rocq.text import UnsupportedError
from theory.rocq.uses import Use
from theory.rocq.writing import Draft, Given, module_of, variables, written


def _cite(draft: Draft, rule: Cite, goal: Relation) -> str:
    cited = cited_by(rule, draft.theorem)
    try:
        other = written(cited)
    except UnsupportedError as error:
        raise UnsupportedError(f"{rule.id}: {error.what}") from error
    draft.cited[rule.id] = cited
    inside = rule.id in draft.shape.run_of
    use = InsideUse(draft, rule, other) if inside else Use(draft, rule, other)
    values = " ".join(
        use.value(kind, of)
        for _, _, kind, of in variables(other.draft)
        if not (kind == "sequence" and of in other.draft.shape.internal)
    )
    module = module_of(cited)
    lines = [f"  {opened(draft)}"] if inside else []
    lines.append(f"  pose proof ({module}.core {values}) as D'.")
    for place, one in enumerate(other.core):
        lines.append(f"  assert (Q{place} : {use.hypothesis_type(place)}).")
        lines.append(f"  {{ clear D'. {use.apart(one, goal)}{_shown(use, one)} }}")
        lines.append(f"  specialize (D' Q{place}); clear Q{place}.")
    fact = other.draft.facts["the statement"]
    relation = rule.at.relation(cited.goal)
    text = draft.text()
    taken_at = use.at_goal(fact)
    lines.append(f"  assert (B' : {text.relation(relation)}).")
    lines.append("  { " + use.some_outcome(fact))
    if taken_at:
        lines.append(f"  specialize (D' {' '.join(taken_at)}).")
    lines.append("  cbv beta in D'.")
    lines.append("  " + " ".join(use.transport(cited.goal, "D'")) + " same D'. }")
    lines.append(f"  {draft.numbers.combine(text, goal, [Premise(relation, SHOWN)])}.")
    return "\n".join(lines)


def _shown(use: Use, one: Given) -> str:
    """A proof of a premise of the cited theorem."""
    return carried(use) if one.kind == "inner" else use.shown(one)


RULES: Final[Mapping[type, Script]] = {Cite: _cite}

__all__ = ["RULES"]
