"""Every entry of the list of elementary facts holds, in intervals, where it may be used."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy
from mpmath import iv

from theory.kernel.elementary import Exp, Log
from theory.kernel.relations import Relation
from theory.kernel.rules.elementary import ENTRIES, Stated

GRID = tuple(map(Fraction, "-5/2 -1 -1/3 0 1/7 1/2 1 3/2 2 7".split()))
WHOLE = tuple(map(Fraction, (-2, 0, 1, 2, 3, 8)))


def interval(form: Any) -> Any:
    """An interval in which the exact value lies."""
    if form.is_Rational:
        return iv.mpf(int(form.p)) / int(form.q)
    if isinstance(form, (Exp, Log)):
        return (iv.exp if isinstance(form, Exp) else iv.log)(interval(form.args[0]))
    if form.is_Pow:
        assert form.exp.is_Integer
        return interval(form.base) ** int(form.exp)
    parts = [interval(part) for part in form.args]
    total = parts[0]
    for part in parts[1:]:
        total = total + part if form.is_Add else total * part
    return total


def applies(stated: Stated) -> bool:
    """Whether the conditions hold, as far as intervals show."""
    return (
        all(number.is_integer for number in stated.whole)
        and all(interval(form).a > 0 for form in stated.above)
        and all(interval(form).b >= 0 for form in stated.least)
    )


def instances(name: str) -> Iterator[Relation]:
    letters = inspect.signature(ENTRIES[name]).parameters
    for values in product(*(WHOLE if letter == "n" else GRID for letter in letters)):
        try:
            stated = ENTRIES[name](*map(sympy.Rational, values))
        except Exception:
            continue
        if applies(stated):
            yield stated.relation


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_holds_where_its_conditions_do(name: str) -> None:
    found = list(instances(name))
    assert len(found) >= 6
    for said in found:
        left, right = interval(sympy.sympify(said.lhs)), interval(sympy.sympify(said.rhs))
        assert left.a <= right.b, said
        assert said.kind == "<=" or right.a <= left.b, said


@pytest.mark.parametrize("name", ENTRIES)
def test_turned_round_or_with_another_number_it_does_not(name: str) -> None:
    """Intervals are narrow enough to tell."""
    shift = sympy.Rational(1, 10**6)
    wrong = [
        interval(sympy.sympify(said.lhs)).a > interval(sympy.sympify(said.rhs)).b
        for one in instances(name)
        for said in (
            Relation(one.rhs, "<=", one.lhs),
            Relation(one.lhs + shift, "<=", one.rhs),
        )
    ]
    assert any(wrong)


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_says_why(name: str) -> None:
    assert len(inspect.getdoc(ENTRIES[name]) or "") > 25
