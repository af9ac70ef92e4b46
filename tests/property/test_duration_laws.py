"""Start times for all durations against timelines, entry by entry, and laws that are not so."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest
from sympy import sympify

from schedules import Kind, timeline
from schedules.closed_forms.affine import Affine, Piece, Piecewise
from schedules.dependencies import tables
from schedules.errors import ParameterError
from schedules.families import get_family
from schedules.stamps import StampedOrder
from tests.verdicts_of import lazily
from theory.derive import derive, durations
from theory.laws.delays.symbols import Size, Times
from theory.laws.duration_figures import span_laws
from theory.laws.durations import DurationLaw, Region, duration_laws, statements
from theory.laws.static_orders.slots import Law, played
from theory.verdicts import Verdict

EAGER = "examples/families/eager.py"
FAMILIES = ("gpipe", "naive", "1f1b", "pipedream", EAGER)


@cache
def laws(family: str) -> tuple[DurationLaw, ...]:
    return durations(family, derive(family))


def drawn(random: Random, region: Region) -> dict[str, int]:
    return {name: random.choice([0, 1, 2, 7, 100]) for name in region.names}


@pytest.mark.parametrize("family", FAMILIES)
def test_laws_are_the_timelines(family: str) -> None:
    found, random = laws(family), Random(1)
    assert found
    sizes = [(p, M) for p in (2, 3, 5) for M in (1, 2, p, 2 * p + 3)]
    for law, (p, M) in product(found, sizes):
        assert law.verdict is Verdict.PROVED
        schedule = get_family(family).build(p, M)
        index, values = tables(schedule), drawn(random, law.region)
        forward, backward = (
            sum(values[name] for name in parts)
            for parts in (law.region.forward, law.region.backward)
        )
        line = timeline(schedule, {Kind.F: forward, Kind.B: backward}, values.get("c", 0))
        numbers = {"F": forward, "B": backward, "c": values.get("c", 0), "p": p, "M": M}
        span = law.makespan
        assert span.subs({one: numbers[one.name] for one in span.free_symbols}) == line.length
        for s in range(p):
            for m in range(M):
                at = {"s": s, "m": m, "p": p, "M": M, "pm": p * m, "q": m // p, "r": m % p}
                for kind, table in (("forward", index.forward), ("backward", index.backward)):
                    start = sum(
                        value * getattr(one, kind).at(at, lambda test, yes, no: yes if test else no)
                        for value, one in zip(values.values(), law.starts, strict=True)
                    )
                    assert start == line.start[table[s, m]]


def moved(form: Piecewise, place: int) -> Piecewise:
    """One piece of a form, one more."""
    pieces = list(form.pieces)
    pieces[place] = Piece(pieces[place].guard, pieces[place].value.plus(Affine((), 1)))
    return Piecewise(tuple(pieces))


@pytest.mark.parametrize("family", ["gpipe", "1f1b"])
def test_control_no_coefficient_can_be_another(family: str) -> None:
    [law], known = laws(family), get_family(family)
    guess = derive(family).guess
    assert guess is not None
    slots = Law(Times(Size.symbolic(), guess), ())
    order = played(slots)
    assert lazily(statements(order, law.region, law.starts)) is Verdict.PROVED
    assert duration_laws(known, slots) == ()  # nothing says that no action waits in a circle
    for number, starts in enumerate(law.starts):
        for kind in ("forward", "backward"):
            form = getattr(starts, kind)
            for place in range(len(form.pieces)):
                change: Any = {kind: moved(form, place)}
                wrong = replace(starts, **change)
                others = (*law.starts[:number], wrong, *law.starts[number + 1 :])
                assert lazily(statements(order, law.region, others)) is not Verdict.PROVED


def test_control_where_paths_change_places_there_is_no_law() -> None:
    """PipeDream where forwards are the longer ones or messages count, and a split backward."""
    assert [law.region.words for law in laws("1f1b")] == ["F, B, c >= 0"]
    assert [law.region.words for law in laws("pipedream")] == ["B >= F >= 0, c = 0"]
    guess = derive("1f1b").guess
    assert guess is not None
    known = Law(Times(Size.symbolic(), guess), derive("1f1b").start_proof)
    assert duration_laws(get_family("zb-h1"), known) == ()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("family", "regions"),
    [("zb-h1", 3), ("looped-bfs", 1), ("pipedream-2bw", 1), ("interleaved-1f1b", 1)]
    + [("zb-h2", 2), ("chimera", 1), ("pipesgd", 1)]
    + [pytest.param(name, n, marks=pytest.mark.slow) for name, n in (("zbv", 3), ("dualpipev", 1))],
)
def test_makespans_are_those_of_timelines(family: str, regions: int) -> None:
    """In its region each is that of every run, and elsewhere none is longer."""
    known, random = get_family(family), Random(2)
    found, compared = span_laws(known), 0
    assert len(found) >= regions
    assert all(one.to_json()["verdict"] == "PROVED" for one in found)
    assert known.figures is not None
    more = {"chunks": 3} if "chunks" in known.figures.work else {}
    for p, M in product((1, 2, 3, 4, 6), (4, 6, 8, 12, 18)):
        at = {"p": p, "M": M, "layers": 4, **more}
        try:
            schedule = known.build(p, M, **more)
        except ParameterError:
            continue
        for _ in range(8 if sympify(known.figures.where, at) else 0):
            costs = [random.choice([0, 1, 2, 5, 9]) for _ in range(3)]
            taken = dict(zip((Kind.F, Kind.I, Kind.W), costs, strict=True))
            whole = sum(costs[1:]) if Kind.W in schedule.kind else costs[1]
            line = timeline(schedule, {**taken, Kind.B: whole})
            named = {**at, "F": costs[0], "I": costs[1], "B": costs[1], "W": costs[2]}
            for law in found:
                region, *least = law.region.replace("F, I, W >= 0", "F >= 0").split(", p >= ")
                if least and p < int(least[0]):
                    continue
                span = sympify(str(law.makespan), named)
                assert line.length >= span
                if all(sympify(side, named) for side in region.split(" and ")):
                    assert line.length == span
                    compared += 1
    assert compared > 20


@pytest.mark.slow
def test_spans_of_another_order_are_none() -> None:
    family = get_family("zb-h1")
    assert isinstance(family.rule, StampedOrder)
    later = replace(family.rule, weight=lambda at: (3 * (at.M + at.x) + 6 * at.p,))
    assert [str(one.makespan) for one in span_laws(replace(family, rule=later))] != [
        str(one.makespan) for one in span_laws(family)
    ]
