"""Negative controls: no mutant of a stated figure, and no other order, is proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
import sympy
import z3

from schedules.closed_forms.affine import Affine, Piecewise
from schedules.families import get_family
from schedules.families.family import Family
from schedules.families.figures import Figures
from schedules.linearization import LINEARIZATIONS, get_linearization
from schedules.stamps import At, StampedOrder
from theory.judging.mutants import mutants
from theory.laws import (
    duration_figures,
    duration_regions,
    exact_starts,
    round_delays,
    step_delays,
    window_delays,
    worker_delays,
)
from theory.laws.delays import stage_sums, windows
from theory.laws.delays.pace import Pace
from theory.laws.figure_forms import Forms, read_forms
from theory.laws.figures import prove
from theory.laws.stated_figures import Stated
from theory.laws.timetable_guesses import starts_of
from theory.laws.timetable_proofs import merged
from theory.laws.timetables import Places, stamp
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
    assert found.verdict < Verdict.PROVED


@pytest.mark.sampled(7)
@pytest.mark.parametrize("change", [(0, 1), (1, 0), (0, -1)])
@pytest.mark.parametrize("name", ["zb-h1", "zbv", "dualpipe", "interleaved-zero-bubble"])
def test_updates_stand_nowhere_else(
    name: str, change: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    guessed = step_delays.from_runs

    def moved(*given: Any) -> step_delays.Places:
        places, (slope, constant) = guessed(*given), change
        assert places is not None
        track, form = next(iter(places.forms.items()))
        *others, last = form.pieces
        value = last.value.plus(Affine((("p", slope),) if slope else (), constant))
        pieces = (*others, replace(last, value=value))
        return replace(places, forms={**places.forms, track: replace(form, pieces=pieces)})

    monkeypatch.setattr(step_delays, "from_runs", moved)
    found = prove(replace(get_family(name)), figures_of(get_family(name)), "forwards-first")
    assert found.verdict is Verdict.PROVED
    assert found.to_json()["delay"] is None


ONE_MORE = Affine((), 1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", ["slots", "forward", "backward"])
@pytest.mark.parametrize("linearization", ["ascending", "slot-start"])
def test_forwards_count_no_others(
    part: str, linearization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    guessed, family = window_delays.from_runs, get_family("asyncpp")

    def moved(*given: Any) -> Pace:
        found = guessed(*given)
        assert found is not None
        if part == "forward":
            (only,) = found.steady.pieces
            forward = Piecewise((replace(only, value=only.value.plus(ONE_MORE)),))
            return replace(found, forward=forward)
        if part == "slots":
            return replace(found, slots=found.slots + 1)
        return replace(found, backward=found.backward.plus(ONE_MORE))

    monkeypatch.setattr(window_delays, "from_runs", moved)
    found = prove(replace(family), figures_of(family), linearization)
    assert found.verdict is Verdict.PROVED
    assert found.to_json()["delay"] is None


@pytest.mark.parametrize("linearization", LINEARIZATIONS)
def test_counts_of_windows_add_up_to_nothing_else(
    linearization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, family = stage_sums.Notation.over_stages, get_family("asyncpp")

    def wrong(self: stage_sums.Notation, x: Any, j: Any, p: Any, n: Any, tie: int) -> Any:
        return right(self, x, j, p, n, tie) + (j if tie == -1 else p - j)

    monkeypatch.setattr(stage_sums.Notation, "over_stages", wrong)
    found = prove(replace(family), figures_of(family), linearization)
    assert found.to_json()["delay"] is None


def known_of(name: str) -> tuple[exact_starts.Exact, Pace]:
    family = get_family(name)
    stated = Stated(family, figures_of(family), read_forms(figures_of(family)))
    small = stated._small
    known = step_delays.Known(stated.lanes, stated.order, small, stated._start, z3.Int("end"))
    exact, pace = step_delays.timed(known)[0], window_delays.from_runs(small)
    assert exact is not None
    assert pace is not None
    return exact, pace


@pytest.mark.parametrize("linearization", LINEARIZATIONS)
def test_every_condition_on_windows_is_needed(linearization: str) -> None:
    _, pace = known_of("asyncpp")
    lines = get_linearization(linearization)
    asked = {one.name: one for one in windows.by_windows(pace, lines)}
    for name, condition in (("recorded", "r < K"), ("place", "K*t + K*later <= M")):
        statement = asked[name]
        loose = tuple(one for one in statement.hypotheses if str(one) != condition)
        assert len(loose) == len(statement.hypotheses) - 1
        assert merged("", "", [statement]).verdict is Verdict.PROVED
        without = replace(statement, hypotheses=loose)
        assert merged("", "", [without]).verdict is Verdict.UNKNOWN


def test_first_forwards_are_not_said_to_count_nothing_if_they_count() -> None:
    exact, pace = known_of("asyncpp")
    assert merged("", "", window_delays.beginning(exact, pace)).verdict is Verdict.PROVED
    sooner = replace(pace, backward=pace.backward.plus(Affine((("p", 1),)), -1))
    assert merged("", "", window_delays.beginning(exact, sooner)).verdict is Verdict.UNKNOWN


@pytest.mark.sampled(5)
@pytest.mark.parametrize("part", ["F", "B", "W", "U", "a", "c"])
@pytest.mark.parametrize("linearization", ["descending", "slot-start"])
def test_workers_count_no_others(
    part: str, linearization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    guessed, family = worker_delays.from_runs, get_family("sapipe")

    def moved(*given: Any) -> worker_delays.Workers:
        found = guessed(*given)
        assert found is not None
        first, *others = found.forms[part].pieces
        form = Piecewise((replace(first, value=first.value.plus(Affine((), 1))), *others))
        return replace(found, forms={**found.forms, part: form})

    monkeypatch.setattr(worker_delays, "from_runs", moved)
    found = prove(replace(family), figures_of(family), linearization)
    assert found.verdict is Verdict.PROVED
    assert found.to_json()["delay"] is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", [-1, 1])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("name", ["FIRST", "LATER"])
def test_rounds_have_no_other_slots(
    name: str, place: int, change: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = list(getattr(round_delays, name).pieces)
    pieces[place] = replace(pieces[place], value=pieces[place].value.plus(Affine((), change)))
    monkeypatch.setattr(round_delays, name, Piecewise(tuple(pieces)))
    family = get_family("localsgd")
    found = prove(replace(family), figures_of(family))
    assert found.verdict is Verdict.UNKNOWN
    assert found.open.startswith("rounds: ")
    assert found.to_json()["delay"] is None


@pytest.mark.sampled(7)
@pytest.mark.parametrize("moved", [(0, 1, 0), (1, 0, 0), (0, 0, 1), (0, 0, -1)])
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
def test_events_of_rounds_count_no_others(
    linearization: str, moved: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the first stages end at another one, or an event counts of another slot."""
    right, family = round_delays.spans, get_family("localsgd")

    def wrong(*given: Any, **more: Any) -> list[round_delays.Span]:
        (lo, hi, slots), *others = right(*given, **more)
        return [(lo - moved[0], hi + moved[1], slots + moved[2]), *others]

    monkeypatch.setattr(round_delays, "spans", wrong)
    found = prove(replace(family), figures_of(family), linearization)
    assert found.verdict is Verdict.PROVED
    assert found.to_json()["delay"] is None


def test_late_starts_are_not_taken_for_those_of_runs() -> None:
    """Everything a slot later is a timetable too, in which nothing ends when the first F starts."""
    stated = Stated(
        get_family("zbv"),
        figures_of(get_family("zbv")),
        read_forms(figures_of(get_family("zbv"))),
    )
    runs = list(stated.runs())
    places = Places(stated.order, {})

    def later(kind: str, at: At) -> Any:
        return stamp(stated.order, kind, at)[0] + 1

    causes = exact_starts.causes(places, [(run,) for run in runs])
    exact = exact_starts.Exact(stated.lanes, (later,), places, causes)
    assert merged("", "", exact.statements()).verdict is Verdict.UNKNOWN


@pytest.mark.sampled(6)
@pytest.mark.parametrize("by", [-1, 1])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_no_other_makespan_of_durations_is_proved(
    which: int, by: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where small runs are not asked."""
    family = get_family("zb-h1")
    stated = Stated(family, figures_of(family), read_forms(figures_of(family)))
    monkeypatch.setattr(duration_figures, "_unlike", lambda *_: iter(()))
    region = duration_regions.regions(stated)[0]
    counts = [one + by * (number == which) for number, one in enumerate(region.counts)]
    assert duration_figures._law(stated, region) is not None
    assert duration_figures._law(stated, replace(region, counts=tuple(counts))) is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["F", "B", "W"])
def test_no_other_path_is_proved(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    family, guessed = get_family("zb-h1"), starts_of
    stated = Stated(family, figures_of(family), read_forms(figures_of(family)))

    def moved(*given: Any) -> Any:
        found = guessed(*given)
        assert found is not None
        (key, form) = next(one for one in found.forms.items() if one[0][0] == kind)
        first, *others = form.piecewise.pieces
        value = first.value.plus(Affine((), 1))
        pieces = Piecewise((replace(first, value=value), *others))
        return replace(found, forms={**found.forms, key: replace(form, piecewise=pieces)})

    monkeypatch.setattr(duration_figures, "starts_of", moved)
    by_path = [
        one for one in duration_regions.regions(stated) if one.counts[1] != stated.forms.work / 3
    ]
    assert by_path
    assert not any(duration_figures._law(stated, region) for region in by_path)


@pytest.mark.parametrize(
    ("name", "other"), [("zb-h1", "zb-h2"), ("blog-1f1b", "1f1b"), ("zbv", "dualpipev")]
)
def test_another_family_does_not_have_the_figures(name: str, other: str) -> None:
    impostor = replace(get_family(other), name="impostor")
    assert prove(impostor, figures_of(get_family(name))).verdict < Verdict.PROVED
