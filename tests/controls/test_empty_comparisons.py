"""Negative controls: where nothing is compared, nothing is shown."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
import sympy
import z3

from schedules.closed_forms.floor_sums import p_, x_
from tests.verdicts_of import first, lazily
from theory.account import Decision
from theory.derive import derive
from theory.judging.decide import verdict_of
from theory.laws.delays.closed import Closed
from theory.laws.delays.comparison import Comparison, bounded, equal
from theory.laws.delays.counts import prove_floor_sums
from theory.laws.delays.matrix import (
    DelayMatrix,
    identities,
    prove_extremes,
    prove_matrix,
    prove_mean,
)
from theory.laws.delays.staleness import LocalStaleness, prove_staleness
from theory.laws.delays.symbols import Size, Times
from theory.laws.static_orders.parts import PARTS, decided
from theory.papers.blog.lemmas.laws import parts_hold
from theory.papers.blog.lemmas.programs import GPIPE
from theory.smt.solver import Statement, decide, merge
from theory.verdicts import Verdict, first_short, weakest


@cache
def closed() -> Closed:
    return derive("pipedream").established


NOWHERE = DelayMatrix(0, {}, {})


def test_lists_without_a_verdict() -> None:
    assert weakest([]) is Verdict.UNKNOWN
    assert first_short([]) is Verdict.UNKNOWN
    assert lazily([]) is Verdict.UNKNOWN
    assert verdict_of(Decision()) is Verdict.UNKNOWN
    assert merge("none", "of none", []).verdict is Verdict.UNKNOWN
    assert merge("none", "of none", []).rests_on == ()
    assert first(parts_hold(GPIPE)) is Verdict.UNKNOWN


def test_lists_with_one_are_decided() -> None:
    for verdict in Verdict:
        assert weakest([verdict]) is first_short([verdict]) is verdict
    x = z3.Int("x")
    assert lazily([Statement("one", "x is itself", (x > 0,), x == x)]) is Verdict.PROVED


def test_formulas_on_no_residue_class() -> None:
    law = {0: p_**2, 1: p_**2}
    for claimed in (p_, p_**2, sympy.Integer(0)):
        assert equal(law, claimed, ()) == Comparison(Verdict.UNKNOWN)
        assert equal({}, claimed, ()) == Comparison(Verdict.UNKNOWN)
        assert bounded({}, claimed).verdict is Verdict.UNKNOWN
    assert equal(law, p_**2, iter((0, 1))).verdict is Verdict.PROVED
    assert equal(law, p_, iter((0, 1))).verdict is Verdict.REFUTED


def test_matrices_without_classes() -> None:
    nothing = replace(closed().counts, period=0)
    for outcome in (
        prove_matrix(NOWHERE, nothing),
        prove_extremes(NOWHERE),
        prove_mean(NOWHERE, {}),
        prove_floor_sums(nothing),
        identities("none", "of none", []),
    ):
        assert outcome.verdict is Verdict.UNKNOWN
    assert prove_matrix(closed().matrix, closed().counts).verdict is Verdict.PROVED


def test_matrices_with_a_class_left_out() -> None:
    """A form that is not there is not equal to anything."""
    matrix = closed().matrix
    partial = replace(matrix, index={(0, 0): matrix.index[0, 0]})
    with pytest.raises(KeyError):
        prove_matrix(partial, closed().counts)
    with pytest.raises(KeyError):
        prove_extremes(partial)
    steady = {(0, 0): closed().staleness.steady[0, 0]}
    claimed = LocalStaleness(steady, closed().staleness.largest)
    with pytest.raises(KeyError):
        prove_staleness(Times(Size.symbolic(), closed().start_times), closed().counts, claimed)


def test_identities_are_expanded() -> None:
    assert identities("a", "b", [(x_ + 1) ** 2 - x_**2 - 2 * x_ - 1]).verdict is Verdict.PROVED
    assert identities("a", "b", [x_ - x_, x_ - 1]).verdict is Verdict.UNKNOWN


def test_a_goal_of_no_parts() -> None:
    x = z3.Int("x")
    for goal in (
        z3.And(*[]),
        z3.And(x > 0, z3.And(*[])),
        z3.Implies(x > 1, z3.And(*[])),
        z3.Or(z3.And(*[]), x < 0),
    ):
        assert decide(Statement("none", "of none", (x > 0,), goal)).verdict is Verdict.UNKNOWN
    assert decide(Statement("one", "x > 0", (x > 0,), z3.And(x > 0))).verdict is Verdict.PROVED


@pytest.mark.parametrize("part", PARTS)
def test_a_program_of_no_entries(part: str) -> None:
    empty = replace(GPIPE, entries=())
    assert decided(empty, part, PARTS[part]).verdict is not Verdict.PROVED


@pytest.mark.parametrize("part", [part for part in PARTS if part != "joint order"])
def test_a_program_with_entries(part: str) -> None:
    assert decided(GPIPE, part, PARTS[part]).verdict is Verdict.PROVED


def test_a_law_without_a_proof() -> None:
    law = derive("gpipe")
    assert law.verdict is Verdict.PROVED
    assert replace(law, proof=()).verdict is Verdict.UNKNOWN
