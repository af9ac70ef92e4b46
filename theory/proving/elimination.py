"""Equations inside the field: a symbol is replaced by what it equals, and put back afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from theory.proving.forms import Element, Form, Split


@dataclass(frozen=True)
class Solved:
    """One atom of the field, by an equation that is linear in it.

    Attributes
    ----------
    place : int
        Which generator of the field.
    value : element
        What it equals; free of all that is eliminated.
    fact : str
        The equation's name.
    stated, gap : element
        What is zero, as it is stated, and free of what was eliminated before.
    """

    place: int
    value: Element
    fact: str
    stated: Element
    gap: Element


def eliminate(split: Split, equations: Mapping[str, Element]) -> tuple[Solved, ...]:
    """Solve equations of the field one after the other."""
    solved: list[Solved] = []
    for name, equation in equations.items():
        gap = replaced(equation, solved)
        if not gap:
            continue
        place = _linear_place(split, gap)
        if place is None:
            continue
        value = _solution(gap, place)
        fresh = Solved(place, value, name, equation, gap)
        solved = [replace(old, value=replaced(old.value, [fresh])) for old in solved]
        solved.append(fresh)
    return tuple(solved)


def _linear_place(split: Split, gap: Element) -> int | None:
    """A generator that occurs once and to the first power, with the simplest factor."""
    powers = [p for p, _ in gap.numer.terms()]
    best: tuple[Any, int] | None = None
    for place in range(len(split.inside)):
        if split.inside[place] in split.atoms.roots:
            continue
        degrees = [p[place] for p in powers]
        if max(degrees) != 1:
            continue
        with_it = [p for p in powers if p[place]]
        others = sum(sum(p) - 1 for p in with_it)
        best = min(filter(None, (best, ((len(with_it), others), place))))
    return None if best is None else best[1]


def _solution(gap: Element, place: int) -> Element:
    field = gap.field
    parts = _by_power(gap.numer, place)
    return -field(parts.get(0, field.ring.zero)) / field(parts[1])


def replaced(element: Element, solved: Sequence[Solved]) -> Element:
    """The element with eliminated generators replaced."""
    for entry in solved:
        element = _replaced(element, entry.place, entry.value)
    return element


def _replaced(element: Element, place: int, value: Element) -> Element:
    if not any(p[place] for part in (element.numer, element.denom) for p, _ in part.terms()):
        return element
    field = element.field
    numerator, denominator = (
        _at_value(field, _by_power(side, place), value) for side in (element.numer, element.denom)
    )
    return numerator / denominator


def _at_value(field: Any, parts: dict[int, Any], value: Element) -> Element:
    total = field(parts.pop(0, field.ring.zero))  # 0**0 is refused by the field
    for power, part in parts.items():
        total += field(part) * value**power
    return total


def named(element: Element, solved: Sequence[Solved]) -> Element:
    """An element with eliminated symbols in place of what they equal, where it is under a line."""
    field = element.field
    for entry in solved:
        value = entry.value.numer
        if value.is_ground:
            continue
        denominator, times = element.denom, 0
        while True:
            quotient, rest = divmod(denominator, value)
            if rest:
                break
            denominator, times = quotient, times + 1
        if times:
            factor = field.gens[entry.place] * field(entry.value.denom)
            element = field(element.numer) / (field(denominator) * factor**times)
    return element


def _by_power(polynomial: Any, place: int) -> dict[int, Any]:
    """Coefficients by the power of one generator."""
    parts: dict[int, dict[Any, Any]] = {}
    for powers, c in polynomial.terms():
        rest = (*powers[:place], 0, *powers[place + 1 :])
        parts.setdefault(powers[place], {})[rest] = c
    return {power: polynomial.ring.from_dict(terms) for power, terms in parts.items()}


def reduced(form: Form, solved: Sequence[Solved]) -> Form:
    """A linear form modulo the equations."""
    return _without_zeros({monomial: replaced(part, solved) for monomial, part in form.items()})


def multipliers_of_equations(rest: Form, solved: Sequence[Solved]) -> tuple[dict[str, Form], Form]:
    """Write a form that vanishes modulo the equations as their combination, and what is left."""
    shares: list[Form] = []
    owed: Form = dict(rest)
    for entry in solved:
        share, owed = _divided(owed, entry)
        shares.append(share)
    for number in reversed(range(len(solved))):
        equation: Form = {(): solved[number].stated}
        for earlier in range(number):
            quotient, equation = _divided(equation, solved[earlier])
            for element in quotient.values():
                shares[earlier] = added(shares[earlier], shares[number], -element)
    named = zip(solved, shares, strict=True)
    return {entry.fact: share for entry, share in named if share}, owed


def _divided(form: Form, entry: Solved) -> tuple[Form, Form]:
    """Quotient and rest of a form by an equation."""
    value = _solution(entry.gap, entry.place)
    rest = {monomial: _replaced(part, entry.place, value) for monomial, part in form.items()}
    quotient = {monomial: (part - rest[monomial]) / entry.gap for monomial, part in form.items()}
    return _without_zeros(quotient), _without_zeros(rest)


def added(form: Form, other: Form, factor: Element) -> Form:
    """``form + factor * other``."""
    total = dict(form)
    for monomial, element in other.items():
        total[monomial] = total.get(monomial, factor.field.zero) + factor * element
    return _without_zeros(total)


def _without_zeros(form: Form) -> Form:
    return {monomial: element for monomial, element in form.items() if element}
