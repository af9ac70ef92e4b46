"""Answers of ``staleproof bounds`` as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, TypeVar

import sympy

from staleproof.bounding.question import PERIOD, Question
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
from theory.bounds.errors import OutsideDomainError
from theory.bounds.numbers import number
from theory.rpd.symbols import H, gamma

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
    evaluated = at_point and (gamma in question.given or not question.tuned)
    return {
        "parameters": {str(s): str(v) for s, v in question.given.items()},
        "bounds": _of_each(question, evaluate, _evaluation) if evaluated else [],
        "tuned": _of_each(question, tune, _tuned) if at_point and question.tuned else [],
        "period": _period(question) if question.tune == PERIOD else None,
        "crossovers": [_crossover(found) for found in _crossovers(question)],
        "series": _series(question) if question.over is not None else None,
    }


def _of_each(
    question: Question,
    judge: Callable[[Bound, Given], _Done],
    to_json: Callable[[_Done], dict[str, Any]],
) -> list[dict[str, Any]]:
    """One entry a bound; a form that does not hold is left out if another form does."""
    found: list[dict[str, Any]] = []
    for group in question.groups:
        left_out = 0
        for bound in group:
            try:
                found.append(_head(bound, question.given) | to_json(judge(bound, question.given)))
            except OutsideDomainError as error:
                if question.strict or left_out + 1 == len(group):
                    raise
                left_out += 1
                found.append(_head(bound, question.given) | {"refused": error.what})
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
            "stepsize": number(paper.values[gamma], {}).to_json(),
            "value": paper.total.to_json(),
        },
        "ratio": found.ratio,
    }


def _period(question: Question) -> dict[str, Any]:
    bounds = [bound for group in question.groups for bound in group if H in bound.symbols]
    # Without a method that has H the first one says so.
    values = {best_period(bound) for bound in bounds or question.groups[0]}
    return {
        "H": values.pop(),
        "why": "at a given number of updates K every bound grows with H; what averaging costs in "
        "time is in no bound, so see `staleproof compare localsgd` for the idle slots",
    }


def _crossovers(question: Question) -> Iterator[Crossover]:
    """Every two methods, in every form that both have."""
    if question.crossover is None:
        return
    for first, second in combinations(question.groups, 2):
        for one in first:
            for two in second:
                if one.form == two.form:
                    yield crossover(
                        one, two, question.crossover, question.given, tuned=question.tuned
                    )


def _crossover(found: Crossover) -> dict[str, Any]:
    return {
        "symbol": str(found.symbol),
        "methods": [found.first.method, found.second.method],
        "form": found.first.form,
        "tuned": found.tuned,
        "points": [point.to_json() for point in found.points],
        "touches": [point.to_json() for point in found.touches],
        "stretches": [stretch.to_json() for stretch in found.stretches],
        "symbolic": list(found.symbolic),
        "how": found.how,
        "notes": list(found.notes),
    }


def _series(question: Question) -> dict[str, Any]:
    assert question.over is not None, "asked only with a range"
    symbol, low, high = question.over
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
