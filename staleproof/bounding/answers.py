"""Answers of ``staleproof bounds`` as plain data."""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, TypeVar

import sympy

from staleproof.bounding.comparing import area, comparison, judged
from staleproof.bounding.question import Question
from theory.bounds import (
    Bound,
    Crossover,
    Evaluation,
    Tuned,
    best_period,
    crossover,
    evaluate,
    points,
    series,
    tune,
)
from theory.bounds.errors import NotComparableError, OutsideDomainError
from theory.bounds.numbers import number
from theory.errors import UnsupportedFormError

Given = dict[sympy.Symbol, sympy.Rational]
_Done = TypeVar("_Done")


def answer(question: Question) -> dict[str, Any]:
    """Everything that was asked.

    Raises
    ------
    theory.bounds.BoundError
        A parameter is missing or impossible, or no form of a method holds there.
    """
    at_point = question.at_a_point
    steps = {bound.stepsize for group in question.groups for bound in group}
    evaluated = at_point and (not question.tuned or steps <= set(question.given))
    return {
        "parameters": {str(s): str(v) for s, v in question.given.items()},
        "bounds": _of_each(question, evaluate, _evaluation) if evaluated else [],
        "tuned": _of_each(question, tune, _tuned) if at_point and question.tuned else [],
        "comparison": comparison(question) if at_point and judged(question) else None,
        "period": None if question.period is None else _period(question, question.period),
        "crossovers": [] if question.crossover is None else _crossovers(question),
        "series": _series(question) if len(question.over) == 1 else None,
        "map": area(question) if len(question.over) == 2 else None,
    }


def _of_each(
    question: Question,
    judge: Callable[[Bound, Given], _Done],
    to_json: Callable[[_Done], dict[str, Any]],
) -> list[dict[str, Any]]:
    """One entry a bound; what does not hold is left out if an alternative does."""
    found: list[dict[str, Any]] = []
    for group in question.alternatives:
        left_out = 0
        for bound in group:
            try:
                found.append(_head(bound, question.given) | to_json(judge(bound, question.given)))
            except OutsideDomainError as error:
                if question.strict or left_out + 1 == len(group):
                    raise
                left_out += 1
                found.append(_head(bound, question.given) | {"refused": error.what})
    for bound, symbols in question.lacking:
        needed = " and ".join(map(str, symbols))
        found.append(_head(bound, question.given) | {"refused": f"{needed} has no value"})
    return found


def _head(bound: Bound, given: Given) -> dict[str, Any]:
    return {
        "method": bound.method,
        "form": bound.form,
        "source": bound.source,
        "claim": bound.claim,
        "quantity": bound.quantity,
        "refused": None,
        "notes": _notes(bound, given),
    }


def _evaluation(found: Evaluation) -> dict[str, Any]:
    return {
        "value": found.total.to_json(),
        "terms": {name: number.to_json() for name, number in found.terms.items()},
        "dominant": found.dominant,
        "named": {name: number.to_json() for name, number in found.named.items()},
        "unmet": [f"{condition}: {condition.why}" for condition in found.unmet],
    }


def _notes(bound: Bound, given: Given) -> list[str]:
    taken = [
        f"{symbol} = {sympy.sstr(default.value)}: {default.why}"
        for symbol, default in bound.defaults.items()
        if symbol not in given
    ]
    return [*taken, *bound.notes]


def _tuned(found: Tuned) -> dict[str, Any]:
    stepsize, paper = found.stepsize, found.paper
    ends = [stepsize.number.interval.low, stepsize.number.interval.high]
    return {
        "stepsize": stepsize.number.to_json() | {"between": [str(end) for end in ends]},
        "at_limit": stepsize.at_limit,
        "value": found.total.to_json(),
        "paper": None
        if paper is None
        else {
            "stepsize": number(paper.values[found.bound.stepsize], {}).to_json(),
            "value": paper.total.to_json(),
        },
        "ratio": found.ratio,
    }


def _period(question: Question, symbol: sympy.Symbol) -> dict[str, Any]:
    bounds = [bound for group in question.groups for bound in group if symbol in bound.symbols]
    # Without a method that has it the first one says so.
    values = {best_period(bound, symbol) for bound in bounds or question.groups[0]}
    return {
        str(symbol): values.pop(),
        "why": f"at a given number of updates every bound grows with {symbol}; what small values "
        "cost in time is in no bound",
    }


def _crossovers(question: Question) -> list[dict[str, Any]]:
    """Every two methods, in every form that both have; of alternatives those that can be."""
    several = len(question.alternatives) < len(question.groups)
    entries, errors = [], []
    for one, two in _pairs(question):
        try:
            found = crossover(one, two, question.crossover, question.given, tuned=question.tuned)
        except (OutsideDomainError, NotComparableError, UnsupportedFormError) as error:
            errors.append(error)
            entries.append(_between(one, two, question) | {"refused": error.what})
        else:
            entries.append(_between(one, two, question) | _crossover(found))
    if errors and (not several or len(errors) == len(entries)):
        raise errors[0]
    return entries


def _pairs(question: Question) -> Iterator[tuple[Bound, Bound]]:
    for first, second in combinations(question.groups, 2):
        yield from ((one, two) for one in first for two in second if one.form == two.form)


def _between(first: Bound, second: Bound, question: Question) -> dict[str, Any]:
    return {
        "symbol": str(question.crossover),
        "methods": [first.method, second.method],
        "claims": [first.claim, second.claim],
        "form": first.form,
        "tuned": question.tuned,
        "refused": None,
    }


def _crossover(found: Crossover) -> dict[str, Any]:
    return {
        "points": [point.to_json() for point in found.points],
        "touches": [point.to_json() for point in found.touches],
        "stretches": [stretch.to_json() for stretch in found.stretches],
        "symbolic": list(found.symbolic),
        "how": found.how,
        "notes": list(found.notes),
    }


def _series(question: Question) -> dict[str, Any]:
    symbol, low, high = question.over[0]
    values = points(symbol, low, high)
    return {
        "symbol": str(symbol),
        "at": [float(value) for value in values],
        "tuned": question.tuned,
        "curves": [
            {
                "method": bound.method,
                "form": bound.form,
                "quantity": bound.quantity,
                "values": series(bound, symbol, values, question.given, tuned=question.tuned),
            }
            for group in question.groups
            for bound in group
        ],
    }
