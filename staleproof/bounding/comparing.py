"""Alternatives side by side: the smallest bound as printed and proved, and where each wins."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import sympy

from staleproof.bounding.question import Question
from staleproof.output import note
from theory.bounds import (
    Bound,
    Region,
    Standing,
    Tuned,
    evaluate,
    points,
    regions,
    smallest,
    smallest_over,
    standings,
    tune,
)
from theory.bounds.errors import OutsideDomainError
from theory.bounds.evaluation import settled
from theory.bounds.model import PRINTED
from theory.bounds.standing import Found, is_proved, verdict_of

Places = tuple[Sequence[sympy.Rational], Sequence[sympy.Rational]]
Grid = list[list[int | None]]
Given = dict[sympy.Symbol, sympy.Rational]
KINDS: Final = ("printed", "proved")
"""Bounds as the paper has them, and bounds whose claim is proved."""


def judged(question: Question) -> bool:
    """Whether the methods are alternatives of a paper whose printed bounds need judging."""
    return all(bound.named for group in question.groups for bound in group)


def comparison(question: Question) -> dict[str, Any]:
    """Every bound with what is known of it, the smallest ones, and the paper's conditions."""
    evaluated = list(_found(question))
    _judge(one.bound for one in evaluated)
    found = standings(evaluated, question.given)
    return {
        "rows": [_row(one) for one in found],
        "smallest": {
            kind: [_row(one) for one in smallest(found, printed=kind == PRINTED)] for kind in KINDS
        },
        "conditions": list(_conditions(question)),
    }


def _judge(bounds: Iterable[Bound]) -> None:
    """Reach the verdicts of all claims, which are remembered, and say which one takes its time."""
    claims = {bound.claim: bound for bound in bounds}
    for number, (claim, bound) in enumerate(claims.items()):
        note(f"[{number + 1}/{len(claims)}] {claim}")
        verdict_of(bound)


def _found(question: Question) -> Iterator[Found]:
    judge: Callable[[Bound, Given], Found] = tune if question.tuned else evaluate
    for group in question.groups:
        for bound in group:
            try:
                yield judge(bound, question.given)
            except OutsideDomainError:
                continue


def _row(one: Standing) -> dict[str, Any]:
    return {
        **_name(one.found.bound),
        "verdict": one.verdict.name,
        "reading": one.reading,
        "given_by": None if one.given_by is None else one.given_by.bound.claim,
        "error": _error(one.found),
        "value": one.found.total.to_json(),
    }


def _error(found: Found) -> dict[str, Any] | None:
    """The error term by its name; a tuned bound has none at a number."""
    if isinstance(found, Tuned):
        return None
    ((name, error),) = found.named.items()
    return {"name": name, **error.to_json()}


def _name(bound: Bound) -> dict[str, Any]:
    return {"method": bound.method, "form": bound.form, "claim": bound.claim}


def _conditions(question: Question) -> Iterator[dict[str, Any]]:
    """When a part of a bound is at most that of another, whatever the other symbols are."""
    from theory.judging.decide import established

    asked = {bound.method for group in question.groups for bound in group}
    for one in question.supply.preferences:
        if one.method in asked:
            yield {
                "method": one.method,
                "form": one.form,
                "error": one.part,
                "where": sympy.sstr(one.where),
                "domain": sympy.sstr(one.domain),
                "verdict": established(one.grounds).name,
                "holds": one.holds_at(question.given),
            }


def area(question: Question) -> dict[str, Any]:
    """The map over two ranges, and the region of each bound in exact inequalities."""
    (one, *ends), (two, *other_ends) = question.over
    symbols = (one, two)
    places = (points(one, *ends), points(two, *other_ends))
    bounds = [bound for group in question.groups for bound in group]
    for bound in bounds:
        settled(bound, question.given, symbols)  # numbers are refused before proofs take their time
    _judge(bounds)
    found = {}
    for kind in KINDS:
        chosen = _of_kind(bounds, kind, question)
        grid = smallest_over(chosen, symbols, places, question.given)
        found[kind] = {
            "smallest": [[None if k is None else _name(chosen[k]) for k in row] for row in grid],
            "given": _given(grid, chosen, bounds, question, places),
            "regions": [_region(region) for region in regions(chosen, question.given, symbols)],
        }
    return {
        "symbols": [str(symbol) for symbol in symbols],
        "at": [[float(value) for value in values] for values in places],
        **found,
    }


def _given(
    grid: Grid, chosen: Sequence[Bound], bounds: Sequence[Bound], question: Question, places: Places
) -> list[list[bool | None]]:
    """Whether the smallest bound is proved, or no smaller than a proved one on its method."""
    proved = _of_kind(bounds, "proved", question)
    symbols = (question.over[0][0], question.over[1][0])
    found: dict[int, Grid] = {}
    for k in {k for row in grid for k in row if k is not None and chosen[k] not in proved}:
        alike = [bound for bound in proved if bound.method == chosen[k].method]
        found[k] = smallest_over([*alike, chosen[k]], symbols, places, question.given)
        last = len(alike)
        found[k] = [[place if place != last else None for place in row] for row in found[k]]
    return [
        [
            None if k is None else k not in found or found[k][j][i] is not None
            for i, k in enumerate(row)
        ]
        for j, row in enumerate(grid)
    ]


def _of_kind(bounds: Sequence[Bound], kind: str, question: Question) -> list[Bound]:
    if kind == PRINTED:
        return [bound for bound in bounds if bound.form == PRINTED]
    open_ones = {symbol for symbol, _, _ in question.over}
    return [bound for bound in bounds if is_proved(bound, question.given, open_ones)]


def _region(region: Region) -> dict[str, Any]:
    return {
        **_name(region.bound),
        "conditions": [str(condition) for condition in region.conditions],
        "fails": None if region.fails is None else str(region.fails),
        "above": None if region.above is None else _name(region.above),
        "borders": [
            {**_name(border.second), "where": str(border.where)} for border in region.borders
        ],
    }
