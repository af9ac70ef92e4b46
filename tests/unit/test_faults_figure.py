"""Pictures of faults: what is marked is drawn, where it belongs, and told apart."""

from xml.etree import ElementTree

import numpy as np
import pytest

from reports.errors import PictureError
from reports.faults import fault_figure
from reports.faults.files import fault_bytes
from reports.faults.looks import ARROWS, STATES, look_of
from schedules import Schedule, build
from schedules.formats.pytorch_csv import parse_csv
from schedules.messages.channels import channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import progress
from schedules.validation.deadlock_free import deadlock_free
from schedules.validation.match import match
from schedules.validation.violation import Arrow, Marks, Violation

SVG = "{http://www.w3.org/2000/svg}"
STUCK = "0F0,0SEND_F0,0RECV_B0,0B0\n1SEND_B0,1RECV_F0,1F0,1B0"
SWAPPED = (
    "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
    "1RECV_F1,1F1,1RECV_F0,1F0,1B0,1SEND_B0,1B1,1SEND_B1"
)


def fault(invariant: str, actions: tuple[int, ...], *arrows: Arrow) -> Violation:
    return Violation(invariant, "what is wrong", "place", {}, Marks(actions, arrows))


def svg(schedule: Schedule, violation: Violation) -> ElementTree.Element:
    picture = fault_bytes(schedule, violation, "svg")
    assert picture is not None
    return ElementTree.fromstring(picture)


def named(root: ElementTree.Element, name: str) -> dict[str, str]:
    """The elements whose ids begin so, and their titles."""
    found = {}
    for element in root.iter(f"{SVG}g"):
        if element.get("id", "").startswith(f"{name}-"):
            title = element.find(f"{SVG}title")
            assert title is not None
            found[element.attrib["id"]] = title.text or ""
    return found


def texts(schedule: Schedule, violation: Violation) -> list[str]:
    figure = fault_figure(schedule, violation)
    assert figure is not None
    return [text.get_text() for text in figure.axes[0].texts]


def test_a_circle_of_waits_is_closed() -> None:
    schedule = parse_csv(STUCK, "a.csv")
    plan = channels(schedule)
    [found] = deadlock_free(schedule, plan, QueueModel())
    picture = fault_bytes(schedule, found, "svg", progress(schedule, plan, QueueModel()))
    root = ElementTree.fromstring(picture or b"")
    assert set(named(root, "mark")) == {"mark-1", "mark-2", "mark-4", "mark-5"}
    assert named(root, "mark")["mark-1"] == "rank 0 0SEND_F0 (row 1:cell 2)"
    assert [title.split(" (row")[0] for title in named(root, "arrow").values()] == [
        "1. rank 0 0SEND_F0",
        "2. rank 1 1RECV_F0",
        "3. rank 1 1SEND_B0",
        "4. rank 0 0RECV_B0",
    ]


def test_every_action_in_the_window_has_its_place() -> None:
    schedule = parse_csv(STUCK, "a.csv")
    root = svg(schedule, fault("causal", (1,)))
    drawn = {**named(root, "action"), **named(root, "mark")}
    assert len(drawn) == len(schedule)
    assert drawn["action-4"] == "rank 1 1SEND_B0 (row 2:cell 1)"


def test_a_swapped_message_has_both_pairs() -> None:
    schedule = parse_csv(SWAPPED, "a.csv")
    figure = fault_figure(schedule, match(schedule, channels(schedule))[0])
    assert figure is not None
    arrows = [
        patch for patch in figure.axes[0].patches if (patch.get_gid() or "").startswith("arr")
    ]
    assert [patch.get_linestyle() for patch in arrows] == ["-", "--", "--"]


def test_versions_stand_below_a_stale_read() -> None:
    schedule = build("pipedream", 2, 4)
    words = texts(schedule, fault("stash", (6,)))
    assert [word for word in words if word[0] == "v"] == ["v0", "v1", "v2", "v3"]
    assert "stage 0" in words
    assert not any(word[0] == "v" for word in texts(schedule, fault("in-flight<=2", (6,))))


def test_other_marks_make_another_picture() -> None:
    schedule = build("pipedream", 3, 4)
    one = fault("stash", (2, 4), Arrow(2, 4, "reads"))
    pictures = {
        fault_bytes(schedule, violation, "svg")
        for violation in (
            one,
            fault("stash", (2, 5), Arrow(2, 5, "reads")),
            fault("stash", (2, 4), Arrow(4, 2, "reads")),
            fault("stash", (2, 4), Arrow(2, 4, "should read")),
            fault("stash", (2, 4)),
        )
    }
    assert len(pictures) == 5
    assert fault_bytes(schedule, one, "svg") in pictures


def test_a_hang_is_hatched_behind_a_line() -> None:
    schedule = parse_csv(STUCK, "a.csv")
    plan = channels(schedule)
    found = fault("deadlock-free", (1,))
    figure = fault_figure(schedule, found, progress(schedule, plan, QueueModel()))
    assert figure is not None
    axes = figure.axes[0]
    boxes = {patch.get_gid(): patch for patch in axes.patches if patch.get_gid()}
    hatched = {name for name, box in boxes.items() if box.get_hatch()}
    assert hatched == {f"action-{k}" for k in (2, 3, 4, 5, 6, 7)}
    assert "never ends, in program order" in [text.get_text() for text in axes.texts]
    assert "never ends, in program order" not in texts(build("gpipe", 2, 2), found)


def test_a_computation_is_as_long_as_it_runs() -> None:
    class Run:
        start, end = np.array([0, 1, 1, 1]), np.array([1, 1, 1, 4])

    schedule = parse_csv("0F0,0SEND_F0\n1RECV_F0,1F0", "a.csv")
    slow = type("Slow", (), {"start": np.array([0, 3, 0, 0]), "end": np.array([3, 3, 0, 4])})
    widths = []
    for run in (Run(), slow()):
        figure = fault_figure(schedule, fault("causal", (0,)), run)
        assert figure is not None
        box = next(patch for patch in figure.axes[0].patches if patch.get_gid() == "action-3")
        widths.append(box.get_extents().width)
    assert widths[1] > 1.5 * widths[0]


def test_arrows_with_the_same_ends_do_not_hide_each_other() -> None:
    found = fault("stash", (), Arrow(0, 2, "reads"), Arrow(0, 2, "replaces"))
    figure = fault_figure(build("gpipe", 2, 4), found)
    assert figure is not None
    arrows = [patch for patch in figure.axes[0].patches if "arrow" in (patch.get_gid() or "")]
    one, other = (patch.get_path().vertices for patch in arrows)
    assert not np.array_equal(one, other)


def test_the_legend_names_an_arrow_only_if_all_are_called_so() -> None:
    schedule = build("gpipe", 2, 4)
    same = fault("causal", (), Arrow(0, 2, "needs"), Arrow(1, 3, "needs"))
    mixed = fault("causal", (), Arrow(0, 2, "needs"), Arrow(1, 3, "reads"))
    assert texts(schedule, same).count("needs") == 1
    assert not {"needs", "reads"} & set(texts(schedule, mixed))


def test_a_picture_keeps_its_width() -> None:
    schedule = build("gpipe", 2, 200)
    figure = fault_figure(schedule, fault("causal", tuple(range(0, 200, 13))))
    assert figure is not None
    assert figure.get_figwidth() < 13


def test_looks_differ_without_colours() -> None:
    hatches = {look: look_of(look, (0, 0, 1)).get("hatch") for look in STATES}
    assert len(set(hatches.values())) == len(STATES)
    assert look_of("marked", (0, 0, 1))["linewidth"] > 2
    assert len({line for _, line in ARROWS.values()}) == len(ARROWS)


def test_nothing_marked_is_nothing_to_draw() -> None:
    assert fault_figure(build("gpipe", 2, 2), fault("complete", ())) is None
    assert fault_bytes(build("gpipe", 2, 2), fault("complete", ()), "svg") is None


def test_a_long_message_is_cut_and_still_there_for_screen_readers() -> None:
    message = " ".join(f"word{k}" for k in range(500))
    violation = Violation("causal", message, "place", {}, Marks((0,)))
    schedule = build("gpipe", 1, 1)
    assert not any("word499" in words for words in texts(schedule, violation))
    description = svg(schedule, violation).find(f"{SVG}desc")
    assert description is not None
    assert "word499" in (description.text or "")


def test_marks_of_another_schedule_are_refused() -> None:
    with pytest.raises(PictureError, match="one of the 2 actions, found 2"):
        fault_figure(build("gpipe", 1, 1), fault("causal", (2,)))
