"""`row`: what makes a claim hold or fail, and that nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sympy

from theory.account import Case, Compared, Decision, Refutation, Violation
from theory.claims import Claim, Formulas
from theory.judging.decide import decided
from theory.judging.plain_rows import row
from theory.judging.verify import judge

p = sympy.Symbol("p", integer=True, positive=True)
CORE = {"twice": 2 * p}


def same(formulas: Formulas) -> Iterator[Compared]:
    yield Compared("twice p", "sympy.expand", formulas["twice"] == 2 * p)


def at_two(measured: int) -> Any:
    """A run at p = 2 in which so much was measured."""

    def fails(formulas: Formulas) -> Refutation:
        violation = Violation(lambda: measured, "==", formulas["twice"], {p: 2})
        return Refutation({"p": 2, "measured": measured}, violation)

    return fails


def made(**more: Any) -> Claim:
    return row("mine.twice", "(1)", "Twice p.", "2p", CORE, same, **more)


def test_what_its_grounds_show_is_proved_and_its_mutants_are_not() -> None:
    found = judge(made())
    assert found.verdict.name == "PROVED"
    assert found.controls.known > 3
    assert not found.controls.survivors


@pytest.mark.parametrize(("measured", "verdict"), [(4, "REFUTED"), (3, "UNKNOWN")])
def test_only_a_witness_that_stands_refutes(measured: int, verdict: str) -> None:
    false = {"twice": 3 * p - 3}
    claim = made(printed=false, fails=at_two(measured), says="not twice", repaired="twice")
    found = decided(claim.account(claim.printed))
    assert found.verdict.name == verdict
    assert [one.repaired and one.repaired.verdict.name for one in found.findings] == ["PROVED"]


def test_a_statement_that_holds_in_some_cases_is_conditional() -> None:
    def cases(formulas: Formulas) -> tuple[Case, ...]:
        fails = at_two(5)(formulas)
        return Case("here", Decision(tuple(same(formulas)))), Case("there", Decision(fails=fails))

    claim = made(cases=cases, holding=("here",))
    assert decided(claim.account(claim.printed)).verdict.name == "CONDITIONAL"
    assert decided(claim.account({"twice": p})).verdict.name == "UNKNOWN"
