"""Conditions, lines and timetables of sapipe's rows against clock ticks, on drawn models."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schedules.partial_staleness import Model, fewest_stale, printed_fewest_stale, sequential
from schedules.partial_staleness.algorithms import (
    Communications,
    algorithm_5,
    printed_algorithm_4,
    printed_algorithm_5,
)
from tests.stale_machine import waits
from theory.papers.sapipe.lemmas.conditions import (
    CHANNEL,
    PROGRAM,
    RIGHT,
    SECOND,
    at_least,
    holds_for,
)
from theory.papers.sapipe.thm_1 import PRINTED, late_layers
from theory.papers.sapipe.witnesses.algorithm_lines import (
    PRINTED_4,
    PRINTED_5,
    REPAIRED_4,
    REPAIRED_5,
    communications,
    late,
    stale_layers,
)
from theory.papers.sapipe.witnesses.timetables import timetable


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Sequential models of up to 5 layers."""
    layers, top = draw(st.integers(1, 5)), draw(st.sampled_from((2, 5, 9)))
    times = st.lists(st.integers(1, top), min_size=layers, max_size=layers)
    return sequential(draw(times), draw(times), draw(times))


@given(models())
def test_conditions_say_when_ticks_are_idle(model: Model) -> None:
    """A backlog that grows takes some iterations until it is noticed."""
    growth = -at_least(CHANNEL, model, 0)
    needed = 3 if growth <= 0 else 3 + sum(model.b) // growth
    for stale in range(model.count + 1):
        assert holds_for(RIGHT, model, stale) == (not any(waits(model, range(stale), needed)))


@given(models())
def test_conditions_and_solvers_agree(model: Model) -> None:
    enough = [stale for stale in range(model.count + 1) if holds_for(RIGHT, model, stale)]
    assert fewest_stale(model) == (enough[0] if enough else None)
    assert enough == list(range(enough[0], model.count + 1)) if enough else True
    printed = [stale for stale in range(model.count + 1) if holds_for(PROGRAM, model, stale)]
    assert printed_fewest_stale(model) == (printed[0] if printed else None)
    assert set(enough) <= set(printed)
    last = range(max(0, model.count - 1), model.count + 1)
    assert [stale in enough for stale in last] == [stale in printed for stale in last]


@given(models())
def test_program_is_the_condition_of_the_last_layer(model: Model) -> None:
    for stale in range(model.count):
        room = sum(model.b[:-1]) + sum(model.u[:stale]) - sum(model.v[stale:])
        assert at_least(SECOND, model, stale) == room
        assert at_least(RIGHT["in time"], model, stale) <= room


@given(models())
def test_lines_are_the_algorithms(model: Model) -> None:
    found = printed_algorithm_4(model)
    assert communications(PRINTED_4, model) == (found.ready, found.start)
    ready, start = communications(REPAIRED_4, model)
    given_times = Communications(found.order, ready, start)
    marked = printed_algorithm_5(model, given_times).stale
    assert stale_layers(PRINTED_5, model, start) == marked
    repaired = stale_layers(REPAIRED_5, model, start)
    assert repaired == algorithm_5(model, given_times).stale == late(model)


@given(models())
def test_late_layers_are_the_first_ones(model: Model) -> None:
    found = timetable(model)
    layers = late_layers(found, PRINTED["stale"])
    assert layers == list(range(1, len(layers) + 1))
    assert layers == [layer + 1 for layer in sorted(late(model))]
    if model.channel <= model.computation:
        assert len(layers) == fewest_stale(model)
