"""Statements as one writes them: read as they are meant, and refused where they are no formulas."""

from __future__ import annotations

import pytest
import z3

from theory.errors import UnsupportedFormError
from theory.smt.notation import stated, terms
from theory.smt.solver import decide
from theory.verdicts import Verdict


def test_what_is_written_is_what_is_decided() -> None:
    half = z3.Function("half", z3.IntSort(), z3.IntSort())
    given = "n >= 0, 2 * half(n) == (n if n % 2 == 0 else n - 1), not (n == 0 or n == 1)"
    assert decide(stated("half", "", given, "0 < half(n) < n", half=half)).verdict is Verdict.PROVED
    assert decide(stated("half", "", given, "half(n) > 1", half=half)).verdict is Verdict.REFUTED
    assert [str(fact) for fact in stated("", "", "0 <= x < n", "x <= n").hypotheses] == [
        "x >= 0",
        "x < n",
    ]


def test_all_parts_of_a_goal_are_asked_for() -> None:
    assert decide(stated("two", "", "x > 1", "x > 0, x > 2")).verdict is Verdict.REFUTED
    assert decide(stated("one", "", "x > 1 and y > x", "y > 2")).verdict is Verdict.PROVED


@pytest.mark.parametrize("text", ["x <", "0 <= x;", "x = 1"])
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedFormError, match="formulas separated by commas"):
        terms(text)


def test_a_misspelt_function_is_no_symbol() -> None:
    with pytest.raises(TypeError):
        terms("hlaf(n) > 1")
