"""Negative controls: no mutant of a stated figure, and no other schedule, passes the grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import product

import pytest
import sympy

from schedules.families import FAMILIES, get_family
from schedules.families.figures import Figures
from theory.judging.mutants import mutants
from theory.laws.stated_figures import Forms, Run, compare, read_forms, runs
from theory.verdicts import Verdict, weakest

STATED = [name for name, family in FAMILIES.items() if family.figures is not None]
PARTS = [part.name for part in fields(Forms)]


def figures_of(name: str) -> Figures:
    figures = get_family(name).figures
    assert figures is not None
    return figures


@cache
def grid_of(name: str) -> Sequence[Run]:
    return list(runs(get_family(name), figures_of(name), {}))


def verdict(forms: Forms, grid: Sequence[Run]) -> Verdict:
    return weakest(comparison.verdict for comparison in compare(forms, grid))


WRONG = Forms(sympy.Integer(-1), sympy.Integer(-1), sympy.Integer(-1))
"""Refuted at the first size, so that only the part put in takes time."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "part"), [*product(STATED, PARTS)])
def test_every_mutant_is_refuted(name: str, part: str) -> None:
    def alone(form: sympy.Expr) -> Verdict:
        proof = compare(replace(WRONG, **{part: form}), grid_of(name))
        return proof[PARTS.index(part)].verdict

    stated = getattr(read_forms(figures_of(name), {}), part)
    assert alone(stated) is Verdict.CHECKED
    changed = mutants(stated)
    assert changed
    survivors = [text for text, mutant in changed.items() if alone(mutant) is not Verdict.REFUTED]
    assert survivors == []


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("blog-1f1b", "1f1b"),
        ("blog-gpipe", "1f1b"),
        ("zb-h1", "zb-h2"),
        ("zb-h2", "zb-h1"),
        ("dualpipe", "chimera"),
        ("chimera", "1f1b"),
        ("interleaved-1f1b", "looped-bfs"),
        ("looped-bfs", "interleaved-1f1b"),
        ("interleaved-zero-bubble", "interleaved-1f1b"),
        ("zbv", "dualpipev"),
        ("dualpipev", "zbv"),
    ],
)
def test_another_schedule_does_not_have_the_figures(name: str, other: str) -> None:
    builder = get_family(other)
    impostor = replace(get_family(name), rule=builder.rule, build=builder.build)
    grid = list(runs(impostor, figures_of(name), {}))
    assert verdict(read_forms(figures_of(name), {}), grid) is Verdict.REFUTED
