"""Certificates of proofs as plain data: what a re-checker needs to know, and no more.

A step says by which rule it follows from which premises, and with which numbers. The identity of a
`Combine` can be multiplied out by anyone; each sign that it needs is listed with how it was shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import product
from typing import Any, Final, cast

import sympy
from sympy.core.function import AppliedUndef

from theory.judging.expression_text import (
    expression_text,
    name_text,
    relation_text,
    require_names,
    vector_text,
)
from theory.kernel.coefficients import no_negative_coefficient
from theory.kernel.elementary import Log
from theory.kernel.means import Operator
from theory.kernel.prove import Proof
from theory.kernel.relations import Relation
from theory.kernel.rules import Cite, Combine, Sign
from theory.kernel.signs import nonnegative
from theory.kernel.theorem import Given, Hypothesis, Rule, Theorem
from theory.kernel.vectors import Point, Scalar, Vector
from theory.ledger import Step as Line
from theory.verdicts import Verdict

BY_COEFFICIENTS: Final = "no negative coefficient"
BY_SOLVER: Final = "z3"
CONCLUSION: Final = "statement"
"""Name of the last step, which gives the statement itself."""

Part = Scalar | Vector | Relation


def certificate(rule: Rule, goal: Relation, facts: Mapping[str, Relation]) -> dict[str, Any] | None:
    """What a rule was given, as data; None where it names a fact that is not known.

    Parameters
    ----------
    rule : Rule
        Its check must have passed: signs are listed as shown, and not asked for again.
    goal : Relation
    facts : mapping of str to Relation
        What was known when it was checked.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> found = certificate(YOUNG.conclude, YOUNG.goal, {})
    >>> found["squares"], found["signs"][0]["reason"]
    ([['1/(2*a)', [['a', 'u'], ['-1', 'v']]]], 'no negative coefficient')
    """
    if isinstance(rule, Combine):
        return _combine(rule, goal, facts) if set(rule.uses) <= set(facts) else None
    if isinstance(rule, Sign):
        return _sign(rule, goal, facts) if set(rule.uses) <= set(facts) else None
    values = ((one.name, getattr(rule, one.name)) for one in fields(cast(Any, rule)))
    return {"rule": type(rule).__name__, **{name: _text(value) for name, value in values}}


def steps_as_data(theorem: Theorem, proof: Proof) -> list[dict[str, Any]]:
    """Every step of a proof and its conclusion, with premises and certificates.

    Raises
    ------
    TheoryError
        Two symbols of the theorem are written alike.

    Examples
    --------
    >>> from theory.kernel.lemmas import DESCENT
    >>> from theory.kernel.prove import prove
    >>> [(step["name"], step["premises"]) for step in steps_as_data(DESCENT, prove(DESCENT))]
    [('near', ['smooth']), ('slope', ['near']), ('rise', ['slope']), ('statement', ['rise']), ...]
    """
    _require_distinct(theorem)
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    found = []
    for step, line in zip(theorem.steps, proof.lines, strict=False):
        data = _step(line, step.name, step.rule, step.relation, facts)
        found.append(data | {"premises": sorted(proof.needs[step.name] - {""})})
        if line.verdict is Verdict.PROVED:
            facts[step.name] = step.relation
    conclusion, model = proof.lines[len(theorem.steps) :]
    data = _step(conclusion, CONCLUSION, theorem.conclude, theorem.goal, facts)
    found.append(data | {"premises": sorted(_needed(theorem, facts) - {""})})
    names = [h.name for h in theorem.hypotheses]
    found.append(_line(model) | {"premises": names, "certificate": {"rule": "Model"}})
    return found


def symbols_as_data(theorem: Theorem) -> list[dict[str, str]]:
    """Every name that the formulas of a theorem use, with its domain.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> [(one["name"], one["domain"]) for one in symbols_as_data(YOUNG)]
    [('a', 'positive'), ('u', 'vector'), ('v', 'vector')]
    """
    named = [*theorem.symbols, *theorem.scalars, *(point.value for point in theorem.points)]
    free = {one for _, relation in theorem.relations for one in relation.gap.free_symbols}
    scalars = [*dict.fromkeys(named), *sorted(free - set(named), key=str)]
    vectors = [*theorem.vectors]
    for point in theorem.points:
        vectors += [point.position, point.gradient]
    domains = {one.name: domain_text(one) for one in scalars}
    # A sequence is declared by its use, and may be called as a symbol is.
    domains |= {name: "vector" for one in vectors for name, _ in one.terms if name not in domains}
    domains |= {call.func.__name__ + "()": domain_text(call) for call in _calls(theorem)}
    return [
        {"name": name.removesuffix("()"), "domain": domain, "says": ""}
        for name, domain in domains.items()
    ]


_FURTHER: Final = (
    *("zero", "prime", "composite", "even", "odd", "integer", "negative", "nonpositive"),
    *("nonzero", "rational", "irrational", "algebraic", "transcendental", "noninteger"),
)
"""What else a symbol or a sequence may be declared to be."""


def domain_text(one: Scalar) -> str:
    """The domain of a symbol, or of a sequence by one of its calls.

    Examples
    --------
    >>> domain_text(sympy.Symbol("p", integer=True, positive=True))
    'integer, positive'
    >>> domain_text(sympy.Function("F", nonnegative=True)(0))
    'sequence, nonnegative'
    >>> domain_text(sympy.Symbol("m", even=True)), domain_text(sympy.Symbol("c", negative=True))
    ('integer, even', 'negative')
    """
    sign = "positive" if one.is_positive else "nonnegative" if one.is_nonnegative else ""
    sequence = isinstance(one, AppliedUndef)
    kind = "sequence" if sequence else "integer" if one.is_integer else ""
    told = {"real": True} | ({sign: True} if sign else {})
    told |= {"integer": True} if kind == "integer" else {}
    return ", ".join(filter(None, (kind, sign, *_further(one, told)))) or "real"


def _further(one: Scalar, told: dict[str, bool]) -> Iterator[str]:
    """What is declared beside this, and does not follow from it."""
    for value, word in product((True, False), _FURTHER):
        follows = getattr(sympy.Symbol("x", **told), f"is_{word}")
        if getattr(one, f"is_{word}") is value and follows is not value:
            told = told | {word: value}
            yield word if value else f"not {word}"


def _step(
    line: Line, name: str, rule: Rule, goal: Relation, facts: Mapping[str, Relation]
) -> dict[str, Any]:
    proved = line.verdict is Verdict.PROVED
    return _line(line) | {
        "name": name,
        "goal": relation_text(goal),
        "latex": relation_latex(goal),
        "certificate": certificate(rule, goal, facts) if proved else None,
    }


def _needed(theorem: Theorem, facts: Mapping[str, Relation]) -> frozenset[str]:
    """What the conclusion takes."""
    rule = theorem.conclude
    names = frozenset(rule.uses)
    return names | rule.needed(Given(theorem, facts)) if isinstance(rule, Cite) else names


def _line(line: Line) -> dict[str, Any]:
    return {
        "where": line.where,
        "says": line.says,
        "rule": line.rule,
        "verdict": line.verdict.name,
        "name": "",
        "goal": None,
        "latex": "",
        "premises": [],
        "certificate": None,
    }


def relation_latex(goal: Relation) -> str:
    """A relation in LaTeX."""
    sign = r"\le" if goal.kind == "<=" else "="
    return f"{sympy.latex(goal.lhs)} {sign} {sympy.latex(goal.rhs)}"


def _combine(rule: Combine, goal: Relation, facts: Mapping[str, Relation]) -> dict[str, Any]:
    under = [facts[name] for name in rule.domain]
    multipliers = {name: sympy.sympify(one) for name, one in rule.facts.items()}
    coefficients = [sympy.sympify(one) for one, _ in rule.squares]
    plus = [sympy.sympify(one) for one in rule.plus]
    wanted = [one for name, one in multipliers.items() if facts[name].kind == "<="]
    parts: list[Part] = [goal, *multipliers.values(), *(facts[name] for name in multipliers)]
    parts += [*coefficients, *(one for _, one in rule.squares), *plus, *under]
    return {
        "rule": "Combine",
        "facts": {name: expression_text(one) for name, one in multipliers.items()},
        "squares": [[expression_text(one), _squared(what)] for one, what in rule.squares],
        "plus": [expression_text(one) for one in plus],
        "domain": list(rule.domain),
        "signs": [
            *(_shown(one, under, rule.domain) for one in [*wanted, *coefficients, *plus]),
            *_definedness(parts, rule.domain),
        ],
    }


def _sign(rule: Sign, goal: Relation, facts: Mapping[str, Relation]) -> dict[str, Any]:
    under = [facts[name] for name in rule.facts]
    gaps = [goal.gap, -goal.gap] if goal.kind == "==" else [goal.gap]
    signs = [_shown(gap, under, rule.facts) for gap in gaps]
    return {"rule": "Sign", "signs": [*signs, *_definedness([goal, *under], rule.facts)]}


def _shown(expression: Scalar, under: Sequence[Relation], domain: Sequence[str]) -> dict[str, Any]:
    """A sign that the check of a rule has asked for."""
    glance = nonnegative(expression, under).note == BY_COEFFICIENTS
    return _entry(expression, ">=", BY_COEFFICIENTS if glance else BY_SOLVER, domain)


def _definedness(parts: Iterable[Part], domain: Sequence[str]) -> list[dict[str, Any]]:
    """The signs without which a denominator may be 0, or a root be one of a negative number.

    A base that is positive at a glance needs no mention.
    """
    bases = dict.fromkeys(base for part in parts for one in _scalars(part) for base in _bases(one))
    return [
        _entry(base, sign, BY_SOLVER, domain)
        for base, sign in bases
        if not no_negative_coefficient(base, strict=sign != ">=")
    ]


def _bases(expression: Scalar) -> Iterator[tuple[Scalar, str]]:
    """What has to have a sign inside an expression: bases of powers, and numbers of terms."""
    for node in sympy.preorder_traversal(expression):
        if isinstance(node, sympy.Sum):
            yield from ((last - first + 1, ">=") for _, first, last in node.limits)
        elif isinstance(node, Log):
            yield node.args[0], ">"
        elif isinstance(node, sympy.Pow) and not node.exp.is_integer:
            yield node.base, ">=" if node.exp.is_positive else ">"
        elif isinstance(node, sympy.Pow) and not node.exp.is_nonnegative:
            yield node.base, "!="


def _scalars(part: Part) -> Iterator[Scalar]:
    if isinstance(part, Relation):
        yield from (part.lhs, part.rhs)
    elif isinstance(part, Vector):
        yield from (sympy.sympify(factor) for _, factor in part.terms)
    else:
        yield sympy.sympify(part)


def _entry(expression: Scalar, sign: str, reason: str, under: Sequence[str]) -> dict[str, Any]:
    return {
        "expression": expression_text(expression),
        "sign": sign,
        "reason": reason,
        "under": list(under) if reason == BY_SOLVER else [],
    }


def _squared(one: Scalar | Vector) -> str | list[list[str]]:
    return vector_text(one) if isinstance(one, Vector) else expression_text(one)


def _text(value: Any) -> Any:
    """The data of a rule, formulas as text."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Vector):
        return vector_text(value)
    if isinstance(value, Relation):
        return relation_text(value)
    if isinstance(value, Operator):
        return {"operator": value.name, "random": list(value.random), "is": type(value).__name__}
    if isinstance(value, Point):
        return {one.name: _text(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {
            key if isinstance(key, str) else _key(key): _text(one) for key, one in value.items()
        }
    if isinstance(value, (tuple, list)):
        return [_text(one) for one in value]
    return expression_text(value) if isinstance(value, sympy.Expr) else str(value)


def _key(symbol: Scalar) -> str:
    return name_text(str(symbol))


def _calls(theorem: Theorem) -> list[Scalar]:
    found = {call for _, relation in theorem.relations for call in relation.gap.atoms(AppliedUndef)}
    return sorted({call.func: call for call in sorted(found, key=str)}.values(), key=str)


def _require_distinct(theorem: Theorem) -> None:
    """Names mean one thing in all the formulas of a theorem."""
    relations = [relation for _, relation in theorem.relations]
    constants = [h.constant for h in theorem.hypotheses if not isinstance(h, Hypothesis)]
    sides = [side for one in relations for side in (one.lhs, one.rhs)] + constants
    declared = {*theorem.symbols, *theorem.scalars, *(point.value for point in theorem.points)}
    require_names(declared | {one for side in sides for one in sympy.sympify(side).free_symbols})
    calls = {call.func for side in sides for call in sympy.sympify(side).atoms(AppliedUndef)}
    require_names(calls)
