"""Equation (5): verdict, cases and witness, and delays counted by hand."""

from __future__ import annotations

import pytest
import sympy

from schedules import build
from theory.nesterov import eq_5
from theory.nesterov.interval_delays import K, P, delays, i, runs
from theory.verdicts import Verdict

PROVED, REFUTED = Verdict.PROVED, Verdict.REFUTED


def test_equation_5_holds_where_the_delay_is_constant() -> None:
    found = eq_5.CLAIM.judge(eq_5.CLAIM.printed)
    assert found.verdict is REFUTED
    assert [case.verdict for case in found.cases] == [REFUTED, PROVED, PROVED]
    assert all(step.verdict is PROVED for step in found.steps)
    assert found.counterexample == {"P": 2, "i": 1, "K": 2, "m": 2, "delay": 1, "stated": 0}


def test_equation_5_is_repaired() -> None:
    [finding] = eq_5.CLAIM.judge(eq_5.CLAIM.printed).findings
    assert finding.repaired is not None
    assert finding.repaired.verdict is PROVED


def test_witness_by_hand() -> None:
    """Between F2 and B2 stage 0 of 2 does B1, and with it the update of 0 and 1."""
    order = " ".join(map(str, build("asyncpp", 2, 4, update_interval=2).rank(0)))
    assert order == "0F0 0F1 0B0 0F2 0B1 0F3 0B2 0B3"
    assert delays(build("asyncpp", 2, 4, update_interval=2), 0) == [0, 0, 1, 0]


def test_a_formula_that_is_wrong_even_for_one() -> None:
    found = eq_5.CLAIM.judge({"delay": sympy.floor((2 * (P - i) + 2) / (2 * K))})
    assert found.verdict is REFUTED
    assert found.cases[-1].verdict is not PROVED
    assert found.findings == ()


@pytest.mark.parametrize("form", [sympy.floor((P - i) / K), sympy.ceiling((P - i) / K)])
def test_no_constant_is_right(form: sympy.Expr) -> None:
    assert eq_5.CLAIM.judge({"delay": form}).verdict is REFUTED


def test_repaired_delays_of_all_runs() -> None:
    for at, schedule in runs():
        behind, interval = at["P"] - at["i"], at["K"]
        found = delays(schedule, at["i"] - 1)[behind:]
        for m, delay in enumerate(found, behind):
            assert delay == behind // interval + (m % interval < behind % interval)
        window = found[:interval]
        assert sum(window) == behind
        assert window.count(behind // interval + 1) == behind % interval
