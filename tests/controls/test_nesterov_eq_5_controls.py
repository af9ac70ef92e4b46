"""Equation (5): other orders, delays and formulas must not be proved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import sympy

from schedules.families.gpipe import ORDER as GPIPE
from schedules.families.naive import ORDER as NAIVE
from schedules.stamps import StampedOrder
from tests.verdicts_of import of_formulas
from theory.judging.decide import decided as judged_of
from theory.papers.nesterov import eq_5
from theory.papers.nesterov.lemmas.interval_delays import (
    K,
    P,
    always,
    decided,
    i,
    order,
    updates_between,
)
from theory.verdicts import Verdict


@pytest.mark.parametrize("other", [GPIPE, NAIVE])
def test_other_orders_have_other_counts(other: StampedOrder) -> None:
    assert order(other).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("least", sympy.ceiling((P - i) / K)),
        ("least", sympy.floor((P - i + 1) / K)),
        ("more often", P - i),
        ("more often", K * sympy.ceiling((P - i) / K) - (P - i)),
        ("mean", sympy.floor((P - i) / K)),
    ],
)
def test_other_formulas(name: str, form: sympy.Expr) -> None:
    assert of_formulas(eq_5.CLAIM, {**eq_5.CLAIM.core, name: form}) is not Verdict.PROVED


def test_a_statement_that_leaves_out_two_stages_is_not_proved() -> None:
    """Its hypotheses ask for more than they say."""
    narrow = decided("narrow", "P ≥ 4", lambda view: view.m >= 0, lambda view: view.stages >= 4)
    wide = decided("wide", "all P", lambda view: view.m >= 0, always)
    assert narrow.verdict is Verdict.UNKNOWN
    assert wide.verdict is Verdict.PROVED


def test_delays_rest_on_the_count_of_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """⌊m/K⌋ − ⌊(m − L)/K⌋ has to be what is called the delay."""
    claim = eq_5.CLAIM
    assert of_formulas(claim, claim.core) is Verdict.PROVED
    short = replace(updates_between(), verdict=Verdict.UNKNOWN)
    monkeypatch.setattr(eq_5, "updates_between", lambda: short)
    assert of_formulas(claim, claim.core) is not Verdict.PROVED
    judged = judged_of(claim.account(claim.printed))
    assert judged.verdict is Verdict.UNKNOWN
    assert [case.verdict.name for case in judged.cases] == ["UNKNOWN", "UNKNOWN", "REFUTED"]


@pytest.mark.parametrize("name", ["varies", "_at_each_stage"])
def test_what_a_constant_delay_amounts_to_is_proved(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = replace(getattr(eq_5, name)(), verdict=Verdict.UNKNOWN)
    monkeypatch.setattr(eq_5, name, lambda: short)
    assert judged_of(eq_5.CLAIM.account(eq_5.CLAIM.printed)).verdict is Verdict.UNKNOWN


def test_a_formula_that_fails_for_some_constant_delay_alone_is_refuted() -> None:
    """Right for K = 1, and for K = 2 at P − i = 2 one too many."""
    found = judged_of(eq_5.CLAIM.account({"delay": P - i}))
    assert found.verdict is Verdict.REFUTED
    assert [case.verdict.name for case in found.cases] == ["REFUTED", "PROVED", "REFUTED"]
    assert found.counterexample is not None
    assert found.counterexample["K"] > 1


def test_a_mean_that_divides_by_0_is_none() -> None:
    """At K = 2 this form has 0/0, which agrees with every mean."""
    form = (P - i) * (K - 2) ** 2 / (K * (K**2 - 4 * K + 4))
    found = [
        decided("mean", "K = 2", partial(eq_5._is_mean, mean), lambda view: view.interval == 2)
        for mean in (form, (P - i) / K)
    ]
    assert [one.verdict is Verdict.PROVED for one in found] == [False, True]
