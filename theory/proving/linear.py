"""Certificates without squares: multipliers of facts, and nonnegative terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import sympy

from theory.kernel.coefficients import no_negative_coefficient
from theory.kernel.relations import Relation
from theory.kernel.rules.algebra import Combine
from theory.kernel.vectors import Scalar, Vector
from theory.proving.elimination import added, multipliers_of_equations, named
from theory.proving.exact import RIGHT, solve
from theory.proving.forms import Element, Form, Monomial, factored
from theory.proving.points import at
from theory.proving.problem import ROOT, Problem
from theory.proving.signs import apart, domain_for
from theory.proving.support import Column, infeasible_at, scaled, support

PRICES: Final = ((1.0, 8.0), (1.0, 0.2), (8.0, 1.0))
"""What a multiplier of a fact and a nonnegative term cost; the first that works is taken."""
VARIED: Final = 10
"""Tries in which what was used in vain costs more and more: another vertex, other signs."""
DEARER: Final = 3.0
LONGEST: Final = 150
"""Terms of a multiplier: the signs of a longer one are not shown, and its factors take minutes."""


@dataclass
class Draft:
    """A certificate in the making.

    Attributes
    ----------
    facts : mapping of str to element
        Multipliers.
    terms : mapping of monomial to element
        Coefficients of nonnegative terms.
    squares : list of (element, mapping of str to element)
        Coefficient, and factors of vectors.
    """

    facts: Mapping[str, Element]
    terms: Mapping[Monomial, Element]
    squares: list[tuple[Element, Vector | Scalar]] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)


def linear(problem: Problem) -> Iterator[Combine | str]:
    """Certificates that a linear program suggests."""
    if not problem.points:
        yield "no rational point of the domain was met"
        return
    names, terms, columns = columns_of(problem)
    goal = problem.at_points(problem.reduced_goal)
    if goal is None or columns is None:
        yield "not defined at a point of the domain"
        return
    target = scaled(goal)
    for prices in PRICES:
        chosen = support(target, [column.priced(prices) for column in columns])
        if chosen is None:
            place = infeasible_at(target, columns)
            alike = " that are alike at all points"
            yield f"no multipliers{alike if place is None else problem.described(place)}"
            return
        yield _made(problem, names, terms, chosen)


def varied(problem: Problem) -> Iterator[Combine | str]:
    """Certificates from other facts, where signs of the first ones stayed open."""
    names, terms, columns = columns_of(problem) if problem.points else ([], [], None)
    goal = problem.at_points(problem.reduced_goal) if problem.points else None
    if goal is None or columns is None:
        return
    target = scaled(goal)
    for _ in range(VARIED):
        chosen = support(target, columns)
        if chosen is None:
            return
        yield _made(problem, names, terms, chosen)
        for number in chosen:
            columns[number] = replace(columns[number], cost=DEARER * columns[number].cost)


def _made(
    problem: Problem, names: list[str], terms: list[Monomial], chosen: list[int]
) -> Combine | str:
    """The certificate from some facts and terms."""
    draft = solved_for(
        problem,
        [names[n] for n in chosen if n < len(names)],
        [terms[n - len(names)] for n in chosen if n >= len(names)],
    )
    return (
        "multipliers change their form inside the domain"
        if draft is None
        else completed(problem, draft)
    )


def columns_of(
    problem: Problem,
) -> tuple[list[str], list[Monomial], list[Column] | None]:
    """What may be multiplied: facts, then nonnegative terms."""
    exact = problem.goal.kind == "=="
    names = [n for n in problem.reduced_facts if not exact or problem.facts[n].kind == "=="]
    terms: list[Monomial] = []
    if not exact:
        terms = [m for m in problem.monomials if problem.split.is_nonnegative(m)]
    columns = []
    for name in names:
        values = problem.at_points(problem.reduced_facts[name])
        if values is None:
            return names, terms, None
        columns.append(Column(name, problem.facts[name].kind == "==", scaled(values)))
    for monomial in terms:
        unit = problem.at_points({monomial: problem.split.field.one})
        columns.append(Column("", False, scaled(unit or ())))
    return names, terms, columns


def solved_for(problem: Problem, names: list[str], terms: list[Monomial]) -> Draft | None:
    """A certificate from these facts and terms alone, its multipliers solved for exactly."""
    one = problem.split.field.one
    forms = [problem.reduced_facts[name] for name in names] + [{m: one} for m in terms]
    solution = solve(forms, problem.reduced_goal)
    if solution is None:
        return None
    zero = problem.split.field.zero
    values = [solution.values.get(k, {}).get(RIGHT, zero) for k in range(len(forms))]
    return Draft(
        dict(zip(names, values[: len(names)], strict=True)),
        dict(zip(terms, values[len(names) :], strict=True)),
    )


def completed(problem: Problem, draft: Draft) -> Combine | str:
    """Signs of a draft as the kernel shows them, and the multipliers of the field's equations."""
    split = problem.split
    draft = _restored(problem, draft)
    made = (*draft.facts.values(), *draft.terms.values(), *(one for one, _ in draft.squares))
    if too_long(made):
        return f"a multiplier would be a formula of more than {LONGEST} terms"
    signed = [one for name, one in draft.facts.items() if problem.facts[name].kind == "<="]
    signed += [*draft.terms.values(), *(one for one, _ in draft.squares)]
    for one in signed:
        if any((at(one, probe) or 0) < 0 for probe in problem.probes):
            return f"the sign of {sympy.sstr(split.scalar(one))} is open"
    facts: dict[str, Scalar] = {n: _factored(split.scalar(e)) for n, e in draft.facts.items() if e}
    wanted = [m for name, m in facts.items() if problem.facts[name].kind == "<="]
    squared = [(_factored(split.scalar(c)), vector) for c, vector in draft.squares]
    wanted += [c for c, _ in squared]
    plus: list[Scalar] = []
    for monomial, element in draft.terms.items():
        if not element:
            continue
        coefficient, term = split.scalar(element), split.product(monomial)
        parts = apart(coefficient, problem.bounds)
        if parts is None:
            plus.append(_factored(coefficient) * term)
            continue
        for name, factor in parts.facts.items():
            facts[name] = facts.get(name, 0) + factor * term
        if parts.plus != 0:
            plus.append(parts.plus * term)
    for name, multiplier in _of_equations(problem, draft).items():
        facts[name] = facts.get(name, 0) + multiplier
    facts = {name: m for name, m in facts.items() if not name.startswith(ROOT)}
    defined = (problem.goal, *facts.values(), *(problem.facts[name] for name in facts))
    domain = domain_for((*wanted, *plus), (*defined, *(v for _, v in squared)), problem.domain)
    if not isinstance(domain, tuple):
        return f"{_may_vanish(domain, problem)}the sign of {sympy.sstr(domain)} is open"
    return Combine(facts, tuple(squared), tuple(plus), domain)


def _may_vanish(form: Scalar | Relation, problem: Problem) -> str:
    """That a certificate would divide by a constant of the theorem that may be 0."""
    if isinstance(form, Relation):
        return ""
    below = sympy.fraction(sympy.together(form))[1]
    named = below.free_symbols & problem.parameters
    zero = min((str(s) for s in named if s.is_nonnegative and not s.is_positive), default=None)
    how = f"count({zero!r}) or positive({zero!r}) says that it is not"
    return "" if zero is None else f"what divides by {zero}, which may be 0 ({how}): "


def too_long(elements: Iterable[Element]) -> bool:
    """Whether one of them has more terms than a multiplier whose sign is shown."""
    return any(len(one.numer) + len(one.denom) > LONGEST for one in elements)


def _factored(multiplier: Scalar) -> Scalar:
    """A multiplier in factors, of which the signs are seen one by one, if it has a minus sign."""
    return multiplier if no_negative_coefficient(multiplier) else factored(multiplier)


def _restored(problem: Problem, draft: Draft) -> Draft:
    """The draft with symbols for what they equal, where that stands under a line."""
    solved = problem.solved
    return Draft(
        {name: named(element, solved) for name, element in draft.facts.items()},
        {monomial: named(element, solved) for monomial, element in draft.terms.items()},
        [(named(element, solved), what) for element, what in draft.squares],
        draft.forms,
    )


def _of_equations(problem: Problem, draft: Draft) -> dict[str, Scalar]:
    """Multipliers of the equations that were solved: what is left is a multiple of them."""
    if not problem.solved:
        return {}
    split, rest = problem.split, dict(problem.goal_form)
    for name, element in draft.facts.items():
        rest = dict(added(rest, problem.fact_forms[name], -element))
    for monomial, element in draft.terms.items():
        rest = dict(added(rest, {monomial: split.field.one}, -element))
    for (coefficient, _), form in zip(draft.squares, draft.forms, strict=True):
        rest = dict(added(rest, form, -coefficient))
    shares, _ = multipliers_of_equations(rest, problem.solved)
    return {
        name: sympy.Add(*(split.scalar(e) * split.product(m) for m, e in share.items()))
        for name, share in shares.items()
    }
