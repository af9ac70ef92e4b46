"""Delays of small runs, sizes that are refused, and the edges of the steady state."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

from schedules import (
    Action,
    Kind,
    Schedule,
    Steady,
    Unsteady,
    WeightPolicy,
    build,
    delays,
    equivalent_delays,
    steady,
    timeline,
)
from schedules.delays import MAX_BYTES, require_room
from schedules.errors import InvalidScheduleError, SizeError, UnknownNameError

F, B = Kind.F, Kind.B


def test_two_stages_by_hand() -> None:
    """Slots: F0 F1 . B0 F2 B1 …; the second stage runs B0 while the first waits."""
    found = delays(timeline(build("pipedream", 2, 3)))
    assert found.linearization == "ascending"
    assert list(zip(found.stage.tolist(), found.microbatch.tolist(), strict=True)) == [
        (1, 0), (0, 0), (1, 1), (0, 1), (1, 2), (0, 2)
    ]  # fmt: skip
    assert found.index.tolist() == [0, 1, 2, 3, 4, 5]
    assert found.matrix.tolist() == [[0, 0], [1, 1], [2, 0], [3, 1], [2, 0], [3, 1]]
    assert found.matrix.dtype == np.int32


@pytest.mark.parametrize("M", [1, 2, 5])
@pytest.mark.parametrize("family", ["pipedream", "naive"])
def test_one_stage_has_no_delay(family: str, M: int) -> None:
    for measured in (delays, equivalent_delays):
        found = measured(timeline(build(family, 1, M)))
        assert found.matrix.tolist() == [[0]] * M
        assert found.index.tolist() == list(range(M))


@pytest.mark.parametrize("linearization", ["ascending", "descending", "forwards-first"])
def test_one_microbatch_counts_the_stages_behind(linearization: str) -> None:
    found = delays(timeline(build("pipedream", 4, 1)), linearization)
    assert found.stage.tolist() == [3, 2, 1, 0]
    assert found.matrix.tolist() == [[k] * 4 for k in range(4)]


def test_equivalent_delay_of_one_microbatch() -> None:
    """Block j is first updated by its own backward, at index p − 1 − j."""
    found = equivalent_delays(timeline(build("naive", 3, 1)))
    assert found.matrix.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 2]]


def test_incomplete_interval_has_no_rows() -> None:
    order = [Action(kind, 0, m) for m in range(3) for kind in (F, B)]
    schedule = Schedule.from_orders("made", [order], 3, WeightPolicy("stash", interval=2))
    found = delays(timeline(schedule))
    assert found.microbatch.tolist() == [0, 1]
    assert found.index.tolist() == [0, 0]


def test_flush_gives_every_microbatch_the_same_row() -> None:
    found = delays(timeline(build("gpipe", 2, 3)))
    assert found.stage.tolist() == [1, 1, 1, 0, 0, 0]
    assert found.index.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.matrix.tolist() == [[0, 0]] * 3 + [[1, 1]] * 3


# Steady state


def test_steady_statistics_are_exact() -> None:
    rows = steady(delays(timeline(build("pipedream", 3, 7))))
    assert isinstance(rows, Steady)
    assert rows.rows.tolist() == [[7, 5, 3], [6, 4, 2], [5, 3, 1]]
    assert (rows.max, rows.min, rows.mean) == (7, 1, Fraction(4))


def test_mean_is_a_fraction() -> None:
    rows = steady(delays(timeline(build("pipedream", 4, 16))))
    assert isinstance(rows, Steady)
    assert rows.mean == Fraction(15, 2)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_too_few_microbatches_for_a_steady_state(p: int) -> None:
    why = steady(delays(timeline(build("pipedream", p, 2 * p))))
    assert isinstance(why, Unsteady)
    assert f"with S = {p} stages; take M ≥ {2 * p + 1}" in why.why


@pytest.mark.parametrize(("unit", "least"), [(1, 7), (2, 8), (4, 8), (7, 7), (9, 9)])
def test_remedy_is_a_multiple(unit: int, least: int) -> None:
    why = steady(delays(timeline(build("pipedream", 3, 6))), unit)
    wanted = f"take M ≥ {least}" + (f", a multiple of {unit}" if unit > 1 else "")
    assert isinstance(why, Unsteady)
    assert why.why.endswith(wanted)


def test_rows_that_do_not_repeat() -> None:
    why = steady(delays(timeline(build("localsgd", 2, 16, replicas=2, local_steps=2))))
    assert isinstance(why, Unsteady)
    assert "do not repeat from microbatch to microbatch" in why.why


@pytest.mark.parametrize(("noam", "first"), [(4, 4), (5, 5), (8, 6)])
def test_rows_repeat_from_the_first_microbatch_on_that_has_them(noam: int, first: int) -> None:
    p, M = 4, 24
    found = delays(timeline(build("pipedream", p, M, noam=noam)))
    part = steady(found)
    assert isinstance(part, Steady)
    assert part.first == first
    rows = {m: found.matrix[found.microbatch == m].tolist() for m in range(M)}
    assert all(rows[m] == rows[first] for m in range(part.first, part.stop))
    assert rows[first - 1] != rows[first]
    shortest = steady(delays(timeline(build("pipedream", p, part.least_microbatches, noam=noam))))
    assert isinstance(shortest, Unsteady) or shortest.rows.tolist() == part.rows.tolist()


# Refusals


def test_sizes_that_do_not_fit() -> None:
    with pytest.raises(SizeError) as caught:
        require_room(10_000, 1_000)
    assert "S = 10000 stages and M = 1000 microbatches" in caught.value.what
    assert "S²·M = 100000000000 entries" in caught.value.what
    assert "745.1 GiB" in caught.value.what
    assert "derive --at" in caught.value.fix


def test_limit_is_where_it_says() -> None:
    entries = MAX_BYTES // 8
    require_room(1, entries)
    with pytest.raises(SizeError):
        require_room(1, entries + 1)


def test_size_is_refused_before_the_matrix_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    # The package's attribute of this name is the function, so the module is asked for.
    monkeypatch.setattr(import_module("schedules.delays"), "MAX_BYTES", 8 * 2 * 2 * 5 - 1)
    with pytest.raises(SizeError, match="S²·M = 20 entries"):
        delays(timeline(build("pipedream", 2, 5)))
    delays(timeline(build("pipedream", 2, 4)))


@pytest.mark.parametrize("measured", [delays, equivalent_delays])
def test_unknown_linearization(measured: object) -> None:
    assert callable(measured)
    with pytest.raises(UnknownNameError, match=r"'forward-first'.*did you mean 'forwards-first'"):
        measured(timeline(build("naive", 2, 1)), "forward-first")


def test_schedule_without_a_backward() -> None:
    schedule = Schedule.from_orders("made", [[Action(F, 0, 0)]], 1, WeightPolicy("stash"))
    with pytest.raises(InvalidScheduleError, match="needs its B or I"):
        delays(timeline(schedule))
