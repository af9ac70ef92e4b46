"""Unknown multipliers of a certificate with squares, and equations that settle them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from theory.proving.blocks import Block
from theory.proving.exact import RIGHT, Solution, solve
from theory.proving.forms import Element, Form, Monomial
from theory.proving.problem import Problem

Condition = tuple[dict[tuple[int, int], Element], Element]
"""Factors of entries of the matrix, and what they add up to."""


@dataclass(frozen=True)
class Exact:
    """Unknown multipliers, and the matrix of the squares as an affine function of them.

    Attributes
    ----------
    problem : Problem
    block : Block
    facts : list of str
    terms : list of monomial
    entries : list of (int, int)
        Entries of the matrix that are unknowns themselves.
    forms : list of Form
        Of all unknowns.
    places : list of int
        What is squared.
    """

    problem: Problem
    block: Block
    facts: list[str]
    terms: list[Monomial]
    entries: list[tuple[int, int]]
    forms: list[Form]
    places: list[int]

    def entry(self, i: int, j: int) -> tuple[Element, dict[int, Element]]:
        """Constant and factors of the unknowns of an entry of the matrix."""
        field, pair = self.problem.split.field, (min(i, j), max(i, j))
        if pair in self.entries:
            return field.zero, {self.forms_before + self.entries.index(pair): field.one}
        if pair not in self.block.alone:
            return field.zero, {}
        monomial, coefficient = self.block.products[pair]
        share = field.one / coefficient / (1 if i == j else 2)
        constant = self.problem.reduced_goal.get(monomial, field.zero) * share
        slopes = {
            k: -form[monomial] * share for k, form in enumerate(self.forms) if monomial in form
        }
        return constant, slopes

    @property
    def forms_before(self) -> int:
        """How many unknowns come before the entries."""
        return len(self.facts) + len(self.terms)


def valued(entry: tuple[Element, dict[int, Element]], values: Sequence[Element]) -> Element:
    """An entry of the matrix for these unknowns."""
    constant, slopes = entry
    for k, slope in slopes.items():
        constant = constant + slope * values[k]
    return constant


def solution_of(
    exact: Exact, conditions: list[Condition], fixed: Mapping[int, Element] | None = None
) -> Solution | None:
    """Unknowns for which everything but the squares vanishes, and the conditions hold.

    Some of them may be settled.
    """
    inside = {
        exact.block.products[i, j][0]
        for i, j in exact.block.alone
        if i in exact.places and j in exact.places
    }
    forms: list[dict[Any, Element]] = [
        {m: e for m, e in form.items() if m not in inside} for form in exact.forms
    ]
    goal: dict[Any, Element] = {
        m: e for m, e in exact.problem.reduced_goal.items() if m not in inside
    }
    zero, one = exact.problem.split.field.zero, exact.problem.split.field.one
    for k, value in (fixed or {}).items():
        forms[k]["fixed", k], goal["fixed", k] = one, value
    for number, (entries, value) in enumerate(conditions):
        key = ("condition", number)
        goal[key] = value
        for (i, j), factor in entries.items():
            constant, slopes = exact.entry(i, j)
            goal[key] = goal[key] - constant * factor
            for k, slope in slopes.items():
                forms[k][key] = forms[k].get(key, zero) + slope * factor
    return solve([_nonzero(form) for form in forms], _nonzero(goal))


def unmixed(exact: Exact) -> tuple[Exact, list[Condition]]:
    """With all that is said of means, and that no square mixes what is random with what is not.

    Random r is seen from its mean m. E⟨r, j⟩ = ⟨m, j⟩ may be used as often as one likes; squares
    stay squares where every r − m is turned round, and so does half of both: where there are some,
    there are some without a mixture.
    """
    products, problem = exact.block.products, exact.problem
    drawn = {str(one) for _, names in exact.block.under for one in names}
    random = {place for place in exact.places if exact.block.parts[place][1] in drawn}
    pairs = {products[pair][0]: pair for pair in products if {*pair} <= {*exact.places}}
    means: dict[int, dict[int, Element]] = {}
    tied: dict[tuple[int, int], str] = {}
    for name, form in problem.reduced_facts.items() if random else ():
        if problem.facts[name].kind == "==" and form.keys() <= pairs.keys():
            shares = {pairs[m]: element / products[pairs[m]][1] for m, element in form.items()}
            mixed = [pair for pair in shares if len({*pair} & random) == 1]
            others = [pair for pair in shares if not {*pair} & random]
            if len(mixed) == 1 and len(others) + 1 == len(shares):
                r, j = sorted(mixed[0], key=lambda place: place not in random)
                if all(j in pair for pair in others):
                    mean = {sum(p) - j: -shares[p] / shares[mixed[0]] for p in others}
                    means.setdefault(r, mean)
                    tied.setdefault((r, j), name)
    more = [name for name in dict.fromkeys(tied.values()) if name not in exact.facts]
    forms = [*exact.forms[: len(exact.facts)], *(problem.reduced_facts[name] for name in more)]
    wider = replace(
        exact, facts=[*exact.facts, *more], forms=[*forms, *exact.forms[len(exact.facts) :]]
    )
    one, zero = problem.split.field.one, problem.split.field.zero
    return wider, [
        ({(r, j): one, **{(r, q): mean[j] for q, mean in means.items() if j in mean}}, zero)
        for r, j in tied
    ]


def _nonzero(form: dict[Any, Element]) -> dict[Any, Element]:
    return {key: element for key, element in form.items() if element}


def at_free(solution: Solution, k: int, free: dict[int, Element], exact: Exact) -> Element:
    """An unknown, for values of those that are free."""
    zero = exact.problem.split.field.zero
    if k in free:
        return free[k]
    values = solution.values[k]
    return sum(
        (values[f] * value for f, value in free.items() if f in values), values.get(RIGHT, zero)
    )
