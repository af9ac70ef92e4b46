"""Negative controls: no mutant of a stated figure, and no other order, is proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest
import sympy

from schedules.families import get_family
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.stamps import At, StampedOrder
from theory.judging.mutants import mutants
from theory.laws.figures import Forms, prove, read_forms
from theory.verdicts import Verdict

PARTS = [part.name for part in fields(Forms)]


def figures_of(family: Family) -> Figures:
    assert family.figures is not None
    return family.figures


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", ["asyncpp", "pipesgd", "blog-1f1b"])
def test_no_mutant_is_proved(name: str, part: str) -> None:
    family = get_family(name)
    figures = figures_of(family)
    changed = mutants(getattr(read_forms(figures), part))
    survivors = [
        text
        for text, mutant in changed.items()
        if prove(family, replace(figures, **{part: sympy.sstr(mutant)})).verdict is Verdict.PROVED
    ]
    assert survivors == []


Rewritten = Callable[[StampedOrder], StampedOrder]


def _sooner(order: StampedOrder) -> StampedOrder:
    return replace(order, backward=lambda at: (order.backward(at)[0] - 6, *order.backward(at)[1:]))


def _later(order: StampedOrder) -> StampedOrder:
    def backward(at: At) -> tuple[int, ...]:
        return (order.backward(at)[0] + 6, *order.backward(at)[1:])

    return replace(order, backward=backward)


def _no_weight(order: StampedOrder) -> StampedOrder:
    return replace(order, weight=None)


@pytest.mark.parametrize("change", [_sooner, _later, _no_weight])
@pytest.mark.parametrize("name", ["zb-h1", "zb-h2", "looped-bfs", "chimera"])
def test_a_changed_order_has_other_figures(name: str, change: Rewritten) -> None:
    family = get_family(name)
    assert isinstance(family.rule, StampedOrder)
    if change is _no_weight and family.rule.weight is None:
        pytest.skip("its backwards are whole")
    found = prove(replace(family, rule=change(family.rule)), figures_of(family))
    assert found.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("name", "other"), [("zb-h1", "zb-h2"), ("blog-1f1b", "1f1b"), ("zbv", "dualpipev")]
)
def test_another_family_does_not_have_the_figures(name: str, other: str) -> None:
    impostor = replace(get_family(other), name="impostor")
    assert prove(impostor, figures_of(get_family(name))).verdict is Verdict.UNKNOWN
