"""Whatever is marked in whatever schedule: it is shown, named and placed, in the room given."""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from reports.faults import excerpt
from reports.faults.files import fault_bytes
from reports.faults.focus import look_at, run_of, spot
from reports.faults.scene import scene_of
from schedules import Schedule, timeline
from schedules.dependencies import MISSING
from schedules.schedule import IntArray
from schedules.validation.violation import Arrow, Marks, Violation
from tests.strategies import any_schedules

INVARIANTS = ("stash", "staleness<=2", "match", "deadlock-free", "causal", "anything")
LABELS = ("waits for", "meets", "should meet", "reads version 3", "← ü")


class Halted:
    """A run that stops at some time: what would end later does not."""

    def __init__(self, schedule: Schedule, stop: int) -> None:
        line = timeline(schedule)
        self.start: IntArray = np.where(line.start < stop, line.start, MISSING)
        self.end: IntArray = np.where(line.end <= stop, line.end, MISSING)


@st.composite
def faults(draw: DrawFn) -> tuple[Schedule, Violation, Halted]:
    schedule = draw(any_schedules())
    action = st.integers(0, len(schedule) - 1)
    arrows = draw(st.lists(st.builds(Arrow, action, action, st.sampled_from(LABELS)), max_size=5))
    marks = Marks(tuple(draw(st.lists(action, min_size=1, max_size=6))), tuple(arrows))
    violation = Violation(draw(st.sampled_from(INVARIANTS)), "what → is wrong", "place", {}, marks)
    stop = draw(st.integers(0, timeline(schedule).length))
    return schedule, violation, Halted(schedule, stop)


def marked(violation: Violation) -> set[int]:
    ends = {end for arrow in violation.marks.arrows for end in (arrow.source, arrow.target)}
    return {*violation.marks.actions, *ends}


@given(faults(), st.integers(40, 140))
def test_an_excerpt_fits_and_names_all_that_is_marked(
    drawn: tuple[Schedule, Violation, Halted], width: int
) -> None:
    schedule, violation, run = drawn
    for lines in (
        excerpt(schedule, violation, run, width),
        excerpt(schedule, violation, None, width),
    ):
        assert max(map(len, lines)) <= width
        assert all(line.isascii() and line.isprintable() for line in lines)
        joined = " ".join(" ".join(lines).split())
        assert all(spot(schedule, index) in joined for index in marked(violation))


@given(faults(), st.integers(40, 140))
def test_the_first_mark_is_always_in_the_window(
    drawn: tuple[Schedule, Violation, Halted], width: int
) -> None:
    schedule, violation, run = drawn
    first = violation.marks.actions[0]
    lines = excerpt(schedule, violation, run, width)
    rows = [k for k, line in enumerate(lines) if f">{schedule.action(first)}<" in line]
    assert len(rows) == 1
    column = lines[rows[0]].index(f">{schedule.action(first)}<")
    assert (
        lines[rows[0] + 1][column : column + len(str(schedule.action(first))) + 2].strip("^") == ""
    )


@given(faults(), st.integers(1, 60))
def test_a_row_keeps_the_order_of_time_and_of_the_program(
    drawn: tuple[Schedule, Violation, Halted], most: int
) -> None:
    schedule, violation, run = drawn
    focus = look_at(schedule, violation)
    assert focus is not None
    scene = scene_of(schedule, focus, run, lambda scene: len(scene.columns) <= most)
    assert focus.actions[0] in {cell.action for cell in scene.cells}
    for row in range(len(scene.ranks)):
        cells = sorted((cell for cell in scene.cells if cell.row == row), key=lambda c: c.column)
        assert all(a.column + a.span <= b.column for a, b in pairwise(cells))
        ran = [cell.action for cell in cells if cell.state == "done"]
        halted = [cell.action for cell in cells if cell.state != "done"]
        assert ran == sorted(ran, key=lambda k: (run.start[k], k))
        assert halted == sorted(halted)
        assert [cell.action for cell in cells] == ran + halted
        for cell in cells:
            assert (cell.state == "done") == (run.end[cell.action] != MISSING)
            assert (cell.state == "never") == (run.start[cell.action] == MISSING)


@pytest.mark.slow
@settings(max_examples=25)
@given(faults())
def test_a_picture_has_every_mark(drawn: tuple[Schedule, Violation, Halted]) -> None:
    schedule, violation, run = drawn
    picture = fault_bytes(schedule, violation, "svg", run)
    assert picture is not None
    names = [element.get("id", "") for element in ElementTree.fromstring(picture).iter()]
    focus = look_at(schedule, violation)
    assert focus is not None
    wanted = {f"mark-{index}" for index in focus.actions}
    assert {name for name in names if name.startswith("mark-")} == wanted
    arrows = {f"arrow-{number}" for number in range(1, len(focus.pointers) + 1)}
    assert {name for name in names if name.startswith("arrow-")} == arrows


@given(any_schedules())
def test_the_run_of_a_schedule_that_ends_is_its_timeline(schedule: Schedule) -> None:
    run, line = run_of(schedule), timeline(schedule)
    assert run is not None
    assert run.start.tolist() == line.start.tolist()
    assert run.end.tolist() == line.end.tolist()
