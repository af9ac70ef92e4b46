"""Delays of a step that a flush ends, of any greedy rule, against those of its runs."""

from __future__ import annotations

import operator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy

from schedules import Kind
from schedules.delays import delays
from schedules.families import Family, get_family
from schedules.linearization import LINEARIZATIONS
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.stamps import LINE, LOOP, At, StampedOrder
from schedules.timeline import timeline
from theory.laws.step_delays import of_a_flush

F, B = Kind.F, Kind.B
FLUSH = Family("drawn", "drawn", "drawn", WeightPolicy("flush"))


def stated(own: Family, linearization: str, p: int) -> list[int]:
    found = of_a_flush(own, linearization)
    assert found is not None
    (case,) = found.to_json()["delay"]
    assert case["when"] == "True"
    return [int(sympy.sympify(case["expr"]).subs({"i": i, "p": p})) for i in range(p)]


def every_row_is(own: Family, linearization: str, p: int, M: int) -> None:
    found = delays(timeline(own.build(p, M)), linearization)
    wanted = np.array(stated(own, linearization, p))[found.stage]
    assert (found.matrix == wanted[:, None]).all()


@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("compare", [operator.lt, operator.le])
def test_rows_of_runs_are_those(linearization: str, compare: Any) -> None:
    bounds: list[Any] = [None, lambda p: 3, lambda p: p + 1]
    for kinds, bound in product(product((F, B), repeat=3), bounds):
        rule = GreedyRule(compare, kinds[0], {B: kinds[1], F: kinds[2]})
        own = replace(FLUSH, rule=rule, admission=bound)
        for p, M in ((1, 3), (2, 7), (4, 5)):
            every_row_is(own, linearization, p, M)
    order = StampedOrder(LINE, lambda at: (0, at.x + at.rank), lambda at: (1, -at.x - at.rank))
    every_row_is(replace(FLUSH, rule=order), linearization, 3, 5)


def two(at: At) -> tuple[int, int]:
    return (0, at.x)


def test_control_where_slots_decide_nothing_is_said() -> None:
    order = StampedOrder(LINE, two, two)
    assert of_a_flush(replace(FLUSH, rule=order), "ascending") is not None
    others = [
        replace(order, weight=two),
        replace(order, beside={Kind.U: two}),
        replace(order, overlap=True),
        replace(order, shape=LOOP),
    ]
    for rule in others:
        assert of_a_flush(replace(FLUSH, rule=rule), "ascending") is None
    stash = replace(FLUSH, rule=order, policy=WeightPolicy("stash"))
    another = replace(FLUSH, rule=order, build=get_family("gpipe").build)
    for own in (stash, FLUSH, replace(another, build=lambda p, M: another.build(p, M))):
        assert of_a_flush(own, "ascending") is None
