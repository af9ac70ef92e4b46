"""Linear equations over a field of rational functions, solved exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.polys.fields import FracField

from theory.proving.forms import Element, Form

Row = dict[int, Element]
"""Coefficients by the number of an unknown; −1 has the right-hand side."""

RIGHT = -1


@dataclass(frozen=True)
class Solution:
    """All solutions: unknowns that are free, and the others as combinations of them.

    Attributes
    ----------
    free : tuple of int
    values : mapping of int to mapping of int to element
        For an unknown, its constant under −1 and its factors by free unknown.
    """

    free: tuple[int, ...]
    values: Mapping[int, Mapping[int, Element]]

    def depends(self, k: int) -> bool:
        """Whether an unknown is not settled."""
        return k in self.free or any(n != RIGHT for n in self.values[k])


def solve(columns: Sequence[Form], goal: Form) -> Solution | None:
    """Unknowns x with Σ x·column = goal, or None if there are none.

    Examples
    --------
    >>> from sympy import QQ, field
    >>> F, a = field("a", QQ)
    >>> found = solve([{(1,): a, (0,): F.one}, {(0,): a}], {(1,): a**2})
    >>> found.free, found.values[0][-1], found.values[1][-1]
    ((), a, -1)
    """
    narrow = _over_rationals((*columns, goal))
    if narrow is not None:  # common divisors over a larger field take long
        wide = next(e.field for form in (*columns, goal) for e in form.values())
        small = solve(narrow[:-1], narrow[-1])
        return None if small is None else Solution(small.free, _widened(small.values, wide))
    rows = _rows(columns, goal)
    solved: dict[int, Row] = {}
    while rows:
        rows = [row for row in rows if row]
        if any(set(row) == {RIGHT} for row in rows):
            return None
        if not rows:
            break
        _, unknown, row = min(
            ((_weight(row[k]) + 3 * len(row), k, row) for row in rows for k in row if k != RIGHT),
            key=lambda entry: entry[:2],
        )
        rows.remove(row)
        pivot = row[unknown]
        unit = {k: value / pivot for k, value in row.items()}
        rows = [_reduced(other, unknown, unit) for other in rows]
        solved = {k: _reduced(other, unknown, unit) for k, other in solved.items()}
        solved[unknown] = unit
    free = tuple(k for k in range(len(columns)) if k not in solved)
    values = {
        unknown: {k: (value if k == RIGHT else -value) for k, value in row.items() if k != unknown}
        for unknown, row in solved.items()
    }
    return Solution(free, values)


def _over_rationals(forms: Sequence[Form]) -> list[Form] | None:
    """The forms over rational numbers, if they are given over a larger field and need none."""
    elements = [element for form in forms for element in form.values()]
    if not elements or elements[0].field.domain.is_QQ:
        return None
    domain = elements[0].field.domain
    numbers = (c for e in elements for part in (e.numer, e.denom) for c in part.coeffs())
    if not all(domain.to_sympy(c).is_Rational for c in numbers):
        return None
    field = FracField(elements[0].field.symbols, sympy.QQ)
    return [{m: _over(e, field) for m, e in form.items()} for form in forms]


def _over(element: Element, field: Any) -> Element:
    """The same element of a field over other numbers."""
    old, new = element.field.domain, field.domain
    numerator, denominator = (
        field.ring.from_dict({p: new.from_sympy(old.to_sympy(c)) for p, c in part.terms()})
        for part in (element.numer, element.denom)
    )
    return field.raw_new(numerator, denominator)


def _widened(
    values: Mapping[int, Mapping[int, Element]], field: Any
) -> dict[int, dict[int, Element]]:
    return {k: {n: _over(e, field) for n, e in row.items()} for k, row in values.items()}


def _rows(columns: Sequence[Form], goal: Form) -> list[Row]:
    monomials = dict.fromkeys(monomial for form in (*columns, goal) for monomial in form)
    rows = []
    for monomial in monomials:
        row = {k: form[monomial] for k, form in enumerate(columns) if monomial in form}
        if monomial in goal:
            row[RIGHT] = goal[monomial]
        rows.append(row)
    return rows


def _weight(element: Element) -> int:
    return len(element.numer) + len(element.denom)


def _reduced(row: Row, unknown: int, unit: Row) -> Row:
    """The row without an unknown, which `unit` expresses by others."""
    factor = row.get(unknown)
    if not factor:
        return row
    total = dict(row)
    for k, value in unit.items():
        changed = total[k] - factor * value if k in total else -factor * value
        if changed:
            total[k] = changed
        else:
            total.pop(k, None)
    return total
