"""Negative controls of a proof: with one formula changed, or one hypothesis dropped, it must fail.

Where the original proof holds, a change can only matter to the lines that state the changed formula
or use it; those are checked again, in order, and the rest is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from theory.errors import TheoryError, UncertifiedError
from theory.kernel.prove import prove
from theory.kernel.relations import Relation
from theory.kernel.rules import Found
from theory.kernel.theorem import Given, Hypothesis, Rule, Step, Theorem
from theory.kernel.vectors import Scalar
from theory.verdicts import Verdict

GOAL: Final = "statement"


def formulas(theorem: Theorem) -> dict[str, Scalar]:
    """Every right-hand side by place: statement, term by term; hypotheses and steps that are used.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> formulas(YOUNG)
    {'statement first': a*<u, u>/2, 'statement second': <v, v>/(2*a)}
    """
    used = prove(theorem).used
    found = {f"{GOAL} {name}": form for name, form in theorem.terms.items()}
    for name, relation in _facts(theorem).items():
        if name in used:
            found[name] = relation.rhs if relation.rhs != 0 else relation.lhs
    return found


def verdict_of(theorem: Theorem, edited: Mapping[str, Scalar]) -> Verdict:
    """What the same proof makes of edited formulas; keys as in `formulas`.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> verdict_of(YOUNG, formulas(YOUNG)).name
    'PROVED'
    >>> verdict_of(YOUNG, {**formulas(YOUNG), "statement second": 0}).name
    'UNKNOWN'
    """
    _require_certificates(theorem)
    original = formulas(theorem)
    changed = {name: form for name, form in edited.items() if form != original.get(name)}
    proof = prove(theorem)
    if not changed or proof.verdict is not Verdict.PROVED:
        return proof.verdict
    facts = {name: _edited(relation, name, changed) for name, relation in _facts(theorem).items()}
    terms = [changed.get(f"{GOAL} {name}", form) for name, form in theorem.terms.items()]
    goal = Relation(theorem.goal.lhs, theorem.goal.kind, sum(terms))
    touched = {name for name in changed if not name.startswith(f"{GOAL} ")}
    for step in _needed(theorem):
        concerned = step.name in touched or proof.needs[step.name] & touched
        before = _before(step.name, theorem, facts)
        if concerned and not _passes(step.rule, facts[step.name], theorem, before):
            return Verdict.UNKNOWN
    passes = _passes(theorem.conclude, goal, theorem, facts)
    return Verdict.PROVED if passes else Verdict.UNKNOWN


def without(theorem: Theorem, name: str) -> Verdict:
    """What the same proof makes of the theorem with one hypothesis dropped.

    Examples
    --------
    >>> from theory.kernel.lemmas import DESCENT
    >>> without(DESCENT, "smooth").name
    'UNKNOWN'
    """
    _require_certificates(theorem)
    proof = prove(theorem)
    if proof.verdict is not Verdict.PROVED:
        return proof.verdict
    kept = tuple(h for h in theorem.hypotheses if h.name != name)
    try:
        fewer = replace(theorem, hypotheses=kept)
    except TheoryError:  # what the others say has no meaning without it
        return Verdict.UNKNOWN
    facts = _facts(fewer)
    concerned = [step for step in _needed(theorem) if name in proof.needs[step.name]]
    passes = _passes(theorem.conclude, theorem.goal, fewer, facts) and all(
        _passes(step.rule, step.relation, fewer, _before(step.name, fewer, facts))
        for step in concerned
    )
    return Verdict.PROVED if passes else Verdict.UNKNOWN


def _require_certificates(theorem: Theorem) -> None:
    """Refuse a theorem that is not proved because a certificate is missing: no mutant is killed."""
    rules = (*(step.rule for step in theorem.steps), theorem.conclude)
    problem = next((rule.problem for rule in rules if type(rule) is Found and rule.problem), "")
    if problem and prove(theorem).verdict is not Verdict.PROVED:
        what, _, fix = problem.rpartition("; ")
        raise UncertifiedError(what, theorem.id, fix)


def _needed(theorem: Theorem) -> list[Step]:
    """The steps that the statement rests on."""
    used = prove(theorem).used
    return [step for step in theorem.steps if step.name in used]


def _facts(theorem: Theorem) -> dict[str, Relation]:
    found = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    return found | {step.name: step.relation for step in theorem.steps}


def _before(name: str, theorem: Theorem, facts: Mapping[str, Relation]) -> dict[str, Relation]:
    """The facts that a step may use: hypotheses and what comes before it, never itself."""
    steps = [step.name for step in theorem.steps]
    later = set(steps[steps.index(name) :])
    return {known: relation for known, relation in facts.items() if known not in later}


def _edited(relation: Relation, name: str, changed: Mapping[str, Scalar]) -> Relation:
    if name not in changed:
        return relation
    if relation.rhs != 0:
        return Relation(relation.lhs, relation.kind, changed[name])
    return Relation(changed[name], relation.kind, relation.rhs)


def _passes(
    rule: Rule, relation: Relation, theorem: Theorem, facts: Mapping[str, Relation]
) -> bool:
    return rule.check(relation, Given(theorem, facts, brief=True)).verdict is Verdict.PROVED
