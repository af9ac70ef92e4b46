"""Runs inside an iteration: what a cited proof holds fixed may change along our own iterations.

Then the sequences of that proof go along an inner run, a new one in each iteration, and must not be
used along ours: no rule that ranges over our index takes or gives a fact about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules.delays import Drift, Reread, Start
from theory.kernel.rules.ranges import Run, lets_run, own_indices, rules_of, runs
from theory.kernel.rules.windows import Windows
from theory.kernel.theorem import Hypothesis, Rule, Theorem
from theory.kernel.values import named
from theory.kernel.vectors import Scalar

if TYPE_CHECKING:
    from theory.kernel.rules.cite import Cite


def inner_runs(theorem: Theorem) -> tuple[Run, ...]:
    """The runs inside an iteration of this theorem, from what it cites."""
    found = {
        run: None
        for rule in rules_of(theorem)
        for cited in [_cited(rule, theorem)]
        if cited is not None
        for run in _moving(cited[0], cited[1], theorem)
    }
    return tuple(found)


def mixed_up(cite: Cite, cited: Theorem, theorem: Theorem) -> str:
    """How a theorem takes something of an inner run for something of its own, or ``""``."""
    own = own_indices(theorem)
    used = list(_along(cite, theorem))
    for run in _moving(cite, cited, theorem):
        why = f"{run.moving(theorem)} changes, and is held fixed in {cite.id}"
        shared = run.indices & own
        if shared:
            return f"{why}: its run needs an index of its own, not {min(shared, key=str)}"
        for call in atoms(theorem.goal.gap, AppliedUndef):
            if call.func in run.functions:
                return f"{why}, but the statement is about {call}"
        if run.looks_back:
            return f"{why}, but what is stale there was read in our own iterations"
        for place, relation in theorem.relations:
            for call in atoms(relation.gap, AppliedUndef, sympy.Sum):
                called = {each.func for each in atoms(call, AppliedUndef)}
                if called & run.functions and call.free_symbols & own:
                    return f"{why}, but {call} in {place} goes along our own iterations"
        for relation in used:
            name = _shared(relation.gap, run)
            if name:
                return f"{why}, but {name} is used along our own iterations too"
        for sequence, value in theorem.sequences.items():
            if sequence not in run.functions and named(value) & run.names:
                return f"{why}, but {sequence} is the mean of something that goes along with it"
        added = _added(theorem, run)
        if added:
            return (
                f"{why}, so its sequences go along a run inside each iteration, and {added} says "
                f"more of them: assume that in {cite.id}, or call sequences of ours otherwise"
            )
    return ""


def _added(theorem: Theorem, run: Run) -> str:
    """What says more of the sequences of a run than the theorems that it comes from, or ``""``."""
    cites = filter(None, (_cited(rule, theorem) for rule in rules_of(theorem)))
    of_run = [
        (cite.at, cited)
        for cite, cited in cites
        if any(one.functions & run.functions for one in _moving(cite, cited, theorem))
    ]
    known = [at.relation(h.relation) for at, cited in of_run for h in _told(cited)]
    for own in _told(theorem):
        named_so = {call.func for call in atoms(own.relation.gap, AppliedUndef)} & run.functions
        same = (one for one in known if one.kind == own.relation.kind)
        if named_so and not any(is_zero(one.gap - own.relation.gap) for one in same):
            return f"hypothesis {own.name!r}"
    meant = {(s, at.scalar(value)) for at, cited in of_run for s, value in cited.sequences.items()}
    more = {s for s, value in theorem.sequences.items() if (s, value) not in meant}
    return f"the meaning of {min(more & run.functions, key=str)}" if more & run.functions else ""


def _told(theorem: Theorem) -> list[Hypothesis]:
    return [one for one in theorem.hypotheses if isinstance(one, Hypothesis)]


def _moving(cite: Cite, cited: Theorem, theorem: Theorem) -> list[Run]:
    """The runs of a cited proof that go inside an iteration."""
    found = (run.at(cite.at) for run in runs(cited))
    return [run for run in found if run.moving(theorem) is not None]


def _along(cite: Cite, theorem: Theorem) -> Iterator[Relation]:
    """What is used along our own iterations: by rules that range over them, and other citations."""
    facts = {h.name: h.relation for h in _told(theorem)}
    facts |= {step.name: step.relation for step in theorem.steps}
    lines = [(step.rule, step.relation) for step in theorem.steps]
    for rule, relation in [*lines, (theorem.conclude, theorem.goal)]:
        if lets_run(rule):
            yield from (facts[name] for name in rule.uses if name in facts)
        if isinstance(rule, (Drift, Reread, Start, Windows)):  # what they say of sequences is ours
            yield relation
        other = _cited(rule, theorem)
        if other is not None and runs(other[1]) and not _same(other[0], cite):
            yield from _stated(other[0], other[1], relation)


def _cited(rule: Rule, theorem: Theorem) -> tuple[Cite, Theorem] | None:
    from theory.kernel.rules.cite import Cite

    cited = rule.cited(theorem) if isinstance(rule, Cite) else None
    return None if cited is None or not isinstance(rule, Cite) else (rule, cited)


def _stated(cite: Cite, cited: Theorem, goal: Relation) -> Iterator[Relation]:
    yield goal
    yield from (cite.at.relation(hypothesis.relation) for hypothesis in _told(cited))


def _same(one: Cite, other: Cite) -> bool:
    def parts(cite: Cite) -> tuple[str, Mapping[Scalar, Scalar], Mapping[str, object]]:
        return cite.id, dict(cite.scalars), dict(cite.vectors)

    return parts(one) == parts(other)


def _shared(gap: Scalar, run: Run) -> str:
    """Something of a run in an expression, or ``""``."""
    calls = {call for call in atoms(gap, AppliedUndef) if call.func in run.functions}
    found = calls | (named(gap) & run.names)
    return str(min(found, key=str)) if found else ""
