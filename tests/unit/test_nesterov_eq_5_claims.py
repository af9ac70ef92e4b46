"""Equation (5): verdict, cases and witness, and delays counted by hand."""

from __future__ import annotations

import pytest
import sympy

from schedules import build
from theory.judging.decide import decided
from theory.papers.nesterov import eq_5
from theory.papers.nesterov.lemmas.interval_delays import K, P, delays, i, runs
from theory.verdicts import Verdict

PROVED, CONDITIONAL, REFUTED = Verdict.PROVED, Verdict.CONDITIONAL, Verdict.REFUTED


def test_witness_by_hand() -> None:
    """Between F2 and B2 stage 0 of 2 does B1, and with it the update of 0 and 1."""
    order = " ".join(map(str, build("asyncpp", 2, 4, update_interval=2).rank(0)))
    assert order == "0F0 0F1 0B0 0F2 0B1 0F3 0B2 0B3"
    assert delays(build("asyncpp", 2, 4, update_interval=2), 0) == [0, 0, 1, 0]


def test_a_formula_that_is_wrong_even_where_the_delay_is_constant() -> None:
    found = decided(eq_5.CLAIM.account({"delay": sympy.floor((2 * (P - i) + 2) / (2 * K))}))
    assert found.verdict is REFUTED
    assert [case.verdict for case in found.cases] == [REFUTED] * 3
    assert found.findings == ()
    at = found.counterexample
    assert at is not None
    assert (at["P"] - at["i"]) % at["K"] == 0
    assert at["delay"] == (at["P"] - at["i"]) // at["K"] != at["stated"]


@pytest.mark.parametrize("form", [sympy.floor((P - i) / K), sympy.ceiling((P - i) / K)])
def test_no_constant_is_right_where_delays_differ(form: sympy.Expr) -> None:
    found = decided(eq_5.CLAIM.account({"delay": form}))
    assert found.verdict is CONDITIONAL
    assert [case.verdict for case in found.cases] == [PROVED, PROVED, REFUTED]


def test_repaired_delays_of_all_runs() -> None:
    for at, schedule in runs():
        behind, interval = at["P"] - at["i"], at["K"]
        found = delays(schedule, at["i"] - 1)[behind:]
        for m, delay in enumerate(found, behind):
            assert delay == behind // interval + (m % interval < behind % interval)
        window = found[:interval]
        assert sum(window) == behind
        assert window.count(behind // interval + 1) == behind % interval
