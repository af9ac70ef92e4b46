"""`prove`: check a theorem's proof line by line, and see what it really uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import sympy

from theory.errors import NotExactError
from theory.kernel.consistency import consistent
from theory.kernel.means import Mean
from theory.kernel.relations import Relation
from theory.kernel.rules import RULES
from theory.kernel.rules.cite import Cite
from theory.kernel.signs import undefined
from theory.kernel.theorem import Checked, Given, Hypothesis, Rule, Theorem
from theory.kernel.vectors import Gram, Scalar
from theory.ledger import Step as Line
from theory.queries import remembered
from theory.verdicts import Verdict, weakest

SOME: Final = tuple(map(sympy.Integer, (0, 1, 2, 10**6)))
"""Values of an index at which hypotheses are checked to have a common model; more cannot be."""


JOINT: Final = tuple(map(sympy.Integer, range(8)))
"""Neighbouring values at which hypotheses about sequences must have one common model."""


@dataclass(frozen=True)
class Proof:
    """What came of a proof.

    Attributes
    ----------
    verdict : Verdict
        PROVED, or UNKNOWN if a line that the statement needs is not shown.
    lines : tuple of theory.ledger.Step
        Every step and the conclusion, with its own verdict.
    used : frozenset of str
        Names of the hypotheses and steps that the statement rests on.
    needs : mapping of str to frozenset of str
        For each step, what its own rule takes.
    """

    verdict: Verdict
    lines: tuple[Line, ...]
    used: frozenset[str]
    needs: Mapping[str, frozenset[str]]


@remembered
def prove(theorem: Theorem) -> Proof:
    """Check every step and the conclusion, and that the hypotheses do not contradict each other.

    A step may use hypotheses and earlier steps that are proved.

    Raises
    ------
    theory.errors.VacuousError
        No values satisfy the hypotheses.

    Examples
    --------
    >>> from theory.kernel.lemmas import DESCENT
    >>> found = prove(DESCENT)
    >>> found.verdict.name, sorted(found.used)
    ('PROVED', ['near', 'rise', 'slope', 'smooth'])
    """
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    lines, needs = [], {}
    for step in theorem.steps:
        given = Given(theorem, dict(facts))
        checked = _checked(step.rule, step.relation, given)
        needs[step.name] = _needed(step.rule, given)
        if checked.verdict is Verdict.PROVED:
            facts[step.name] = step.relation
        says = step.says or str(step.relation)
        lines.append(Line(step.where, says, checked.note, checked.verdict))
    given = Given(theorem, dict(facts))
    concluded = _checked(theorem.conclude, theorem.goal, given)
    lines.append(Line("statement", str(theorem.goal), concluded.note, concluded.verdict))
    used = _closure(_needed(theorem.conclude, given), needs)
    possible = _possible(theorem)
    lines.append(Line("ours", "the hypotheses have a model", possible.note, possible.verdict))
    return Proof(weakest((concluded.verdict, possible.verdict)), tuple(lines), used, needs)


def _checked(rule: Rule, relation: Relation, given: Given) -> Checked:
    """What a rule says; only rules of the kernel are asked."""
    if type(rule) not in RULES:
        return Checked(Verdict.UNKNOWN, f"{type(rule).__name__} is no rule of the kernel")
    checked = rule.check(relation, given)
    if checked.verdict is Verdict.PROVED:
        problem = undefined(relation, tuple(given.facts.values()))
        if problem:
            return Checked(Verdict.UNKNOWN, problem)
    return checked


def _possible(theorem: Theorem) -> Checked:
    """Whether the hypotheses have a model, at a few values of the indices they hold for."""
    indices = {getattr(rule, "index", None) for rule in _rules(theorem)} - {None}
    relations = [h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)]
    named = {symbol for one in relations for symbol in one.gap.free_symbols & indices}
    if not named:
        return consistent(relations, theorem.id)
    # Sequences keep their meaning from index to index, so what is said of them holds jointly.
    varying = {*theorem.scalars, *(point.value for point in theorem.points)}
    still = (one for one in relations if not one.gap.atoms(Gram, Mean))
    pure = [one for one in still if not one.gap.free_symbols & varying]
    try:
        systems = [_at(relations, named, [at]) for at in SOME] + [_at(pure, named, JOINT)]
    except NotExactError:
        return Checked(Verdict.UNKNOWN, "a hypothesis is not defined at every index")
    found = [consistent(system, theorem.id) for system in systems]
    return min(found, key=lambda checked: checked.verdict)


def _at(relations: list[Relation], named: set[Scalar], values: Sequence[Scalar]) -> list[Relation]:
    """The relations at values of their indices, each once."""
    placed = [one.replaced(dict.fromkeys(named, at)) for one in relations for at in values]
    return list(dict.fromkeys(placed))


def _rules(theorem: Theorem) -> Iterator[Rule]:
    yield from (step.rule for step in theorem.steps)
    yield theorem.conclude


def _needed(rule: Rule, given: Given) -> frozenset[str]:
    names = frozenset(rule.uses)
    return names | rule.needed(given) if isinstance(rule, Cite) else names


def _closure(first: frozenset[str], uses: dict[str, frozenset[str]]) -> frozenset[str]:
    """Everything that is used, directly or by a step that is."""
    found: set[str] = set()
    waiting = set(first)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= uses.get(name, frozenset()) - found
    return frozenset(found - {""})
